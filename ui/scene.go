package ui

import (
	"fmt"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// scene is what a pane is handed to draw itself from.
type scene struct {
	m     *model.Model
	t     *themes.Theme
	k     *keymap.Map
	now   time.Time // in whole seconds, as the clock ticks
	links map[string]model.LinkView
	// many says that there are several servers, so that rows name theirs.
	many bool
	// names are the servers' names for columns of so many cells.
	names map[int]map[string]string
}

// pane is one part of the screen.
type pane interface {
	// title and note stand in the pane's edges.
	title(s *scene) string
	note(s *scene) string
	// view returns at most h lines, each at most w cells wide.
	view(s *scene, w, h int, focused bool) []string
	// key takes a key that nothing global took; false where it means nothing
	// here.
	key(r *Root, k tea.KeyMsg) (tea.Cmd, bool)
	// hints are the keys that work now, the most wanted first.
	hints(r *Root) []key.Binding
}

// scene returns what the panes draw from now.
func (r *Root) scene() *scene {
	s := &scene{m: r.m, t: r.t, k: r.k, now: r.now.Truncate(time.Second)}
	links := r.m.Links()
	s.links = make(map[string]model.LinkView, len(links))
	for _, l := range links {
		s.links[l.Name] = l
	}
	s.many = len(links) > 1
	return s
}

// serverName is a server's name for a column of w cells, cut so that it can be
// told from the others.
func (s *scene) serverName(server string, w int) string {
	if s.names[w] == nil {
		all := make([]string, 0, len(s.links))
		for _, l := range s.m.Links() {
			all = append(all, task.CleanLine(l.Name, 100).Line())
		}
		if s.names == nil {
			s.names = map[int]map[string]string{}
		}
		s.names[w] = render.Names(all, w, s.t.Glyphs.Ellipsis)
	}
	name := task.CleanLine(server, 100).Line()
	if short, ok := s.names[w][name]; ok {
		return short
	}
	return s.cut(name, w)
}

// serverCell is a server's name for a column of w cells, behind the word of its
// guard where there is room for both.
func (s *scene) serverCell(server string, w int) string {
	guard := s.guard(server)
	if rest := w - width(guard); guard != "" && rest >= 3 {
		return guard + s.serverName(server, rest)
	}
	return s.serverName(server, w)
}

// since returns how long ago t was, 0 for what is newer.
func (s *scene) since(t time.Time) time.Duration { return max(s.now.Sub(t), 0) }

// down reports whether what is known of a server may be stale by now.
func (s *scene) down(server string) bool {
	l, ok := s.links[server]
	return ok && (l.State == model.Down || l.State == model.Connecting)
}

// window is the cursor and the scroll of a list: which of its n lines are in
// sight. The zero window stands at the top.
type window struct{ cursor, offset, height int }

// show takes in the size and keeps the cursor on the list and in sight.
func (v *window) show(n, height int) {
	v.height = max(height, 1)
	v.cursor = min(max(v.cursor, 0), max(n-1, 0))
	v.offset = min(v.offset, v.cursor, max(n-v.height, 0))
	v.offset = max(v.offset, v.cursor-v.height+1, 0)
}

// place says where the cursor is on a list of n lines, "" where all are in
// sight.
func (v *window) place(n int) string {
	if n <= v.height || v.height == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", v.cursor+1, n)
}

// moved returns where a key of lists takes a place among n lines, height of
// which are in sight; false where it is no such key. The place may lie outside.
func moved(keys *keymap.List, k tea.KeyMsg, at, height, n int) (int, bool) {
	switch {
	case key.Matches(k, keys.Up):
		return at - 1, true
	case key.Matches(k, keys.Down):
		return at + 1, true
	case key.Matches(k, keys.Top):
		return 0, true
	case key.Matches(k, keys.Bottom):
		return n - 1, true
	case key.Matches(k, keys.PageUp):
		return at - height, true
	case key.Matches(k, keys.PageDown):
		return at + height, true
	case key.Matches(k, keys.HalfUp):
		return at - max(height/2, 1), true
	case key.Matches(k, keys.HalfDown):
		return at + max(height/2, 1), true
	}
	return at, false
}

// key moves the cursor; false where k does not.
func (v *window) key(keys *keymap.List, k tea.KeyMsg, n int) bool {
	at, ok := moved(keys, k, v.cursor, v.height, n)
	if ok {
		v.cursor = at
		v.show(n, v.height)
	}
	return ok
}

// scroll is the place in a text that has no cursor.
type scroll struct {
	top, height, n int
	find           finding
}

// show returns the part of lines that is in sight.
func (v *scroll) show(lines []string, height int) []string {
	v.height, v.n = max(height, 1), len(lines)
	v.top = max(min(v.top, v.n-v.height), 0)
	lines = v.mark(lines)
	return lines[v.top:min(v.top+v.height, v.n)]
}

// note says how far the text is scrolled, "" where all of it is in sight.
func (v *scroll) note() string {
	if v.n <= v.height || v.height == 0 {
		return ""
	}
	if v.top+v.height >= v.n {
		return "end"
	}
	return count(v.n-v.top-v.height, "line below", "lines below")
}

// key scrolls; false where k does not.
func (v *scroll) key(keys *keymap.List, k tea.KeyMsg) bool {
	at, ok := moved(keys, k, v.top, v.height, v.n)
	if ok {
		v.top = max(min(at, v.n-v.height), 0)
	}
	return ok
}
