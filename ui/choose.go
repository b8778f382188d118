package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// moreColumns are the columns that show where somebody chose them.
var moreColumns = []column{
	{name: "updated", title: "HEARD", width: 5, right: true, cell: func(s *scene, r *model.Row) string { return age(s.since(r.Heard.Time())) }},
	{name: "how", title: "HOW", width: 7, cell: func(_ *scene, r *model.Row) string { return r.How.String() }},
	{name: "began", title: "BEGAN", width: 8, cell: func(s *scene, r *model.Row) string { return s.clockTime(r.Began.Time()) }},
	{name: "ended", title: "ENDED", width: 8, cell: func(s *scene, r *model.Row) string {
		if !r.Task.Status.Terminal() {
			return ""
		}
		return s.clockTime(r.Since.Time())
	}},
	{name: "duration", title: "TOOK", width: 5, right: true, cell: func(s *scene, r *model.Row) string {
		if !r.Task.Status.Terminal() {
			return age(s.since(r.Began.Time()))
		}
		return age(max(r.Since.Time().Sub(r.Began.Time()), 0))
	}},
	{name: "asks", title: "ASKS", width: 4, right: true, cell: func(_ *scene, r *model.Row) string {
		if len(r.Asks) == 0 {
			return ""
		}
		return strconv.Itoa(len(r.Asks))
	}},
}

// clockTime is a time of day in 8 cells, the date of another day.
func (s *scene) clockTime(at time.Time) string {
	if words := s.when(at); len(words) == len(time.TimeOnly) {
		return words
	}
	return at.Local().Format("06-01-02")
}

// allColumns are all columns, those first that show without a choice.
func allColumns() []column { return slices.Concat(columns, moreColumns) }

// The least and the greatest width that a column may be given, in cells.
const leastColumn, mostColumn = 3, 200

// CheckColumn says what is wrong with an entry of Settings.Columns: the name of a
// column, and perhaps its width in cells behind a colon ("tool:14"); nil for
// nothing.
func CheckColumn(entry string) error {
	_, err := columnNamed(entry)
	return err
}

func columnNamed(entry string) (column, error) {
	name, w, wide := strings.Cut(entry, ":")
	all := allColumns()
	i := slices.IndexFunc(all, func(c column) bool { return c.name == name })
	if i < 0 {
		var names []string
		for _, c := range all {
			names = append(names, c.name)
		}
		return column{}, fmt.Errorf("no column %q: there are %s", task.CleanLine(name, 40).Line(), strings.Join(names, ", "))
	}
	c := all[i]
	if !wide {
		return c, nil
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < leastColumn || n > mostColumn {
		return column{}, errors.New("the width of column " + name + " is a number from " +
			strconv.Itoa(leastColumn) + " to " + strconv.Itoa(mostColumn))
	}
	c.width, c.set = n, true
	return c, nil
}

// entry is a column as it is written down.
func (c *column) entry() string {
	if c.set {
		return c.name + ":" + strconv.Itoa(c.width)
	}
	return c.name
}

// columnsOf are the columns of entries, without those that are none, or there twice.
func columnsOf(entries []string) []column {
	var cols []column
	for _, e := range entries {
		c, err := columnNamed(e)
		if err == nil && !slices.ContainsFunc(cols, func(o column) bool { return o.name == c.name }) {
			cols = append(cols, c)
		}
	}
	return cols
}

// loneServer is the one server that the table is about: the only one, or the one
// that the filter names; "" for none.
func (r *Root) loneServer() string {
	links := r.m.Links()
	if len(links) == 1 {
		return links[0].Name
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(r.m.Board().Filter()), "server:"); ok {
		for _, l := range links {
			if l.Name == strings.Trim(name, `"`) {
				return l.Name
			}
		}
	}
	return ""
}

// choice returns the entries of the columns that somebody chose, nil for nobody,
// and for which server, "" for all. What was chosen on the screen goes before the
// configuration, and what is for one server before what is for all.
func (r *Root) choice() (entries []string, server string) {
	set := &r.o.Settings
	if len(r.taste.Columns)+len(set.ServerColumns) == 0 && set.Columns == nil {
		return nil, "" // asked after each message, and mostly so
	}
	if lone := r.loneServer(); lone != "" {
		for _, e := range [][]string{r.taste.Columns[lone], set.ServerColumns[lone]} {
			if len(columnsOf(e)) > 0 {
				return e, lone
			}
		}
	}
	for _, e := range [][]string{r.taste.Columns[""], set.Columns} {
		if len(columnsOf(e)) > 0 {
			return e, ""
		}
	}
	return nil, ""
}

// chooseColumns gives the table the columns that hold now.
func (r *Root) chooseColumns() {
	entries, _ := r.choice()
	if of := strings.Join(entries, " "); of != r.tasks.chosenOf {
		r.tasks.chosenOf, r.tasks.chosen = of, columnsOf(entries)
		r.tasks.linesOf = tableKey{w: r.tasks.linesOf.w, many: r.tasks.linesOf.many}
		r.tasks.shift, r.viewOf = 0, viewKey{}
	}
}

// chooser is the choice of the table's columns. The table shows each change.
type chooser struct {
	server string // "" for all
	items  []chosen
	list   overList
}

// chosen is a column of the chooser.
type chosen struct {
	column
	on bool
}

func (r *Root) openColumns() {
	_, server := r.choice()
	c := &chooser{server: server}
	c.load(r)
	r.over = c
}

// load lists the columns as they are: those that show first.
func (c *chooser) load(r *Root) {
	p := r.tasks
	shown := p.chosen
	if shown == nil {
		shown = p.shown(len(r.m.Links()) > 1)
	}
	c.items = nil
	for _, col := range shown {
		c.items = append(c.items, chosen{col, true})
	}
	for _, col := range allColumns() {
		if !slices.ContainsFunc(shown, func(o column) bool { return o.name == col.name }) {
			c.items = append(c.items, chosen{col, false})
		}
	}
}

func (c *chooser) typing() bool { return false }

func (c *chooser) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	keys := &r.k.Columns
	if !ok || k.Paste {
		return nil
	}
	switch {
	case key.Matches(k, keys.Leave):
		r.over = nil
		return r.keepTaste()
	case key.Matches(k, keys.Up):
		c.list.win.cursor--
	case key.Matches(k, keys.Down):
		c.list.win.cursor++
	case key.Matches(k, keys.Toggle):
		c.toggle(r)
	case key.Matches(k, keys.Earlier):
		c.move(r, -1)
	case key.Matches(k, keys.Later):
		c.move(r, 1)
	case key.Matches(k, keys.Wider):
		c.widen(r, 1)
	case key.Matches(k, keys.Narrower):
		c.widen(r, -1)
	case key.Matches(k, keys.Reset):
		delete(r.taste.Columns, c.server)
		r.chooseColumns()
		c.load(r)
		r.say("The columns are as without a choice of yours.")
	case key.Matches(k, keys.Scope):
		c.otherScope(r)
	default:
		r.say(keyWord(k) + " does nothing here. " + keysOr(keys.Leave) + " leads back.")
	}
	c.list.win.show(len(c.items), max(c.list.win.height, 1))
	return nil
}

