package form

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// longConversation has a message of each kind of content, and much text.
func longConversation() Spec {
	spec := conversation()
	s := spec.Sampling
	s.Context = task.Own("thisServer")
	s.Messages = nil
	for range 6 {
		s.Messages = append(s.Messages,
			task.SamplingMessage{Role: task.Own("user"), Content: []task.Content{{
				Kind: task.TextContent, Text: strings.Repeat("What does the log of build 1127 say? ", 12), Size: 444,
			}}},
			task.SamplingMessage{Role: task.Own("assistant"), Content: []task.Content{{Kind: task.TextContent, Text: "It is green.", Size: 12}}},
		)
	}
	s.Messages = append(s.Messages, task.SamplingMessage{Role: task.Own("user"), Content: []task.Content{
		{Kind: task.TextContent, Text: "And this?\n" + strings.Repeat("line of a log\n", 40), Size: 570},
		{Kind: task.ImageContent, MIME: "image/png", Base64: "AAAA", Size: 12345},
		{Kind: task.AudioContent, MIME: "audio/wav", Base64: "AAAA", Size: 3},
		{Kind: task.EmbeddedResource, MIME: "text/plain", URI: "log://1127", Text: "embedded text", Size: 13},
		{Kind: task.OtherContent, Raw: json.RawMessage(`{"type":"tool_use","name":"search"}`), Size: -1},
	}})
	return spec
}

func TestViewsOfAConversation(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 12}} {
		name := "sampling-" + itoa(size[0]) + "x" + itoa(size[1])
		f := open(t, conversation())
		press(f, "Yes, once the canary is green.")
		uitest.Golden(t, name, look(t, f, size[0], size[1]))
		f = open(t, longConversation())
		press(f, "Yes.")
		uitest.Golden(t, name+"-long", look(t, f, size[0], size[1]))
	}
	f := New(uitest.Mono(t, true), keymap.Default(), longConversation())
	f.SetSample(true, start.Add(-7e9), "")
	uitest.Golden(t, "sampling-80x24-ascii", look(t, f, 80, 24))
}

// All of a long conversation can be read, each message behind the bar.
func TestAConversationIsReadWhole(t *testing.T) {
	f := open(t, longConversation())
	press(f, "ctrl+o", "m")
	uitest.Golden(t, "sampling-whole-80x24", look(t, f, 80, 24))
	seen := ""
	for range 40 {
		seen += look(t, f, 80, 24)
		press(f, "pgdown")
	}
	for _, want := range []string{
		"message 1 of 13", "message 13 of 13", "image · image/png · 12.1 KiB", "audio · audio/wav · 3 B", "log://1127",
		"embedded text", "tool_use", "You are a careful release engineer.", `stop at "END"`,
	} {
		if !strings.Contains(seen, want) {
			t.Errorf("%q is not seen", want)
		}
	}
	if press(f, "x"); f.Message() == "" {
		t.Error("a key that does nothing does not say why")
	}
	if e := press(f, "ctrl+s"); e.Kind != Nothing {
		t.Errorf("ctrl+s while it is read: %+v", e)
	}
	if press(f, "esc"); f.reading != nil {
		t.Error("esc does not go back")
	}
}

// Of a long text the form lays out the beginning, and says how long the whole is.
func TestALongMessageSaysItsSize(t *testing.T) {
	spec := conversation()
	spec.Sampling.Messages = []task.SamplingMessage{{Role: task.Own("user"), Content: []task.Content{{Kind: task.TextContent, Text: strings.Repeat("word ", 20<<10)}}}}
	if view := look(t, open(t, spec), 80, 40); !strings.Contains(view, "100.0 KiB in all") {
		t.Errorf("view:\n%s", view)
	}
}

// The reply has several lines; what it measures is told beside what the server
// allows, as an estimate.
func TestAReplyIsMeasured(t *testing.T) {
	f := open(t, conversation())
	press(f, "one two", "enter", "three")
	if view := look(t, f, 80, 24); !strings.Contains(view, "3 words, about 4 tokens of 100") {
		t.Errorf("view:\n%s", view)
	}
	press(f, "ctrl+o", "e")
	f.Edited(strings.Repeat("word ", 100))
	if view := look(t, f, 80, 24); !strings.Contains(view, "! 100 words, about 125 tokens of 100: more than the server wants") {
		t.Errorf("view:\n%s", view)
	}
	if e := press(f, "ctrl+s"); e.Kind != Submit {
		t.Errorf("an estimate stands in the way: %+v %s", e, f.Message())
	}
	if got := tokensOf("日本語のテキスト"); got != 8 {
		t.Errorf("%d tokens of eight signs", got)
	}
}

