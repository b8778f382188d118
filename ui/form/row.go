package form

import (
	"encoding/json"
	"strings"

	"callboard/model/task"
)

// rowKind says what a row of the form asks.
type rowKind uint8

const (
	fieldRow rowKind = iota
	modeRow          // of a Call: as a task, or plainly
	ttlRow           // of a Call: how long the server keeps the task
)

// row is one thing that the cursor can stand on. What is typed is kept as
// text, in the way of task.Field.Encode; an unset row is left out.
type row struct {
	kind  rowKind
	field *task.Field
	set   bool
	text  string

	problem string // shown at the row, "" for none

	// Of choices: which ones are chosen, values beyond the choices shown, the
	// choice under the cursor, and what was typed to find one.
	chosen []bool
	others []json.RawMessage
	cursor int
	search string

	// Of the reply to a conversation: how long measured is.
	measured      string
	tokens, words int

	// Where its choices stood in the last look: the lines count from valueAt, a
	// line of the row.
	valueAt int
	hits    []hit

	cached      []string // the row as it looks without the cursor
	cachedWidth int
}

func (r *row) changed() { r.cached = nil }

// assign sets the row to typed text.
func (r *row) assign(text string) {
	r.set, r.text, r.problem = true, text, ""
	r.readChoices()
	r.changed()
}

// unset leaves the row out of what is sent.
func (r *row) unset() {
	r.set, r.text, r.problem, r.search = false, "", "", ""
	r.readChoices()
	r.changed()
}

// isNull reports whether the row is null, which is neither empty nor left out.
func (r *row) isNull() bool { return r.set && r.text == task.TypedNull }

// takesNull reports whether the row may be null. What is typed as JSON says so
// itself, and what has null among its choices too.
func (r *row) takesNull() bool {
	return r.kind == fieldRow && r.field.Nullable && r.field.Kind != task.JSONField &&
		(r.field.Kind != task.ChoiceField || r.field.ChoiceIndex(json.RawMessage("null")) < 0)
}

// shown is the text as it is edited: null is none.
func (r *row) shown() string {
	if r.isNull() {
		return ""
	}
	return r.text
}

func (r *row) isChoice() bool {
	return r.kind == modeRow || r.kind == fieldRow && (r.field.Kind == task.ChoiceField || r.field.Kind == task.ChoicesField)
}

func (r *row) isMany() bool { return r.kind == fieldRow && r.field.Kind == task.ChoicesField }

func (r *row) isBool() bool { return r.kind == fieldRow && r.field.Kind == task.BooleanField }

func (r *row) isText() bool { return !r.isChoice() && !r.isBool() }

func (r *row) isNumber() bool {
	return r.kind == fieldRow && (r.field.Kind == task.NumberField || r.field.Kind == task.IntegerField)
}

// multi reports whether the row's text may have several lines.
func (r *row) multi() bool {
	if r.kind != fieldRow {
		return false
	}
	switch r.field.Kind {
	case task.JSONField:
		return true
	case task.StringField:
		return strings.Contains(r.text, "\n") || r.field.MaxLength > 200 && r.field.Format == "" && !r.field.Secret
	default:
		return false
	}
}

// required reports whether the row must be set.
func (r *row) required() bool { return r.kind == fieldRow && r.field.Required }

// readChoices finds out what the text chooses.
func (r *row) readChoices() {
	if !r.isChoice() || r.kind != fieldRow {
		return
	}
	r.chosen = make([]bool, len(r.field.Choices))
	r.others = nil
	if !r.set || r.isNull() {
		return
	}
	values := []json.RawMessage{json.RawMessage(r.text)}
	if r.isMany() {
		values = nil
		if json.Unmarshal([]byte(r.text), &values) != nil {
			return
		}
	} else if v, err := r.field.Encode(r.text); err == nil {
		values[0] = v
	}
	first := true
	for _, v := range values {
		if i := r.field.ChoiceIndex(v); i >= 0 {
			r.chosen[i] = true
			if first {
				r.cursor, first = i, false
			}
		} else {
			r.others = append(r.others, v)
		}
	}
}

// writeChoices makes the text of what is chosen.
func (r *row) writeChoices() {
	r.set, r.problem = true, ""
	r.changed()
	if !r.isMany() {
		for i, on := range r.chosen {
			if on {
				r.text = string(r.field.Choices[i].Value)
			}
		}
		return
	}
	values := make([]json.RawMessage, 0, len(r.chosen))
	for i, on := range r.chosen {
		if on {
			values = append(values, r.field.Choices[i].Value)
		}
	}
	if r.field.MoreChoices {
		values = append(values, r.others...)
	}
	text, err := json.Marshal(values)
	if err != nil { // values came out of a decoder; they always encode
		return
	}
	r.text = string(text)
}
