package keymap

import (
	"reflect"
	"testing"
)

func TestNoKeyTwiceInAScope(t *testing.T) {
	all := Default().Scopes()
	for i, scope := range all {
		seen := map[string]string{}
		for j, other := range all {
			meets := !scope.Alone && !other.Alone && (scope.Place == "" || other.Place == "" || scope.Place == other.Place)
			if i != j && !meets {
				continue
			}
			for _, b := range other.Bindings {
				for _, k := range b.Keys() {
					if twin, ok := seen[k]; ok && twin != b.Help().Desc {
						t.Errorf("%s: %q is %q and %q", scope.Name, k, twin, b.Help().Desc)
					}
					seen[k] = b.Help().Desc
				}
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
