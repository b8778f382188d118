package ui

import (
	"slices"

	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// searchable is a text in which one looks for something: a render.Document, or
// the lines of a pane.
type searchable interface {
	// Begin remembers where the window stands: looking begins there.
	Begin()
	// Search marks what matches and shows the first match; nil marks nothing.
	Search(*render.Pattern) tea.Cmd
	// Step goes to the next match, to the one before where n is negative; false
	// where there is none.
	Step(n int) bool
	// Clear marks nothing any more; back shows what Begin saw.
	Clear(back bool)
	Searching() bool
	// Found says how many matches there are, "" where nothing is looked for.
	Found() string
}

// searched is a pane that can be searched: nil where it cannot now.
type searched interface {
	searchable(r *Root) searchable
}

func (p *resultPane) searchable(*Root) searchable { return searchedDoc(p.shown()) }
func (p *detailPane) searchable(r *Root) searchable {
	return &searchedLines{v: &p.text, t: r.t}
}

func searchedDoc(d *render.Document) searchable {
	if d == nil {
		return nil
	}
	return d
}

// searchable returns what the pane that has the keys lets be searched, nil for
// nothing.
func (r *Root) searchable() searchable {
	if p, ok := r.focused().(searched); ok {
		return p.searchable(r)
	}
	return nil
}

// searchKey takes the keys of a text that can be searched.
func (r *Root) searchKey(k tea.KeyMsg) bool {
	of := r.searchable()
	l := &r.k.List
	switch {
	case of == nil:
		return false
	case key.Matches(k, l.Filter):
		r.openSearch(of)
	case key.Matches(k, l.NextMatch):
		r.stepMatch(of, 1)
	case key.Matches(k, l.PrevMatch):
		r.stepMatch(of, -1)
	case key.Matches(k, r.k.Everywhere.Back) && of.Searching():
		of.Clear(false)
	default:
		return false
	}
	return true
}

func (r *Root) stepMatch(of searchable, n int) {
	switch {
	case !of.Searching():
		r.say("Nothing is searched for: " + r.k.List.Filter.Help().Key + " searches.")
	case !of.Step(n):
		r.say("Nothing matches.")
	}
}

// searchLine is the line in the footer in which one types what is looked for.
type searchLine struct {
	typedLine
	of      searchable
	history historyWalk
}

func (r *Root) openSearch(of searchable) {
	of.Begin()
	r.over = &searchLine{typedLine: typedLine{r.textLine(" / ", "")}, of: of, history: walkOf(r.searches)}
}

func (l *searchLine) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	keys, list := &r.k.Line, &r.k.List
	switch {
	case !ok:
	case key.Matches(k, keys.Leave):
		r.over = nil
		l.of.Clear(true)
		return nil
	case key.Matches(k, keys.Accept):
		r.over = nil
		remember(&r.searches, l.input.Value())
		return nil
	case key.Matches(k, keys.Complete):
		r.say("Plain text, or a regular expression as /err(or)?/. A capital letter makes capitals matter.")
		return nil
	case key.Matches(k, list.NextMatch):
		r.stepMatch(l.of, 1)
		return nil
	case key.Matches(k, list.PrevMatch):
		r.stepMatch(l.of, -1)
		return nil
	case key.Matches(k, keys.Older):
		return l.recall(r, -1)
	case key.Matches(k, keys.Newer):
		return l.recall(r, 1)
	}
	cmd, changed := l.edit(msg)
	if changed {
		l.history.leave()
		cmd = tea.Batch(cmd, l.look(r))
	}
	return cmd
}

// look searches for what stands in the line now.
func (l *searchLine) look(r *Root) tea.Cmd {
	p, err := render.NewPattern(l.input.Value())
	if err != nil {
		r.say(asSentence(err.Error()))
		return nil
	}
	return l.of.Search(p)
}

// recall steps through what was looked for before.
func (l *searchLine) recall(r *Root, step int) tea.Cmd {
	text, why := l.history.step(step, l.input.Value())
	if why != "" {
		r.say(why)
		return nil
	}
	l.input.SetValue(text)
	l.input.CursorEnd()
	return l.look(r)
}

// withFound puts what a search found before a note of the pane.
func (s *scene) withFound(found, note string) string {
	if found == "" || note == "" {
		return found + note
	}
	return found + " " + s.t.Glyphs.Dot + " " + note
}

// searchedLines searches the lines of a pane.
type searchedLines struct {
	v *scroll
	t *themes.Theme
}

// finding is what is looked for in the lines of a pane. Its matches are found
// anew whenever the lines are drawn, since these change.
type finding struct {
	pattern *render.Pattern
	t       *themes.Theme
	from    int  // the line at the top when the search began
	at, n   int  // the match that is stood on, of n
	jump    bool // it is to be shown
	choose  bool // it is still to be chosen
}

func (l *searchedLines) Begin() { l.v.find.from = l.v.top }

func (l *searchedLines) Search(p *render.Pattern) tea.Cmd {
	f := &l.v.find
	*f = finding{pattern: p, t: l.t, from: f.from, choose: true, jump: true}
	return nil
}

func (l *searchedLines) Searching() bool { return l.v.find.pattern != nil }
func (l *searchedLines) Found() string   { return l.v.find.words() }

func (l *searchedLines) Clear(back bool) {
	if back {
		l.v.top = l.v.find.from
	}
	l.v.find = finding{}
}

func (l *searchedLines) Step(n int) bool {
	f := &l.v.find
	if f.n == 0 {
		return false
	}
	f.at, f.jump = (f.at+n+f.n)%f.n, true
	return true
}

func (f *finding) words() string {
	switch {
	case f.pattern == nil:
		return ""
	case f.n == 0:
		return "no match"
	}
	return number(float64(f.at+1)) + " of " + number(float64(f.n))
}

// mark returns the lines with what matches marked, and brings the match that is
// stood on into sight.
func (v *scroll) mark(lines []string) []string {
	f := &v.find
	if f.pattern == nil {
		return lines
	}
	found := f.pattern.Lines(lines)
	f.n = len(found)
	if f.choose {
		f.at, f.choose = 0, false
		for i, m := range found {
			if m[0].Line >= f.from {
				f.at = i
				break
			}
		}
	}
	f.at = max(min(f.at, f.n-1), 0)
	if f.jump && f.n > 0 {
		if line := found[f.at][0].Line; line < v.top || line >= v.top+v.height {
			v.top = line - v.height/3
		}
	}
	f.jump = false
	v.top = max(min(v.top, len(lines)-v.height), 0)
	out := slices.Clone(lines)
	for i, m := range found {
		role := &f.t.Match
		if i == f.at {
			role = &f.t.MatchHere
		}
		for _, part := range m {
			if part.Line >= v.top && part.Line < v.top+v.height {
				out[part.Line] = render.MarkCells(out[part.Line], part.From, part.To, role)
			}
		}
	}
	return out
}

// searchFound takes in a slice of a search.
func (r *Root) searchFound(msg render.FoundMsg) tea.Cmd {
	r.viewOf = viewKey{}
	return msg.Take()
}