// take makes the table show what is chosen.
func (c *chooser) take(r *Root) {
	var entries []string
	for i := range c.items {
		if c.items[i].on {
			entries = append(entries, c.items[i].entry())
		}
	}
	if r.taste.Columns == nil {
		r.taste.Columns = map[string][]string{}
	}
	r.taste.Columns[c.server] = entries
	r.chooseColumns()
}

func (c *chooser) toggle(r *Root) {
	it := &c.items[c.list.win.cursor]
	on := 0
	for _, o := range c.items {
		if o.on {
			on++
		}
	}
	if it.on && on == 1 {
		r.say("One column has to stay.")
		return
	}
	it.on = !it.on
	c.take(r)
}

func (c *chooser) move(r *Root, by int) {
	i := c.list.win.cursor
	j := i + by
	if j < 0 || j >= len(c.items) {
		r.say("It is at the end of the list.")
		return
	}
	c.items[i], c.items[j] = c.items[j], c.items[i]
	c.list.win.cursor = j
	c.take(r)
}

// widen makes a column wider or narrower than it is on the screen.
func (c *chooser) widen(r *Root, by int) {
	it := &c.items[c.list.win.cursor]
	if !it.on {
		r.say("It is not shown: " + keyOf(r.k.Columns.Toggle) + " shows it.")
		return
	}
	w := it.width
	if !it.set {
		for _, col := range r.tasks.columns(r.tasks.linesOf.w, r.tasks.linesOf.many) {
			if col.name == it.name {
				w = col.width
			}
		}
	}
	it.width, it.set = min(max(w+by, leastColumn), mostColumn), true
	c.take(r)
}

func (c *chooser) otherScope(r *Root) {
	lone := r.loneServer()
	switch {
	case c.server != "":
		c.server = ""
	case lone == "":
		r.say("The table is about several servers: filter by server:NAME to choose columns for one.")
		return
	default:
		c.server = lone
	}
	c.load(r)
}

func (c *chooser) draw(r *Root, s *scene, screen []string) {
	scope := "all servers"
	if c.server != "" {
		scope = task.CleanLine(c.server, 60).Line()
	}
	c.list.draw(r, s, screen, &overLook{
		title: "Columns of " + scope, w: min(r.width-2, 44), n: len(c.items), corner: true,
		line: func(i, w int) string {
			it := &c.items[i]
			box, size := s.t.Glyphs.Off, ""
			if it.on {
				box = s.t.Glyphs.On
			}
			if it.set {
				size = strconv.Itoa(it.width) + " wide"
			}
			return s.fit(box+" "+s.fit(it.name, 10)+"  "+s.fit(it.title, 9)+" "+size, w)
		},
	})
}

// click chooses the column that is pressed; pressed again it is shown, or not.
func (c *chooser) click(r *Root, x, y int) tea.Cmd {
	if c.list.click(x, y, len(c.items)) {
		c.toggle(r)
	}
	return nil
}

func (c *chooser) wheel(_ *Root, _, _, by int) { c.list.win.scroll(by, len(c.items)) }

func (c *chooser) hints(r *Root) []key.Binding {
	k := &r.k.Columns
	return []key.Binding{
		k.Toggle, named(k.Earlier, "left"), named(k.Later, "right"), k.Wider, k.Narrower, k.Reset, named(k.Scope, "whose"), k.Leave,
	}
}

func (c *chooser) foot(r *Root, s *scene) string { return s.hintRow(c.hints(r), r.width) }
