package render

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/themes"
)

// Markdown is read a line at a time, by code of our own: the parsers of whole
// CommonMark take seconds to minutes for some texts of 64 KiB (quotes in quotes,
// a table of empty rows), and cannot be stopped. What is not known here stays as
// it came.

// maxMarkdown is up to which size text is rendered: it is read when it is opened.
const maxMarkdown = 256 << 10

var (
	strongSigns = regexp.MustCompile("(?m)^ {0,3}(#{1,6} +\\S|```|~~~ *\\w*$|\\|? *:?-{3,}:? *\\|)")
	weakSigns   = []*regexp.Regexp{
		regexp.MustCompile(`(?m)^ {0,3}[-*+] +\S.*\n+ {0,3}[-*+] +\S`),
		regexp.MustCompile(`(?m)^ {0,3}1[.)] +\S`),
		regexp.MustCompile(`\*\*[^\s*][^*\n]*\*\*`),
		regexp.MustCompile("`[^`\\n]+`"),
		regexp.MustCompile(`\[[^\]\n]+\]\([^)\s]+\)`),
		regexp.MustCompile(`(?m)^ {0,3}> +\S`),
	}
)

// maxLooked is how much of a text is looked at whether it is Markdown.
const maxLooked = 16 << 10

// looksMarkdown reports whether text is most likely Markdown: one sign that
// hardly stands in anything else, or two different ones that may.
func looksMarkdown(text string) bool {
	if len(text) > maxMarkdown {
		return false
	}
	text = text[:min(len(text), maxLooked)]
	if strongSigns.MatchString(text) {
		return true
	}
	n := 0
	for _, sign := range weakSigns {
		if sign.MatchString(text) {
			n++
		}
	}
	return n > 1
}

// isMarkdown reports whether a MIME type is Markdown's.
func isMarkdown(mime string) bool {
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	mime = strings.TrimSpace(mime)
	return mime == "text/markdown" || mime == "text/x-markdown"
}

// lineKind is what a line of Markdown is.
type lineKind uint8

const (
	proseLine lineKind = iota
	title1Line
	title2Line
	title3Line
	codeLine
	ruleLine
	underLine // below a title of the first level
	rowLine   // of a table
	headRow
	headRule
)

// richLine is a line of Markdown, ready to be laid out. Its text is clean.
type richLine struct {
	kind   lineKind
	text   string // its markup within the line is read when it is laid out
	prefix string // before the text: of a list
	quotes int    // how many quotes it stands in
	later  bool   // it goes on with the line before
	table  *table
}

// richBlock shows Markdown.
type richBlock struct {
	lines []richLine
	theme *themes.Theme
}

// markdown reads a text.
func markdown(raw string, t *themes.Theme) *richBlock {
	r := &reader{t: t}
	for line := range strings.SplitSeq(strings.TrimRight(task.Clean(raw).String(), "\n"), "\n") {
		r.line(Expand(line))
	}
	r.flush()
	if len(r.out) == 0 {
		r.out = []richLine{{}}
	}
	return &richBlock{lines: r.out, theme: t}
}

func (b *richBlock) size() int    { return len(b.lines) }
func (b *richBlock) first() place { return place{} }
func (b *richBlock) last() place  { return b.at(len(b.lines) - 1) }

// at returns the place of line i, which may go on with one before.
func (b *richBlock) at(i int) place {
	first := i
	for first > 0 && b.lines[first].later {
		first--
	}
	return place{line: first, seg: i}
}

func (b *richBlock) next(p place) (place, bool) {
	if p.seg+1 >= len(b.lines) {
		return place{}, false
	}
	if b.lines[p.seg+1].later {
		return place{line: p.line, seg: p.seg + 1}, true
	}
	return place{line: p.seg + 1, seg: p.seg + 1}, true
}

func (b *richBlock) prev(p place) (place, bool) {
	if p.seg == 0 {
		return place{}, false
	}
	if p.line < p.seg {
		return place{line: p.line, seg: p.seg - 1}, true
	}
	return b.at(p.seg - 1), true
}

func (b *richBlock) spans(p place) []span {
	l, t := &b.lines[p.seg], b.theme
	switch l.kind {
	case title1Line, title2Line:
		return inline(l.text, &t.Title, t)
	case title3Line:
		return inline(l.text, &t.Strong, t)
	case codeLine:
		return []span{{t.Glyphs.Border.Left + " ", &t.Dim}, {l.text, &t.Accent}}
	case ruleLine, underLine:
		return []span{{l.text, &t.Dim}}
	case rowLine, headRow, headRule:
		return l.table.spans(l, t)
	case proseLine:
	}
	spans := inline(l.text, &t.Text, t)
	if l.prefix != "" && !l.later {
		spans = append([]span{{l.prefix, &t.Accent}}, spans...)
	}
	return spans
}

