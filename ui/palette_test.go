package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/themes"
	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// spots are keys that lead to each place of the keymap, from the table of tasks.
var spots = map[string][]string{
	keymap.AtTasks: nil, keymap.AtInbox: {"i"}, keymap.AtDetail: {"tab"}, keymap.AtLog: {"l"},
	keymap.AtServers: {"s"}, keymap.AtTools: {"n"}, keymap.AtHelp: {"?"}, keymap.AtResult: {"enter"},
}

// visitSpot goes to a place.
func (s *stage) visitSpot(spot string) {
	s.t.Helper()
	s.r.over, s.r.help.from, s.r.help.search = nil, whence{}, ""
	s.r.at, s.r.onSide, s.r.side, s.r.back = atTasks, false, s.r.detail, atTasks
	s.goTo("backup-2026-11-30-nightly")
	s.press(spots[spot]...)
	if got := s.r.where(); got != spot {
		s.t.Fatalf("%v lead to %s, not to %s", spots[spot], got, spot)
	}
}

// Every action can be run from the command line, or it is said where it works.
func TestEveryActionIsOnTheCommandLine(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		for spot := range spots {
			s.visitSpot(spot)
			all := s.r.entries()
			for _, a := range s.r.k.Actions() {
				i := slices.IndexFunc(all, func(e entry) bool { return e.name == a.Name })
				switch {
				case a.Alone || a.Name == "everywhere.command":
					if i >= 0 {
						t.Errorf("at %s: %s is offered", spot, a.Name)
					}
					s.run(s.r.run(a.Name))
					if a.Alone && !strings.Contains(s.see(), "works only in") {
						t.Errorf("at %s: it is not said where %s works:\n%s", spot, a.Name, s.see())
					}
					s.visitSpot(spot)
				case i < 0:
					t.Errorf("at %s: %s is not offered", spot, a.Name)
				case (all[i].why == "") != a.In(spot):
					t.Errorf("at %s: %s is offered with %q", spot, a.Name, all[i].why)
				}
			}
		}
	})
}

// What is offered does something, or says why not now; what has no key too.
func TestEveryOfferedActionIsKnownInItsPlace(t *testing.T) {
	for spot := range spots {
		onOps(t, 120, 40, func(s *stage, srv *script) {
			srv.ask("p1", srv.tasks[0].ID, "Approve?")
			s.settle()
			var none []keymap.Override
			for _, a := range s.r.k.Actions() {
				if !a.Alone && !slices.ContainsFunc([]string{"everywhere.abort", "everywhere.command", "everywhere.help", "everywhere.back"}, func(n string) bool { return n == a.Name }) {
					none = append(none, keymap.Override{Name: a.Name})
				}
			}
			bound := *s.r.k
			unbound := bound
			if faults := unbound.Apply(none); faults != nil {
				t.Fatal(faults)
			}
			for _, a := range bound.Actions() {
				if !a.In(spot) || a.Name == "everywhere.quit" || a.Name == "everywhere.abort" {
					continue
				}
				*s.r.k = bound
				s.visitSpot(spot)
				*s.r.k = unbound
				s.press(":", a.Name, "enter")
				if screen := s.see(); strings.Contains(screen, "does nothing here") || strings.Contains(screen, "no command") {
					t.Errorf("at %s: %s is unknown:\n%s", spot, a.Name, screen)
				}
				if b := s.r.k.Binding(a.Name); len(unbound.Binding(a.Name).Keys()) != len(b.Keys()) {
					t.Errorf("%s has the keys %q now", a.Name, b.Keys())
				}
			}
			*s.r.k = bound
			s.r.over = nil
		})
	}
}

func TestTheCommandLineRunsWhereThePersonIs(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, srv *script) {
		id := s.r.tasks.at.ID
		s.press(":", "can")
		s.shows("task.cancel", "Commands")
		s.press("enter")
		s.shows("Cancel task")
		s.press("y")
		if len(srv.cancels) != 1 || srv.cancels[0] != id {
			t.Errorf("cancelled %v", srv.cancels)
		}
		s.press("l", ":", "reveal", "enter")
		s.shows("hunter2")
		s.press("esc", ":", "reveal", "enter")
		s.shows("log.reveal works only in: log")
		s.press(":", "quit", "enter")
		if !s.r.quitting {
			t.Error(":quit does not quit")
		}
	})
}

// Letters that only stand somewhere in a name run nothing, until a line is chosen.
func TestALooseMatchMustBeChosen(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.press(":", "tcncl")
		s.shows("task.cancel")
		s.press("enter")
		s.shows("no command :tcncl")
		if _, open := s.r.over.(*confirm); open {
			t.Error("it was run")
		}
		s.press(":", "tcncl", "down", "enter")
		s.shows("Cancel task")
		s.press("n", ":", "wacth x", "enter")
		s.shows("did you mean :watch?")
	})
}

