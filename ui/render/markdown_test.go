package render

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
	"callboard/ui/uitest"

	"github.com/charmbracelet/x/ansi"
)

const sample = "Deploy report\n=============\n\n" +
	"All **12 pods** are up, *but* `db-0` restarted __twice__; see [the run](https://ci.example.com/1 \"title\")\n" +
	"or <https://ci.example.com/2>. A snake_case_word and 2 * 3 * 4 stay, as does \\*this\\* &amp; [https://x.example](https://x.example).\n\n" +
	"## Steps\n\n" +
	"1. Build the image, which takes a while because the cache of the registry was cold today\n" +
	"2. Push\n   - to `eu`, where the mirror is slow and every layer has to be uploaded once more\n   - to us  \n     in two parts\n10. Roll out\n\n" +
	"* [x] checked\n* [ ] not yet\n\n" +
	"> quoted words that are long enough to be wrapped behind the bar on a screen of eighty cells\n> > deeper\n\n" +
	"```go\nfunc main() {\n\tfmt.Println(\"a line of code that is too long for a narrow screen, and is not wrapped\")\n}\n```\n\n" +
	"| service | state | p99 ms |\n|:--------|:-----:|-------:|\n| api | **up** | 12 |\n| a longer name | `down` | 1204 |\n| x \\| y |\n\n" +
	"---\n\n### Third level\n![a picture](https://img.example/x.png)\n\n    indented code\n"

func md(tb testing.TB, raw string) *Document {
	tb.Helper()
	return newDocument(uitest.Mono(tb, false), markdown(raw, uitest.Mono(tb, false)))
}

func TestMarkdownIsRendered(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 52}, {36, 24}} {
		d := md(t, sample)
		view := d.View(size.w, size.h)
		uitest.Exact(t, view, size.w, size.h)
		if size.w == 36 {
			d.Scroll(40)
			d.Sideways(8)
			view += "\n--- scrolled ---\n" + d.View(size.w, size.h)
		}
		uitest.Golden(t, map[int]string{80: "markdown-80x52", 36: "markdown-36x24"}[size.w], ansi.Strip(view))
	}
	ascii := newDocument(uitest.Mono(t, true), markdown(sample, uitest.Mono(t, true))).View(80, 52)
	for _, c := range ansi.Strip(ascii) {
		if c >= 0x80 {
			t.Fatalf("%q is no ASCII", c)
		}
	}
	view := md(t, sample).View(80, 52)
	for _, part := range []string{"1m12 pods\x1b", "3mbut\x1b", "1mtwice\x1b"} {
		if !strings.Contains(view, part) {
			t.Errorf("no %q in\n%q", part, view)
		}
	}
}

