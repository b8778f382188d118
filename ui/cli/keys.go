package cli

import (
	"fmt"
	"io"
	"strings"
)

// KeyScope is a scope of the dashboard's keys, as keys prints it.
type KeyScope struct {
	Name string `json:"name"`
	// Places are where it works, none for wherever nothing is open over it.
	Places []string `json:"places"`
	// Alone says that no other keys work meanwhile.
	Alone   bool        `json:"alone"`
	Actions []KeyAction `json:"actions"`
}

// KeyAction is one action. Keys are named as the configuration takes them.
type KeyAction struct {
	Name   string   `json:"name"`
	Keys   []string `json:"keys"`
	Places []string `json:"places"`
	Help   string   `json:"help"`
	// Changed says that the configuration gave it these keys, or took them away.
	Changed bool `json:"changed"`
}

// PrintKeys prints the keys of the dashboard, as text or as one JSON document.
func PrintKeys(out io.Writer, scopes []KeyScope, asJSON bool) error {
	if asJSON {
		return writeJSON(out, struct {
			Scopes []KeyScope `json:"scopes"`
		}{scopes}, "  ")
	}
	name, keys := 0, 0
	for _, s := range scopes {
		for _, a := range s.Actions {
			name, keys = max(name, len(a.Name)), max(keys, len(a.words()))
		}
	}
	var b strings.Builder
	for i, s := range scopes {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.Name + "\n")
		for _, a := range s.Actions {
			changed := ""
			if a.Changed {
				changed = " (changed)"
			}
			fmt.Fprintf(&b, "  %-*s  %-*s  %s%s\n", keys, a.words(), name, a.Name, a.Help, changed)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (a *KeyAction) words() string {
	if len(a.Keys) == 0 {
		return "no key"
	}
	return strings.Join(a.Keys, ", ")
}
