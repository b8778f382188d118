package model

import "callboard/model/task"

// DraftsKept reports whether what is typed for a server outlives the program,
// secret fields apart, and why not.
func (m *Model) DraftsKept(server string) (ok bool, why string) {
	l := m.byName[server]
	switch {
	case l == nil:
		return false, "there is no such server"
	case l.target.Memory == nil:
		return false, "nothing of this server is kept on disk"
	case l.warning != "":
		return false, l.warning
	}
	return true, ""
}

// KeepsAll reports whether the disk has all of a draft of that form, on a server: not
// where nothing is kept of the server, nor what was typed into secret fields.
func (m *Model) KeepsAll(server string, form *task.Form, d Draft) bool {
	ok, _ := m.DraftsKept(server)
	_, whole := publicDraft(form, d)
	return ok && whole
}

// Unsent returns how many forms hold something that quitting would lose: answers
// that are held, and drafts (also of calls) that the disk does not have, since
// there is no Memory, it is in trouble, or they hold a secret field.
func (m *Model) Unsent() int {
	lost, _ := m.unsent("")
	return lost
}

// KeptUnsent returns how many forms hold something that is not sent and that
// quitting does not lose: it is kept for 7 days.
func (m *Model) KeptUnsent() int {
	_, kept := m.unsent("")
	return kept
}

// unsent counts the forms of one server, or where that is "" of all.
func (m *Model) unsent(server string) (lost, kept int) {
	count := func(all bool) {
		if all {
			kept++
		} else {
			lost++
		}
	}
	for _, a := range m.asks {
		d := m.drafts[a.Prompt.ID]
		switch {
		case server != "" && a.Server != server:
		case a.State == Held:
			lost++
		case d == nil || a.State == Answered:
		default:
			count(a.Prompt.Mode != task.URLMode && m.KeepsAll(a.Server, &a.Prompt.Form, d))
		}
	}
	for _, l := range m.links {
		if server != "" && l.target.Name != server {
			continue
		}
		ok, _ := m.DraftsKept(l.target.Name)
		for name, t := range l.drafts {
			if name.tool != "" && t.here {
				count(ok && t.whole)
			}
		}
	}
	return lost, kept
}
