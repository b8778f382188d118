package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

func look(t *testing.T, p *Pane, w, h int) string {
	t.Helper()
	view := p.View(w, h, true)
	uitest.Exact(t, view, w, h)
	return ansi.Strip(view)
}

func pane(t *testing.T, sources ...Source) *Pane {
	t.Helper()
	p := New(uitest.Mono(t, false), keymap.Default())
	p.Sync(sources)
	return p
}

func tool(name string, s task.Support) task.Tool {
	return task.Tool{Name: name, Title: task.Own("The " + name), Description: task.Own("It does " + name + "."), Support: s}
}

func ops() Source {
	research := tool("research", task.Required)
	research.Destructive = true
	research.Input = task.Form{
		Schema: json.RawMessage(`{"type":"object","properties":{"topic":{"type":"string"}}}`),
		Fields: []task.Field{
			{Name: "topic", Label: task.Own("Topic"), Required: true, MinLength: 3, MaxLength: -1, Description: task.Own("What to look for.")},
			{Name: "depth", Label: task.Own("Depth"), Kind: task.ChoiceField, Choices: []task.Choice{{Label: task.Own("quick")}, {Label: task.Own("deep")}}},
		},
	}
	echo := tool("echo", task.Forbidden)
	echo.ReadOnly = true
	return Source{Server: "ops", View: model.ToolsView{At: time.Now(), Tools: []task.Tool{echo, research, tool("deploy", task.Optional)}}}
}

func press(p *Pane, keys ...string) (e Event, taken bool) {
	types := map[string]tea.KeyType{"enter": tea.KeyEnter, "esc": tea.KeyEsc, "down": tea.KeyDown, "backspace": tea.KeyBackspace, "ctrl+d": tea.KeyCtrlD}
	for _, k := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		if typ, ok := types[k]; ok {
			msg = tea.KeyMsg{Type: typ}
		}
		e, taken = p.Update(msg)
	}
	return e, taken
}

func TestViews(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"118x20", 118, 20}, {"78x20", 78, 20}, {"38x8", 38, 8}} {
		uitest.Golden(t, "tools-"+size.name, look(t, pane(t, ops()), size.w, size.h))
	}
	second := ops()
	second.Server, second.Cannot = "dev", "it is read-only."
	uitest.Golden(t, "tools-two-servers", look(t, pane(t, ops(), second), 118, 12))
}

// Servers on one host are told from each other.
func TestNamesOfServersStayDistinct(t *testing.T) {
	one, two := ops(), ops()
	one.Server, two.Server = "127.0.0.1:8931", "127.0.0.1:8932"
	view := look(t, pane(t, one, two), 100, 12)
	if !strings.Contains(view, "…8931") || !strings.Contains(view, "…8932") {
		t.Errorf("%s", view)
	}
}

func TestTasksStandBeforePlainCalls(t *testing.T) {
	view := look(t, pane(t, ops()), 78, 20)
	r, d, e := strings.Index(view, "research"), strings.Index(view, "deploy"), strings.Index(view, "echo")
	if r < 0 || r > d || d > e {
		t.Errorf("order: %d %d %d\n%s", r, d, e, view)
	}
}

func TestChoosing(t *testing.T) {
	p := pane(t, ops())
	e, _ := press(p, "j", "enter")
	if e.Kind != Chosen || e.Server != "ops" || e.Tool.Name != "deploy" {
		t.Errorf("event %+v", e)
	}
	if e, _ := press(p, "esc"); e.Kind != Leave {
		t.Errorf("esc: %+v", e)
	}
	if _, taken := press(p, "q"); taken {
		t.Error("q is taken from the others")
	}
	s := ops()
	s.Cannot = "It is attached read-only."
	p.Sync([]Source{s})
	if e, _ := press(p, "enter"); e.Kind != Nothing || p.Message() != "It is attached read-only." {
		t.Errorf("read-only: %+v %q", e, p.Message())
	}
}

func TestCursorFollowsItsTool(t *testing.T) {
	p := pane(t, ops())
	press(p, "G")
	s := ops()
	s.View.Tools = append([]task.Tool{tool("aaa", task.Forbidden)}, s.View.Tools...)
	p.Sync([]Source{s})
	if e, _ := press(p, "enter"); e.Tool.Name != "echo" {
		t.Errorf("the cursor went to %s", e.Tool.Name)
	}
}

// The model hands out copies; what one reads must not jump to its top.
func TestTheDescriptionStaysWhereItIs(t *testing.T) {
	p := pane(t, ops())
	look(t, p, 118, 6)
	press(p, "ctrl+d")
	was := look(t, p, 118, 6)
	s := ops()
	s.View.At = p.sources[0].View.At
	p.Sync([]Source{s})
	if got := look(t, p, 118, 6); got != was {
		t.Errorf("was\n%s\nis\n%s", was, got)
	}
	s.View.At = s.View.At.Add(time.Minute)
	s.View.Tools[1].Description = task.Own("Something new.")
	p.Sync([]Source{s})
	if got := look(t, p, 118, 12); !strings.Contains(got, "Something new.") {
		t.Errorf("an old description:\n%s", got)
	}
}

