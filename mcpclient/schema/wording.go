package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"callboard/model/task"
)

// wording turns what the validator found into problems for a person. It never
// repeats a value of the content: answers are not for logs.
type wording struct {
	known    map[string]*task.Field
	problems []task.Problem
}

// at adds a problem of a property, in words that go on after its name.
func (w *wording) at(property, words string) { w.add([]string{property}, words) }

// add adds a problem of the value at path. What is deeper than a field is
// named by its path, what is no field belongs to the whole.
func (w *wording) add(path []string, words string) {
	if len(w.problems) >= maxProblems {
		return
	}
	var p task.Problem
	switch {
	case len(path) == 0:
		p.Text = task.Own("The content " + words + ".")
	case w.known[path[0]] == nil:
		p.Text = task.Own(trail(path) + " " + words + ".")
	case len(path) == 1:
		p = task.Problem{Field: path[0], Text: task.Own(words)}
	default:
		p = task.Problem{Field: path[0], Text: task.Own(trail(path[1:]) + " " + words)}
	}
	if !slices.Contains(w.problems, p) {
		w.problems = append(w.problems, p)
	}
}

// whole adds a sentence of the whole.
func (w *wording) whole(sentence string) {
	if p := (task.Problem{Text: task.Own(sentence)}); len(w.problems) < maxProblems && !slices.Contains(w.problems, p) {
		w.problems = append(w.problems, p)
	}
}

// trail words a path, the innermost first: items count from 1, names stand
// quoted.
func trail(path []string) string {
	parts := make([]string, len(path))
	for i, p := range slices.Backward(path) {
		i = len(path) - 1 - i
		if n, err := strconv.Atoi(p); err == nil && n >= 0 {
			parts[i] = "item " + strconv.Itoa(n+1)
		} else {
			parts[i] = name(p)
		}
	}
	return task.CleanLine(strings.Join(parts, " in "), 300).Line()
}

// sorted returns the problems in the order of the fields, those of the whole
// at the end; nil for none. The validator walks maps, so its order is random.
func (w *wording) sorted(fields []task.Field) []task.Problem {
	order := make(map[string]int, len(fields)+1)
	for i := range fields {
		order[fields[i].Name] = i
	}
	order[""] = len(fields)
	slices.SortStableFunc(w.problems, func(a, b task.Problem) int {
		if d := order[a.Field] - order[b.Field]; d != 0 {
			return d
		}
		return strings.Compare(a.Text.String(), b.Text.String())
	})
	return w.problems
}

// tree adds the problems of an error and its causes; nil has none.
func (w *wording) tree(e *jsonschema.ValidationError) {
	if e == nil {
		return
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		w.alternatives(e)
		return
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			w.add(e.InstanceLocation, "fits more than one of the alternatives that exclude each other")
		} else {
			w.alternatives(e)
		}
		return
	case *kind.Contains:
		w.add(e.InstanceLocation, "lacks an item that it must hold")
		return
	case *kind.MinContains:
		w.add(e.InstanceLocation, "lacks items that it must hold")
		return
	case *kind.PropertyNames:
		w.add(e.InstanceLocation, "holds a name that is not allowed: "+name(k.Property))
		return
	}
	if len(e.Causes) == 0 {
		w.leaf(e)
		return
	}
	for _, cause := range e.Causes {
		w.tree(cause)
	}
}

// leaf words one error.
func (w *wording) leaf(e *jsonschema.ValidationError) {
	path := e.InstanceLocation
	inside := func(property string) []string { return append(slices.Clone(path), property) }
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, m := range k.Missing {
			w.add(inside(m), w.required(path, m))
		}
	case *kind.DependentRequired:
		for _, m := range k.Missing {
			w.add(inside(m), "is required where "+name(k.Prop)+" is set")
		}
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		for _, p := range k.Properties {
			w.add(inside(p), "is not asked for")
		}
	case *kind.FalseSchema:
		if len(path) == 0 {
			w.whole("The schema allows no answer at all.")
			return
		}
		w.add(path, w.words(k, path))
	case *kind.MinProperties:
		w.add(path, "must have at least "+amount(k.Want, "property", "properties"))
	case *kind.MaxProperties:
		w.add(path, "must have at most "+amount(k.Want, "property", "properties"))
	case *kind.MinItems:
		w.add(path, w.items(path, "at least", k.Want))
	case *kind.MaxItems:
		w.add(path, w.items(path, "at most", k.Want))
	default:
		w.add(path, w.words(e.ErrorKind, path))
	}
}

