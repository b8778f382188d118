package form

import (
	"strings"

	"callboard/model/task"
)

// bare reports whether the row takes JSON of a known shape and nothing is typed
// there yet.
func (r *row) bare() bool {
	return r.kind == fieldRow && r.field.Kind == task.JSONField && len(r.field.Skeleton) > 0 && strings.TrimSpace(r.text) == ""
}

// writeSkeleton puts what the schema wants into the empty field under the
// cursor, to be filled in.
func (f *Form) writeSkeleton() Event {
	r := f.current()
	r.assign(pretty(r.field.Skeleton))
	f.enter()
	return Event{Kind: Changed}
}
