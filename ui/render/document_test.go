package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"callboard/keymap"
	"callboard/model/task"
	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

func everyKind() *task.Result {
	return &task.Result{
		IsError: true,
		Content: []task.Content{
			{Kind: task.TextContent, Text: "It went wrong at step 3:\n    the disk was full, and the rest of this line is long enough to be wrapped.", Size: 90},
			{Kind: task.TextContent, Text: `{"json":"in text","n":1.50}`, Size: 27, Audience: []string{"user"}},
			{Kind: task.ImageContent, MIME: "image/png", Size: 35021},
			{Kind: task.AudioContent, MIME: "audio/wav", Size: -1},
			{Kind: task.ResourceLink, URI: "file:///var/log/a.log", Name: "a.log", Title: "The log", MIME: "text/plain", Size: 2048, Description: "All of it."},
			{Kind: task.EmbeddedResource, URI: "demo://x", MIME: "text/markdown", Text: "# Title\n", Size: 8},
			{Kind: task.EmbeddedResource, URI: "demo://y", MIME: "application/zip", Base64: "AAAA", Size: 3},
			{Kind: task.OtherContent, Raw: json.RawMessage(`{"type":"hologram"}`), Size: -1},
		},
		Structured: json.RawMessage(`{"z":1,"a":[true,null,"日本語"],"empty":{}}`),
	}
}

func TestResultShowsEveryKindOfContent(t *testing.T) {
	view := Result(everyKind(), uitest.Mono(t, false)).View(80, 50)
	uitest.Exact(t, view, 80, 50)
	uitest.Golden(t, "result-80x50", ansi.Strip(view))
}

func TestResultOnANarrowScreen(t *testing.T) {
	d := Result(everyKind(), uitest.Mono(t, false))
	view := d.View(40, 12)
	uitest.Exact(t, view, 40, 12)
	d.Bottom()
	uitest.Golden(t, "result-40x12", ansi.Strip(view)+"\n--- the end ---\n"+ansi.Strip(d.View(40, 12)))
}

func TestErrorInThePlaceOfAResult(t *testing.T) {
	r := &task.Result{Err: &task.Error{
		Kind: task.RPC, Code: -32603, Message: task.Own("the worker died"), Data: json.RawMessage(`{"pid":7}`),
	}}
	view := Result(r, uitest.Mono(t, false)).View(80, 8)
	uitest.Exact(t, view, 80, 8)
	uitest.Golden(t, "error-80x8", ansi.Strip(view))
}

func TestEmptyResultSaysSo(t *testing.T) {
	view := Result(&task.Result{Raw: json.RawMessage(`{"_meta":{}}`)}, uitest.Mono(t, false)).View(40, 4)
	if !strings.Contains(view, "no content") || !strings.Contains(view, `"_meta"`) {
		t.Errorf("view:\n%s", view)
	}
	uitest.Exact(t, (&Document{theme: uitest.Mono(t, false)}).View(5, 2), 5, 2)
}

func TestHostileTextStaysInItsCells(t *testing.T) {
	evil := "\x1b[2J\x1b]0;owned\x07a\u202eb\u200bc\r\x9b31md\x00e日本" + strings.Repeat("e\u0301\u0301\u0301\u0301\u0301\u0301", 40) + "👩‍👩‍👧‍👦🏳️‍🌈\t|"
	raw, err := json.Marshal(map[string]string{evil: evil})
	if err != nil {
		t.Fatal(err)
	}
	r := &task.Result{
		Content: []task.Content{
			{Kind: task.TextContent, Text: evil},
			{Kind: task.ResourceLink, URI: evil, Name: evil, Title: evil + "2", MIME: evil, Description: evil, Audience: []string{evil}},
			{Kind: task.OtherContent, Raw: json.RawMessage(`{"x":"` + "\u202e\u009b31m" + `"}`)},
		},
		Structured: raw,
	}
	for _, w := range []int{1, 2, 3, 7, 40, 80} {
		d := Result(r, uitest.Mono(t, false))
		for range 12 {
			view := d.View(w, 10)
			uitest.Exact(t, view, w, 10)
			if strings.ContainsAny(ansi.Strip(view), "\x1b\u202e\u200b\u009b\r\x07\x00") {
				t.Fatalf("raw text on the screen: %q", view)
			}
			d.Scroll(9)
			d.Sideways(3)
		}
	}
}