func (b *richBlock) shape(p place) shape {
	l, t := &b.lines[p.seg], b.theme
	sh := shape{wrap: true, hang: Width(l.prefix), bars: l.quotes, bar: t.Dim.Paint(t.Glyphs.Bar) + " "}
	switch l.kind {
	case codeLine:
		sh.wrap, sh.frozen = false, 2
	case rowLine, headRow, headRule:
		sh.wrap, sh.frozen = false, l.table.frozen()
	case ruleLine, underLine, proseLine, title1Line, title2Line, title3Line:
	}
	return sh
}

// reader reads Markdown line by line.
type reader struct {
	t   *themes.Theme
	out []richLine

	prose  richLine // the paragraph or item being read; its text is in words
	words  strings.Builder
	open   bool   // there is one
	fence  string // the fence that ends the code, "" outside of it
	quotes int
	lists  []int  // the columns of the items that are open
	blank  bool   // the line before was empty
	heads  string // the line before, where it may be a table's head
}

// maxNested is how deep quotes and lists are told apart.
const maxNested = 8

func (r *reader) line(line string) {
	body, quotes := line, 0
	for quotes < maxNested {
		rest, ok := strings.CutPrefix(strings.TrimLeft(body, " "), ">")
		if !ok || indentOf(body) > 3 || r.fence != "" && quotes >= r.quotes {
			break
		}
		quotes++
		body = strings.TrimPrefix(rest, " ")
	}
	if quotes != r.quotes && (r.fence != "" || quotes > 0 || !r.open || strings.TrimSpace(body) == "") {
		r.flush()
		r.fence, r.lists, r.quotes = "", nil, quotes
	}
	if r.fence != "" {
		r.code(body)
		return
	}
	r.read(body)
}

func (r *reader) code(body string) {
	trimmed := strings.TrimSpace(body)
	if strings.HasPrefix(trimmed, r.fence) && strings.Trim(trimmed, r.fence[:1]) == "" {
		r.fence = ""
		return
	}
	r.add(richLine{kind: codeLine, text: body})
}

var (
	fenceStart = regexp.MustCompile("^ {0,3}(```+|~~~+)([^`]*)$")
	titleStart = regexp.MustCompile(`^ {0,3}(#{1,6})(?: +(.*?))?(?: +#+)? *$`)
	ruleStart  = regexp.MustCompile(`^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$`)
	itemStart  = regexp.MustCompile(`^( *)([-*+]|\d{1,9}[.)])( +|$)`)
	headSplit  = regexp.MustCompile(`^ {0,3}\|? *:?-+:? *(\| *:?-+:? *)*\|? *$`)
)

func (r *reader) read(body string) {
	if n := len(r.out); n > 0 && !r.open && r.out[n-1].table != nil && r.out[n-1].quotes == r.quotes && !r.blank && strings.Contains(body, "|") {
		r.add(r.out[n-1].table.row(body))
		return
	}
	switch {
	case strings.TrimSpace(body) == "":
		r.flush()
		r.blank = true
		if n := len(r.out); n > 0 && (r.out[n-1].text != "" || r.out[n-1].table != nil) {
			r.add(richLine{})
		}
		return
	case r.started(body):
	case r.open:
		r.join(body)
	case r.blank && len(r.lists) == 0 && indentOf(body) >= 4, len(r.lists) == 0 && len(r.out) == 0 && indentOf(body) >= 4:
		r.add(richLine{kind: codeLine, text: body[4:]})
		return // another may follow
	default:
		if r.blank && indentOf(body) == 0 {
			r.lists = nil
		}
		r.start(body, strings.Repeat("  ", len(r.lists))) // a further paragraph of an item, where there is one
	}
	r.blank = false
}