// required words what is missing: a field that may be null has to be set to it
// by the person, for nobody else chooses what is sent.
func (w *wording) required(path []string, property string) string {
	if f := w.known[property]; len(path) == 0 && f != nil && f.Nullable {
		return "is required: give a value, or null"
	}
	return "is required"
}

// words are those of the errors that speak of one value.
func (w *wording) words(e jsonschema.ErrorKind, path []string) string {
	switch k := e.(type) {
	case *kind.Type:
		return "must be " + strings.Join(words(k.Want), " or ")
	case *kind.Enum:
		return "must be one of the choices"
	case *kind.Const:
		if s, ok := k.Want.(string); ok {
			return "must be " + name(s)
		}
		return "must be " + task.CleanLine(fmt.Sprint(k.Want), 60).Line()
	case *kind.Format:
		return w.formatFault(path, k.Want)
	case *kind.Pattern:
		return "must match the pattern " + task.CleanLine(k.Want, 80).Line()
	case *kind.MinLength:
		if k.Want == 1 {
			return "must not be empty"
		}
		return "must be at least " + amount(k.Want, "character", "characters")
	case *kind.MaxLength:
		return "must be at most " + amount(k.Want, "character", "characters")
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.UniqueItems:
		return "must not hold the same item twice"
	case *kind.MaxContains:
		return "holds too many items of one kind"
	case *kind.FalseSchema:
		return "must be left out"
	case *kind.Not:
		return "has a value that is not allowed"
	}
	return "is not as the schema wants it"
}

// field is the field that stands at path, nil for none.
func (w *wording) field(path []string) *task.Field {
	if len(path) != 1 {
		return nil
	}
	return w.known[path[0]]
}

// items words a count of items: those of a field with choices are chosen.
func (w *wording) items(path []string, bound string, n int) string {
	if f := w.field(path); f != nil && f.Kind == task.ChoicesField {
		return "choose " + bound + " " + strconv.Itoa(n)
	}
	return "must have " + bound + " " + amount(n, "item", "items")
}

// formatFault words a value that is not of a format. In a field dates may be
// typed as task.Field.Settle reads them, in JSON they may not.
func (w *wording) formatFault(path []string, format string) string {
	if f := w.field(path); f != nil && f.Kind == task.StringField {
		switch format {
		case "date":
			return "is not a date such as 2026-01-31, tomorrow or +3d"
		case "date-time":
			return "is not a date and time such as 2026-01-31 14:00, now or +2h"
		}
	}
	switch format {
	case "email", "idn-email":
		return "is not an e-mail address"
	case "uri", "iri":
		return "is not a URI such as https://example.com/"
	case "date":
		return "is not a date as YYYY-MM-DD"
	case "time":
		return "is not a time such as 14:00:00Z"
	case "date-time":
		return "is not a date and time such as 2026-01-31T14:00:00Z"
	}
	return "is not a valid " + task.CleanLine(format, 40).Line()
}

func amount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// names lists names in order, each once.
func names(list []string) string {
	slices.Sort(list)
	list = slices.Compact(list)
	quoted := make([]string, 0, len(list))
	for _, n := range list {
		quoted = append(quoted, name(n))
	}
	return task.CleanLine(strings.Join(quoted, ", "), 300).Line()
}

// decimal writes a number exactly, or to 20 digits where that would be long.
func decimal(r *big.Rat) string {
	if places, exact := r.FloatPrec(); exact && places <= 20 {
		if s := r.FloatString(places); len(s) <= 30 {
			return s
		}
	}
	return new(big.Float).SetRat(r).Text('g', 20)
}
