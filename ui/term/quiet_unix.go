//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// mute stops the terminal f from showing what is typed. Lines stay lines, and
// ctrl+c stays ctrl+c.
func mute(f *os.File) (back func()) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, readTermios)
	if err != nil {
		return func() {}
	}
	quiet := *before
	quiet.Lflag &^= unix.ECHO
	if unix.IoctlSetTermios(fd, writeTermios, &quiet) != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(fd, writeTermios, before) }
}
