//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// cellOf returns the size of a cell in pixels, as the kernel was told of it: the
// terminal itself is not asked. It is the zero cell where nobody told.
func cellOf(f *os.File) cell {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return cell{}
	}
	c := cell{int(size.Xpixel) / int(size.Col), int(size.Ypixel) / int(size.Row)}
	if c.w < leastCell || c.h < leastCell || c.w > mostCell || c.h > mostCell {
		return cell{}
	}
	return c
}