func TestTheListIsMovedInAndCompletes(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.r.o.Themes = themes.Names
		s.r.o.Theme = func(name string) (*themes.Theme, error) { return themes.New(name, true, false) }
		s.press(":", "fo", "down", "enter")
		s.shows("Forget")
		s.press("n")
		s.press(":", "the", "tab", "da", "tab", "enter")
		s.shows("The theme is dark")
		if s.r.t.Name != "dark" {
			t.Errorf("the theme is %s", s.r.t.Name)
		}
		s.press(":", "theme nope", "enter")
		s.shows(`No theme "nope"`)
		s.press(":", "sort me", "tab", "re", "tab", "enter")
		s.shows("MESSAGE v")
		s.press(":", "sort message", "enter")
		s.shows("MESSAGE ^")
		s.press(":", "sort colour", "enter")
		s.shows("Columns are status")
		s.press(":", "filter disk", "enter")
		s.shows("Tasks 1 of ")
		s.press(":", "filter", "enter")
		s.hides("Tasks 1 of ")
		s.press("l", ":", "theme", "enter")
		s.shows(":theme NAME")
	})
}

// What may hold a password or a token is not kept.
func TestHistoryKeepsNoSecrets(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		var kept []Taste
		s.r.o.Keep = func(taste Taste) error { kept = append(kept, taste); return nil }
		for _, line := range []string{
			"connect https://user:pw@example.com/mcp", "connect https://example.com/mcp?token=x", "connect user:pw@example.com/mcp",
			"connect example.com/mcp?token=x", "connect https://%zz@x", "force", "force",
		} {
			s.press(":", line, "enter")
		}
		if len(kept) != 1 || !slices.Equal(kept[0].Commands, []string{"force"}) {
			t.Errorf("kept %+v", kept)
		}
		for i := range 150 {
			remember(&s.r.taste.Commands, fmt.Sprint("filter ", i))
		}
		s.press(":", "force", "enter", ":", "forget me", "enter")
		if n := len(s.r.taste.Commands); n != maxHistory {
			t.Errorf("%d lines are kept", n)
		}
		s.press(":", "up")
		s.shows(": forget me")
		s.press("up")
		s.shows(": force")
		s.press("down", "down")
		s.hides(": force")
	})
	if secret("connect https://example.com/mcp") || secret("watch 786512e2") || secret("filter age>5m a?") {
		t.Error("what is no secret is not kept")
	}
}

// What an action means may take two lines; its name stands once.
func TestTheHelpNamesAnActionOnce(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.press("?", "/", "log.task", "enter")
		s.shows("log of the selected task, and of  :log.task", "all ")
		if n := strings.Count(s.see(), ":log.task"); n != 1 {
			t.Errorf("it is named %d times", n)
		}
	})
}

func TestTheHelpRunsItsLineWhereThePersonWas(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		id := s.r.tasks.at.ID
		s.press("?", "/", "cancel", "enter", "enter")
		s.shows("Cancel task")
		s.press("y")
		if len(srv.cancels) != 1 || srv.cancels[0] != id {
			t.Errorf("cancelled %v", srv.cancels)
		}
		s.press("l", "?")
		s.shows("Here: the log")
		s.press("/", "masked", "enter", "enter")
		if s.r.at != atLog || !s.r.log.reveal {
			t.Errorf("at %v, revealed %v", s.r.at, s.r.log.reveal)
		}
		s.press("?", "/", "decline", "enter", "enter")
		s.shows("works only in a form's menu")
		s.press("esc")
		s.shows("Here: the log") // the search is gone first
		s.press("esc")
		if s.r.at != atLog {
			t.Errorf("esc led to %v", s.r.at)
		}
		s.press(":", "help ttl", "enter")
		s.shows("by TTL left")
		s.hides("inbox")
		s.press("/", " no such word", "enter")
		s.shows("No key, command or word")
		s.press("enter")
		s.shows("nothing to do")
	})
}

// A single character is looked for as a key.
func TestTheHelpFindsAKey(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.press("?", "/", "X")
		s.shows("run again")
		s.hides("by status")
		s.press("esc", "/", "y", "e", "s")
		s.shows("yes, of a yes or no")
	})
}

func TestWhoIsNewIsToldSomeKeys(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, _ *script) {
		var kept []Taste
		s.r.taste.Met = false
		s.r.o.Keep = func(taste Taste) error { kept = append(kept, taste); return errors.New("no disk") }
		s.r.viewOf = viewKey{}
		s.shows("New here? n starts a task")
		s.press("j", "j", "j")
		s.shows("New here?")
		s.press("j")
		if len(kept) != 1 || !kept[0].Met {
			t.Errorf("kept %+v", kept)
		}
		s.wait(30 * time.Second)
		s.press("j")
		s.hides("New here?")
	})
}

// goldenList compares the command line and its list with a file of testdata.
func (s *stage) goldenList(name string) {
	s.t.Helper()
	s.fitsScreen()
	lines := strings.Split(ansi.Strip(s.r.View()), "\n")
	l := s.r.over.(*lineOverlay)
	lines = lines[len(lines)-l.win.height-3:]
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Truncate(line, 100, ""), " ")
	}
	uitest.Golden(s.t, name, strings.Join(lines, "\n"))
}

