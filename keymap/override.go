package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// Override gives an action other keys.
type Override struct {
	Name string
	// Keys are names of keys ("x", "ctrl+x", "space"); none takes its keys away.
	Keys []string
	// Line is where it stands in the configuration, 0 for unknown.
	Line int
}

// Fault is why keys cannot be as an Override wants them.
type Fault struct {
	Line int // of the override, 0 for unknown
	Name string
	Why  string // the name is in it where that helps
}

func (f *Fault) Error() string { return f.Why }

// fixed always has the key of that name, and no other action can have it: there is
// always a way out.
const fixed, fixedKey = "everywhere.abort", "ctrl+c"

// kept are the actions that must have a key, and what for.
var kept = map[string]string{
	fixed:                "there must always be a way out",
	"everywhere.back":    "without it nothing leads back",
	"everywhere.command": "the command line is where actions without a key are run",
	"everywhere.help":    "the help is where keys are found",
	"form.send":          "without it no answer can be sent",
	"form.leave":         "without it no form can be left",
	"form.next":          "without it no other field can be reached",
	"form.menu":          "declining is behind it",
	"menu.up":            "the menu is chosen from with it",
	"menu.down":          "the menu is chosen from with it",
	"menu.choose":        "the menu is chosen from with it",
	"menu.leave":         "without it the menu cannot be left",
	"url.open":           "without it no address can be visited",
	"url.done":           "without it the server is not told",
	"url.menu":           "declining is behind it",
	"url.leave":          "without it the prompt cannot be left",
	"confirm.yes":        "without it nothing can be confirmed",
	"confirm.no":         "without it nothing can be refused",
	"line.accept":        "without it no line can be entered",
	"line.leave":         "without it no line can be left",
}

// offText are the actions of a form that take letters: they work on fields where
// nothing is typed.
var offText = []string{"form.toggle", "form.yes", "form.no"}

// Apply gives the actions their keys of all, or leaves m as it is and returns what
// is wrong with them, in their order.
func (m *Map) Apply(all []Override) []Fault {
	next := *m
	var faults []Fault
	lines := map[string]int{}
	for _, o := range all {
		b := next.Binding(o.Name)
		if b == nil {
			faults = append(faults, Fault{o.Line, o.Name, m.unknown(o.Name)})
			continue
		}
		if at, twice := lines[o.Name]; twice {
			faults = append(faults, Fault{o.Line, o.Name, o.Name + " is given twice" + atLine(", before", at)})
			continue
		}
		lines[o.Name] = o.Line
		keys, why := m.parse(o.Name, o.Keys)
		if why != "" {
			faults = append(faults, Fault{o.Line, o.Name, o.Name + ": " + why})
			continue
		}
		b.SetKeys(keys...)
		b.SetHelp(shown(o.Name, keys), b.Help().Desc)
	}
	faults = append(faults, next.clashes(lines)...)
	if len(faults) > 0 {
		return faults
	}
	*m = next
	return nil
}

func atLine(before string, line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("%s in line %d", before, line)
}

// shown is how help and footer show keys.
func shown(name string, keys []string) string {
	if len(keys) == 0 {
		return ":" + name
	}
	return Shown(keys[0])
}

// unknown says that there is no action of a name, and which is meant perhaps.
func (m *Map) unknown(name string) string {
	var names []string
	for _, a := range m.Actions() {
		names = append(names, a.Name)
	}
	return "no action " + quoted(name) + meant(Nearest(name, names))
}

// meant is the end of a sentence about a name that does not exist.
func meant(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(names, " or ") + "?"
}

// parse returns keys as Bubble Tea names them, or why the action cannot have them.
func (m *Map) parse(name string, words []string) (keys []string, why string) {
	a := m.action(name)
	for _, word := range words {
		k, why := parseKey(word)
		if why == "" {
			why = a.refuses(k)
		}
		if why != "" {
			return nil, why
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	reason, must := kept[name]
	switch {
	case name == fixed && !slices.Contains(keys, fixedKey):
		return nil, fixedKey + " always quits: " + reason
	case must && len(keys) == 0:
		return nil, "it needs a key: " + reason
	}
	return keys, ""
}

func (m *Map) action(name string) Action {
	all := m.Actions()
	return all[slices.IndexFunc(all, func(a Action) bool { return a.Name == name })]
}

// refuses says why a key is no key for the action, "" where it is one.
func (a *Action) refuses(k string) string {
	switch {
	case a.typed && isText(k) && !slices.Contains(offText, a.Name):
		return Shown(k) + " is text there: take a key with ctrl or alt, or one that writes nothing"
	case a.typed && slices.Contains([]string{"backspace", "delete"}, k):
		return k + " edits the text there"
	case !a.typed && a.scope() != "url" && strings.HasPrefix(k, "alt+"):
		return "alt is esc and the key there, as terminals send it: alt works in forms and lines only"
	}
	return ""
}

func (a *Action) scope() string {
	scope, _, _ := strings.Cut(a.Name, ".")
	return scope
}

// clashes returns a fault for each key that two actions would have in one place.
// lines are those of the overrides: only these are at fault.
func (m *Map) clashes(lines map[string]int) []Fault {
	all := m.Actions()
	var faults []Fault
	for i := range all {
		for j := range all[:i] {
			a, b := &all[j], &all[i]
			if !a.meets(b) {
				continue
			}
			for _, k := range b.Keys {
				if !slices.Contains(a.Keys, k) {
					continue
				}
				if f, ok := clash(k, a.Name, b.Name, lines); ok {
					faults = append(faults, f)
				}
			}
		}
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return a.Line - b.Line })
	return faults
}

// clash words that two actions have one key. It stands at the later of the two.
func clash(k, a, b string, lines map[string]int) (Fault, bool) {
	at, given := lines[a]
	bt, too := lines[b]
	switch {
	case !given && !too:
		return Fault{}, false
	case given && (!too || bt < at):
		a, b, at, bt, too = b, a, bt, at, given && too
	default:
		too = given
	}
	whose := a + " has by default"
	if too {
		whose = a + " has too" + atLine(",", at)
	}
	return Fault{bt, b, fmt.Sprintf("%s: %s is the key that %s", b, Shown(k), whose)}, true
}
