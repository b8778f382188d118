package render

import (
	"slices"
	"strings"
	"testing"

	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

func pattern(tb testing.TB, typed string) *Pattern {
	tb.Helper()
	p, err := NewPattern(typed)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// search looks for what a person typed, and waits until all is counted.
func searchAll(tb testing.TB, d *Document, typed string) {
	tb.Helper()
	finish(d.Search(pattern(tb, typed)))
}

func finish(cmd tea.Cmd) (slices int) {
	for cmd != nil {
		cmd = cmd().(FoundMsg).Take()
		slices++
	}
	return slices
}

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		typed, text string
		want        []string
	}{
		{"error", "Error, ERROR and error", []string{"Error", "ERROR", "error"}},
		{"Error", "Error, ERROR and error", []string{"Error"}},
		{"/err(or)?s/", "ERRS errors err", []string{"ERRS", "errors"}},
		{`/\W[A-Z]+/`, "a ERR b", []string{" ERR"}},
		{`/\Sa/`, "BA ba", []string{"BA", "ba"}},
		{"ÄÖ", "äö ÄÖ", []string{"ÄÖ"}},
		{"äö", "äö ÄÖ", []string{"äö", "ÄÖ"}},
		{"/", "a/b", []string{"/"}},
		{"//", "a//b", []string{"//"}},
		{"a.c", "abc a.c", []string{"a.c"}},
		{"/x*/", "axxb", []string{"xx"}},
	} {
		var got []string
		for _, m := range pattern(t, c.typed).find(c.text, 100) {
			got = append(got, c.text[m.from:m.to])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: %q, want %q", c.typed, c.text, got, c.want)
		}
	}
	if p, err := NewPattern("/(/"); p != nil || err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("half an expression: %v, %v", p, err)
	}
}

func TestSearchMarksAndCounts(t *testing.T) {
	d := Text(strings.Repeat("one two three\n", 100)+"Needle here\n"+strings.Repeat("one two\n", 100), uitest.Mono(t, false))
	d.View(40, 10)
	d.Begin()
	searchAll(t, d, "needle")
	view := d.View(40, 10)
	if !strings.Contains(ansi.Strip(view), "Needle here") || !strings.Contains(view, "mNeedle\x1b") {
		t.Errorf("not shown, or not marked:\n%q", view)
	}
	if got := d.Found(); got != "1 of 1" {
		t.Errorf("found %q", got)
	}
	searchAll(t, d, "two")
	if got := d.Found(); got != "1 of 200" {
		t.Errorf("looking begins where it began: %q", got)
	}
	if d.Step(-1); d.Found() != "200 of 200" || d.Status() != "end" {
		t.Errorf("before the first: %q at %s", d.Found(), d.Status())
	}
	if d.Step(1); d.Found() != "1 of 200" || d.Status() != "top" {
		t.Errorf("behind the last: %q at %s", d.Found(), d.Status())
	}
	searchAll(t, d, "nothing like it")
	if d.Found() != "no match" || d.Step(1) {
		t.Errorf("found %q", d.Found())
	}
	d.Clear(true)
	if view := d.View(40, 10); d.Found() != "" || strings.Contains(view, "\x1b[") {
		t.Errorf("still marked: %q", view)
	}
}

// Where a line was wrapped, and where it is laid out in several pieces, a match
// is one all the same.
func TestAMatchMayBeBrokenOverRows(t *testing.T) {
	d := Text("aaaa bbbb cccc dddd eeee", uitest.Mono(t, false))
	d.View(11, 5)
	searchAll(t, d, "bbbb cccc")
	view := d.View(11, 5)
	if d.Found() != "1 of 1" || !strings.Contains(view, "mbbbb\x1b") || !strings.Contains(view, "mcccc\x1b") {
		t.Errorf("%s: %q", d.Found(), view)
	}
	for _, doc := range []*Document{
		Text(strings.Repeat("x", maxSegment-3)+"needle"+strings.Repeat("y", 9000)+"needle", uitest.Mono(t, false)),
		JSON([]byte(`{"k":"`+strings.Repeat("x", maxSegment-9)+"needle"+strings.Repeat("y", 9000)+`needle"}`), uitest.Mono(t, false)),
	} {
		doc.View(80, 5)
		searchAll(t, doc, "needle")
		if doc.Found() != "1 of 2" {
			t.Errorf("over segments: %q", doc.Found())
		}
		marked := 0
		for range 300 {
			for _, part := range strings.Split(doc.View(80, 1), "m")[1:] {
				marked += strings.IndexByte(part, '\x1b')
			}
			if !doc.Scroll(1) {
				break
			}
		}
		if doc.Top(); marked == 0 {
			t.Error("nothing is marked")
		}
	}
}

