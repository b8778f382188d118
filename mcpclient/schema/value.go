package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"callboard/model/task"
)

// sort is the type of a JSON value.
type sort uint8

const (
	null sort = iota
	boolean
	number
	text
	array
	object
)

// maxDepth bounds the nesting of schemas and contents.
const maxDepth = 128

// value is a JSON value that remembers what encoding/json forgets: the order
// of members, how numbers are written, and names that come twice.
type value struct {
	kind    sort
	raw     json.RawMessage
	str     string // of text, and a number as written
	yes     bool
	items   []*value
	keys    []string // in order, each once; the last value of a name counts
	members map[string]*value
	twice   []string // names that came again
}

var (
	errDeep  = errors.New("is nested too deeply")
	errNotJS = errors.New("is not JSON")
)

// parse reads one JSON value that nests at most maxDepth deep.
func parse(raw []byte) (*value, error) {
	if !json.Valid(raw) {
		return nil, errNotJS
	}
	raw = bytes.ToValidUTF8(bytes.TrimSpace(raw), []byte("\ufffd"))
	p := parser{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw))}
	p.dec.UseNumber()
	return p.value(maxDepth)
}

type parser struct {
	raw []byte
	dec *json.Decoder
}

func (p *parser) value(depth int) (*value, error) {
	start := int(p.dec.InputOffset())
	for start < len(p.raw) && strings.IndexByte(" \t\r\n,:", p.raw[start]) >= 0 {
		start++
	}
	tok, err := p.dec.Token()
	if err != nil {
		return nil, errNotJS
	}
	v := &value{}
	switch tok := tok.(type) {
	case json.Delim:
		if depth == 0 {
			return nil, errDeep
		}
		if tok == '[' {
			err = p.array(v, depth)
		} else {
			err = p.object(v, depth)
		}
		if err != nil {
			return nil, err
		}
	case string:
		v.kind, v.str = text, tok
	case json.Number:
		v.kind, v.str = number, tok.String()
	case bool:
		v.kind, v.yes = boolean, tok
	}
	v.raw = p.raw[start:p.dec.InputOffset()]
	return v, nil
}

func (p *parser) array(v *value, depth int) error {
	v.kind = array
	for p.dec.More() {
		item, err := p.value(depth - 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	_, err := p.dec.Token()
	return err
}

func (p *parser) object(v *value, depth int) error {
	v.kind, v.members = object, map[string]*value{}
	for p.dec.More() {
		tok, err := p.dec.Token()
		if err != nil {
			return errNotJS
		}
		name, _ := tok.(string)
		member, err := p.value(depth - 1)
		if err != nil {
			return err
		}
		if _, ok := v.members[name]; ok {
			v.twice = append(v.twice, name)
		} else {
			v.keys = append(v.keys, name)
		}
		v.members[name] = member
	}
	_, err := p.dec.Token()
	return err
}

// get returns a member of an object, nil for none.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	return v.members[name]
}

// text returns the string that v is, "" for anything else.
func (v *value) text() string {
	if v == nil || v.kind != text {
		return ""
	}
	return v.str
}

// is reports whether v is there and of kind k.
func (v *value) is(k sort) bool { return v != nil && v.kind == k }

// compact returns v's JSON without white space, in v's order.
func (v *value) compact() json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, v.raw) != nil {
		return v.raw
	}
	return b.Bytes()
}

// sane reports whether all numbers in v are of a size that can be calculated
// with.
func (v *value) sane() bool {
	switch v.kind {
	case number:
		return task.SaneNumber(v.str)
	case array:
		for _, item := range v.items {
			if !item.sane() {
				return false
			}
		}
	case object:
		for _, member := range v.members {
			if !member.sane() {
				return false
			}
		}
	case null, boolean, text:
	}
	return true
}

// repeats reports whether an object in v has one name twice: of such, each reader
// takes another value, and what was checked here might not be what is meant there.
func (v *value) repeats() bool {
	if len(v.twice) > 0 || slices.ContainsFunc(v.items, (*value).repeats) {
		return true
	}
	for _, member := range v.members {
		if member.repeats() {
			return true
		}
	}
	return false
}

// plain returns v as encoding/json would decode it, with json.Number.
func (v *value) plain() any {
	switch v.kind {
	case boolean:
		return v.yes
	case number:
		return json.Number(v.str)
	case text:
		return v.str
	case array:
		items := make([]any, len(v.items))
		for i, item := range v.items {
			items[i] = item.plain()
		}
		return items
	case object:
		members := make(map[string]any, len(v.members))
		for name, member := range v.members {
			members[name] = member.plain()
		}
		return members
	case null:
	}
	return nil
}
