// Package cli is callboard without a screen: the command line, and the commands
// for scripts, which work on the same model as the dashboard does and print
// lines, or JSON. Commands and options stand in one table (commands.go,
// options.go), from which parsing, help, completions and the man page are made.
// It never touches the wire.
package cli
