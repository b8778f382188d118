package render

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
	"callboard/ui/uitest"

	"github.com/charmbracelet/x/ansi"
)

func text(s string) *task.Result {
	return &task.Result{Content: []task.Content{{Kind: task.TextContent, Text: s}}}
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("line ", i)
	}
	return out
}

func TestCompare(t *testing.T) {
	a := numbered(60)
	b := slices.Clone(a)
	b[20] = "another \x1b[31mline\x1b[0m"
	b = slices.Insert(slices.Delete(b, 40, 42), 50, "new")
	d := Compare(text(strings.Join(a, "\n")), text(strings.Join(b, "\n")))
	if d.Removed != 3 || d.Added != 2 || d.Equal != 57 || !d.All {
		t.Errorf("%+v", d)
	}
	view := d.Document("the old one", "the new one", uitest.Mono(t, false)).View(60, 36)
	uitest.Exact(t, view, 60, 36)
	uitest.Golden(t, "diff-60x36", ansi.Strip(view))
	if got := string(d.Text("x", "y")); !strings.Contains(got, "--- x\n+++ y\n@@ 17 equal lines @@\n line 17\n") || !strings.Contains(got, "-line 20\n+another") {
		t.Errorf("text:\n%s", got)
	}
	if d := Compare(text("same"), text("same\n")); d.Words() != "Equal: all 1 lines are the same." {
		t.Error(d.Words())
	}
}

func TestCompareIndentsJSON(t *testing.T) {
	d := Compare(&task.Result{Structured: []byte(`{"a":1,"b":[1,2]}`)}, &task.Result{Structured: []byte(`{"a":1,"b":[1,3]}`)})
	if d.Removed != 1 || d.Added != 1 || d.Equal != 6 {
		t.Errorf("%+v", d)
	}
	one := task.Content{Kind: task.ImageContent, MIME: "image/png", Base64: "AAAA", Size: 3}
	other := one
	other.Base64 = "AAAB"
	if d := Compare(&task.Result{Content: []task.Content{one}}, &task.Result{Content: []task.Content{other}}); d.Removed != 1 {
		t.Errorf("other data: %+v", d)
	}
}

// What is taken out of the old text and put into it makes the new one.
func TestDifferencesAreTrue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		make := func() []string {
			out := []string{}
			for range rng.IntN(60) {
				out = append(out, string(rune('a'+rng.IntN(20))))
			}
			return out
		}
		a, b := make(), make()
		var got []string
		at := 0
		for _, d := range differences(a, b) {
			got = append(append(got, a[at:d.Start]...), b[d.ReplStart:d.ReplEnd]...)
			at = d.End
		}
		if got = append(got, a[at:]...); !slices.Equal(got, b) {
			t.Fatalf("%q\n%q\n%q", a, b, got)
		}
	}
}

// Hundreds of changes far from each other are found each for itself, and large
// results take no longer than a person waits.
func TestCompareLarge(t *testing.T) {
	a := numbered(maxDiffLines / 2)
	b := slices.Clone(a)
	for i := 0; i < len(b); i += 100 {
		b[i] = "changed"
	}
	if took := uitest.Spent(t, func() { compareLarge(t, a, b) }); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func compareLarge(t *testing.T, a, b []string) {
	t.Helper()
	if d := Compare(text(strings.Join(a, "\n")), text(strings.Join(b, "\n"))); d.Removed != len(b)/100 || d.Added != d.Removed {
		t.Errorf("%s", d.Words())
	}
	same := strings.Repeat("x\n", 100_000)
	Compare(text(same), text(strings.Repeat("x\ny\n", 50_000)))
	Compare(text(same), text(strings.Repeat("z\n", 100_000)))
	if d := Compare(text(strings.Repeat("y\n", 300_000)), text(strings.Repeat("y\n", 300_000))); d.All {
		t.Error("all of it was compared")
	}
}