func TestSearchInJSONScrollsSideways(t *testing.T) {
	d := JSON([]byte(`{"key":"`+strings.Repeat("0123456789", 30)+`needle","z":1}`), uitest.Mono(t, false))
	d.View(40, 5)
	d.Begin()
	searchAll(t, d, "needle")
	if view := d.View(40, 5); !strings.Contains(view, "mneedle\x1b") {
		t.Errorf("not in sight: %q", ansi.Strip(view))
	}
	d.Clear(true)
	if view := ansi.Strip(d.View(40, 5)); !strings.Contains(view, `"key"`) {
		t.Errorf("not back: %q", view)
	}
}

// A key press on a result of many MiB looks at a bounded part; the rest is found
// in slices, of which none is shown once another search runs.
func TestSearchInABigResultGoesInSlices(t *testing.T) {
	d := Result(big(), uitest.Mono(t, false))
	d.View(80, 40)
	d.Begin()
	cmd := d.Search(pattern(t, "line break"))
	if cmd == nil || d.search.done || !strings.HasSuffix(d.Found(), "+") {
		t.Fatalf("the key press searched all of it: %q", d.Found())
	}
	stale := cmd
	cmd = d.Search(pattern(t, "xx]"))
	if next := stale().(FoundMsg).Take(); next != nil || len(d.search.hits) > 0 {
		t.Error("a stale slice was taken")
	}
	if n := finish(cmd); n < 20 || !d.search.done {
		t.Errorf("done after %d slices", n)
	}
	searchAll(t, d, `xxx"`)
	if view := d.View(80, 40); d.Found() != "1 of 1" || !strings.Contains(view, "mxx\x1b") {
		t.Errorf("the end of the last block: %q\n%q", d.Found(), view[len(view)-800:])
	}
	searchAll(t, d, "a")
	if !strings.HasSuffix(d.Found(), "+") || len(d.search.hits) > maxHits {
		t.Errorf("%d hits are kept: %q", len(d.search.hits), d.Found())
	}
}

func TestLinesFindsWhatWasWrapped(t *testing.T) {
	lines := []string{"message   \x1b[1mthe disk\x1b[0m", "          is full", "0123456789abcdefgh", "ijkl"}
	got := pattern(t, "disk is").Lines(lines)
	if len(got) != 1 || !slices.Equal(got[0], []Part{{0, 14, 18}, {1, 10, 12}}) {
		t.Errorf("at a space: %v", got)
	}
	if got := pattern(t, "ghij").Lines(lines); len(got) != 1 || len(got[0]) != 2 {
		t.Errorf("within a word: %v", got)
	}
	line := MarkCells(lines[0], 14, 18, &uitest.Mono(t, false).Match)
	if ansi.Strip(line) != ansi.Strip(lines[0]) || !strings.Contains(line, "mdisk\x1b[0m") {
		t.Errorf("marked: %q", line)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("some words\r and 日本語\ttext \x1b[31m", "/[a-w]+/", 7)
	f.Add("0", "\x92", 7)                 // no UTF-8
	f.Add("\xe1\u1924\u1924", "\xc1", 14) // within a character and its marks
	f.Add("x e\u0301\u0301 e\u0301e", "e", 14)
	f.Add("0\ua880", "0", 37) // a digit and a mark that is as wide
	f.Fuzz(func(t *testing.T, raw, typed string, width int) {
		p, err := NewPattern(typed)
		if err != nil {
			return
		}
		width = 1 + (width&0x7fffffff)%100
		d := Text(raw, uitest.Mono(t, false))
		plain := ansi.Strip(d.View(width, 9))
		finish(d.Search(p))
		d.Step(1)
		d.Top()
		if got := ansi.Strip(d.View(width, 9)); got != plain {
			t.Errorf("marks change the text: %q, %q", got, plain)
		}
	})
}

func BenchmarkSearchBig(b *testing.B) {
	d := Result(big(), uitest.Mono(b, false))
	d.View(120, 40)
	for _, typed := range []string{"zzz", "/z+[0-9]/"} {
		b.Run("key "+typed[:1], func(b *testing.B) {
			for b.Loop() {
				d.Search(pattern(b, typed))
				d.View(120, 40)
			}
		})
		b.Run("all "+typed[:1], func(b *testing.B) {
			for b.Loop() {
				searchAll(b, d, typed)
			}
		})
	}
}
