package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/model/task"
	"callboard/themes"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// What changes is taken in, one after the other, until there is no more.
func TestChanges(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		dark, err := themes.New("dark", false, false)
		if err != nil {
			t.Fatal(err)
		}
		set := s.r.o.Settings
		set.Theme = dark
		msgs := []tea.Msg{NoteMsg{Text: "That is wrong.", Bad: true}, SettingsMsg{Settings: set, Note: "The theme is another."}}
		asked := 0
		s.r.o.Changes = func() tea.Msg {
			if asked++; asked > len(msgs) {
				return nil
			}
			return msgs[asked-1]
		}
		cmd := s.r.awaitChange()
		for _, want := range []string{"That is wrong.", "The theme is another."} {
			msg, ok := cmd().(changed)
			if !ok {
				t.Fatalf("no change before %q", want)
			}
			s.r.Update(msg)
			s.shows(want)
			cmd = s.r.awaitChange()
		}
		if cmd() != nil || s.r.t.Name != "dark" {
			t.Errorf("theme %s, asked %d times", s.r.t.Name, asked)
		}
	})
}

// What is said of settings that a person has just changed can be read, whatever
// the servers tell at that moment; that is said after it.
func TestWhatIsSaidOfSettingsCanBeRead(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.send(SettingsMsg{Settings: s.r.o.Settings, Note: "The theme is another."})
		s.wait(time.Second)
		srv.events <- task.Withdrawn{Prompt: "p1", Why: task.Own("nobody answered")}
		s.settle()
		s.shows("The theme is another.")
		s.wait(readTime)
		s.shows("can no longer be answered")
	})
}

// One save is on its way at a time, and the last choice is what is kept.
func TestTasteIsKeptInOrder(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		var kept []int
		s.r.o.Keep = func(taste Taste) error { kept = append(kept, taste.Side); return errors.New("no disk") }
		s.r.taste.Side = 30
		first := s.r.keepTaste()
		s.r.taste.Side = 40
		if second := s.r.keepTaste(); second != nil {
			t.Error("two are on their way")
		}
		s.r.taste.Side = 50
		next := s.r.kept(first().(keptMsg))
		if next == nil {
			t.Fatal("what was chosen meanwhile is lost")
		}
		if again := s.r.kept(next().(keptMsg)); again != nil || len(kept) != 2 || kept[0] != 30 || kept[1] != 50 {
			t.Errorf("kept %v", kept)
		}
		if s.r.Taste().Side != 50 {
			t.Error("the taste at the end is another")
		}
	})
}

// A result that is open takes a theme that is chosen by its name.
func TestAThemeByNamePaintsWhatIsOpen(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		dark, err := themes.New("dark", false, false)
		if err != nil {
			t.Fatal(err)
		}
		s.r.o.Theme = func(string) (*themes.Theme, error) { return dark, nil }
		s.clickOn("disk is full")
		s.clickOn("disk is full")
		s.press("/", "disk", "enter") // a match is marked in each theme
		seen := func() string { return s.r.result.doc.View(s.r.laid.side.w-4, s.r.laid.side.h-2) }
		plain := seen()
		s.press(":", "theme dark", "enter")
		if painted := seen(); painted == plain {
			t.Errorf("the result looks as before:\n%s", painted)
		}
	})
}

// A theme that was chosen on the screen stays until another is chosen, or the
// settings have another one.
func TestAChosenThemeOutlivesNewSettings(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.r.o.Theme = func(name string) (*themes.Theme, error) { return themes.New(name, false, false) }
		again := func(name, want string) {
			t.Helper()
			theme, err := themes.New(name, false, false)
			if err != nil {
				t.Fatal(err)
			}
			s.send(SettingsMsg{Settings: Settings{Theme: theme}})
			if s.r.t.Name != want {
				t.Errorf("the settings say %s: it is %s, want %s", name, s.r.t.Name, want)
			}
		}
		again("mono", "mono")
		s.press(":", "theme dark", "enter")
		again("mono", "dark")
		again("mono", "dark")
		again("light", "light")
		s.press(":", "theme dark", "enter")
		again("light", "dark")
		again("mono", "mono")
	})
}

// What asks is a block in the table; in the detail and its time line it would
// drown the question.
func TestAskingIsNoBlockInTheDetail(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		theme, err := themes.New("ansi", false, false)
		if err != nil {
			t.Fatal(err)
		}
		s.send(SettingsMsg{Settings: Settings{Theme: theme, Keys: keymap.Default()}})
		side, seen := s.r.laid.side, 0
		plain := strings.TrimSuffix(theme.PromptFrame.Paint("◆"), "\x1b[0m")
		for _, line := range strings.Split(s.r.View(), "\n")[side.y : side.y+side.h] {
			line = ansi.Cut(line, side.x, 120)
			if strings.Contains(line, "◆") {
				seen++
				if !strings.Contains(line, plain) {
					t.Errorf("%q", line)
				}
			}
		}
		if seen < 2 {
			t.Errorf("%d times:\n%s", seen, s.r.View())
		}
	})
}
