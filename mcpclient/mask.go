package mcpclient

import (
	"bytes"
	"strings"
)

// masked is what stands in the log for a secret.
const masked = `"••••"`

// secretKeys are parts of member names whose values are not for the log, as
// they are once lower-cased and freed of "-" and "_".
var secretKeys = []string{
	"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "authorization",
	"credential", "accesstoken", "refreshtoken", "idtoken", "bearer", "authtoken", "sessionid",
	"requeststate",
}

func secretKey(key []byte) bool {
	if len(key) > 128 {
		return false
	}
	var b [128]byte
	k := b[:0]
	for _, c := range key {
		switch {
		case c == '-' || c == '_' || c == ' ':
		case c >= 'A' && c <= 'Z':
			k = append(k, c+'a'-'A')
		default:
			k = append(k, c)
		}
	}
	if string(k) == "token" || string(k) == "pin" {
		return true
	}
	for _, s := range secretKeys {
		if bytes.Contains(k, []byte(s)) {
			return true
		}
	}
	return false
}

// mask returns body, a JSON text that may be cut off, with secrets as dots; ""
// where there is nothing to mask. answer says that body is a response of ours:
// then the content of its result is what a person answered, and each value in
// it becomes dots.
func mask(body string, answer bool) string {
	m := masker{src: []byte(body), answer: answer}
	m.value(0, nil, false)
	if !m.hid {
		return ""
	}
	m.copyTo(len(m.src))
	return m.out.String()
}

// masker walks over a JSON text and copies all but what is masked.
type masker struct {
	src    []byte
	done   int // how much of src is in out, copied or replaced
	out    strings.Builder
	answer bool
	hid    bool
}

func (m *masker) copyTo(i int) {
	m.out.Write(m.src[m.done:i])
	m.done = i
}

// hide replaces src[from:to].
func (m *masker) hide(from, to int) {
	m.copyTo(from)
	m.out.WriteString(masked)
	m.done, m.hid = to, true
}

const maxMaskDepth = 256

// value walks over the value at i and returns the index behind it, len(src)
// where the text is cut off. parents are the keys that lead to it, leaves says
// that every value below is to be hidden.
func (m *masker) value(i int, parents []string, leaves bool) int {
	i = skipSpace(m.src, i)
	if i >= len(m.src) {
		return i
	}
	c := m.src[i]
	if (c == '{' || c == '[') && len(parents) < maxMaskDepth {
		return m.container(i, parents, leaves)
	}
	end := valueEnd(m.src, i)
	if end < 0 {
		end = len(m.src)
	}
	if leaves {
		m.hide(i, end)
	}
	return end
}

func (m *masker) container(i int, parents []string, leaves bool) int {
	object := m.src[i] == '{'
	for i++; ; {
		i = skipSpace(m.src, i)
		if i >= len(m.src) {
			return i
		}
		switch m.src[i] {
		case '}', ']':
			return i + 1
		case ',':
			i++
			continue
		}
		if !object {
			i = m.element(i, parents, leaves)
			continue
		}
		end := -1
		if m.src[i] == '"' {
			end = stringEnd(m.src, i)
		}
		if end < 0 {
			return len(m.src)
		}
		key := plainKey(m.src[i:end])
		i = skipSpace(m.src, end)
		if i >= len(m.src) || m.src[i] != ':' {
			return len(m.src)
		}
		i = m.entry(i+1, key, parents, leaves)
	}
}

// element walks over one element of an array; it goes on by a byte at least, so
// that no input holds it up.
func (m *masker) element(i int, parents []string, leaves bool) int {
	return max(m.value(i, append(parents, ""), leaves), i+1)
}

// entry walks over the value of the member key.
func (m *masker) entry(i int, key []byte, parents []string, leaves bool) int {
	if i = skipSpace(m.src, i); i >= len(m.src) {
		return i
	}
	if secretKey(key) {
		end := valueEnd(m.src, i)
		if end < 0 {
			end = len(m.src)
		}
		m.hide(i, end)
		return max(end, i+1)
	}
	if string(key) == "content" && (m.answer && len(parents) == 1 && parents[0] == "result" ||
		len(parents) == 3 && parents[0] == "params" && parents[1] == "inputResponses") {
		leaves = true
	}
	return max(m.value(i, append(parents, string(key)), leaves), i+1)
}
