package ui

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// where returns the cell at which words stand on the screen, in their middle:
// within the main pane where they stand there too.
func (s *stage) where(words string) (x, y int) {
	s.t.Helper()
	for _, within := range []box{s.r.laid.main, {w: s.r.width, h: s.r.height}} {
		for y, line := range strings.Split(s.see(), "\n") {
			if i := strings.Index(line, words); i >= 0 {
				if x := width(line[:i]) + width(words)/2; within.has(x, y) {
					return x, y
				}
			}
		}
	}
	s.t.Fatalf("the screen does not show %q:\n%s", words, s.see())
	return 0, 0
}

// mouse sends what the mouse does at a cell.
func (s *stage) mouse(b tea.MouseButton, a tea.MouseAction, x, y int) {
	s.send(tea.MouseMsg{X: x, Y: y, Button: b, Action: a})
}

// click presses the left button at a cell a second after the last time.
func (s *stage) click(x, y int) {
	s.wait(time.Second)
	s.mouse(tea.MouseButtonLeft, tea.MouseActionPress, x, y)
	s.mouse(tea.MouseButtonLeft, tea.MouseActionRelease, x, y)
}

func (s *stage) clickOn(words string) {
	s.t.Helper()
	x, y := s.where(words)
	s.click(x, y)
}

func (s *stage) wheel(words string, steps int) {
	s.t.Helper()
	x, y := s.where(words)
	b := tea.MouseButtonWheelDown
	if steps < 0 {
		b, steps = tea.MouseButtonWheelUp, -steps
	}
	for range steps {
		s.mouse(b, tea.MouseActionPress, x, y)
	}
}

func TestAPressSelectsARowAndAnotherOpensIt(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.clickOn("Copied 4 GB")
		if s.r.tasks.at.ID != "backup-2026-11-30-nightly" || s.r.onSide {
			t.Fatalf("selected %v, on the side: %v", s.r.tasks.at, s.r.onSide)
		}
		s.clickOn("Copied 4 GB")
		s.shows("Result of", "Copied 4 GB in 12 minutes.")
	})
}

func TestADoubleClickOpensOnce(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.clickOn("Approve rollout")
		x, y := s.where("Copied 4 GB")
		s.click(x, y)
		s.mouse(tea.MouseButtonLeft, tea.MouseActionPress, x, y)
		s.shows("Result of")
		before := s.see()
		s.mouse(tea.MouseButtonLeft, tea.MouseActionPress, x, y) // a third press meets what opened
		if s.see() != before {
			t.Errorf("the third press did something:\n%s", s.see())
		}
	})
}

// What is opened by one press is not answered by the next of a double click.
func TestADoubleClickNeverConfirms(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		x, y := s.where("c cancel")
		s.click(x, y)
		s.shows("Cancel task")
		yx, yy := s.where("y yes")
		s.mouse(tea.MouseButtonLeft, tea.MouseActionPress, yx, yy)
		s.mouse(tea.MouseButtonLeft, tea.MouseActionPress, 2, 39) // " y yes" in the footer
		s.shows("Cancel task")
		if len(srv.cancels) != 0 {
			t.Fatal("a double click cancelled")
		}
		s.click(yx, yy)
		if len(srv.cancels) != 1 {
			t.Error("the button does nothing")
		}
	})
}

func TestNoIsAButtonToo(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		s.press("c")
		s.clickOn("n no")
		s.hides("Cancel task")
		s.shows("Nothing was done.")
		if len(srv.cancels) != 0 {
			t.Error("cancelled")
		}
	})
}

// Words of a server are no buttons, whatever they look like.
func TestAServersWordsAreNoButtons(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		srv.tasks[0].Message = task.Own("press y yes now")
		srv.push(srv.tasks[0])
		s.settle()
		s.press("c")
		for y, line := range strings.Split(s.see(), "\n") {
			if i := strings.Index(line, "y yes now"); i >= 0 {
				s.click(width(line[:i]), y)
			}
		}
		s.shows("Cancel task")
		if len(srv.cancels) != 0 {
			t.Error("a server's words cancelled")
		}
	})
}

