package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// How long a sentence stays in the footer, and one about what went wrong.
const (
	noteLife    = 8 * time.Second
	badNoteLife = 20 * time.Second
	// readTime is how long a sentence that came by itself outlives keys.
	readTime = 3 * time.Second
)

// notice returns the sentence for the footer: the screen's own, or the
// model's where that is newer. An old one goes.
func (r *Root) notice() note {
	said := r.said
	unread := said.keep && r.now.Sub(said.at) < readTime
	if line, bad, at := r.m.Notice(); line != "" && at.After(said.at) && at.After(r.read) && !unread {
		said = note{text: r.sentenceOf(line), bad: bad, at: at}
	}
	life := noteLife
	if said.bad {
		life = badNoteLife
	}
	if said.text == "" || r.now.Sub(said.at) > life {
		return note{}
	}
	return said
}

// turn lets a key put away what stood in the footer. What came by itself a
// moment ago stays: nobody has read it yet.
func (r *Root) turn() {
	if !r.said.keep || r.now.Sub(r.said.at) >= readTime {
		r.said = note{}
	}
	if _, _, at := r.m.Notice(); r.now.Sub(at) >= readTime {
		r.read = at
	}
}

// sentenceOf makes a sentence of the model's words. A server's name begins it
// as it is written.
func (r *Root) sentenceOf(words string) string {
	words = oneLine(words)
	for _, l := range r.m.Links() {
		if strings.HasPrefix(words, l.Name) {
			return words
		}
	}
	return asSentence(words)
}

// footer is the last line: a sentence, or the keys that work now. A sentence
// that is too long for it takes lines from the panes, and one about what is
// being typed stands above that.
func (r *Root) footer(s *scene) []string {
	foot := r.lowest(s)
	if words := r.bulkLine(); words != "" && r.over == nil {
		return append(r.bulkFoot(s, words), foot...)
	}
	return foot
}

// bulkFoot says how the cancel of many stands, and which key shows more of it.
func (r *Root) bulkFoot(s *scene, words string) []string {
	about := s.hint(named(r.k.Table.Many, "shows them"))
	lines := s.lines(words, &s.t.Strong, r.width, r.height)
	last := strings.TrimRight(ansi.Strip(lines[len(lines)-1]), " ")
	if width(last)+width(about)+3 > r.width {
		return append(lines, s.fit(" "+about, r.width))
	}
	lines[len(lines)-1] = s.fit(s.t.Strong.Paint(last)+"  "+about, r.width)
	return lines
}

// lowest is the footer below what is said of the cancel of many.
func (r *Root) lowest(s *scene) []string {
	said := r.notice()
	line := r.onLine()
	switch {
	case said.text != "" && !line:
		return r.sentence(s, said)
	case said.text != "":
		return append(s.lines(said.text, s.noteRole(said), r.width, r.height), s.fit(r.over.foot(r, s), r.width))
	case r.over != nil && line:
		return append(r.aboutLine(s), s.fit(r.over.foot(r, s), r.width))
	case r.over != nil:
		if f, ok := r.over.(*formOverlay); ok && f.form.Message() != "" {
			return s.lines(oneLine(f.form.Message()), &s.t.Warning, r.width, r.height)
		}
		return []string{s.fit(r.over.foot(r, s), r.width)}
	}
	right := r.waits(s)
	if words := r.greeting(); words != "" && (right == "" || width(words)+width(right)+3 <= r.width) {
		return r.sentence(s, note{text: words})
	}
	left := r.hintLine(s, r.width-width(right)-2)
	keys := left + spaces(r.width-width(left)-width(right)) + right
	return []string{keys}
}

// onLine reports whether something is typed in the place of the footer.
func (r *Root) onLine() bool {
	switch r.over.(type) {
	case *lineOverlay, *filterOverlay, *searchLine, *helpSearch:
		return true
	}
	return false
}

// aboutLine is what stands above a line that is typed into, nil for nothing.
func (r *Root) aboutLine(s *scene) []string {
	f, ok := r.over.(*filterOverlay)
	switch {
	case !ok:
		return nil
	case filterFault(r.m) != "":
		return s.lines(filterFault(r.m), &s.t.Warning, r.width, r.height)
	}
	return []string{s.fit(f.about(r, s), r.width)}
}

