package ui

import (
	"fmt"
	"slices"
	"strings"

	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// A server may have a guard (model.LinkView.Guard, "prod"): then its name is typed
// before anything is written to it. Whatever the screen sends that is written to a
// server goes through guarded; a test holds that.

// guardOverlay wants the names of guarded servers, one after the other.
type guardOverlay struct {
	input   textinput.Model
	servers []string // whose names are typed, those that were typed among them
	typed   int
	words   string // what is about to be done
	wrong   string // why what was typed is not the name, "" for nothing
	back    overlay
	then    func(*Root) tea.Cmd
}

// guarded does what is written to servers, after the names of those with a guard
// were typed; words say what it is. esc leads back to the overlay that is open.
func (r *Root) guarded(servers []string, words string, then func(*Root) tea.Cmd) tea.Cmd {
	var names []string
	for _, l := range r.m.Links() {
		if l.Guard != "" && slices.Contains(servers, l.Name) {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return then(r)
	}
	in := r.textLine("> ", "")
	in.Width = 0
	r.over = &guardOverlay{input: in, servers: names, words: words, back: r.over, then: then}
	return nil
}

func (g *guardOverlay) typing() bool { return true }

func (g *guardOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	switch keys := &r.k.Line; {
	case !ok:
		return nil
	case key.Matches(k, keys.Leave):
		r.over = g.back
		r.say("Nothing was sent.")
		return nil
	case key.Matches(k, keys.Accept):
		return g.accept(r)
	}
	g.wrong = ""
	var cmd tea.Cmd
	g.input, cmd = g.input.Update(msg)
	return cmd
}

func (g *guardOverlay) accept(r *Root) tea.Cmd {
	name := g.servers[g.typed]
	switch typed := strings.TrimSpace(g.input.Value()); typed {
	case name:
	case "":
		g.wrong = "The name is typed, or pasted; " + keysOr(r.k.Line.Leave) + " sends nothing."
		return nil
	default:
		g.wrong = task.CleanLine(typed, 60).Line() + " is not its name."
		g.input.SetValue("")
		return nil
	}
	if g.typed++; g.typed < len(g.servers) {
		g.input.SetValue("")
		return nil
	}
	r.over = g.back
	return g.then(r)
}

func (g *guardOverlay) draw(r *Root, s *scene, screen []string) {
	w := min(r.width-2, 68)
	name := g.servers[g.typed]
	shown := task.CleanLine(name, 100).Line()
	title := s.badge(name) + "is guarded"
	if len(g.servers) > 1 {
		title = fmt.Sprintf("%d of %d: ", g.typed+1, len(g.servers)) + title
	}
	lines := []string{}
	for _, part := range render.Wrap(g.words, w-4) {
		lines = append(lines, " "+part)
	}
	lines = append(lines[:min(len(lines), max(len(screen)-9, 1))], "",
		" Type "+s.t.Strong.Paint(s.cut(shown, max(w-20, 8)))+" to do it:", "")
	g.input.Width = max(w-8, 4)
	lines = append(lines, " "+g.input.View())
	if g.wrong != "" {
		lines = append(lines, " "+s.t.Warning.Paint(s.cut(g.wrong, w-4)))
	}
	s.popUp(screen, lines, r.width, w, title, "")
}

func (g *guardOverlay) hints(r *Root) []key.Binding {
	return []key.Binding{named(r.k.Line.Accept, "send"), named(r.k.Line.Leave, "send nothing")}
}

func (g *guardOverlay) foot(r *Root, s *scene) string { return s.hintRow(g.hints(r), r.width) }

// badge is the guard and the name of a server with a guard, "PROD ops ", and the
// name alone of others.
func (s *scene) badge(server string) string {
	return s.guard(server) + task.CleanLine(server, 60).Line() + " "
}

// guard is the word of a server's guard with a space behind it, "" where it has
// none.
func (s *scene) guard(server string) string {
	if l, ok := s.links[server]; ok && l.Guard != "" {
		return guardWord(l.Guard) + " "
	}
	return ""
}

// guardWord is the word of a guard as it is shown.
func guardWord(guard string) string { return strings.ToUpper(task.CleanLine(guard, 16).Line()) }