func TestThePressAtAHeadSorts(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		for _, c := range columns {
			if !strings.Contains(s.see(), c.title) {
				continue
			}
			was, wasReversed := s.m.Board().Sort()
			s.clickOn(" " + c.title)
			by, reversed := s.m.Board().Sort()
			if by != c.by || was == by && reversed == wasReversed {
				t.Errorf("a press at %s sorts by %v, reversed %v", c.title, by, reversed)
			}
			s.clickOn(" " + c.title)
			if _, again := s.m.Board().Sort(); again == reversed {
				t.Errorf("another press at %s does not reverse", c.title)
			}
		}
	})
}

func TestTheWheelScrollsWhatItIsOver(t *testing.T) {
	play(t, 120, 20, func() map[string]*script { return map[string]*script{"ops": many(200)} }, func(s *stage) {
		s.wheel("Detail", 2)
		if s.r.onSide || s.r.detail.text.top == 0 {
			t.Errorf("keys on the side: %v, the detail is at %d", s.r.onSide, s.r.detail.text.top)
		}
		x, y := 10, 8
		for range 4 {
			s.mouse(tea.MouseButtonWheelDown, tea.MouseActionPress, x, y)
		}
		if top := s.r.tasks.win.offset; top != 4*wheelStep {
			t.Errorf("the table is at %d, want %d", top, 4*wheelStep)
		}
		s.wheel("Tasks 200", -9)
		if top := s.r.tasks.win.offset; top != 0 {
			t.Errorf("back at %d", top)
		}
		s.wheel("Tasks 200", 100)
		if got := s.r.tasks.win; got.offset+got.height != 200 {
			t.Errorf("at the end: %+v", got)
		}
	})
}

func TestAPressGivesAPaneTheKeys(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.clickOn("Detail")
		if !s.r.onSide {
			t.Fatal("the detail has no keys")
		}
		s.clickOn("Copied 4 GB")
		s.hides("Result of")
		if s.r.onSide || s.r.tasks.at.ID != "backup-2026-11-30-nightly" {
			t.Error("the table has no keys, or another row")
		}
	})
}

// Every key that the footer names is a button.
func TestTheFooterHasButtons(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		for words, want := range map[string]string{
			"? help": "Help", "l log": "Log", "s servers": "Servers 1", "i inbox": "Inbox", "n new: tools": "Tools",
		} {
			s.clickOn(words)
			s.shows("╭─ " + want)
			s.clickOn("esc back")
			s.shows("╭─ Tasks")
		}
		srv.ask("p1", srv.tasks[0].ID, "Approve rollout to production?")
		s.wait(time.Second)
		s.clickOn("1 prompt waits: a")
		s.shows("ops asks")
		s.clickOn("esc keep and leave")
		s.hides("ops asks")
		s.press("tab")
		for _, b := range s.r.focused().hints(s.r) {
			words := b.Help().Key + " " + b.Help().Desc
			if !strings.Contains(s.see(), " "+words) {
				continue
			}
			x, y := s.where(words)
			if got, ok := hintAt(s.r.lineAt(y), x, s.r.focused().hints(s.r)); !ok || got.Help() != b.Help() {
				t.Errorf("at %q stands %v", words, got.Help())
			}
		}
	})
}

func TestASentenceGoesAwayByAPress(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.send(NoteMsg{Text: "something went wrong", Bad: true})
		s.clickOn("something went wrong")
		s.hides("something went wrong")
		s.shows("? help")
	})
}

func TestEveryDefaultKeyIsAKeyPress(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		for _, scope := range s.r.k.Scopes() {
			for _, b := range scope.Bindings {
				if k := pressOf(b); k == nil || !slices.Contains(b.Keys(), k.String()) {
					t.Errorf("%s: %v becomes %v", scope.Name, b.Keys(), k)
				}
			}
		}
	})
}

