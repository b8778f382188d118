//go:build !unix

package term

import tea "github.com/charmbracelet/bubbletea"

// suspend says that this system has no such thing.
func (t *Terminal) suspend() tea.Msg {
	if t.o.Refused == nil {
		return nil
	}
	return t.o.Refused("cannot suspend: this system has no job control")
}
