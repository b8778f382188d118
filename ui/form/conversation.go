package form

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/ui/render"
)

// maxOpening is how much of a text is laid out where only its beginning shows.
const maxOpening = 8 << 10

// opening lays out the beginning of words of a server: at most limit rows
// behind the bar, and in the last of them how much is hidden.
func (f *Form) opening(words string, limit int) []string { return f.openingOf(words, 0, limit) }

// openingOf is opening for words that are the beginning of size bytes, with 0 all
// of them.
func (f *Form) openingOf(words string, size, limit int) []string {
	words = strings.TrimSpace(words)
	if words == "" {
		return nil
	}
	cut := words
	if size = max(size, len(words)); len(words) > maxOpening {
		n := maxOpening
		for !utf8.RuneStart(words[n]) {
			n--
		}
		cut = words[:n]
	}
	t := f.theme
	rows := render.Wrap(cut, max(f.inner()-2, 1))
	hidden := max(len(rows)-limit+1, 0)
	all := len(rows) <= limit && size == len(cut)
	if !all {
		rows = rows[:min(max(limit-1, 1), len(rows))]
	}
	for i, r := range rows {
		rows[i] = f.bar() + t.Text.Paint(r)
	}
	if all {
		return rows
	}
	more := counted(hidden, "more line")
	if size > len(cut) {
		more = render.Size(int64(size)) + " in all"
	}
	return append(rows, f.own(t.Glyphs.More+" "+more+": "+shown(f.keys.Form.Menu)+" "+shown(f.keys.Menu.Whole)+" shows it whole")...)
}

// intro is what the server wrote of its question, laid out once for a size.
func (f *Form) intro() []string {
	if f.said.w == f.w && f.said.h == f.h {
		return f.said.lines
	}
	share := max(f.bodyHeight()/2, 3)
	if f.isURL() {
		share = max(f.bodyHeight()/3, 2)
	}
	lines := f.opening(f.spec.Message.String(), share)
	if f.spec.Sampling != nil {
		lines = append(lines, f.conversation(max(share, 5))...)
	}
	f.said = keptLines{lines: lines, w: f.w, h: f.h}
	return lines
}

// conversation shows what a model is to go on with: what is wanted of it, the
// system prompt, and the last messages, in about limit rows.
func (f *Form) conversation(limit int) []string {
	s := f.spec.Sampling
	head := func(words string) string {
		return f.theme.Strong.Paint(render.Clip(words, f.inner(), f.theme.Glyphs.Ellipsis))
	}
	var lines []string
	if !s.System.IsZero() {
		lines = append(lines, head("system prompt"))
		lines = append(lines, f.opening(s.System.String(), max(limit/3, 2))...)
	}
	var blocks [][]string // the last messages, the last first
	used, shownFrom := 0, len(s.Messages)
	for i := len(s.Messages) - 1; i >= 0 && (used < limit || i == len(s.Messages)-1); i-- {
		m := &s.Messages[i]
		block := []string{head(nameOf(m.Role))}
		if len(s.Messages) > 1 {
			block[0] = head(nameOf(m.Role) + " " + f.theme.Glyphs.Dot + " " + fmt.Sprintf("%d of %d", i+1, len(s.Messages)))
		}
		most := max(limit/3, 2)
		if i == len(s.Messages)-1 {
			most = max(limit*2/3, 3)
		}
		for j := range m.Content {
			if j == maxPieces {
				block = append(block, f.own(counted(len(m.Content)-j, "more piece")+" of content")...)
				break
			}
			block = append(block, f.piece(&m.Content[j], most)...)
		}
		blocks = append(blocks, block)
		used += len(block)
		shownFrom = i
	}
	if shownFrom > 0 {
		lines = append(lines, f.own(f.theme.Glyphs.More+" "+counted(shownFrom, "earlier message")+": "+
			shown(f.keys.Form.Menu)+" "+shown(f.keys.Menu.Whole)+" shows all")...)
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		lines = append(lines, blocks[i]...)
	}
	if words := s.Wishes(" " + f.theme.Glyphs.Dot + " "); words != "" {
		lines = append(lines, f.own("The server would like: "+words)...)
	}
	return lines
}

// maxPieces is how many pieces of content of one message the form shows.
const maxPieces = 4

// piece shows content by its kind, each behind the bar.
func (f *Form) piece(c *task.Content, limit int) []string {
	text := c.Text
	if c.Kind != task.TextContent {
		words := render.ContentWords(c, " "+f.theme.Glyphs.Dot+" ")
		if text != "" {
			words += "\n" + text
		}
		text = words
	}
	if len(text) > 2*maxOpening { // the whole is cleaned where it is read whole
		return f.openingOf(task.CleanMax(text, 2*maxOpening).String(), len(text), limit)
	}
	return f.opening(task.Clean(text).String(), limit)
}

// tokensOf estimates how many tokens a model would count: about one for four
// letters of an alphabet, one for each sign of a script that writes words in
// one.
func tokensOf(text string) int {
	letters, signs := 0, 0
	for _, r := range text {
		if r >= 0x2e80 {
			signs++
		} else {
			letters++
		}
	}
	return (letters+3)/4 + signs
}

// measure says how long the reply is beside what the server allows, and whether
// it is too long.
func (f *Form) measure(r *row) (words string, over bool) {
	if f.spec.Sampling == nil || r.kind != fieldRow || r.field.Name != task.SampledText || !r.set {
		return "", false
	}
	if r.measured != r.text || r.tokens == 0 {
		r.measured, r.tokens, r.words = r.text, tokensOf(r.text), len(strings.Fields(r.text))
	}
	words = counted(r.words, "word") + ", about " + counted(r.tokens, "token")
	if most := f.spec.Sampling.MaxTokens; most >= 0 {
		words += " of " + strconv.FormatInt(most, 10)
		if int64(r.tokens) > most {
			return words + ": more than the server wants", true
		}
	}
	return words, false
}