func TestTheBorderIsDragged(t *testing.T) {
	for _, size := range []struct{ w, h int }{{160, 40}, {80, 40}} {
		onOps(t, size.w, size.h, func(s *stage, _ *script) {
			kept := 0
			s.r.o.Keep = func(taste Taste) error { kept = taste.Side; return nil }
			side := s.r.laid.side
			x, y, toX, toY := side.x, side.y+3, 60, side.y+3
			if side.x == 0 {
				x, y, toX, toY = 20, side.y, 20, 12
			}
			s.wait(time.Second)
			s.mouse(tea.MouseButtonLeft, tea.MouseActionPress, x, y)
			s.mouse(tea.MouseButtonLeft, tea.MouseActionMotion, toX, toY)
			now := s.r.laid.side
			if d := max(now.x-toX, toX-now.x); side.x > 0 && d > 2 {
				t.Errorf("the side pane begins at %d, want about %d", now.x, toX)
			}
			if d := max(now.y-toY, toY-now.y); side.x == 0 && d > 1 {
				t.Errorf("the side pane begins at line %d, want about %d", now.y, toY)
			}
			s.fitsScreen()
			s.mouse(tea.MouseButtonLeft, tea.MouseActionRelease, toX, toY)
			if kept == 0 || kept != s.r.taste.Side {
				t.Errorf("kept %d, want %d", kept, s.r.taste.Side)
			}
			s.mouse(tea.MouseButtonLeft, tea.MouseActionMotion, 3, 3)
			if s.r.laid.side != now {
				t.Error("it is dragged on after the button went up")
			}
		})
	}
}

// While a button is held each cell is told: nothing is drawn for it.
func TestMotionCostsNothing(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.mouse(tea.MouseButtonLeft, tea.MouseActionMotion, 5, 5)
		s.hides("Hold shift")
		s.clickOn("Copied 4 GB")
		x, y := s.where("Copied 4 GB")
		s.wait(time.Second)
		s.mouse(tea.MouseButtonLeft, tea.MouseActionPress, x+40, y+12)
		s.mouse(tea.MouseButtonLeft, tea.MouseActionMotion, x+41, y+12)
		s.shows("Hold shift to select text")
		s.press("?", "esc")
		s.r.View()
		s.r.viewOf.now-- // whoever draws now draws all anew
		if n := testing.AllocsPerRun(100, func() {
			_, cmd := s.r.Update(tea.MouseMsg{X: 9, Y: 9, Button: tea.MouseButtonLeft, Action: tea.MouseActionMotion})
			if cmd != nil {
				t.Error("it leads to something")
			}
			s.r.View()
		}); n > 2 {
			t.Errorf("%.0f allocations for a motion that means nothing", n)
		}
	})
}

func TestTheMouseIsSwitchedOff(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		set := s.r.o.Settings
		if got := s.r.pointing()(); got != tea.EnableMouseCellMotion() {
			t.Errorf("at the start: %T", got)
		}
		set.NoMouse = true
		cmd := s.r.resettle(SettingsMsg{Settings: set})
		if cmd == nil || cmd() != tea.DisableMouse() {
			t.Error("the terminal is not told")
		}
		was := s.r.tasks.at
		s.clickOn("Copied 4 GB")
		if s.r.tasks.at != was {
			t.Error("a press that came late is taken")
		}
		set.NoMouse = false
		if cmd := s.r.resettle(SettingsMsg{Settings: set}); cmd == nil || cmd() != tea.EnableMouseCellMotion() {
			t.Error("it is not switched on again")
		}
	})
}

func TestTheInboxTakesTheMouse(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "First question?")
		srv.ask("p2", srv.tasks[1].ID, "Second question?")
		s.wait(time.Second)
		s.press("i")
		for _, words := range []string{"First question?", "Second question?"} {
			s.clickOn(words)
			a := s.m.Ask(s.r.inbox.at)
			if a == nil || a.Prompt.Message.Line() != words {
				t.Errorf("a press at %q selects %v:\n%s", words, s.r.inbox.at, s.see())
			}
		}
		s.clickOn("Second question?")
		if s.r.over == nil {
			t.Error("another press opens nothing")
		}
	})
}

func TestTheLogTakesTheMouse(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.press("l")
		s.clickOn("elicitation/create")
		s.shows("held")
		s.clickOn("elicitation/create")
		s.shows("Log · elicitation/create at")
	})
}

