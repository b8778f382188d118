package term

import (
	"os"
	"sync"
)

// Quiet keeps what is typed at standard input off the terminal until the
// returned function is called, which may happen more than once. Where standard
// input is no terminal nothing happens.
func Quiet() (back func()) {
	return sync.OnceFunc(mute(os.Stdin))
}
