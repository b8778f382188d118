// Package cli is callboard without a screen: the command line, its help, and the
// watch command, which reads the same model as the dashboard does and prints it
// as lines. It never touches the wire.
package cli