func TestAFormTakesTheMouse(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		one := task.Field{MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1}
		why, sure, size, tops := one, one, one, one
		why.Name, why.Label, why.Kind = "why", task.Own("Why"), task.StringField
		sure.Name, sure.Label, sure.Kind = "sure", task.Own("Are you sure"), task.BooleanField
		size.Name, size.Label, size.Kind = "size", task.Own("How large"), task.ChoiceField
		tops.Name, tops.Label, tops.Kind = "tops", task.Own("With what"), task.ChoicesField
		for _, c := range []string{"small", "large", "huge"} {
			size.Choices = append(size.Choices, task.Choice{Label: task.Own(c), Value: []byte(`"` + c + `"`)})
			tops.Choices = append(tops.Choices, task.Choice{Label: task.Own("with " + c), Value: []byte(`"` + c + `"`)})
		}
		srv.events <- task.Prompted{Prompt: task.Prompt{
			ID: "p1", Task: srv.tasks[0].ID, Message: task.Own("What now?"), At: time.Now(),
			Form: task.Form{Schema: []byte(`{"type":"object"}`), Fields: []task.Field{why, sure, size, tops}},
		}}
		s.wait(time.Second)
		s.press("a")
		draft := func() model.Draft { return s.m.Draft("p1") }
		s.clickOn("○ no ")
		s.clickOn("○ large")
		s.clickOn("With what")
		s.clickOn("with huge")
		s.clickOn("with small")
		s.clickOn("with huge")
		if d := draft(); d["sure"] != "false" || d["size"] != `"large"` || d["tops"] != `["small"]` {
			t.Errorf("chosen: %v\n%s", d, s.see())
		}
		s.clickOn("Why")
		s.press("because")
		if d := draft(); d["why"] != "because" {
			t.Errorf("typed: %v\n%s", d, s.see())
		}
		s.clickOn("ctrl+o decline, more")
		s.clickOn("decline: tell the server no")
		if len(srv.replies) != 0 || s.r.over == nil {
			t.Fatal("one press declined")
		}
		s.shows("once more")
		s.clickOn("decline: tell the server no")
		if len(srv.replies) != 1 || srv.replies[0].Action != task.Decline {
			t.Errorf("another press: %v", srv.replies)
		}
	})
}

func TestTheHelpTakesTheMouse(t *testing.T) {
	onOps(t, 120, 60, func(s *stage, _ *script) {
		s.press("?")
		s.clickOn(":everywhere.servers")
		s.shows("╭─ Help")
		s.clickOn(":everywhere.servers")
		s.shows("╭─ Servers 1")
		s.press("?")
		s.wheel("╭─ Help", 3)
		if s.r.help.win.offset != 3*wheelStep {
			t.Errorf("scrolled to %d", s.r.help.win.offset)
		}
	})
}

func TestThePaletteTakesTheMouse(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.press(":", "serv")
		s.clickOn("everywhere.servers")
		s.shows("╭─ Servers 1")
		s.press(":")
		s.wheel("╭─ Commands", 1) // the frame is no line of the list
		l := s.r.over.(*lineOverlay)
		s.mouse(tea.MouseButtonWheelDown, tea.MouseActionPress, l.listAt.x, l.listAt.y)
		if l.win.offset != wheelStep {
			t.Errorf("scrolled to %d", l.win.offset)
		}
	})
}

// Whatever hands do, at whatever size: no panic, no line too many or too wide.
func TestAnyHandsAtAnySize(t *testing.T) {
	keys := strings.Fields("j k G g tab enter esc i l s n a c y w X ? : / z < > R r S M v left right pgdown ctrl+o ctrl+s space up down ctrl+n ctrl+d n y u D ctrl+t")
	widths, heights := []int{1, 2, 39, 40, 41, 60, 80, 99, 100, 101, 160, 300}, []int{1, 2, 9, 10, 11, 24, 29, 30, 31, 60, 100}
	buttons := []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown, tea.MouseButtonWheelLeft, tea.MouseButtonRight}
	actions := []tea.MouseAction{tea.MouseActionPress, tea.MouseActionPress, tea.MouseActionMotion, tea.MouseActionRelease}
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		onOps(t, 80, 24, func(s *stage, srv *script) {
			srv.ask("p1", srv.tasks[0].ID, strings.Repeat("日本語 🚀 wide words ", 40))
			srv.ask("p2", srv.tasks[1].ID, "And this?")
			s.settle()
			for range 300 {
				switch random.IntN(8) {
				case 0:
					s.take(tea.WindowSizeMsg{Width: widths[random.IntN(len(widths))], Height: heights[random.IntN(len(heights))]})
				case 1, 2, 3:
					s.take(keyMsg(keys[random.IntN(len(keys))]))
				case 4:
					s.wait(time.Duration(random.IntN(1500)) * time.Millisecond)
				default:
					s.take(tea.MouseMsg{
						X: random.IntN(s.r.width + 2), Y: random.IntN(s.r.height + 2),
						Button: buttons[random.IntN(len(buttons))], Action: actions[random.IntN(len(actions))],
					})
				}
				if s.r.quitting {
					t.Fatal("the mouse quit") // no key above does
				}
				s.fitsScreen()
			}
			s.settle()
		})
	}
}

