package keymap

import (
	"reflect"
	"testing"

	"github.com/charmbracelet/bubbles/key"
)

func TestNoKeyTwiceInAScope(t *testing.T) {
	together := map[string]string{}
	for _, scope := range Default().Scopes() {
		seen := together
		if scope.Alone {
			seen = map[string]string{}
		}
		for _, b := range scope.Bindings {
			for _, k := range b.Keys() {
				if other, ok := seen[k]; ok {
					t.Errorf("%s: %q is %q and %q", scope.Name, k, other, b.Help().Desc)
				}
				seen[k] = b.Help().Desc
			}
		}
	}
}

func TestEveryBindingHasHelpAndAScope(t *testing.T) {
	m := Default()
	shown := map[string]int{}
	for _, scope := range m.Scopes() {
		if scope.Name == "" {
			t.Error("a scope has no name")
		}
		for _, b := range scope.Bindings {
			if b.Help().Key == "" || b.Help().Desc == "" || len(b.Keys()) == 0 {
				t.Errorf("%s: %v has no help", scope.Name, b.Keys())
			}
			shown[scope.Name]++
		}
	}
	// The scopes of the help hold as many bindings as the map has.
	total := 0
	for _, n := range shown {
		total += n
	}
	want := 0
	v := reflect.ValueOf(*m)
	for i := range v.NumField() {
		want += v.Field(i).NumField()
	}
	if total != want {
		t.Errorf("the help shows %d bindings of %d", total, want)
	}
}

// Keys whose feature comes later stay free, so that nobody learns another
// meaning.
func TestReservedKeysAreFree(t *testing.T) {
	reserved := []string{" ", "ctrl+@", "*", "-", "p", "f", "ctrl+n", "ctrl+p"}
	for _, scope := range Default().Scopes() {
		if scope.Alone {
			continue
		}
		for _, k := range reserved {
			for _, b := range scope.Bindings {
				if key.Matches(press(k), b) {
					t.Errorf("%s binds %q", scope.Name, k)
				}
			}
		}
	}
}

type press string

func (p press) String() string { return string(p) }
