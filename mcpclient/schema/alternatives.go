package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// alternatives words an anyOf or oneOf of which nothing fits. Where all but
// one branch want another type, another constant, here or in a property, or a
// property that is not there, that one is meant.
func (w *wording) alternatives(e *jsonschema.ValidationError) {
	var meant []*jsonschema.ValidationError
	var missing, always []string // in any of the branches, and in all of them
	onlyMissing := true
	for _, cause := range e.Causes {
		root := first(cause)
		if k, ok := root.ErrorKind.(*kind.Required); ok && len(root.InstanceLocation) == len(e.InstanceLocation) {
			if missing == nil {
				always = slices.Clone(k.Missing)
			}
			always = slices.DeleteFunc(always, func(m string) bool { return !slices.Contains(k.Missing, m) })
			missing = append(missing, k.Missing...)
		} else {
			onlyMissing = false
		}
		if !otherKind(root, len(e.InstanceLocation)) {
			meant = append(meant, cause)
		}
	}
	depth := len(e.InstanceLocation)
	property, constants := told(meant, depth)
	if property == "" {
		for _, other := range [...]func(*jsonschema.ValidationError, int) bool{otherConstant, lacks} {
			if left := without(meant, other, depth); len(left) == 1 {
				meant = left
			}
		}
	}
	switch {
	case len(meant) == 1:
		w.tree(meant[0])
	case property != "":
		w.add(append(slices.Clone(e.InstanceLocation), property), "must be one of: "+names(constants))
	case len(e.Causes) > 0 && wanted(e) != nil:
		w.add(e.InstanceLocation, "must be "+strings.Join(words(wanted(e)), " or "))
	case len(always) > 0 && onlyMissing:
		for _, m := range always {
			w.add(append(slices.Clone(e.InstanceLocation), m), w.required(e.InstanceLocation, m))
		}
	case len(missing) > 0 && onlyMissing:
		w.add(e.InstanceLocation, "needs one of: "+names(missing))
	case len(e.Causes) > 0 && allConstants(e.Causes):
		w.add(e.InstanceLocation, "must be one of the choices")
	default:
		w.add(e.InstanceLocation, "fits none of the alternatives that are allowed")
	}
}

// told returns the property whose constants tell the branches apart where the
// value has none of them, "" for none, and the constants.
func told(branches []*jsonschema.ValidationError, depth int) (property string, constants []string) {
	for _, b := range branches {
		var wrong *kind.Const
		var at string
		var find func(e *jsonschema.ValidationError)
		find = func(e *jsonschema.ValidationError) {
			if k, ok := e.ErrorKind.(*kind.Const); ok && len(e.InstanceLocation) == depth+1 {
				wrong, at = k, e.InstanceLocation[depth]
			}
			for _, c := range e.Causes {
				find(c)
			}
		}
		find(b)
		if wrong == nil || property != "" && property != at {
			return "", nil
		}
		constant, ok := wrong.Want.(string)
		if !ok {
			return "", nil
		}
		property, constants = at, append(constants, constant)
	}
	if len(constants) < 2 {
		return "", nil
	}
	return property, constants
}

// without returns the branches that are not other.
func without(branches []*jsonschema.ValidationError, other func(*jsonschema.ValidationError, int) bool, depth int) []*jsonschema.ValidationError {
	return slices.DeleteFunc(slices.Clone(branches), func(b *jsonschema.ValidationError) bool { return other(b, depth) })
}

// otherConstant reports whether a branch failed since a property of the value
// at depth says that another branch is meant.
func otherConstant(e *jsonschema.ValidationError, depth int) bool {
	switch e.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return len(e.InstanceLocation) == depth+1
	}
	return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return otherConstant(c, depth) })
}

// lacks reports whether a branch failed since the value at depth lacks a
// property.
func lacks(e *jsonschema.ValidationError, depth int) bool {
	if _, ok := e.ErrorKind.(*kind.Required); ok {
		return len(e.InstanceLocation) == depth
	}
	return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return lacks(c, depth) })
}

// wanted returns the types that alternatives want which all speak of types, nil
// for others.
func wanted(e *jsonschema.ValidationError) []string {
	var types []string
	for _, cause := range e.Causes {
		root := first(cause)
		k, ok := root.ErrorKind.(*kind.Type)
		if !ok || len(root.InstanceLocation) != len(e.InstanceLocation) {
			return nil
		}
		for _, t := range k.Want {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	return types
}

// first returns the innermost error of a chain that does not branch.
func first(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(e.Causes) == 1 {
		e = e.Causes[0]
	}
	return e
}

// otherKind reports whether a branch failed since it speaks of another kind of
// value altogether.
func otherKind(e *jsonschema.ValidationError, depth int) bool {
	if len(e.InstanceLocation) != depth {
		return false
	}
	switch e.ErrorKind.(type) {
	case *kind.Type, *kind.Const, *kind.FalseSchema:
		return true
	}
	return false
}

func allConstants(causes []*jsonschema.ValidationError) bool {
	for _, c := range causes {
		switch first(c).ErrorKind.(type) {
		case *kind.Const, *kind.Enum:
		default:
			return false
		}
	}
	return true
}
