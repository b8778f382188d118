// Package uitest is what the tests of the looking half share: golden views,
// their measures and their theme. Tests alone import it.
package uitest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"callboard/themes"

	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares a view with testdata/name.golden of the package under test;
// with -update it writes that file.
func Golden(tb testing.TB, name, got string) {
	tb.Helper()
	Page(tb, filepath.Join("testdata", name+".golden"), got+"\n")
}

// Page compares a text with the file at path; with -update it writes that file.
func Page(tb testing.TB, path, got string) {
	tb.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if got != string(want) {
		tb.Errorf("%s differs (-update writes it anew): got\n%s\nwant\n%s", path, got, want)
	}
}

// Exact fails where a view is not h lines of w cells.
func Exact(tb testing.TB, view string, w, h int) {
	tb.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		tb.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got != w {
			tb.Errorf("%dx%d: line %d is %d cells wide: %q", w, h, i, got, ansi.Strip(l))
		}
	}
}

// Mono returns the theme without colours, in which golden views are kept.
func Mono(tb testing.TB, ascii bool) *themes.Theme {
	tb.Helper()
	t, err := themes.New("mono", ascii, false)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}
