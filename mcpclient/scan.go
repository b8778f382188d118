package mcpclient

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// The functions of this file read JSON that was checked already (a message that
// was decoded as a whole). They look at members without a type for each shape,
// for two reasons: a member of the wrong type then costs that member alone, and
// a flood of notifications is read in a fraction of the time.

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index behind the string that begins at i, or -1 where
// the text ends within it.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

// valueEnd returns the index behind the value that begins at i, or -1 where the
// text ends within it.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = stringEnd(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	for j := i; j < len(b); j++ {
		switch b[j] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return j
		}
	}
	return len(b)
}

// members calls visit for each member of the object raw, in order, until it
// returns false. It does nothing where raw is no object, and stops where raw is
// cut off; the value cut off is not visited.
func members(raw []byte, visit func(key, value []byte) bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return
	}
	for i++; ; i++ {
		i = skipSpace(raw, i)
		if i >= len(raw) || raw[i] != '"' {
			return
		}
		end := stringEnd(raw, i)
		if end < 0 {
			return
		}
		key := plainKey(raw[i:end])
		i = skipSpace(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return
		}
		i = skipSpace(raw, i+1)
		end = valueEnd(raw, i)
		if end < 0 || !visit(key, raw[i:end:end]) {
			return
		}
		if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ',' {
			return
		}
	}
}

// plainKey returns the name of a member without quotes and escapes.
func plainKey(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		if s, ok := unquote(quoted); ok {
			return []byte(s)
		}
	}
	return quoted[1 : len(quoted)-1]
}

// elements calls visit for each element of the array raw, in order, until it
// returns false. It does nothing where raw is no array.
func elements(raw []byte, visit func(value []byte) bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return
	}
	for i++; ; i++ {
		i = skipSpace(raw, i)
		if i >= len(raw) || raw[i] == ']' {
			return
		}
		end := valueEnd(raw, i)
		if end < 0 || !visit(raw[i:end:end]) {
			return
		}
		if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ',' {
			return
		}
	}
}

// member returns the member key of the object raw, nil where there is none. Of
// several the first counts.
func member(raw []byte, key string) json.RawMessage {
	var found json.RawMessage
	members(raw, func(k, v []byte) bool {
		if string(k) != key {
			return true
		}
		found = v
		return false
	})
	return found
}

// plainString returns the bytes of a JSON string that needs no decoding.
func plainString(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	for _, c := range raw {
		if c == '\\' || c >= utf8.RuneSelf {
			return nil, false
		}
	}
	return raw[1 : len(raw)-1], true
}

// unquote decodes a JSON string, false where raw is none.
func unquote(raw []byte) (string, bool) {
	if b, ok := plainString(raw); ok {
		return string(b), true
	}
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// text is unquote with "" for what is no string.
func text(raw []byte) string {
	s, _ := unquote(raw)
	return s
}

// number reads a JSON number, false where raw is none.
func number(raw []byte) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

func isTrue(raw []byte) bool { return string(raw) == "true" }
