package keymap

import (
	"reflect"
	"testing"
)

func TestNoKeyTwiceInAPlace(t *testing.T) {
	all := Default().Actions()
	for i := range all {
		for j := range all[:i] {
			a, b := &all[j], &all[i]
			if !a.meets(b) {
				continue
			}
			for _, k := range b.Keys {
				for _, other := range a.Keys {
					if k == other {
						t.Errorf("%q is %s and %s", k, a.Name, b.Name)
					}
				}
			}
		}
	}
}

// The keys as they are obey what is asked of those of a configuration.
func TestDefaultsAreKeysThatATerminalSends(t *testing.T) {
	m := Default()
	for _, a := range m.Actions() {
		keys, why := m.parse(a.Name, a.Keys)
		if why != "" || !reflect.DeepEqual(keys, a.Keys) {
			t.Errorf("%s: %q is taken as %q: %s", a.Name, a.Keys, keys, why)
		}
		if a.Shown != Shown(a.Keys[0]) {
			t.Errorf("%s is shown as %q, its key as %q", a.Name, a.Shown, Shown(a.Keys[0]))
		}
	}
	for name := range kept {
		if m.Binding(name) == nil {
			t.Errorf("%s must have a key, and is no action", name)
		}
	}
	for name := range narrower {
		if m.Binding(name) == nil {
			t.Errorf("%s has a place of its own, and is no action", name)
		}
	}
}

func TestEveryBindingHasHelpAScopeAndAName(t *testing.T) {
	m := Default()
	v := reflect.ValueOf(*m)
	for i, scope := range m.Scopes() {
		if scope.Name == "" {
			t.Errorf("scope %s has no name: see scopes", v.Type().Field(i).Name)
		}
	}
	names := map[string]bool{}
	for _, a := range m.Actions() {
		if a.Shown == "" || a.Help == "" || len(a.Keys) == 0 {
			t.Errorf("%s: %v has no help", a.Name, a.Keys)
		}
		if names[a.Name] {
			t.Errorf("two actions are named %s", a.Name)
		}
		names[a.Name] = true
		if b := m.Binding(a.Name); b == nil || b.Help().Desc != a.Help {
			t.Errorf("%s leads to another binding", a.Name)
		}
	}
	for _, name := range []string{"task.cancel", "list.half-up", "sort.ttl", "menu.json", "everywhere.prev-pane", "url.next-ask"} {
		if !names[name] {
			t.Errorf("no action is named %s", name)
		}
	}
}
