package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"callboard/model/task"
	"callboard/themes"

	"github.com/aymanbagabas/go-udiff/lcs"
)

const (
	// maxDiffLines and maxDiffBytes are how much of a result is compared.
	maxDiffLines, maxDiffBytes = 200_000, 16 << 20
	// context is how many equal lines stand around what differs.
	context = 3
)

// Lines returns a result as lines of text, for comparing: JSON pretty printed,
// text as it is, of anything else what it is and a digest. all is false where it
// is too long and was cut.
func Lines(r *task.Result) (lines []string, all bool) {
	var out []string
	add := func(text string) { out = append(out, strings.Split(strings.TrimRight(text, "\n"), "\n")...) }
	value := func(raw []byte) {
		var b bytes.Buffer
		if len(raw) > maxDiffBytes || json.Indent(&b, raw, "", "  ") != nil {
			add(string(raw))
			return
		}
		add(b.String())
	}
	switch {
	case r.Err != nil:
		out = append(out, fmt.Sprintf("error %d", r.Err.Code))
		add(r.Err.Message.String())
		value(r.Err.Data)
	case r.IsError:
		out = append(out, "the tool failed (isError)")
	}
	for i := range r.Content {
		c := &r.Content[i]
		if c.Kind != task.TextContent || len(r.Content) > 1 {
			add(strings.Join(strings.Fields(ContentWords(c, " ")), " "))
		}
		switch {
		case c.Text != "" && looksJSON(c.Text):
			value([]byte(c.Text))
		case c.Text != "":
			add(c.Text)
		case c.Base64 != "":
			sum := sha256.Sum256([]byte(c.Base64))
			add("data with the digest " + hex.EncodeToString(sum[:8]))
		case c.Kind == task.OtherContent && len(c.Raw) > 0:
			value(c.Raw)
		}
	}
	if len(r.Structured) > 0 {
		if len(out) > 0 {
			out = append(out, "structured content")
		}
		value(r.Structured)
	}
	if len(r.Content) == 0 && len(r.Structured) == 0 && r.Err == nil {
		value(r.Raw)
	}
	size := 0
	for i, line := range out {
		if size += len(line) + 1; i >= maxDiffLines || size > maxDiffBytes {
			return out[:i], false
		}
	}
	return out, true
}

// Diff is how two texts differ.
type Diff struct {
	Added, Removed, Equal int // lines
	All                   bool
	rows                  []diffRow
}

// diffRow is a line of the two texts: '+' in the new one, '-' in the old one, ' '
// in both; '@' tells of equal lines that are left out.
type diffRow struct {
	op   byte
	text string
}

// Compare compares two results by lines. It is meant for a command: large ones take
// a while.
func Compare(before, after *task.Result) *Diff {
	a, allA := Lines(before)
	b, allB := Lines(after)
	d := &Diff{All: allA && allB}
	at := 0 // in a
	var equal []string
	for _, c := range differences(a, b) {
		equal = a[at:c.Start]
		d.fold(equal, len(d.rows) > 0, true)
		for _, line := range a[c.Start:c.End] {
			d.rows = append(d.rows, diffRow{'-', line})
		}
		for _, line := range b[c.ReplStart:c.ReplEnd] {
			d.rows = append(d.rows, diffRow{'+', line})
		}
		d.Removed += c.End - c.Start
		d.Added += c.ReplEnd - c.ReplStart
		at = c.End
	}
	d.fold(a[at:], len(d.rows) > 0, false)
	return d
}

// fold adds equal lines, but for those that are far from what differs before and
// behind them.
func (d *Diff) fold(lines []string, before, behind bool) {
	d.Equal += len(lines)
	head, tail := 0, 0
	if before {
		head = context
	}
	if behind {
		tail = context
	}
	add := func(lines []string) {
		for _, line := range lines {
			d.rows = append(d.rows, diffRow{' ', line})
		}
	}
	if len(lines) <= head+tail+1 {
		add(lines)
		return
	}
	add(lines[:head])
	d.rows = append(d.rows, diffRow{'@', fmt.Sprintf("%d equal lines", len(lines)-head-tail)})
	add(lines[len(lines)-tail:])
}

