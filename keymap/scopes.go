package keymap

import (
	"reflect"
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
)

// Scope is a named set of bindings, in the order of the help.
type Scope struct {
	Name     string
	Bindings []key.Binding
	// Actions are the same with their names.
	Actions []Action
	// Alone says that no other scope works while this one does.
	Alone bool
	// Typed says that letters are text there, but in the actions of offText.
	Typed bool
	// Place is where it works, words for several places, "" for wherever no scope
	// is alone. Scopes of different places never meet, and may bind the same key.
	Place string
}

// Action is a binding with its name.
type Action struct {
	// Name is the scope and the field in lower case: "task.cancel".
	Name string
	// Scope is the name of its scope, as the help has it.
	Scope string
	// Place is where it works: that of its scope, or narrower.
	Place string
	// Alone is that of its scope.
	Alone bool
	// Keys are the keys as Bubble Tea names them, nil for none.
	Keys []string
	// Shown is the first key as a person names it, or ":" and the name, which the
	// command line takes, where it has none.
	Shown string
	Help  string

	typed bool
}

// The places of scopes: detail and result are the pane beside tasks and inbox.
const (
	AtTasks   = "tasks"
	AtInbox   = "inbox"
	AtDetail  = "detail"
	AtResult  = "result"
	AtLog     = "log"
	AtServers = "servers"
	AtTools   = "tools"
	AtHelp    = "help"
	AtAway    = "away"
)

// ofTask is wherever there is a selected task.
const ofTask = AtTasks + " " + AtInbox + " " + AtDetail + " " + AtResult

// searched is where a text may be that can be searched.
const searched = AtDetail + " " + AtResult + " " + AtLog

// scopes are those of the fields of Map.
var scopes = map[string]Scope{
	"Everywhere": {Name: "Everywhere"},
	"List":       {Name: "Lists"},
	"Task":       {Name: "A task", Place: ofTask},
	"Result":     {Name: "A result", Place: AtResult},
	"Sort":       {Name: "Sorting (again: reversed)", Place: AtTasks},
	"Table":      {Name: "The table of tasks", Place: AtTasks},
	"Saved":      {Name: "Saved filters", Alone: true},
	"Columns":    {Name: "The choice of columns", Alone: true},
	"Many":       {Name: "The cancel of many", Alone: true},
	"Servers":    {Name: "The servers", Place: AtServers},
	"Log":        {Name: "The log", Place: AtLog},
	"Form":       {Name: "A form", Alone: true, Typed: true},
	"Menu":       {Name: "A form's menu", Alone: true},
	"URL":        {Name: "A prompt to visit an address", Alone: true},
	"Confirm":    {Name: "A confirmation", Alone: true},
	"Line":       {Name: "Filter and command line", Alone: true, Typed: true},
}

// narrower are the places of actions that do not work all over their scope's, or
// elsewhere, too.
var narrower = map[string]string{
	"list.filter":     searched + " " + AtTasks + " " + AtTools + " " + AtHelp,
	"list.next-match": searched,
	"list.prev-match": searched,
	"list.left":       AtTasks + " " + AtTools + " " + AtResult,
	"list.right":      AtTasks + " " + AtTools + " " + AtResult,
	"list.open":       ofTask + " " + AtLog + " " + AtTools + " " + AtHelp + " " + AtAway + " " + AtServers,
	"result.editor":   searched,
	"result.pager":    searched,
	"task.copy":       ofTask + " " + AtLog,
	"log.task":        ofTask + " " + AtLog,
}

// Scopes returns all scopes, in the order of the help.
func (m *Map) Scopes() []Scope {
	v := reflect.ValueOf(m).Elem()
	all := make([]Scope, v.NumField())
	for i := range all {
		field := v.Type().Field(i).Name
		all[i] = scopes[field]
		fill(&all[i], field, v.Field(i))
	}
	return all
}

// fill puts the bindings of v, a field of Map, into scope.
func fill(scope *Scope, field string, v reflect.Value) {
	for i := range v.NumField() {
		b := v.Field(i).Interface().(key.Binding)
		a := Action{
			Name: kebab(field) + "." + kebab(v.Type().Field(i).Name), Scope: scope.Name, Place: scope.Place,
			Alone: scope.Alone, Keys: b.Keys(), Shown: b.Help().Key, Help: b.Help().Desc, typed: scope.Typed,
		}
		if place, ok := narrower[a.Name]; ok {
			a.Place = place
		}
		scope.Bindings = append(scope.Bindings, b)
		scope.Actions = append(scope.Actions, a)
	}
}

// Actions returns all actions, in the order of the help.
func (m *Map) Actions() []Action {
	var all []Action
	for _, scope := range m.Scopes() {
		all = append(all, scope.Actions...)
	}
	return all
}

// Binding returns the binding of an action, nil where there is none of that name.
func (m *Map) Binding(name string) *key.Binding {
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		scope := v.Field(i)
		in, ok := strings.CutPrefix(name, kebab(v.Type().Field(i).Name)+".")
		if !ok {
			continue
		}
		for j := range scope.NumField() {
			if kebab(scope.Type().Field(j).Name) == in {
				return scope.Field(j).Addr().Interface().(*key.Binding)
			}
		}
	}
	return nil
}

// Key is the key of an action as a sentence names it: the first, or ":" and its
// name.
func (m *Map) Key(name string) string {
	if b := m.Binding(name); b != nil {
		return b.Help().Key
	}
	return ":" + name
}

// kebab is a name of Go's in lower case: "half-up" for HalfUp, "ttl" for TTL.
func kebab(name string) string {
	var b strings.Builder
	was := true // the letter before was a capital
	for _, c := range name {
		capital := unicode.IsUpper(c)
		if capital && !was {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
		was = capital
	}
	return b.String()
}

// In reports whether the action works at a place, if need be in an empty list.
func (a *Action) In(place string) bool {
	if a.Alone {
		return false
	}
	return a.Place == "" || hasWord(a.Place, place)
}

// meets reports whether two actions may be asked for by one key.
func (a *Action) meets(b *Action) bool {
	switch {
	case a.Name == fixed || b.Name == fixed || a.Scope == b.Scope:
		return true
	case a.Alone || b.Alone:
		return false
	}
	for place := range strings.FieldsSeq(a.Place) {
		if b.In(place) {
			return true
		}
	}
	return a.Place == ""
}

func hasWord(words, word string) bool {
	for each := range strings.FieldsSeq(words) {
		if each == word {
			return true
		}
	}
	return false
}
