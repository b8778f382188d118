package ui

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/themes"

	"github.com/sahilm/fuzzy"
)

// entry is a line of the list above the command line.
type entry struct {
	name string // as it is shown
	line string // as it is run
	args string // that stand behind it
	help string
	key  string
	// why says where it works, "" for here.
	why string

	more    bool  // other words follow it
	general int   // 1 for what works in all places
	rank    int   // how well it matches, the best first
	mark    []int // the bytes of the name that match
}

// How well an entry matches what is typed.
const (
	byName   = iota // it is the name, or the part of it behind the scope
	byStart         // it begins there
	byPart          // it stands in the name
	byHelp          // it stands in what it does
	byScope         // it stands in the name of its scope
	byLetter        // its letters stand in the name, in their order
)

// entries are all that the command line can run, what works here first.
func (r *Root) entries() []entry {
	var all []entry
	for _, c := range commands() {
		all = append(all, entry{name: c.name, line: c.name, args: c.args, help: c.help})
	}
	here := r.where()
	for _, a := range r.k.Actions() {
		if a.Alone || a.Name == "everywhere.command" { // that is open
			continue
		}
		e := entry{name: a.Name, line: a.Name, help: a.Help, why: elsewhere(&a, here)}
		if a.Place == "" {
			e.general = 1
		}
		if len(a.Keys) > 0 {
			e.key = a.Shown
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Or(hereFirst(a, b), a.general-b.general) })
	return all
}

func hereFirst(a, b entry) int {
	switch {
	case a.why == "" && b.why != "":
		return -1
	case a.why != "" && b.why == "":
		return 1
	}
	return 0
}

// matching returns the entries that match what is typed: commands and actions, and
// behind a command what can stand there.
func (l *lineOverlay) matching(r *Root) []entry {
	typed := typedIn(l.input.Value())
	if l.behind() {
		c, _ := commandOf(l.name())
		return r.arguments(&c, typed)
	}
	return match(l.all, strings.ToLower(strings.TrimSpace(typed)))
}

// match returns the entries that match typed, the best first.
func match(all []entry, typed string) []entry {
	var found []entry
	if typed == "" {
		return slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.why != "" })
	}
	loose, score := map[int][]int{}, map[int]int{}
	for i, m := range fuzzy.FindFrom(typed, names(all)) {
		loose[m.Index], score[m.Index] = m.MatchedIndexes, i
	}
	for i, e := range all {
		scope, short, scoped := strings.Cut(e.name, ".")
		if !scoped {
			scope, short = "", e.name
		}
		at := strings.Index(e.name, typed)
		if in := strings.Index(short, typed); in >= 0 {
			at = len(e.name) - len(short) + in
		}
		switch {
		case e.name == typed || short == typed:
			e.rank = byName
		case at == len(e.name)-len(short), at == 0 && len(typed) > len(scope):
			e.rank = byStart
		case at+len(typed) > len(scope)+1 && at >= 0:
			e.rank = byPart
		case at >= 0:
			e.rank = byScope
		case strings.Contains(strings.ToLower(e.help), typed):
			e.rank = byHelp
		case loose[i] != nil:
			e.rank = byLetter + score[i]
		default:
			continue
		}
		if e.why != "" && e.rank > byPart && e.rank != byScope {
			continue
		}
		e.mark = loose[i]
		if at >= 0 {
			e.mark = nil
			for j := range len(typed) {
				e.mark = append(e.mark, at+j)
			}
		}
		found = append(found, e)
	}
	slices.SortStableFunc(found, func(a, b entry) int {
		return cmp.Or(hereFirst(a, b), a.rank-b.rank)
	})
	return found
}

// names lets fuzzy read the names of entries.
type names []entry

func (n names) String(i int) string { return n[i].name }
func (n names) Len() int            { return len(n) }

// arguments returns what may stand in the place of the last word of typed.
func (r *Root) arguments(c *command, typed string) []entry {
	if c.complete == nil {
		return nil
	}
	words := strings.Split(typed, " ")[1:]
	last := words[len(words)-1]
	before := strings.TrimSuffix(typed, last)
	var all []entry
	for _, word := range c.complete(r, words) {
		if !strings.HasPrefix(strings.ToLower(word), strings.ToLower(last)) {
			continue
		}
		e := entry{name: task.CleanLine(word, 100).Line(), line: before + word, rank: byStart}
		e.more = len(words) < len(strings.Fields(c.args))
		for i := range min(len(last), len(e.name)) {
			e.mark = append(e.mark, i)
		}
		all = append(all, e)
	}
	return all
}

// mostListed is how many lines of the list are in sight at once.
const mostListed = 10

// draw lays the list over the lower end of the screen.
func (l *lineOverlay) draw(r *Root, s *scene, screen []string) {
	l.listAt = box{}
	room := min(len(screen)-3, mostListed)
	if len(l.list) == 0 || room < 1 {
		return
	}
	w := min(r.width, 100)
	l.win.show(len(l.list), min(room, len(l.list)))
	cols := listCols(l.list, w-4)
	lines := make([]string, 0, l.win.height)
	for i := l.win.offset; i < min(l.win.offset+l.win.height, len(l.list)); i++ {
		lines = append(lines, s.listed(&l.list[i], cols, i == l.win.cursor && (l.chosen || l.sure())))
	}
	framed := s.frame(lines, w, len(lines)+2, l.title(), l.win.place(len(l.list)), true)
	l.listAt = box{2, len(screen) - len(lines) - 1, w - 4, len(lines)}
	s.over(screen, framed, 0, len(screen)-len(framed))
}

func (l *lineOverlay) title() string {
	if l.behind() {
		c, _ := commandOf(l.name())
		return ":" + c.name + " " + c.args
	}
	return "Commands"
}

// listWidths are the widths of the list's columns.
type listWidths struct{ name, help, key int }

// listCols divides w cells: the key goes first when it gets narrow.
func listCols(all []entry, w int) listWidths {
	c := listWidths{key: 12}
	for _, e := range all {
		c.name = max(c.name, width(e.title()))
	}
	c.name = min(c.name, 30, w)
	if w < 60 {
		c.key = 0
	}
	c.help = max(w-c.name-c.key-2, 0)
	return c
}

// title is an entry with what it takes.
func (e *entry) title() string {
	if e.args != "" {
		return e.name + " " + e.args
	}
	return e.name
}

// listed is a line of the list.
func (s *scene) listed(e *entry, c listWidths, selected bool) string {
	mark, name, help := "  ", &s.t.Text, e.help
	if selected {
		mark = s.t.Glyphs.Select + " "
	}
	if e.why != "" {
		name, help = &s.t.Dim, e.why
	}
	line := mark + s.marked(s.fit(e.title(), c.name), e.mark, name) + "  " +
		s.t.KeyDesc.Paint(s.fit(help, c.help-2)) + "  "
	if c.key > 0 {
		line += s.t.Key.Paint(s.fit(e.key, c.key-2))
	}
	if selected {
		return s.t.Selected.Around(line)
	}
	return line
}

// marked paints text, the bytes at those places as what was looked for.
func (s *scene) marked(text string, at []int, role *themes.Role) string {
	var b strings.Builder
	from := 0
	for _, i := range at {
		if i < from || i >= len(text) || text[i] >= utf8.RuneSelf {
			continue
		}
		b.WriteString(role.Paint(text[from:i]) + s.t.Match.Paint(text[i:i+1]))
		from = i + 1
	}
	return b.String() + role.Paint(text[from:])
}
