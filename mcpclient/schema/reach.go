package schema

// edge is a reference that applies to the value of the subschema it stands in.
type edge struct {
	target string
	depth  int
}

// place is where in-place subschemas are counted: a subschema that begins at
// a value of its own, and how deep within it.
type place struct {
	root  string
	depth int
}

// reach is how far what applies to one value goes, references followed.
type reach struct{ depth, visits int }

var endless = reach{maxNesting + 1, maxVisits + 1}

// bounded reports whether what applies to one value ends, nests no deeper than
// maxNesting and is visited no more often than maxVisits.
func (t *tamer) bounded() bool {
	done := map[string]reach{}
	var follow func(root string, hops int) reach
	follow = func(root string, hops int) reach {
		if r, ok := done[root]; ok {
			return r
		}
		if hops > maxNesting {
			return endless
		}
		done[root] = endless // should root come again while it is followed
		r := reach{visits: 1}
		for _, e := range t.applied[root] {
			under := follow(e.target, hops+1)
			r.depth = max(r.depth, e.depth+1+under.depth)
			r.visits = min(r.visits+under.visits, endless.visits)
		}
		done[root] = r
		return r
	}
	for root := range t.applied {
		if r := follow(root, 0); r.depth > maxNesting || r.visits > maxVisits {
			return false
		}
	}
	return true
}
