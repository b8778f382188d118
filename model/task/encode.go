package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
)

// maxExponent bounds the exponent of a number, so that no short text makes a
// number of a million digits. maxDigits bounds what is written out.
const (
	maxExponent = 1000
	maxDigits   = 5000
)

// Encode returns typed as the JSON value of the field. The error is a sentence
// without its subject, in the terms of the field, and never holds what was
// typed. Numbers are kept exactly as typed; choices are typed as JSON (a value,
// or an array of values), a choice that is text also as that text; TypedNull is
// null, in a field that can hold it. What is no UTF-8 becomes U+FFFD, as it is
// seen. Whether the value keeps the field's constraints is for Form.Check to say.
func (f *Field) Encode(typed string) (json.RawMessage, error) {
	if typed == TypedNull {
		return f.encodeNull()
	}
	typed = validUTF8(typed)
	switch f.Kind {
	case NumberField, IntegerField:
		return encodeNumber(strings.TrimSpace(typed), f.Kind == IntegerField)
	case BooleanField:
		switch strings.ToLower(strings.TrimSpace(typed)) {
		case "true", "yes", "y":
			return json.RawMessage("true"), nil
		case "false", "no", "n":
			return json.RawMessage("false"), nil
		}
		return nil, errors.New("must be yes or no")
	case ChoiceField:
		return f.encodeChoice(typed)
	case ChoicesField:
		return f.encodeChoices(typed)
	case JSONField:
		return encodeJSON(typed)
	case StringField:
	}
	return quoteJSON(typed), nil
}

func (f *Field) encodeNull() (json.RawMessage, error) {
	null := json.RawMessage("null")
	if f.Nullable || f.Kind == JSONField || f.hasNull() {
		return null, nil
	}
	return nil, errors.New("cannot be null: give a value, or unset it")
}

// hasNull reports whether null is one of the choices that stand before the
// person.
func (f *Field) hasNull() bool {
	return f.Kind == ChoiceField && f.ChoiceIndex(json.RawMessage("null")) >= 0
}

// Typed is the reverse of Encode: the text that stands in the field for a
// value, such as its default. A value that does not fit the field comes as its
// JSON, so that nothing is lost and Encode says what is wrong; null, and
// nothing else, comes as TypedNull, but in a JSONField and where it is one of
// the choices.
func (f *Field) Typed(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	if string(value) == "null" && f.Kind != JSONField && !f.hasNull() {
		return TypedNull
	}
	var s string
	switch f.Kind {
	case StringField, NumberField, IntegerField, BooleanField:
		if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil && s != TypedNull {
			return s
		}
	case ChoiceField, ChoicesField, JSONField:
	}
	return string(value)
}

// ChoiceIndex returns the index of the choice whose value is the JSON value,
// -1 for none. Numbers are compared by value: 1.0 is 1.
func (f *Field) ChoiceIndex(value json.RawMessage) int {
	value = bytes.TrimSpace(value)
	for i := range f.Choices {
		if bytes.Equal(f.Choices[i].Value, value) {
			return i
		}
	}
	want, ok := decode(value)
	if !ok {
		return -1
	}
	for i := range f.Choices {
		if v, ok := decode(f.Choices[i].Value); ok && equal(v, want) {
			return i
		}
	}
	return -1
}

func (f *Field) encodeChoice(typed string) (json.RawMessage, error) {
	value := json.RawMessage(strings.TrimSpace(typed))
	if i := f.ChoiceIndex(value); i >= 0 {
		return f.Choices[i].Value, nil
	}
	if i := f.ChoiceIndex(quoteJSON(typed)); i >= 0 {
		return f.Choices[i].Value, nil
	}
	if f.MoreChoices && json.Valid(value) {
		return value, nil
	}
	return nil, errors.New("must be one of the choices")
}