// A document read down row by row is the same as read up.
func TestScrollingUpShowsWhatScrollingDownShowed(t *testing.T) {
	r := everyKind()
	r.Content = append(r.Content, task.Content{Kind: task.TextContent, Text: strings.Repeat("äöü words without an end ", 2000)})
	d := Result(r, uitest.Mono(t, false))
	var down, up []string
	for {
		down = append(down, d.View(30, 1))
		if !d.Scroll(1) {
			break
		}
	}
	for {
		up = append(up, d.View(30, 1))
		if !d.Scroll(-1) {
			break
		}
	}
	slices.Reverse(up)
	if !slices.Equal(down, up) {
		t.Errorf("%d rows down, %d rows up", len(down), len(up))
	}
	if len(down) < 1500 {
		t.Errorf("only %d rows", len(down))
	}
}

func TestKeysMoveTheWindow(t *testing.T) {
	d := Text(strings.Repeat("line\n", 100), uitest.Mono(t, false))
	d.View(20, 10)
	keys := &keymap.Default().List
	for _, c := range []struct {
		key  tea.KeyMsg
		want string
	}{
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("j")}, "1%"},
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("G")}, "end"},
		{tea.KeyMsg{Type: tea.KeyDown}, "end"},
		{tea.KeyMsg{Type: tea.KeyPgUp}, "81%"},
		{tea.KeyMsg{Type: tea.KeyCtrlU}, "76%"},
		{tea.KeyMsg{Type: tea.KeyHome}, "top"},
	} {
		if !d.Update(c.key, keys) {
			t.Errorf("%s is not taken", c.key)
		}
		if got := d.Status(); got != c.want {
			t.Errorf("after %s: %q, want %q", c.key, got, c.want)
		}
	}
	if d.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")}, keys) {
		t.Error("x was taken")
	}
	short := Text("short", uitest.Mono(t, false))
	short.View(20, 10)
	if got := short.Status(); got != "all" {
		t.Errorf("a short text: %q", got)
	}
}

func TestJSONScrollsSideways(t *testing.T) {
	d := JSON([]byte(`{"key":"`+strings.Repeat("0123456789", 10)+`"}`), uitest.Mono(t, false))
	if got := ansi.Strip(d.View(20, 3)); !strings.Contains(got, `  "key": "012345678`[:19]+"›") {
		t.Errorf("no sign of more:\n%s", got)
	}
	for d.Sideways(8) {
		d.View(20, 3)
	}
	got := strings.Split(ansi.Strip(d.View(20, 3)), "\n")[1]
	if !strings.HasPrefix(got, "‹") || !strings.HasSuffix(got, `789"`) {
		t.Errorf("at the right end: %q", got)
	}
	if d.Sideways(-1000); d.Sideways(-1) {
		t.Error("there is something left of the beginning")
	}
}

func big() *task.Result {
	one := `{"name":"lorem ipsum dolor","v":123.450,"x":[1,2,3],"日本":"語"},`
	structured := "[" + strings.Repeat(one, (16<<20)/len(one)) + `"` + strings.Repeat("x", 1<<20) + `"]`
	return &task.Result{
		Content: []task.Content{
			{Kind: task.TextContent, Text: strings.Repeat("no line break at all ", (16<<20)/21)},
			{Kind: task.TextContent, Text: strings.Repeat("a line\n", (8<<20)/7)},
		},
		Structured: json.RawMessage(structured),
	}
}

// What is laid out depends on what was in sight, not on the size: a clock
// would measure the machine (see BenchmarkKeyBig).
func TestKeysOnABigResultLayOutLittle(t *testing.T) {
	d := Result(big(), uitest.Mono(t, false))
	laid := func() int {
		n := 0
		for _, rows := range d.laid {
			n += len(rows.rows)
		}
		return n
	}
	d.View(80, 40)
	if n := laid(); n > 300 {
		t.Errorf("%d rows are laid out for one screen", n)
	}
	d.Bottom()
	d.View(80, 40)
	d.Scroll(-200)
	d.View(80, 40)
	if n := laid(); n > 1000 {
		t.Errorf("%d rows are laid out for a few screens", n)
	}
	if got := d.Status(); got == "all" || got == "top" {
		t.Errorf("status %q", got)
	}
	for range 3 * maxLaid {
		d.Scroll(-1)
	}
	if n := len(d.laid); n > maxLaid {
		t.Errorf("%d segments are kept", n)
	}
}

func BenchmarkKeyBig(b *testing.B) {
	d := Result(big(), uitest.Mono(b, false))
	d.View(120, 40)
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if !d.Scroll(39) {
				d.Top()
			}
			d.View(120, 40)
		}
	})
	b.Run("ends", func(b *testing.B) {
		for b.Loop() {
			d.endOK = false
			d.Bottom()
			d.View(120, 40)
			d.Scroll(-100)
			d.View(120, 40)
			d.Top()
			d.View(120, 40)
		}
	})
	b.Run("open", func(b *testing.B) {
		r := big()
		for b.Loop() {
			Result(r, uitest.Mono(b, false)).View(120, 40)
		}
	})
}
