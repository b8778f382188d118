package task

import (
	"encoding/json"
	"time"
)

// FieldKind says which input a Field wants.
type FieldKind uint8

// The kinds of client/elicitation ("Requested Schema"), and JSON for a value
// that is none of them (nested, or of an unknown type), edited as text.
const (
	StringField FieldKind = iota
	NumberField
	IntegerField
	BooleanField
	ChoiceField  // one of Choices
	ChoicesField // any number of Choices
	JSONField
)

// Form is a JSON Schema of an object, made ready for a person. It is built by
// mcpclient/schema.
type Form struct {
	// Schema is the raw schema, for the JSON editor and the detail.
	Schema json.RawMessage
	// Fields stand in the schema's own order.
	Fields []Field
	// JSONOnly says why no fields could be made and only the JSON editor can
	// answer; "" where fields can.
	JSONOnly string
	// Skeleton is what the JSON editor begins with where JSONOnly says that it
	// must: an object with the properties of the schema, or of the first of its
	// variants, in which null stands for what is to be filled in; nil for none.
	Skeleton json.RawMessage
	// Warnings are things that could not be honoured, each a sentence.
	Warnings []Text
	// Secret says that some part of the schema seems to ask for a secret, as
	// Field.Secret does: the JSON text of the content is then kept on no disk.
	Secret bool
	// Check reports what is wrong with a whole content (a JSON object), nil
	// for nothing. A nil Check accepts any JSON object.
	Check func(content json.RawMessage) []Problem
	// Now is the clock that dates such as "+2h" are settled by, in the person's
	// zone; nil is time.Now.
	Now func() time.Time
}

// Field is one property of a Form.
type Field struct {
	Name        string // raw: the key in the content
	Label       Text   // title, or the name where there is none
	Description Text
	Kind        FieldKind
	Required    bool
	// Default is the schema's default as JSON, nil where there is none or it
	// does not fit the field.
	Default json.RawMessage

	// Constraints, for showing them; Check enforces them. Numbers are as the
	// schema writes them, "" for none. Lengths and counts are -1 for none.
	MinLength, MaxLength int
	Pattern, Format      string
	Minimum, Maximum     string // inclusive; "" none
	Above, Below         string // exclusiveMinimum, exclusiveMaximum
	MultipleOf           string
	Choices              []Choice
	MinItems, MaxItems   int

	// Secret says that the field seems to ask for a password, a key or a token,
	// which the protocol forbids (client/elicitation, "Security
	// Considerations"): it is masked, and kept on no disk.
	Secret bool

	// Nullable says that the schema allows null here, typed as TypedNull. A
	// field that is left unset is never sent as null.
	Nullable bool
	// MoreChoices says that the schema has more choices than Choices shows;
	// values beyond them are then taken too, and judged by Check.
	MoreChoices bool
	// Shape says in a few words what a JSONField wants, such as "a JSON array"
	// or "a JSON object with name, optionally age"; "" for the other kinds.
	Shape string
	// Skeleton is a value of that shape, in which null stands for what is to be
	// filled in. It is nil for the other kinds, and where the schema
	// does not tell the shape.
	Skeleton json.RawMessage

	// Deprecated and ReadOnly are the schema's own notes, Examples some values
	// that it gives, as they are typed. They are hints, and change nothing.
	Deprecated, ReadOnly bool
	Examples             []Text
}

// Choice is one of a Field's values.
type Choice struct {
	Value json.RawMessage
	Label Text // its title, or the value itself
}

// Problem is one thing wrong with a content. Field is the name of the field of
// the form that it stands at, and Text then goes on where the field's label
// ends ("must be at least 3 characters"). For the whole Field is "", and Text
// is a sentence of its own.
type Problem struct {
	Field string
	Text  Text
}
