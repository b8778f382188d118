package ui

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// meanwhile lets a few things happen in twelve minutes.
func meanwhile(s *stage, srv *script) {
	for i, st := range []task.Status{task.Completed, task.Completed, task.Failed, task.InputRequired} {
		srv.push(fresh(fmt.Sprint("meanwhile-", i), task.Working))
		s.wait(time.Minute)
		done := fresh(fmt.Sprint("meanwhile-", i), st)
		done.Message = task.Own(fmt.Sprint("step ", i))
		srv.push(done)
		s.wait(2 * time.Minute)
	}
}

const whileAway = "1 asked, 1 failed, 2 completed, 4 began. W shows them."

func TestWhileYouWereAway(t *testing.T) {
	for name, comes := range map[string]func(s *stage, srv *script){
		"resumed": func(s *stage, srv *script) { meanwhile(s, srv); s.send(tea.ResumeMsg{}); s.wait(4 * time.Second) },
		"focus":   func(s *stage, srv *script) { s.send(tea.BlurMsg{}); meanwhile(s, srv); s.send(tea.FocusMsg{}) },
		"editor": func(s *stage, srv *script) {
			meanwhile(s, srv)
			s.send(editedMsg{})
			s.press("esc")
			s.wait(25 * time.Second)
		},
		"idle": func(s *stage, srv *script) { meanwhile(s, srv); s.press("j") },
	} {
		t.Run(name, func(t *testing.T) {
			onOps(t, 120, 30, func(s *stage, srv *script) {
				s.press("j")
				comes(s, srv)
				s.shows("While you were away (12m): " + whileAway)
				s.press("k") // it can be read before a key puts it away
				s.shows(whileAway)
				s.wait(4 * time.Second)
				s.press("j")
				s.hides(whileAway)
			})
		})
	}
}

// A tool that is learnt later stands with what its task did before, and the
// servers and words stand in one column.
func TestWhatHappenedNamesTheTool(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, srv *script) {
		srv.push(fresh("first", task.Working))
		srv.push(fresh("other", task.Working))
		s.wait(time.Second)
		s.press("W")
		s.hides("deploy_service")
		s.r.m.Row(task.Key{Server: "ops", ID: "first"}).Tool = task.Own("deploy_service")
		s.press("j")
		s.shows("began      first          deploy_service")
	})
}

func TestAShortLookElsewhereIsNotAway(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, srv *script) {
		s.send(tea.BlurMsg{})
		srv.push(fresh("x", task.Failed))
		s.wait(30 * time.Second)
		s.send(tea.FocusMsg{})
		s.press("j")
		s.wait(5 * time.Minute)
		s.press("j")
		s.hides("While you were away")
	})
}

func TestTheListOfWhatHappened(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"200x60", 200, 60}} {
		onOps(t, size.w, size.h, func(s *stage, srv *script) {
			s.press("W")
			s.shows("Nothing has happened since callboard began.")
			s.press("esc")
			s.wait(time.Minute)
			srv.push(fresh("before", task.Cancelled))
			s.wait(time.Minute)
			s.send(tea.BlurMsg{})
			meanwhile(s, srv)
			s.send(tea.FocusMsg{})
			s.wait(time.Minute)
			srv.push(fresh("after", task.Failed))
			s.wait(time.Second)
			s.press("W")
			s.shows("you came back", "you went", "after", "before", "◆ asked")
			s.golden("away-" + size.name)
			// The cursor stays on its event when another comes on top.
			s.press("j", "j", "j")
			srv.push(fresh("newest", task.Failed))
			s.settle()
			s.press("enter")
			if s.r.at != atTasks || s.r.tasks.at.ID != "meanwhile-3" {
				t.Errorf("at %v on %v", s.r.at, s.r.tasks.at)
			}
		})
	}
}

// While the process is stopped it hears nothing: it finds out before it says.
func TestWhatHappenedWhileCallboardStoodStill(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, srv *script) {
		s.press("j")
		srv.mu.Lock()
		for i := range srv.tasks {
			if srv.tasks[i].Status == task.Working {
				srv.tasks[i].Status, srv.tasks[i].Updated = task.Completed, time.Now().Add(time.Minute)
			}
		}
		srv.mu.Unlock()
		time.Sleep(12 * time.Minute) // virtual: nobody takes a message meanwhile
		s.send(tea.ResumeMsg{})
		s.wait(4 * time.Second)
		s.shows("While you were away (12m): 4 completed. W shows them.")
	})
}
