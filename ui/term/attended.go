package term

import (
	"os"

	xterm "golang.org/x/term"
)

// Attended reports whether a person sits at all of these files, as far as that
// can be told: they are terminals.
func Attended(files ...*os.File) bool {
	for _, f := range files {
		if !xterm.IsTerminal(int(f.Fd())) {
			return false
		}
	}
	return true
}
