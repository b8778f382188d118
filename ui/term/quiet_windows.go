package term

import (
	"os"

	"golang.org/x/sys/windows"
)

// mute stops the console f from showing what is typed.
func mute(f *os.File) (back func()) {
	console := windows.Handle(f.Fd())
	var before uint32
	if windows.GetConsoleMode(console, &before) != nil {
		return func() {}
	}
	if windows.SetConsoleMode(console, before&^windows.ENABLE_ECHO_INPUT) != nil {
		return func() {}
	}
	return func() { _ = windows.SetConsoleMode(console, before) }
}
