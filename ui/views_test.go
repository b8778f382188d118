package ui

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

func TestGoldenViews(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {40, 12}} {
		for name, keys := range map[string][]string{
			"tasks": nil, "detail": {"tab"}, "inbox": {"i"}, "log": {"l"}, "servers": {"s"}, "help": {"?"},
			"cancel": {"c"}, "result": {"G", "k", "k", "enter"},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.w, size.h), func(t *testing.T) {
				onOps(t, size.w, size.h, func(s *stage, srv *script) {
					srv.ask("p1", srv.tasks[0].ID, "Approve rollout to production?")
					s.wait(time.Second)
					s.press(keys...)
					s.golden(fmt.Sprintf("%s-%dx%d", name, size.w, size.h))
				})
			})
		}
	}
}

func TestTwoServersHaveAColumn(t *testing.T) {
	play(t, 80, 24, func() map[string]*script {
		return map[string]*script{"ops": opsServer(), "lab": opsServer()}
	}, func(s *stage) {
		s.shows("SERVER", "2 servers", "lab")
		s.golden("two-80x24")
	})
}

// Servers on one host are told from each other, in the table and in the log.
func TestNamesOfServersStayDistinct(t *testing.T) {
	for _, w := range []int{60, 80, 120} {
		play(t, w, 24, func() map[string]*script {
			return map[string]*script{"127.0.0.1:8931": opsServer(), "127.0.0.1:8932": opsServer()}
		}, func(s *stage) {
			s.shows("931", "932")
			s.press("l")
			if w > 60 { // else the log has no such column
				s.shows("SERVER", "931", "932")
			}
		})
	}
}

// Whatever the size and the place: no panic, no line too many or too wide.
func TestEverySize(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, strings.Repeat("日本語 🚀 wide words ", 40))
		s.settle()
		long := strings.Repeat("a long sentence, ", 40)
		for _, keys := range [][]string{{}, {"tab"}, {"i"}, {"esc", "l"}, {"enter"}, {"esc", "esc", "s"}, {"esc", "?"}, {"esc", "c"}, {"n", "a"}, {"esc", "n"}, {"esc", "/"}, {"is:", "tab"}, {"esc", "C"}, {"esc", "*", "c"}, {"y", "b"}, {"esc"}} {
			s.press(keys...)
			for _, w := range []int{1, 20, 39, 40, 55, 80, 99, 100, 160, 300} {
				for _, h := range []int{1, 9, 10, 29, 30, 100} {
					s.take(tea.WindowSizeMsg{Width: w, Height: h})
					s.fitsScreen()
					s.take(NoteMsg{Text: long, Bad: true})
					s.fitsScreen()
					s.r.said = note{}
				}
			}
		}
		s.settle()
	})
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestHostileTextNeverReachesTheTerminal(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		evil := "\x1b]52;c;aGk=\x07\x9b31m\u202e\u200b\x1bPq\x1b\\evil"
		srv.push(task.Task{ID: task.ID(evil), Status: task.Working, Message: task.Clean(evil), Created: time.Now(), Updated: time.Now()})
		srv.frames = append(srv.frames, task.Frame{Seq: 99, At: time.Now(), Dir: task.In, Method: evil, ID: evil, Stream: "GET", Body: evil})
		srv.ask("p1", task.ID(evil), evil)
		s.settle()
		for _, keys := range [][]string{{}, {"g"}, {"tab"}, {"tab", "c"}, {"n", "i"}, {"esc", "l"}, {"enter"}, {"esc", "esc"}} {
			s.press(keys...)
			view := escapes.ReplaceAllString(s.r.View(), "")
			for _, c := range view {
				if c < 0x20 && c != '\n' || c >= 0x7f && c <= 0x9f || c == 0x202e || c == 0x200b {
					t.Fatalf("after %v the screen holds %U:\n%q", keys, c, view)
				}
			}
			s.fitsScreen()
		}
	})
}

// A view that comes from the cache is the one that would be drawn anew.
func TestCachedViewIsFresh(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, srv *script) {
		rng := rand.New(rand.NewPCG(1, 2))
		keys := []string{"j", "k", "G", "g", "tab", "enter", "esc", "i", "l", "?", "s", "S", "A", "right", "left", "c", "n", "pgdown", "v", ":", "esc", "/", "esc", "a", "ctrl+o", "ctrl+s", "w", "y", "X", "R", "space", "T", "right", "*", "-", "ctrl+@", "p", "f", "C", "F", "b", "+", "K", "t", "H", "u", "Y", "ctrl+n"}
		for i := range 250 {
			switch rng.IntN(4) {
			case 0:
				s.press(keys[rng.IntN(len(keys))])
			case 1:
				id := task.ID(fmt.Sprintf("task-%03d", rng.IntN(30)))
				srv.push(task.Task{ID: id, Status: task.Status(1 + rng.IntN(5)), Message: task.Own(fmt.Sprint("step ", i)), Created: time.Now(), Updated: time.Now()})
				s.settle()
			case 2:
				s.wait(time.Duration(rng.IntN(7000)) * time.Millisecond)
			case 3:
				s.size(60+rng.IntN(100), 12+rng.IntN(40))
			}
			s.r.View()
			cached := s.r.View()
			s.r.viewOf, s.r.tasks.linesOf = viewKey{}, tableKey{}
			if fresh := s.r.View(); fresh != cached {
				t.Fatalf("step %d: cached\n%s\nfresh\n%s", i, cached, fresh)
			}
		}
	})
}

func TestTheClockTicksOnceASecondAndAgesStep(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, _ *script) {
		views := map[string]bool{}
		tables := map[string]bool{}
		for range 20 {
			s.wait(time.Second)
			views[s.r.View()] = true
			tables[strings.Join(s.r.tasks.lines, "\n")] = true
		}
		if len(views) < 19 || len(views) > 21 {
			t.Errorf("%d views in 20 s: the clock should step each second", len(views))
		}
		if len(tables) > 5 {
			t.Errorf("the table changed %d times in 20 s: ages step by 5 s", len(tables))
		}
	})
}

func TestEmptyBoardSaysWhyAndTheNextKey(t *testing.T) {
	play(t, 80, 24, func() map[string]*script { return map[string]*script{"ops": newScript()} }, func(s *stage) {
		s.shows("n starts", "r asks again")
		s.golden("empty-80x24")
	})
}

func TestUnreachableServerSaysWhatWasTried(t *testing.T) {
	play(t, 80, 24, func() map[string]*script {
		srv := newScript()
		srv.fail = &task.Error{
			Kind: task.Unreachable, Message: task.Own("connection refused"),
			Tried: task.Own("POST initialize to https://ops.example.com/mcp"), Advice: task.Own("Is the server running?"),
		}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.shows("down")
		s.press("s")
		s.shows("POST initialize", "connection refused", "Is the server running?", "next try")
	})
}
