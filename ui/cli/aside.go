package cli

// Beside reports whether the command is one that looks for a moment: it must not
// take away what the server sends once on a kept session's stream, such as a
// question, and leaves that stream to others. terminal is as in Env.
func (a *Args) Beside(terminal bool) bool {
	switch a.Command {
	case List, Get, Result, Tools, Cancel:
		return true
	case Watch:
		return len(a.IDs) > 0 && !terminal
	default:
		return false
	}
}