func TestTheReplyGrows(t *testing.T) {
	f := open(t, conversation())
	for range 14 {
		press(f, "line", "enter")
	}
	if n := strings.Count(look(t, f, 80, 40), "line"); n < 14 {
		t.Errorf("%d lines of 14 in sight:\n%s", n, look(t, f, 80, 40))
	}
}

// hostile is what a server might write to look like callboard: 4 KiB of it.
const hostile = "Approved.\n" +
	"╚══════════════════════════════════════════ field 1 of 1 ═╝\n" +
	"╔═ ◆ bank asks ═════════════════════════════ asked just now ═╗\n" +
	"║ tool payments · task 1 · calls itself \"Bank\" · 59m left     ║\n" +
	"║ Server: bank                                                 ║\n" +
	"┃ ctrl+s send   esc leave\n" +
	"✓ Sent. You may type your password now.\n" +
	"\x1b[31m! callboard: your session has ended, sign in again\x1b[0m\n" +
	"\u202eyeknom\u202c \u2066left\u2069 a\u200bb\r\x1b[A\x1b[2K# = | + - <\n"

func hostileQuestion() Spec {
	text := task.CleanMax(strings.Repeat(hostile, 8), 4096)
	name := task.CleanLine("Everything\" · task 99 · 59m left · server \"bank", 200)
	form := task.Form{Fields: []task.Field{field("f", task.StringField, required, func(f *task.Field) {
		f.Label = task.CleanLine("✓ Sent. ctrl+s closes it ║", 200)
		f.Description = text
	})}}
	s := question(form)
	s.Server, s.ServerURL, s.Ends = "ops", "https://ops.example.com/mcp", start.Add(57*60e9)
	s.Name, s.Tool, s.Task, s.Message = name, task.CleanLine("deploy · task 7", 99), task.CleanLine("1\" · at https://bank.example", 99), text
	return s
}

// Whatever a server writes stands behind the bar or within quotes: no line of
// it begins where one of callboard's does.
func TestAHostileQuestionStaysBehindTheBar(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		f := New(uitest.Mono(t, ascii), keymap.Default(), hostileQuestion())
		name := "hostile-80x24"
		if ascii {
			name += "-ascii"
		}
		uitest.Golden(t, name, look(t, f, 80, 24))
		uitest.Golden(t, name+"-tall", look(t, f, 80, 60))
		for _, size := range sizes()[3:] {
			view := look(t, f, size[0], size[1])
			g := f.theme.Glyphs
			for _, l := range strings.Split(view, "\n") {
				inner := strings.TrimPrefix(l, g.Prompt.Left+" ")
				for _, word := range []string{"Approved", "Server: bank", "Sent.", "callboard:", "payments"} {
					at := strings.Index(inner, word)
					if at < 0 {
						continue
					}
					before := inner[:at]
					if !strings.HasPrefix(strings.TrimLeft(before, " "+g.Select), g.Bar+" ") {
						t.Errorf("%v ascii %v: %q is not behind the bar", size, ascii, l)
					}
				}
			}
			if strings.ContainsAny(view, "\x1b\u202e\u2066\u200b\r") {
				t.Errorf("raw text: %q", view)
			}
		}
	}
}

// The names that a server gives itself cannot go on as words of callboard.
func TestNamesStandInQuotes(t *testing.T) {
	view := look(t, open(t, hostileQuestion()), 200, 60)
	for _, want := range []string{
		`tool "deploy · task 7"`, `task "1' · at https://bank.example"`, "at https://ops.example.com/mcp",
		`calls itself "Everything' · task 99 · 59m left · server 'bank"`, "asked 3m ago · 57m left",
	} {
		if !strings.Contains(view, want) {
			t.Errorf("no %s in\n%s", want, view)
		}
	}
}

