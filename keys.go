package main

import (
	"io"
	"slices"
	"strings"

	"callboard/keymap"
	"callboard/ui/cli"
	"callboard/ui/cli/config"
)

// printKeys prints the keys that hold.
func printKeys(a *cli.Args, stdout io.Writer) error {
	keys, err := keysOf(a.Config)
	if err != nil {
		return err
	}
	return cli.PrintKeys(stdout, keyScopes(keys), a.JSON)
}

// keysOf returns the keys with those of a configuration.
func keysOf(cfg *config.Config) (*keymap.Map, error) {
	keys := keymap.Default()
	for _, fault := range keys.Apply(cfg.Keys) {
		return nil, &cli.Usage{Line: fault.Why} // Load found it before
	}
	return keys, nil
}

// keyScopes are the keys of m as the command keys prints them.
func keyScopes(m *keymap.Map) []cli.KeyScope {
	var all []cli.KeyScope
	usual := keymap.Default()
	for _, scope := range m.Scopes() {
		s := cli.KeyScope{Name: scope.Name, Places: places(scope.Place), Alone: scope.Alone}
		for _, a := range scope.Actions {
			keys := make([]string, 0, len(a.Keys))
			for _, k := range a.Keys {
				keys = append(keys, keymap.Shown(k))
			}
			s.Actions = append(s.Actions, cli.KeyAction{
				Name: a.Name, Keys: keys, Places: places(a.Place), Help: a.Help,
				Changed: !slices.Equal(a.Keys, usual.Binding(a.Name).Keys()),
			})
		}
		all = append(all, s)
	}
	return all
}

func places(words string) []string { return append([]string{}, strings.Fields(words)...) }
