package render

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/themes"
)

// maxLink is how long the text of a link, and its address, may be.
const maxLink = 2048

// delimiter is a run of * or _ or ~ that begins or ends emphasis.
type delimiter struct {
	at, n  int
	pair   int // the delimiter that belongs to it, -1 for none: it is text
	closes bool
}

// inline reads the markup within a line: emphasis, code, links. base is the role
// of plain words.
func inline(text string, base *themes.Role, t *themes.Theme) []span {
	if !strings.ContainsAny(text, "*_`[<\\&~") {
		return []span{{text, base}}
	}
	p := &inlines{text: text, base: base, t: t, unclosed: map[int]int{}}
	p.delimiters()
	p.emit()
	if len(p.out) == 0 {
		return []span{{"", base}}
	}
	return p.out
}

type inlines struct {
	text     string
	base     *themes.Role
	t        *themes.Theme
	marks    []delimiter
	unclosed map[int]int // from where on a run of so many backquotes ends nowhere
	out      []span
}

// skip returns how long a part is in which no emphasis is looked for: an escaped
// character, code, a link.
func (p *inlines) skip(i int) int {
	switch p.text[i] {
	case '\\':
		if i+1 < len(p.text) && p.text[i+1] < 0x80 && unicode.IsPunct(rune(p.text[i+1])) {
			return 2
		}
	case '`':
		_, n := p.code(i)
		return n
	case '[', '!':
		if _, _, n, ok := p.link(i); ok {
			return n
		}
	case '<':
		if n := p.autolink(i); n > 0 {
			return n
		}
	}
	return 0
}

// delimiters finds what begins and ends emphasis. Each kind keeps its last
// beginning only: that is enough for what people write, and linear.
func (p *inlines) delimiters() {
	begun := map[[2]int]int{} // the character and how many -> an index of marks
	p.scan(func(i, n int) {
		c := int(p.text[i])
		before, _ := utf8.DecodeLastRuneInString(p.text[:i])
		after, _ := utf8.DecodeRuneInString(p.text[i+n:])
		wordBefore, wordAfter := i > 0 && !unicode.IsSpace(before), i+n < len(p.text) && !unicode.IsSpace(after)
		opens, closes := wordAfter, wordBefore
		if c == '_' {
			opens = opens && (i == 0 || !letter(before))
			closes = closes && (i+n == len(p.text) || !letter(after))
		}
		key := [2]int{c, n}
		if from, ok := begun[key]; ok && closes {
			p.marks[from].pair = len(p.marks)
			p.marks = append(p.marks, delimiter{i, n, from, true})
			delete(begun, key)
			return
		}
		if opens {
			begun[key] = len(p.marks)
		}
		p.marks = append(p.marks, delimiter{i, n, -1, false})
	}, func(int, int) {})
}

// scan calls mark for each run that may be emphasis, and other for the parts in
// between that are read as a whole.
func (p *inlines) scan(mark, other func(at, n int)) {
	for i := 0; i < len(p.text); {
		if n := p.skip(i); n > 0 {
			other(i, n)
			i += n
			continue
		}
		c := p.text[i]
		n := 1
		for c == '*' || c == '_' || c == '~' {
			if i+n >= len(p.text) || p.text[i+n] != c {
				break
			}
			n++
		}
		if c == '*' && n <= 3 || c == '_' && n <= 3 || c == '~' && n == 2 {
			mark(i, n)
		}
		i += n
	}
}