func TestGoldenCommandLine(t *testing.T) {
	for name, size := range map[string][2]int{"80x24": {80, 24}, "120x40": {120, 40}, "40x12": {40, 12}} {
		onOps(t, size[0], size[1], func(s *stage, srv *script) {
			s.wait(time.Second)
			s.press(":", "cance")
			s.goldenList("command-" + name)
			s.press("esc", ":", "sort ", "down", "down")
			s.goldenList("command-behind-" + name)
			s.press("esc", "l", "?", "/", "reveal")
			s.golden("help-search-" + name)
		})
	}
}

// Whatever keys there are, what callboard says names them and no others.
func TestSentencesNameTheKeysAsTheyAreBound(t *testing.T) {
	all := keymap.Default()
	var other []keymap.Override
	for i, a := range all.Actions() {
		k := string(rune(0x100 + i)) // letters, none of which is a key
		if strings.HasPrefix(a.Name, "form.") || strings.HasPrefix(a.Name, "line.") {
			k = "alt+" + k
		}
		keys := []string{k}
		if a.Name == "everywhere.abort" {
			keys = append(keys, "ctrl+c")
		}
		other = append(other, keymap.Override{Name: a.Name, Keys: keys})
	}
	changed := keymap.Default()
	if faults := changed.Apply(other); faults != nil {
		t.Fatal(faults)
	}
	var old []string // "c cancel", as footers have it
	for _, a := range all.Actions() {
		old = append(old, " "+a.Shown+" "+a.Help+" ")
	}
	check := func(s *stage, at string) {
		t.Helper()
		seen := s.see()
		screen := strings.Join(strings.Fields(seen), " ") + " "
		for _, word := range []string{"a ? behind a word", "is inferred: a", " q quit ", "Here: a ", changed.Everywhere.Abort.Help().Key + " ctrl+c quit at once"} { // no keys
			screen = strings.ReplaceAll(screen, word, "")
		}
		for _, word := range []string{" esc ", "esc,", "ctrl+", " enter ", " pgdn ", " n starts", " r asks", " s shows", " w saves", " y copies", " v masks", " G follows", "up/down", ": a ", ": i ", " ? "} {
			if strings.Contains(screen, word) {
				t.Errorf("at %s: %q is on the screen:\n%s", at, word, seen)
			}
		}
		for _, word := range old {
			if strings.Contains(screen, word) {
				t.Errorf("at %s: %q is on the screen:\n%s", at, word, seen)
			}
		}
	}
	for spot := range spots {
		onOps(t, 120, 40, func(s *stage, srv *script) {
			srv.ask("p1", srv.tasks[0].ID, "Approve?")
			s.settle()
			s.visitSpot(spot)
			s.send(SettingsMsg{Settings: Settings{Keys: changed}})
			check(s, spot)
			for _, a := range all.Actions() {
				if !a.In(spot) || a.Name == "everywhere.quit" || a.Name == "everywhere.abort" {
					continue
				}
				*s.r.k = *all
				s.visitSpot(spot)
				*s.r.k = *changed
				s.send(keyMsg(changed.Binding(a.Name).Keys()[0]))
				check(s, spot+" after "+a.Name)
				if s.r.said.text != "" {
					s.r.said, s.r.viewOf = note{}, viewKey{}
					check(s, spot+" after "+a.Name)
				}
			}
			s.r.over = nil
		})
	}
	onOps(t, 120, 40, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.send(SettingsMsg{Settings: Settings{Keys: changed}})
		s.run(s.r.run("everywhere.answer"))
		check(s, "a form")
		s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(changed.Form.Menu.Keys()[0])[4:], Alt: true})
		s.shows("review what will be sent")
		check(s, "its menu")
		s.r.over = nil
		srv.visit("u1", srv.tasks[0].ID, "https://login.example.com/")
		s.settle()
		s.press(changed.Everywhere.Inbox.Keys()[0], changed.List.Down.Keys()[0], changed.Everywhere.Answer.Keys()[0])
		s.shows("login.example.com")
		check(s, "an address to visit")
		s.r.over = nil
	})
	play(t, 100, 24, func() map[string]*script { return map[string]*script{"ops": newScript()} }, func(s *stage) {
		s.send(SettingsMsg{Settings: Settings{Keys: changed}})
		check(s, "the empty table")
		for _, name := range []string{"everywhere.inbox", "everywhere.new", "everywhere.log", "everywhere.servers"} {
			s.r.toTasks()
			s.run(s.r.run(name))
			s.r.said, s.r.viewOf = note{}, viewKey{}
			check(s, name+" of an empty server")
		}
		s.r.toTasks()
		s.run(s.r.run("filter nothing"))
		check(s, "a filter of nothing")
	})
}

func TestAKeyMsgOfAnActionIsNoText(t *testing.T) {
	if got := keyWord(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(trigger + "task.cancel")}); got != ":task.cancel" {
		t.Errorf("%q", got)
	}
}