// differences compares lines. The library gives up on being exact beyond some
// dozen differences, so the texts are cut first at lines that stand in each of
// them once.
func differences(a, b []string) []lcs.Diff {
	var out []lcs.Diff
	add := func(d lcs.Diff) {
		if n := len(out); n > 0 && out[n-1].End == d.Start && out[n-1].ReplEnd == d.ReplStart {
			out[n-1].End, out[n-1].ReplEnd = d.End, d.ReplEnd
			return
		}
		out = append(out, d)
	}
	atA, atB := 0, 0
	gap := func(toA, toB int) {
		for atA < toA && atB < toB && a[atA] == b[atB] {
			atA, atB = atA+1, atB+1
		}
		endA, endB := toA, toB
		for endA > atA && endB > atB && a[endA-1] == b[endB-1] {
			endA, endB = endA-1, endB-1
		}
		for _, d := range lcs.DiffLines(a[atA:endA], b[atB:endB]) {
			add(lcs.Diff{Start: d.Start + atA, End: d.End + atA, ReplStart: d.ReplStart + atB, ReplEnd: d.ReplEnd + atB})
		}
		atA, atB = toA, toB
	}
	for _, p := range anchors(a, b) {
		gap(p[0], p[1])
	}
	gap(len(a), len(b))
	return out
}

// anchors returns pairs of lines that are the same and stand once in each text, in
// an order that holds in both.
func anchors(a, b []string) [][2]int {
	type seen struct{ a, b, at int } // how often, and where in b
	counts := make(map[string]*seen, len(a))
	for _, line := range a {
		if counts[line] == nil {
			counts[line] = &seen{}
		}
		counts[line].a++
	}
	for i, line := range b {
		if s := counts[line]; s != nil {
			s.b++
			s.at = i
		}
	}
	var pairs [][2]int
	for i, line := range a {
		if s := counts[line]; s.a == 1 && s.b == 1 {
			pairs = append(pairs, [2]int{i, s.at})
		}
	}
	// The longest run of pairs that rises in b.
	best := make([]int, 0, len(pairs)) // of each length, the pair with the least end
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		k := sort.Search(len(best), func(k int) bool { return pairs[best[k]][1] >= p[1] })
		prev[i] = -1
		if k > 0 {
			prev[i] = best[k-1]
		}
		if k == len(best) {
			best = append(best, i)
		} else {
			best[k] = i
		}
	}
	var out [][2]int
	if len(best) > 0 {
		for i := best[len(best)-1]; i >= 0; i = prev[i] {
			out = append(out, pairs[i])
		}
	}
	slices.Reverse(out)
	return out
}

// Words says in a sentence how the two differ.
func (d *Diff) Words() string {
	words := fmt.Sprintf("%d removed, %d added, %d equal.", d.Removed, d.Added, d.Equal)
	if d.Removed+d.Added == 0 {
		words = fmt.Sprintf("Equal: all %d lines are the same.", d.Equal)
	}
	if !d.All {
		words += " They are too long: only their beginnings were compared."
	}
	return words
}

// Text returns the differences as text, for a file: heads are the names of the old
// and the new one.
func (d *Diff) Text(before, after string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", before, after)
	for _, r := range d.rows {
		if r.op == '@' {
			fmt.Fprintf(&b, "@@ %s @@\n", r.text)
			continue
		}
		fmt.Fprintf(&b, "%c%s\n", r.op, r.text)
	}
	return b.Bytes()
}

// Document shows the differences.
func (d *Diff) Document(before, after string, t *themes.Theme) *Document {
	doc := newDocument(t)
	doc.add(doc.own("- "+before, &t.Error, false), doc.own("+ "+after, &t.OK, false), doc.own(d.Words(), &t.Strong, false))
	if d.Removed+d.Added == 0 {
		return doc
	}
	doc.gap()
	doc.add(&diffBlock{rows: d.rows, theme: t})
	return doc
}

// diffBlock shows the rows of a Diff.
type diffBlock struct {
	rows  []diffRow
	theme *themes.Theme
}

func (b *diffBlock) size() int    { return len(b.rows) }
func (b *diffBlock) first() place { return place{} }
func (b *diffBlock) last() place  { return place{line: len(b.rows) - 1, seg: len(b.rows) - 1} }

func (b *diffBlock) next(p place) (place, bool) {
	return place{line: p.seg + 1, seg: p.seg + 1}, p.seg+1 < len(b.rows)
}

func (b *diffBlock) prev(p place) (place, bool) {
	return place{line: p.seg - 1, seg: p.seg - 1}, p.seg > 0
}

func (b *diffBlock) spans(p place) []span {
	row, t := &b.rows[p.seg], b.theme
	text := Expand(strings.ReplaceAll(task.CleanMax(row.text, 4*maxSegment).String(), "\n", " "))
	switch row.op {
	case '+':
		return []span{{"+ " + text, &t.OK}}
	case '-':
		return []span{{"- " + text, &t.Error}}
	case '@':
		return []span{{"@ " + text, &t.Accent}}
	}
	return []span{{"  " + text, &t.Dim}}
}

func (b *diffBlock) shape(place) shape { return shape{wrap: true, hang: 2} }