func letter(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

func (p *inlines) emit() {
	bold, italic, struck := 0, 0, 0
	role := func() *themes.Role {
		switch {
		case bold > 0:
			return &p.t.Strong
		case italic > 0:
			return &p.t.Emphasis
		case struck > 0:
			return &p.t.Dim
		}
		return p.base
	}
	from, k := 0, 0
	words := func(to int) {
		if from < to {
			p.add(p.text[from:to], role())
		}
	}
	p.scan(func(i, n int) {
		d := p.marks[k]
		k++
		if d.pair < 0 {
			return
		}
		words(i)
		from = i + n
		step := 1
		if d.closes {
			step = -1
		}
		switch {
		case p.text[i] == '~':
			struck += step
		case n == 1:
			italic += step
		default:
			bold += step
		}
	}, func(i, n int) {
		words(i)
		from = i + n
		p.whole(i, n, role())
	})
	words(len(p.text))
}

// whole shows a part that is read as a whole.
func (p *inlines) whole(i, n int, role *themes.Role) {
	switch p.text[i] {
	case '\\':
		p.add(p.text[i+1:i+n], role)
	case '`':
		code, _ := p.code(i)
		if code == "" {
			p.put(p.text[i:i+n], role)
			return
		}
		p.put("`"+code+"`", &p.t.Accent)
	case '<':
		p.put(p.text[i:i+n], &p.t.Link)
	default:
		words, address, _, _ := p.link(i)
		if p.text[i] == '!' {
			words = strings.TrimSpace("image " + words)
		}
		if words != address && words != "" {
			p.add(words+" ", role)
		}
		p.put("<"+address+">", &p.t.Link)
	}
}

// add shows words in which characters may be written by their names.
func (p *inlines) add(words string, role *themes.Role) {
	if strings.Contains(words, "&") {
		words = task.Clean(html.UnescapeString(words)).Line()
	}
	p.put(words, role)
}

func (p *inlines) put(text string, role *themes.Role) {
	if n := len(p.out); n > 0 && p.out[n-1].role == role {
		p.out[n-1].text += text
		return
	}
	p.out = append(p.out, span{text, role})
}

// code returns the code that begins at i, and how long it is with its marks; ""
// and the length of the marks where it does not end.
func (p *inlines) code(i int) (string, int) {
	n := 1
	for i+n < len(p.text) && p.text[i+n] == '`' {
		n++
	}
	if from, ok := p.unclosed[n]; ok && i >= from {
		return "", n
	}
	for j := i + n; j < len(p.text); {
		k := strings.IndexByte(p.text[j:], '`')
		if k < 0 {
			break
		}
		j += k
		m := 1
		for j+m < len(p.text) && p.text[j+m] == '`' {
			m++
		}
		if m == n {
			return strings.TrimSpace(p.text[i+n : j]), j + m - i
		}
		j += m
	}
	p.unclosed[n] = i
	return "", n
}

// link reads [words](address), or an image.
func (p *inlines) link(i int) (words, address string, n int, ok bool) {
	at := i
	if p.text[at] == '!' {
		if at++; at >= len(p.text) || p.text[at] != '[' {
			return "", "", 0, false
		}
	}
	near := p.text[at+1 : min(at+1+maxLink, len(p.text))]
	end := strings.IndexByte(near, ']')
	if end < 0 || strings.IndexByte(near[:end], '[') >= 0 || !strings.HasPrefix(near[end+1:], "(") {
		return "", "", 0, false
	}
	words = strings.Trim(near[:end], "*_` ")
	to := at + 1 + end + 2
	near = p.text[to:min(to+maxLink, len(p.text))]
	depth := 1
	for j := range len(near) {
		switch near[j] {
		case '(':
			depth++
		case ')':
			if depth--; depth > 0 {
				continue
			}
			address, _, _ = strings.Cut(strings.TrimSpace(near[:j]), " ") // a title is left out
			address = strings.Trim(address, "<>")
			return words, address, to + j + 1 - i, address != ""
		}
	}
	return "", "", 0, false
}

// autolink returns the length of <https://...>, 0 for anything else.
func (p *inlines) autolink(i int) int {
	near := p.text[i+1 : min(i+maxLink, len(p.text))]
	end := strings.IndexAny(near, "> <")
	if end < 1 || near[end] != '>' {
		return 0
	}
	for _, scheme := range []string{"http://", "https://", "mailto:"} {
		if strings.HasPrefix(near, scheme) {
			return end + 2
		}
	}
	return 0
}
