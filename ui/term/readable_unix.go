//go:build unix

package term

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readable reports whether the terminal has something to be read, or gets it
// within so long.
func readable(f *os.File, within time.Duration) bool {
	until := time.Now().Add(within)
	for {
		wait := max(time.Until(until), 0)
		ready := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		_, err := unix.Poll(ready, int((wait+time.Millisecond-1)/time.Millisecond))
		if !errors.Is(err, unix.EINTR) { // a signal: the window's new size for one
			return err == nil && ready[0].Revents&(unix.POLLIN|unix.POLLHUP) != 0
		}
	}
}