func TestOnePaneHasAllTheRoom(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.press("z")
		s.hides("Detail")
		s.press("tab")
		s.shows("╭─ Detail")
		s.hides("╭─ Tasks")
		s.golden("zoomed-120x40")
		s.press("z")
		s.shows("╭─ Tasks", "─ Detail")
		s.press("z", "esc")
		s.shows("╭─ Tasks", "─ Detail")
		if !s.r.onSide {
			t.Error("esc left more than the zoom")
		}
		s.press("?", "z")
		s.shows("all the room already")
		s.press("esc")
		s.size(80, 24)
		s.press("z")
		s.shows("one pane at a time")
	})
}

func TestKeysMoveTheBorder(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 40}, {80, 40}} {
		onOps(t, size.w, size.h, func(s *stage, _ *script) {
			var kept []int
			s.r.o.Keep = func(taste Taste) error { kept = append(kept, taste.Side); return nil }
			extent := func() int {
				if s.r.laid.side.x > 0 {
					return s.r.laid.side.w
				}
				return s.r.laid.side.h
			}
			was := extent()
			s.press(">")
			if now := extent(); now <= was || len(kept) != 1 {
				t.Errorf("larger: %d after %d, kept %v", now, was, kept)
			}
			s.press("<", "<")
			if now := extent(); now >= was || len(kept) != 3 || kept[1] >= kept[0] {
				t.Errorf("smaller: %d after %d, kept %v", now, was, kept)
			}
			for range 20 {
				s.press(">")
			}
			s.shows("The other pane would get too small.")
			most := kept[len(kept)-1]
			for range 20 {
				s.press("<")
			}
			s.shows("as small as it gets")
			s.press(">")
			if now := s.r.taste.Side; now >= most {
				t.Errorf("%d, after the least, of at most %d", now, most)
			}
			least := extent()
			s.press("<", ">")
			if extent() < least {
				t.Error("a step that was refused counts")
			}
		})
	}
}

func TestHugeAndTinyScreens(t *testing.T) {
	onOps(t, 300, 100, func(s *stage, _ *script) {
		s.shows("786512e2-9e0d-44bd-8f29-789f320fe840  Approve")
		for line := range strings.SplitSeq(s.see(), "\n") {
			if strings.Contains(line, "disk is full") && strings.Contains(line, strings.Repeat(" ", mostMessage+10)+"26h") {
				t.Errorf("a gap that is hard to cross: %s", line)
			}
		}
		s.golden("tasks-300x100")
		s.size(40, 10)
		s.golden("tasks-40x10")
		s.press("tab")
		s.golden("detail-40x10")
		s.size(39, 10)
		s.shows("callboard needs 40x10")
	})
}

func TestACountShowsItsTasksAlone(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		broken := srv.tasks[3]
		broken.ID = "broken"
		srv.results["broken"] = task.Result{IsError: true, Raw: []byte(`{"isError":true}`)}
		srv.push(broken)
		s.settle()
		s.goTo("broken")
		s.press("enter", "esc")
		for words, n := range map[string]int{"◐4": 4, "◆1": 1, "✓1": 1, "✗2": 2, "○1": 1} {
			x, _ := s.where(words)
			s.click(x, 0)
			if b := s.m.Board(); b.Len() != n {
				t.Errorf("%s: filter %q shows %d of %d", words, b.Filter(), b.Len(), b.Total())
			}
			s.click(x, 0)
			if f := s.m.Board().Filter(); f != "" {
				t.Errorf("%s again: %q", words, f)
			}
		}
		s.click(3, 0)
		if f := s.m.Board().Filter(); f != "" {
			t.Errorf("the name of the program filters by %q", f)
		}
	})
}

// keyed is a pane that knows no mouse.
type keyed struct{ pane }

func TestTheWheelIsKeysWhereAPaneKnowsNone(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.press("?")
		s.r.panes[atHelp] = keyed{s.r.help}
		was := s.r.help.win.cursor
		s.wheel("╭─ Help", 2)
		s.wheel("╭─ Help", -1)
		if got := s.r.help.win.cursor - was; got != wheelStep {
			t.Errorf("moved by %d, want %d", got, wheelStep)
		}
	})
}
