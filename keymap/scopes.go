package keymap

import "github.com/charmbracelet/bubbles/key"

// Scope is a named set of bindings, in the order of the help.
type Scope struct {
	Name     string
	Bindings []key.Binding
	// Alone says that no other scope works while this one does.
	Alone bool
	// Place is where it works, "" for wherever a list is; scopes of different
	// places never meet, and may bind the same key.
	Place string
}

// Scopes returns all scopes, in the order of the help.
func (m *Map) Scopes() []Scope {
	e, l, s, t := &m.Everywhere, &m.List, &m.Sort, &m.Task
	f, u, n := &m.Form, &m.URL, &m.Menu
	return []Scope{
		{Name: "Everywhere", Bindings: []key.Binding{
			e.Answer, e.Inbox, e.New, e.Log, e.Servers, e.Refresh, e.Retry, e.NextPane, e.PrevPane,
			e.Back, e.Command, e.Help, e.Suspend, e.Quit, e.Abort,
		}},
		{Name: "Lists", Bindings: []key.Binding{
			l.Up, l.Down, l.Top, l.Bottom, l.PageUp, l.PageDown, l.HalfUp, l.HalfDown,
			l.Left, l.Right, l.Open, l.Filter,
		}},
		{Name: "A task", Bindings: []key.Binding{t.Cancel, t.Copy, t.Save, t.Again}},
		{Name: "Sorting (again: reversed)", Bindings: []key.Binding{
			s.Status, s.Task, s.Tool, s.Message, s.Progress, s.Age, s.TTL, s.Server,
		}},
		{Name: "The log", Place: "log", Bindings: []key.Binding{m.Log.Reveal}},
		{Name: "A form", Alone: true, Bindings: []key.Binding{
			f.Next, f.Prev, f.Send, f.Hold, f.NextAsk, f.PrevAsk, f.Menu, f.Fault, f.Sample, f.Unset, f.Toggle, f.Yes, f.No,
			f.Up, f.Down, f.Left, f.Right, f.PageUp, f.PageDown, f.Leave,
		}},
		{Name: "A form's menu", Alone: true, Bindings: []key.Binding{
			n.Decline, n.Dismiss, n.Hold, n.Review, n.Whole, n.Keys, n.Editor, n.JSON, n.Copy, n.Open, n.Fault, n.Null,
			n.Reveal, n.Sample, n.Swap, n.Discard, n.Up, n.Down, n.Choose, n.Leave,
		}},
		{Name: "A prompt to visit an address", Alone: true, Bindings: []key.Binding{
			u.Open, u.Copy, u.Done, u.Retry, u.Menu, u.NextAsk, u.PrevAsk, u.Up, u.Down, u.Leave,
		}},
		{Name: "A confirmation", Alone: true, Bindings: []key.Binding{m.Confirm.Yes, m.Confirm.No}},
		{Name: "Filter and command line", Alone: true, Bindings: []key.Binding{
			m.Line.Accept, m.Line.Leave, m.Line.Complete, m.Line.Older, m.Line.Newer,
		}},
	}
}