func TestWhatIsMarkdown(t *testing.T) {
	for text, want := range map[string]bool{
		"# Title\ntext": true, "```\ncode\n```": true, "| a | b |\n|---|---|\n": true, "- a\n- **b** c": true,
		"just words": false, "a - b": false, "2026-11-30 12:00 INFO started\n2026-11-30 12:01 WARN slow": false,
		"- a line\n- another": false, "#hashtag and #another": false, "x * y * z": false, "--flag": false, "---": false,
		"#!/bin/sh\nset -e\n": false, "a `b` c": false, "total 8\n-rw-r--r-- 1 root root 5 a\n-rw-r--r-- 1 root root 5 b\n": false,
	} {
		if got := looksMarkdown(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	r := &task.Result{Content: []task.Content{{Kind: task.EmbeddedResource, MIME: "text/markdown; charset=utf-8", Text: "*one* word"}}}
	if view := ansi.Strip(Result(r, uitest.Mono(t, false)).View(40, 3)); strings.Contains(view, "*one*") {
		t.Errorf("its type is Markdown's: %q", view)
	}
	if d := Source(r, uitest.Mono(t, false)); !strings.Contains(d.View(40, 3), "*one*") || d.Rich() {
		t.Error("the source is not shown")
	}
}

// hostile texts of n bytes.
func hostileMarkdown(n int) map[string]string {
	rep := func(s string) string { return strings.Repeat(s, n/len(s)) }
	var runs, deep strings.Builder
	for i := 1; runs.Len() < n; i++ {
		runs.WriteString(strings.Repeat("`", i) + " ")
	}
	for i := 0; deep.Len() < n; i++ {
		deep.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	wide := "|" + strings.Repeat("a|", 60) + "\n|" + strings.Repeat("-|", 60) + "\n"
	return map[string]string{
		"quotes": rep(">"), "spaced quotes": rep("> "), "brackets": rep("["), "images": rep("!["), "links": rep("[a]("), "stars": rep("*a **a _b "),
		"bullets": rep("- "), "numbers": rep("1. "), "ticks": rep("`a``"), "runs": runs.String(), "deep": deep.String(),
		"empty rows": wide + rep("|\n"), "columns": rep("|a") + "\n" + rep("|-") + "\n", "a wide cell": "|a|b|\n|-|-|\n|" + rep("x") + "|y|\n" + rep("|a|b|\n"),
		"tags": rep("<"), "entities": rep("&"), "backslashes": rep(`\`), "fences": rep("```\n"), "titles": rep("# a\n"), "rules": rep("- - -\n"),
		"one word": rep("a"), "escapes": rep("**\x1b[31m\u202e` \x9b "), "underlines": rep("a\n=\n"), "blanks": rep("\n"), "tabs": rep("\t- "),
		"named": "# a\n" + rep("&#27;[31m &#x202e; "), "heads": rep("a|b\n"), "hard": rep("a  \n"), "parens": "[a](" + rep("("),
	}
}

func TestHostileMarkdownStaysInItsCells(t *testing.T) {
	for name, text := range hostileMarkdown(3000) {
		for _, w := range []int{1, 2, 9, 40} {
			d := md(t, text)
			for range 6 {
				view := d.View(w, 8)
				uitest.Exact(t, view, w, 8)
				if strings.ContainsAny(ansi.Strip(view), "\x1b\u202e\u200b\u009b\r\x07\x00") {
					t.Fatalf("%s: raw text on the screen: %q", name, view)
				}
				d.Scroll(70)
				d.Sideways(30)
			}
			d.Bottom()
			uitest.Exact(t, d.View(w, 8), w, 8)
		}
	}
}

// The cost of a text grows with its size, whatever it is: one that is 16 times as
// long is read, laid out and scrolled through in far less than the 256 times that a
// quadratic reader would take.
func TestHostileMarkdownIsLinear(t *testing.T) {
	const short, times = 4 << 10, 16
	read := func(text string) time.Duration {
		return uitest.Spent(t, func() {
			d := md(t, text)
			d.View(80, 24)
			d.Bottom()
			d.View(80, 24)
			for range 20 {
				d.Scroll(-23)
				d.View(80, 24)
			}
		})
	}
	long := hostileMarkdown(short * times)
	for name, text := range hostileMarkdown(short) {
		small := max(read(text), read(text)) + time.Millisecond // what is fixed, and the noise of the collector
		big := read(long[name])
		if big > small*times*5 {
			big = min(big, read(long[name]))
		}
		if big > small*times*5 {
			t.Errorf("%s: %v for %d bytes, %v for %d times as many", name, small, short, big, times)
		}
	}
}

func TestMarkdownScrollsUpAsDown(t *testing.T) {
	d := md(t, sample+strings.Repeat("äöü words without an end ", 800)+"\n"+sample)
	var down, up []string
	for {
		down = append(down, d.View(33, 1))
		if !d.Scroll(1) {
			break
		}
	}
	for {
		up = append([]string{d.View(33, 1)}, up...)
		if !d.Scroll(-1) {
			break
		}
	}
	if strings.Join(down, "\n") != strings.Join(up, "\n") {
		t.Errorf("%d rows down, %d up", len(down), len(up))
	}
	searchAll(t, d, "every layer has to be uploaded")
	if d.Found() != "1 of 2" {
		t.Errorf("found %q", d.Found())
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add(sample, 20)
	hostile := hostileMarkdown(200)
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		f.Add(hostile[name], 20)
	}
	f.Fuzz(func(t *testing.T, raw string, width int) {
		width = 1 + (width&0x7fffffff)%100
		d := md(t, raw)
		uitest.Exact(t, d.View(width, 5), width, 5)
		d.Bottom()
		d.Sideways(5)
		uitest.Exact(t, d.View(width, 5), width, 5)
	})
}

func BenchmarkMarkdown(b *testing.B) {
	t := uitest.Mono(b, false)
	text := strings.Repeat(sample, maxMarkdown/len(sample))
	r := &task.Result{Content: []task.Content{{Kind: task.TextContent, Text: text}}}
	for name, open := range map[string]func() *Document{
		"rendered": func() *Document { return Result(r, t) }, "source": func() *Document { return Source(r, t) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				open().View(120, 40)
			}
		})
	}
}
