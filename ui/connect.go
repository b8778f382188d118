package ui

import (
	"fmt"
	"slices"
	"strings"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// connectMsg brings the server that a word stands for.
type connectMsg struct {
	word   string
	target model.Target
	err    error
}

// openConnect opens the command line for a server's name or URL.
func (r *Root) openConnect() {
	if r.o.Connect == nil {
		r.say("Connecting is not possible here.")
		return
	}
	r.openCommand()
	if l, ok := r.over.(*lineOverlay); ok {
		l.set(r, "connect ")
	}
}

// connect attaches to the server that a word stands for.
func (r *Root) connect(word string) tea.Cmd {
	if r.o.Connect == nil {
		r.say("Connecting is not possible here.")
		return nil
	}
	if strings.ContainsAny(word, " \t") {
		r.fail(":connect takes one name or URL.")
		return nil
	}
	connect := r.o.Connect
	return func() tea.Msg {
		t, err := connect(word)
		return connectMsg{word, t, err}
	}
}

// connected takes in what a word stands for.
func (r *Root) connected(msg connectMsg) tea.Cmd {
	if msg.err != nil {
		r.fail("Not connected: " + strings.TrimSuffix(task.CleanMax(msg.err.Error(), 400).Line(), ".") + ".")
		return nil
	}
	t := msg.target
	if as := r.attachedAs(t.URL); as != "" && as != t.Name && !r.configured(msg.word) {
		r.fail(task.CleanLine(t.URL, 200).Line() + " is attached to already, as " + task.CleanLine(as, 60).Line() + ".")
		return nil
	}
	names := r.serverNames()
	if slices.Contains(names, t.Name) && t.Name != msg.word && r.urlOf(t.Name) != t.URL {
		for n := 2; slices.Contains(names, t.Name); n++ { // another server of that host
			t.Name = fmt.Sprintf("%s #%d", msg.target.Name, n)
		}
	}
	r.servers.at = t.Name
	r.servers.follow = true
	return r.m.Update(model.ConnectMsg{Target: t})
}

// configured reports whether a word is the name of a server of the configuration.
// Two of these may have one address: each has credentials of its own.
func (r *Root) configured(word string) bool {
	return r.o.Servers != nil && slices.Contains(r.o.Servers(), word)
}

// attachedAs is the name of a server with that URL, "" for none.
func (r *Root) attachedAs(url string) string {
	for _, l := range r.m.Links() {
		if l.URL == url && url != "" {
			return l.Name
		}
	}
	return ""
}

func (r *Root) urlOf(server string) string {
	for _, l := range r.m.Links() {
		if l.Name == server {
			return l.URL
		}
	}
	return ""
}

// disconnect lets go of the server of that name; it asks first where something
// that was typed would be lost.
func (r *Root) disconnect(name string) tea.Cmd { return r.askDisconnect(name, false) }

// askDisconnect lets go of a server. It asks whether it should: always, or only
// where something that was typed would be lost.
func (r *Root) askDisconnect(name string, always bool) tea.Cmd {
	links := r.m.Links()
	i := slices.IndexFunc(links, func(l model.LinkView) bool { return l.Name == name })
	if i < 0 {
		if r.fail("There is no server named " + task.CleanLine(name, 60).Line() + "."); name == "" {
			r.say("No server is attached to.")
		}
		return nil
	}
	l := &links[i]
	leave := func(r *Root) tea.Cmd { return r.m.Update(model.DisconnectMsg{Name: name}) }
	lost := r.m.UnsentTo(name)
	if lost == 0 && !always {
		return leave(r)
	}
	var lines []string
	switch {
	case l.Live == 1:
		lines = append(lines, "1 task of it is live. It goes on: nothing is cancelled.")
	case l.Live > 1:
		lines = append(lines, fmt.Sprintf("%d tasks of it are live. They go on: nothing is cancelled.", l.Live))
	default:
		lines = append(lines, "No task of it is live.")
	}
	lines = append(lines, "Its rows and questions leave the board; what is kept of them comes back where you connect again.")
	if lost > 0 {
		lines = append(lines, "", count(lost, "form holds", "forms hold")+" something that was typed and not sent. Disconnecting loses it.")
	}
	r.over = &confirm{title: "Disconnect " + task.CleanLine(name, 60).Line() + "?", lines: lines, yes: leave}
	return nil
}

// refreshServer asks one server now.
func (r *Root) refreshServer(name string) tea.Cmd {
	if name == "" {
		r.say("No server is attached to.")
		return nil
	}
	r.say("Asking " + task.CleanLine(name, 60).Line() + " now.")
	return r.m.Update(model.RefreshServerMsg{Name: name})
}
