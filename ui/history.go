package ui

// historyWalk is a way through the lines that were entered before, the newest last.
// Past the newest of them stands what was being typed.
type historyWalk struct {
	lines []string
	at    int    // in lines; their length for the line being typed
	typed string // what was typed before the walk
}

func walkOf(lines []string) historyWalk { return historyWalk{lines: lines, at: len(lines)} }

// recalled reports whether what stands in the line comes from the history.
func (h *historyWalk) recalled() bool { return h.at < len(h.lines) }

// step goes to an older line, or a newer one, from what stands in the line now. It
// returns what is to stand there instead; where there is none, why.
func (h *historyWalk) step(by int, now string) (line, why string) {
	at := h.at + by
	switch {
	case at < 0:
		return "", "There is nothing older."
	case at > len(h.lines):
		return "", "There is nothing newer."
	case !h.recalled():
		h.typed = now
	}
	if h.at = at; !h.recalled() {
		return h.typed, ""
	}
	return h.lines[at], ""
}

// leave makes what stands in the line the one being typed: it was changed.
func (h *historyWalk) leave() { h.at = len(h.lines) }