func TestFilter(t *testing.T) {
	p := pane(t, ops())
	press(p, "/", "e", "c", "h")
	if !p.Typing() || strings.Contains(look(t, p, 118, 12), "research") {
		t.Errorf("view:\n%s", look(t, p, 118, 12))
	}
	if press(p, "enter"); p.Typing() {
		t.Error("enter leaves the filter line open")
	}
	if e, _ := press(p, "enter"); e.Tool == nil || e.Tool.Name != "echo" {
		t.Errorf("event %+v", e)
	}
	if e, _ := press(p, "esc"); e.Kind != Nothing || len(p.shown) != 3 {
		t.Errorf("esc does not clear the filter first: %+v", e)
	}
	press(p, "/", "zzz")
	if !strings.Contains(look(t, p, 78, 10), "No tool matches.") {
		t.Errorf("view:\n%s", look(t, p, 78, 10))
	}
	if e, _ := press(p, "enter", "enter"); e.Kind != Nothing || p.Message() == "" {
		t.Errorf("enter on nothing: %+v", e)
	}
	if _, taken := press(p, "/", "q"); !taken || p.filter != "zzzq" {
		t.Errorf("q in the filter: %q", p.filter)
	}
}

func TestStatesInWords(t *testing.T) {
	for want, s := range map[string][]Source{
		"No server is attached":      {},
		"ops: asking for its tools…": {{Server: "ops", View: model.ToolsView{Loading: true}}},
		"ops has no tools":           {{Server: "ops", View: model.ToolsView{At: time.Now()}}},
		"ops: its tools cannot be listed: no answer": {{Server: "ops", View: model.ToolsView{
			Err: &task.Error{Message: task.Own("no answer"), Advice: task.Own("Try again.")}}}},
		"not known yet": {{Server: "ops"}},
	} {
		if view := look(t, pane(t, s...), 78, 6); !strings.Contains(view, want) {
			t.Errorf("no %q in:\n%s", want, view)
		}
	}
}

func TestHostileToolsAtAnySize(t *testing.T) {
	evil := "\x1b[2J\u202eb\r\n\u200b日本👩‍👩‍👧‍👦" + strings.Repeat("e\u0301\u0301\u0301\u0301\u0301", 9)
	s := Source{Server: "ops", View: model.ToolsView{Err: &task.Error{Message: task.Clean(evil)}}}
	for range 300 {
		s.View.Tools = append(s.View.Tools, task.Tool{
			Name: evil, Title: task.Clean(evil), Description: task.Clean(evil),
			Input: task.Form{Schema: json.RawMessage(`"` + "\u202e\u009b" + `"`), Fields: []task.Field{{Name: evil, Label: task.Clean(evil), Pattern: evil}}},
		})
	}
	p := pane(t, s, ops())
	for w := 1; w < 130; w += 9 {
		for h := 1; h < 50; h += 7 {
			if view := look(t, p, w, h); strings.ContainsAny(view, "\x1b\u202e\u200b\u009b\r") {
				t.Fatalf("raw text on the screen: %q", view)
			}
			press(p, "j", "ctrl+d")
		}
	}
}

// What is found first is what is meant, and what is listed first until the
// person moves.
func TestTheCursorBeginsAtTheTop(t *testing.T) {
	other := ops()
	other.Server = "lab"
	other.View.Tools = []task.Tool{tool("work", task.Required)}
	p := pane(t, Source{Server: "ops"}, other)
	p.Sync([]Source{ops(), other}) // the first server's tools come later
	if it := p.current(); it.server != "ops" {
		t.Errorf("the cursor stands on %s of %s", it.tool.Name, it.server)
	}
	if view := look(t, p, 118, 12); !strings.Contains(view, "on ops") {
		t.Errorf("the description does not say whose the tool is:\n%s", view)
	}
	p = pane(t, ops())
	press(p, "G", "k", "/", "c")
	if got := p.current().tool.Name; got != "research" || len(p.shown) != 2 {
		t.Errorf("of %d that match, the cursor stands on %s", len(p.shown), got)
	}
}

func TestPlace(t *testing.T) {
	p := pane(t, ops())
	if look(t, p, 78, 6); p.Place() != "" {
		t.Errorf("all are in sight: %q", p.Place())
	}
	press(p, "down")
	if look(t, p, 78, 2); p.Place() != "2 of 3" {
		t.Errorf("place %q", p.Place())
	}
}

// What is said of an argument keeps its indent when it wraps.
func TestWordsOfAnArgumentKeepTheirIndent(t *testing.T) {
	s := ops()
	s.View.Tools[1].Input.Fields[0].Description = task.Own(strings.Repeat("every word ", 12))
	view := look(t, pane(t, s), 60, 40)
	n := 0
	for line := range strings.SplitSeq(view, "\n") {
		if strings.Contains(line, "every word") {
			n++
			if !strings.HasPrefix(line, "    every word") && !strings.HasPrefix(line, "    word every") {
				t.Errorf("without its indent: %q", line)
			}
		}
	}
	if n < 2 {
		t.Errorf("%d rows:\n%s", n, view)
	}
}

// Where the server decides how a tool runs, nothing else is claimed.
func TestAToolOfWhichTheServerDecides(t *testing.T) {
	view := look(t, pane(t, Source{Server: "ops", View: model.ToolsView{At: time.Now(), Tools: []task.Tool{tool("deploy", task.ServerDecides)}}}), 78, 12)
	for _, words := range []string{"deploy", "task?", "The server decides with each call whether it runs as a task."} {
		if !strings.Contains(view, words) {
			t.Errorf("no %q:\n%s", words, view)
		}
	}
}