func (s *scene) noteRole(n note) *themes.Role {
	if n.bad {
		return &s.t.Error
	}
	return &s.t.Strong
}

// sentence shows a note, on several lines where it is long.
func (r *Root) sentence(s *scene, said note) []string {
	role := s.noteRole(said)
	right := r.waits(s)
	if w := width(said.text) + 3; w+width(right) <= r.width {
		return []string{" " + role.Paint(said.text) + spaces(r.width-w-width(right)+2) + right}
	}
	return s.lines(said.text, role, r.width, r.height)
}

// mostLines is how many lines a sentence in the footer takes from the panes.
const mostLines = 8

// lines are a long sentence for the footer, as far as a screen of w by h has room.
func (s *scene) lines(words string, role *themes.Role, w, h int) []string {
	lines := render.Wrap(words, max(w-2, 1))
	if most := min(max(h/3, 1), mostLines); len(lines) > most {
		lines[most-1] = s.cut(strings.Join(lines[most-1:], " "), w-2)
		lines = lines[:most]
	}
	for i, line := range lines {
		lines[i] = " " + role.Paint(s.fit(line, w-1))
	}
	return lines
}

// fewWords is the width under which the keys have the room of words.
const fewWords = 60

// waits reminds of the questions that wait.
func (r *Root) waits(s *scene) string {
	n := waiting(r.m.Inbox())
	if n == 0 {
		return ""
	}
	words := count(n, "prompt waits", "prompts wait")
	if r.width < fewWords {
		words = s.t.Glyphs.Asking + strconv.Itoa(n) // as in the header
	}
	if r.at != atInbox {
		words += ": " + r.waitsKey().Help().Key
	}
	return s.t.Asking.Paint(words) + " "
}

// waitsKey is the key that leads to a question that waits.
func (r *Root) waitsKey() key.Binding {
	e := &r.k.Everywhere
	if row := r.m.Row(r.row()); r.at == atInbox || r.hasSide() && row != nil && asks(row) || waiting(r.m.Inbox()) == 1 {
		return e.Answer
	}
	return e.Inbox
}

// hint is a key and what it does.
func (s *scene) hint(b key.Binding) string {
	h := b.Help()
	return s.t.Key.Paint(h.Key) + " " + s.t.KeyDesc.Paint(h.Desc)
}

// hintRow is a line of keys, as many as have room, the first before the last. The
// way out is always among them.
func (s *scene) hintRow(keys []key.Binding, w int) string {
	line, kept, full := "", 0, false
	for _, b := range keys {
		if s.leaves(b) {
			kept += width(s.spaced(b))
		}
	}
	for _, b := range keys {
		next := s.spaced(b)
		switch out := s.leaves(b); {
		case len(b.Keys()) == 0: // it is on the command line
		case out && width(line)+width(next) <= w:
			line += next
			kept -= width(next)
		case out, full:
		case width(line)+width(next)+kept > w:
			full = true
		default:
			line += next
		}
	}
	return line
}

// spaced is a key of a line of keys.
func (s *scene) spaced(b key.Binding) string {
	if len(b.Keys()) == 0 {
		return ""
	}
	return " " + s.hint(b) + " "
}

// leaves reports whether a key leads out of what is open.
func (s *scene) leaves(b key.Binding) bool {
	k := s.k
	return slices.ContainsFunc([]key.Binding{
		k.Everywhere.Back, k.Form.Leave, k.Menu.Leave, k.URL.Leave, k.Confirm.No, k.Line.Leave, k.Saved.Leave, k.Columns.Leave, k.Many.Leave,
	}, func(out key.Binding) bool { return slices.Equal(out.Keys(), b.Keys()) })
}

// hintLine is the keys that work now, as many as have room; help is always
// among them.
func (r *Root) hintLine(s *scene, w int) string {
	if r.typing() {
		return s.hintRow(r.focused().hints(r), w)
	}
	help := " " + s.hint(r.k.Everywhere.Help)
	return ansi.Truncate(s.hintRow(r.focused().hints(r), w-width(help))+help, max(w, 0), "")
}
