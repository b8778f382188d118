package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// savedFilter is a filter with a name. Those of the configuration stand first.
type savedFilter struct {
	name, text string
	config     bool
}

// savedFilters returns all filters that have names.
func (r *Root) savedFilters() []savedFilter {
	var all []savedFilter
	for _, name := range slices.Sorted(maps.Keys(r.o.Settings.Filters)) {
		all = append(all, savedFilter{name, r.o.Settings.Filters[name], true})
	}
	for _, name := range slices.Sorted(maps.Keys(r.taste.Named)) {
		if _, ok := r.o.Settings.Filters[name]; !ok {
			all = append(all, savedFilter{name, r.taste.Named[name], false})
		}
	}
	return all
}

// savedOverlay is the list of saved filters.
type savedOverlay struct{ list overList }

func (r *Root) openSaved() {
	if len(r.savedFilters()) == 0 {
		r.say("No filter is saved: " + keyOf(r.k.List.Filter) + " filters, and :save NAME saves that.")
		return
	}
	r.over = &savedOverlay{}
}

func (o *savedOverlay) typing() bool { return false }

func (o *savedOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	if !ok || k.Paste {
		return nil
	}
	all, keys := r.savedFilters(), &r.k.Saved
	if len(all) == 0 {
		r.over = nil
		return nil
	}
	o.list.win.show(len(all), max(o.list.win.height, 1))
	switch name := k.String(); {
	case key.Matches(k, keys.Leave):
		r.over = nil
	case key.Matches(k, keys.Up):
		o.list.win.cursor--
	case key.Matches(k, keys.Down):
		o.list.win.cursor++
	case key.Matches(k, keys.Apply):
		r.over = nil
		return r.setFilter(all[o.list.win.cursor].text)
	case key.Matches(k, keys.Delete):
		return o.remove(r, all[o.list.win.cursor])
	case len(name) == 1 && name[0] >= '1' && name[0] <= '9' && int(name[0]-'1') < len(all):
		r.over = nil
		return r.setFilter(all[name[0]-'1'].text)
	default:
		r.say(keyWord(k) + " does nothing here. " + keysOr(keys.Leave) + " leads back.")
	}
	o.list.win.show(len(all), max(o.list.win.height, 1))
	return nil
}

func (o *savedOverlay) remove(r *Root, f savedFilter) tea.Cmd {
	if f.config {
		r.say(task.CleanLine(f.name, 40).Line() + " stands in the configuration, and is taken away there.")
		return nil
	}
	delete(r.taste.Named, f.name)
	r.say("Deleted " + f.name + ", which was /" + task.CleanLine(f.text, 200).Line())
	if n := len(r.savedFilters()); n == 0 {
		r.over = nil
	} else {
		o.list.win.show(n, max(o.list.win.height, 1))
	}
	return r.keepTaste()
}

func (o *savedOverlay) draw(r *Root, s *scene, screen []string) {
	all := r.savedFilters()
	o.list.draw(r, s, screen, &overLook{
		title: "Saved filters", w: min(r.width-2, 76), n: len(all),
		line: func(i, w int) string {
			number, from := "  ", ""
			if i < 9 {
				number = fmt.Sprintf("%d ", i+1)
			}
			if all[i].config {
				from = "  config"
			}
			text := number + s.fit(task.CleanLine(all[i].name, 60).Line(), 14) + "  "
			return text + s.fit("/"+task.CleanLine(all[i].text, 500).Line(), max(w-width(text)-width(from), 1)) + s.t.Dim.Paint(from)
		},
	})
}

// click chooses the filter that is pressed; pressed again it filters by it.
func (o *savedOverlay) click(r *Root, x, y int) tea.Cmd {
	all := r.savedFilters()
	if !o.list.click(x, y, len(all)) {
		return nil
	}
	r.over = nil
	return r.setFilter(all[o.list.win.cursor].text)
}

func (o *savedOverlay) wheel(r *Root, _, _, by int) { o.list.win.scroll(by, len(r.savedFilters())) }

func (o *savedOverlay) hints(r *Root) []key.Binding {
	k := &r.k.Saved
	return []key.Binding{k.Apply, k.Delete, k.Leave}
}

func (o *savedOverlay) foot(r *Root, s *scene) string { return s.hintRow(o.hints(r), r.width) }

// nameMost is how long the name of a filter may be.
const nameMost = 30

// saveFilter saves the filter that holds under a name, and asks where that name is
// another's.
func (r *Root) saveFilter(name string) tea.Cmd {
	text := r.m.Board().Filter()
	bad := strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.", c)
	})
	old, there := r.taste.Named[name]
	_, config := r.o.Settings.Filters[name]
	switch {
	case bad || len(name) > nameMost:
		r.fail(fmt.Sprintf("A name is of letters, digits and - _ . and has %d characters at most.", nameMost))
	case text == "":
		r.fail("There is no filter to save: " + keyOf(r.k.List.Filter) + " filters.")
	case config:
		r.fail(name + " stands in the configuration, and is changed there.")
	case there && old == text:
		r.say(name + " is that filter already.")
	case there:
		r.over = &confirm{
			title: "Save over " + name + "?",
			lines: []string{"It is /" + task.CleanLine(old, 300).Line(), "and becomes /" + task.CleanLine(text, 300).Line()},
			yes:   func(r *Root) tea.Cmd { return r.keepFilter(name, text) },
		}
	default:
		return r.keepFilter(name, text)
	}
	return nil
}

func (r *Root) keepFilter(name, text string) tea.Cmd {
	if r.taste.Named == nil {
		r.taste.Named = map[string]string{}
	}
	r.taste.Named[name] = text
	r.say("Saved as " + name + ": " + keyOf(r.k.Table.Filters) + " shows the saved filters.")
	return r.keepTaste()
}

// applySaved filters by the text of a saved filter.
func (r *Root) applySaved(name string) tea.Cmd {
	for _, f := range r.savedFilters() {
		if f.name == name {
			return r.setFilter(f.text)
		}
	}
	r.fail("No filter is saved as " + task.CleanLine(name, 40).Line() + ": " + keyOf(r.k.Table.Filters) + " shows those that are.")
	return nil
}

// filterNames are the names of the saved filters.
func (r *Root) filterNames() []string {
	var names []string
	for _, f := range r.savedFilters() {
		names = append(names, f.name)
	}
	return names
}

// filterFault says after a filter was asked for that it does not hold, "" where it
// does.
func filterFault(m *model.Model) string {
	if why := m.Board().FilterError(); why != "" {
		return asSentence(oneLine(task.CleanLine(why, 300).Line()))
	}
	return ""
}
