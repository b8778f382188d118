//go:build !unix

package term

import (
	"os"
	"time"
)

// readable reports whether the terminal has something to be read, or gets it
// within so long. Where keys come as events of their own there is nothing to put
// together.
func readable(*os.File, time.Duration) bool { return false }