// started takes a line that begins something.
func (r *reader) started(body string) bool {
	if m := fenceStart.FindStringSubmatch(body); m != nil {
		r.flush()
		r.fence = m[1]
		if name := strings.TrimSpace(m[2]); name != "" {
			r.add(richLine{kind: ruleLine, text: r.t.Glyphs.Border.Left + " " + name})
		}
		return true
	}
	if m := titleStart.FindStringSubmatch(body); m != nil {
		r.title(len(m[1]), m[2])
		return true
	}
	if r.open && headSplit.MatchString(body) && strings.Contains(r.heads, "|") && r.table(body) {
		return true
	}
	if r.open && len(r.lists) == 0 && r.prose.prefix == "" && underlines(body) {
		level := 1
		if strings.TrimSpace(body)[0] == '-' {
			level = 2
		}
		text := r.words.String()
		r.words.Reset()
		r.open = false
		r.title(level, text)
		return true
	}
	if ruleStart.MatchString(body) {
		r.flush()
		r.lists = nil
		r.add(richLine{kind: ruleLine, text: strings.Repeat(r.t.Glyphs.Border.Top, 24)})
		return true
	}
	if m := itemStart.FindStringSubmatch(body); m != nil && (!r.open || r.prose.prefix != "" || len(m[2]) == 1 || strings.HasPrefix(m[2], "1")) {
		r.item(len(m[1]), m[2], body[len(m[0]):])
		return true
	}
	return false
}

// underlines reports whether a line makes a title of the one before.
func underlines(body string) bool {
	line := strings.TrimSpace(body)
	return indentOf(body) < 4 && len(line) > 1 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

func (r *reader) title(level int, text string) {
	r.flush()
	r.lists = nil
	if strings.TrimSpace(text) == "" {
		return
	}
	text = text[:min(len(text), maxSegment)]
	kind := min(title1Line+lineKind(level)-1, title3Line)
	r.add(richLine{kind: kind, text: text})
	if kind == title1Line {
		w := min(Width(flatten(inline(text, &r.t.Title, r.t))), 40)
		r.add(richLine{kind: underLine, text: strings.Repeat(r.t.Glyphs.Border.Top, w)})
	}
}

// item begins an item of a list.
func (r *reader) item(column int, sign, text string) {
	r.flush()
	for len(r.lists) > 0 && column < r.lists[len(r.lists)-1] {
		r.lists = r.lists[:len(r.lists)-1]
	}
	if n := len(r.lists); n == 0 || column > r.lists[n-1]+1 && n < maxNested {
		r.lists = append(r.lists, column)
	}
	if len(sign) == 1 {
		sign = r.t.Glyphs.Bullet
	}
	for box, glyph := range map[string]string{"[ ] ": r.t.Glyphs.Off, "[x] ": r.t.Glyphs.On, "[X] ": r.t.Glyphs.On} {
		if rest, ok := strings.CutPrefix(text, box); ok {
			sign, text = sign+" "+glyph, rest
			break
		}
	}
	r.start(text, strings.Repeat("  ", len(r.lists)-1)+sign+" ")
}

// start begins a paragraph, or an item.
func (r *reader) start(body, prefix string) {
	r.prose, r.open = richLine{prefix: prefix}, true
	r.words.Reset()
	r.join(body)
}

// join adds a line to the paragraph: a line break of the source is a space, but
// where it is wanted.
func (r *reader) join(body string) {
	hard := strings.HasSuffix(body, "  ") || strings.HasSuffix(body, `\`)
	if r.words.Len() > 0 {
		r.words.WriteByte(' ')
	}
	r.heads = body
	r.words.WriteString(strings.Trim(strings.TrimSuffix(body, `\`), " "))
	if hard {
		prefix := strings.Repeat(" ", Width(r.prose.prefix))
		r.flush()
		r.prose, r.open = richLine{prefix: prefix}, true
	}
}

// flush ends the paragraph. A long one is laid out in several pieces.
func (r *reader) flush() {
	if !r.open {
		return
	}
	r.open, r.heads = false, ""
	text := r.words.String()
	r.words.Reset()
	line := r.prose
	for len(text) > maxSegment {
		at := strings.LastIndexByte(text[:maxSegment], ' ') + 1
		for at == 0 || at > 0 && !utf8.RuneStart(text[at]) {
			if at == 0 {
				at = maxSegment
			}
			if !utf8.RuneStart(text[at]) {
				at--
			}
		}
		line.text, text = text[:at], text[at:]
		r.add(line)
		line.later = true
	}
	line.text = text
	if text != "" || line.prefix != "" && strings.TrimSpace(line.prefix) != "" {
		r.add(line)
	}
}

func (r *reader) add(line richLine) {
	line.quotes = r.quotes
	r.out = append(r.out, line)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