func (f *Field) encodeChoices(typed string) (json.RawMessage, error) {
	var values []json.RawMessage
	if err := json.Unmarshal([]byte(typed), &values); err != nil || values == nil {
		return nil, errors.New("must be a list of its choices")
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for n, v := range values {
		i := f.ChoiceIndex(v)
		switch {
		case i >= 0:
			v = f.Choices[i].Value
		case !f.MoreChoices:
			return nil, errors.New("must hold its choices only")
		}
		if n > 0 {
			b.WriteByte(',')
		}
		b.Write(v)
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

func encodeJSON(typed string) (json.RawMessage, error) {
	value := json.RawMessage(strings.TrimSpace(typed))
	switch {
	case len(value) == 0:
		return nil, errors.New("is empty: write JSON, or unset it")
	case json.Valid(value):
		return value, nil
	}
	switch value[0] {
	case '{', '[', '"':
		return nil, errors.New("is not whole JSON yet")
	}
	return nil, errors.New(`is not JSON: text needs "quotes"`)
}

func encodeNumber(typed string, whole bool) (json.RawMessage, error) {
	if err := numberFault(typed); err != nil {
		return nil, err
	}
	if !SaneNumber(typed) {
		return nil, errors.New("is too long a number")
	}
	if whole && !isWhole(typed) {
		return nil, errors.New("must be a whole number")
	}
	return json.RawMessage(typed), nil
}

// numberFault says why typed is no number of JSON, with a hint for what people
// do type. It returns nil for a number.
func numberFault(typed string) error {
	if typed == "" {
		return errors.New("is empty: type a number, or unset it")
	}
	c := strings.TrimPrefix(typed, "-")
	if c != "" && c[0] >= '0' && c[0] <= '9' && json.Valid([]byte(typed)) {
		return nil
	}
	digits := strings.Trim(c, "0123456789.,_ '+eE-") == "" && strings.ContainsAny(c, "0123456789")
	switch {
	case !digits:
		return errors.New("must be a number")
	case strings.Contains(c, ","):
		return errors.New("must be a number: write the decimals after a point, not a comma, and no separators")
	case strings.ContainsAny(c, "_ '"):
		return errors.New("must be a number: leave out the separators")
	case c[0] == '+':
		return errors.New("must be a number: leave out the plus sign")
	case c[0] == '.':
		return errors.New("must be a number: write a 0 before the point")
	case strings.HasSuffix(c, "."):
		return errors.New("must be a number: leave out the point at the end")
	case c[0] == '0' && len(c) > 1 && c[1] >= '0' && c[1] <= '9':
		return errors.New("must be a number: leave out the zeros in front")
	}
	return errors.New("must be a number")
}

// SaneNumber reports whether a number of JSON is of a size that can be
// calculated with exactly in little time.
func SaneNumber(number string) bool {
	mantissa, exponent := number, ""
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], strings.TrimLeft(strings.TrimLeft(number[i+1:], "+-"), "0")
	}
	if len(mantissa) > maxDigits || len(exponent) > 4 {
		return false
	}
	n := 0
	for _, c := range exponent {
		n = 10*n + int(c-'0')
	}
	return n <= maxExponent
}

// isWhole reports whether a sane number of JSON is an integer, such as 1.0.
func isWhole(number string) bool {
	r, ok := new(big.Rat).SetString(number)
	return ok && r.IsInt()
}

// validUTF8 returns s with U+FFFD in place of what is no UTF-8. Package json
// passes such bytes for valid within JSON, and in text writes an escape for
// them, so that what a person sees as one text would be sent as several.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// quoteJSON returns s as a JSON string, without the escapes for HTML.
func quoteJSON(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(validUTF8(s)) // a string always encodes
	return bytes.TrimSpace(b.Bytes())
}

// decode returns a JSON value with its numbers as they are written.
func decode(raw json.RawMessage) (any, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return nil, false
	}
	return v, true
}

// equal compares two decoded values, numbers by value.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || sameNumber(string(a), string(b)))
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			v, ok := b[k]
			if !ok || !equal(a[k], v) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case json.Number, []any, map[string]any:
		return false
	}
	return a == b
}

func sameNumber(a, b string) bool {
	if !SaneNumber(a) || !SaneNumber(b) {
		return false
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}
