// Package background keeps Bubble Tea from asking the terminal for its
// background colour. Bubble Tea v1 does so while packages initialise, and
// waits up to five seconds for a terminal that answers nothing.
//
// Go initialises packages in the order of their import paths as far as their
// imports allow. This package imports lipgloss and nothing else, and its path
// sorts before that of Bubble Tea: so its init runs first, and finds lipgloss
// ready. Import nothing more here, and keep the module's name.
package background

import "github.com/charmbracelet/lipgloss"

func init() {
	// The value does not matter: no theme of callboard asks for it.
	lipgloss.SetHasDarkBackground(true)
}