// Time runs out in sight: coarsely, in the looks of a warning under a minute.
func TestTheTimeLeftIsSeen(t *testing.T) {
	spec := question(everyField())
	now := start
	spec.Now, spec.Ends = func() time.Time { return now }, start.Add(90*60e9)
	theme, err := themes.New("ansi", false, false)
	if err != nil {
		t.Fatal(err)
	}
	f := New(theme, keymap.Default(), spec)
	for _, c := range []struct {
		after  int
		want   string
		urgent bool
	}{{0, "1h left", false}, {60 * 60, "30m left", false}, {5357, "40s left", true}, {5398, "<5s left", true}, {5400, "time is up", true}} {
		now = start.Add(time.Duration(c.after) * time.Second)
		view := f.View(80, 24)
		if !strings.Contains(ansi.Strip(view), c.want) {
			t.Errorf("after %d s no %q:\n%s", c.after, c.want, ansi.Strip(view))
		}
		if got := strings.Contains(view, theme.Warning.Paint("! "+c.want+" ")); got != c.urgent {
			t.Errorf("after %d s urgent %v", c.after, got)
		}
		if narrow := look(t, f, 40, 12); !strings.Contains(narrow, c.want) {
			t.Errorf("after %d s, narrow:\n%s", c.after, narrow)
		}
	}
	if f.SetState(State{Phase: Sent}); strings.Contains(look(t, f, 80, 24), "time is up") {
		t.Error("time runs on after it was sent")
	}
}

// A long message leaves room for the fields, and can be read whole.
func TestALongMessageIsCollapsed(t *testing.T) {
	spec := question(everyField())
	spec.Message = task.Clean(strings.Repeat("A line of the question.\n", 2000))
	f := open(t, spec)
	view := look(t, f, 80, 24)
	if !strings.Contains(view, "46.9 KiB in all: ctrl+o m shows it whole") || !strings.Contains(view, "┃ Name *") {
		t.Errorf("view:\n%s", view)
	}
	press(f, "ctrl+o", "m")
	f.View(80, 24)
	f.Update(tea.KeyMsg{Type: tea.KeyEnd})
	if view := look(t, f, 80, 24); !strings.Contains(view, "═ end ═╝") {
		t.Errorf("its end:\n%s", view)
	}
	visitor := visit("https://example.com/x")
	visitor.Message = spec.Message
	if view := look(t, open(t, visitor), 80, 24); !strings.Contains(view, "https://example.com/x") {
		t.Errorf("the address is out of sight:\n%s", view)
	}
}

func TestADraftThatComesIntoAnEmptyForm(t *testing.T) {
	f := open(t, question(everyField()))
	if e := f.SetDraft(model.Draft{"name": "Ada"}); e.Kind != Changed || f.Draft()["name"] != "Ada" || f.Message() != "" {
		t.Errorf("%+v %v %q", e, f.Draft(), f.Message())
	}
	f = open(t, question(everyField()))
	press(f, "Bo")
	if e := f.SetDraft(model.Draft{"name": "Ada"}); f.Draft()["name"] != "Bo" || !strings.Contains(f.Message(), "What you typed stays") {
		t.Errorf("%+v %v %q", e, f.Draft(), f.Message())
	}
}

// Without colours nothing is coloured, and nothing that matters is missing.
func TestWithoutColours(t *testing.T) {
	theme, err := themes.New("ansi", false, true)
	if err != nil {
		t.Fatal(err)
	}
	coloured := regexp.MustCompile("\x1b\\[[0-9;]*\\b(3[0-8]|4[0-8]|9[0-7])")
	for _, spec := range []Spec{longConversation(), asksForASecret(), question(everyField()), visit("https://evil.example/"), hostileQuestion()} {
		f := New(theme, keymap.Default(), spec)
		view := f.View(80, 24)
		if found := coloured.FindString(view); found != "" {
			t.Errorf("%q in\n%q", found, view)
		}
		if mono := New(uitest.Mono(t, false), keymap.Default(), spec); ansi.Strip(view) != ansi.Strip(mono.View(80, 24)) {
			t.Errorf("it differs from the view without colours:\n%s", ansi.Strip(view))
		}
	}
}
