package model

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"callboard/model/task"
)

// FilterTokens returns the words that a filter knows beside plain text, each with
// one line of help.
func FilterTokens() []struct{ Token, Help string } {
	return []struct{ Token, Help string }{
		{"status:", "by status; several by comma: status:failed,cancelled"},
		{"tool:", "part of the tool's name"},
		{"server:", "part of the server's name"},
		{"id:", "part of the task's id"},
		{"message:", "part of the message"},
		{"is:", "is:asking, live, ended, marked, mine, toolerror, call, late or wish"},
		{"age>", "began longer ago: age>5m, age<1h, age>=2d"},
		{"ttl<", "less is left of its time to live: ttl<1m, ttl>10m"},
		{"progress>", "further than so many percent: progress>50"},
		{"!", "all but: !status:completed, !text"},
		{"/", "a regular expression: /err(or)?$/"},
		{`"`, `words together: "disk full"`},
	}
}

// The bounds of a completion: candidatesMost are offered, sampleRows rows are
// looked at for ids, toolsMost names of tools are kept.
const (
	candidatesMost = 50
	sampleRows     = 2000
	toolsMost      = 1000
)

// CompleteFilter returns what the word of a filter at the cursor could become:
// each candidate is to take the place of the characters from from to cursor, both
// counted in runes as text fields do. Candidates are sorted; there are 50 at most.
// They are tokens, and behind their colon what is known: statuses, kinds, the
// names of tools and servers, and ids among the first rows of the board.
func CompleteFilter(text string, cursor int, m *Model) (from int, candidates []string) {
	head := string([]rune(text)[:min(max(cursor, 0), utf8.RuneCountInString(text))])
	words := splitFilter(head)
	cursor = utf8.RuneCountInString(head)
	if len(words) == 0 || words[len(words)-1].end < len(head) || unclosedSpace(head) {
		return cursor, tokensWith("")
	}
	w := words[len(words)-1]
	typed := head[w.at:]
	if w.not {
		typed = typed[1:]
	}
	if w.kind != bareWord || w.body == "" {
		if w.kind == bareWord {
			return cursor, tokensWith("")
		}
		return cursor, nil
	}
	name, value, ok := strings.Cut(typed, ":")
	if !ok {
		return cursor - utf8.RuneCountInString(typed), tokensWith(strings.ToLower(typed))
	}
	name = strings.ToLower(name)
	if name != "id" {
		value = value[strings.LastIndexByte(value, ',')+1:]
	}
	from = cursor - utf8.RuneCountInString(value)
	return from, choose(m.filterValues(name, plainValue(value)), plainValue(value))
}

// unclosedSpace reports whether head ends with a space that is in no quotes.
func unclosedSpace(head string) bool {
	c, _ := utf8.DecodeLastRuneInString(head)
	words := splitFilter(head)
	return unicode.IsSpace(c) && words[len(words)-1].end < len(head)
}

// plainValue returns a value that is being typed without its quotes, in lower
// case.
func plainValue(v string) string { return strings.ToLower(strings.Trim(v, `"`)) }

func tokensWith(prefix string) []string {
	var found []string
	for _, t := range FilterTokens() {
		if len(t.Token) > 1 && strings.HasPrefix(t.Token, prefix) {
			found = append(found, t.Token)
		}
	}
	slices.Sort(found)
	return found
}

// filterValues returns what is known behind name and a colon.
func (m *Model) filterValues(name, value string) []string {
	var found []string
	switch name {
	case "status":
		for _, n := range statusNames {
			found = append(found, plainStatus(n))
		}
	case "is":
		for _, k := range kinds {
			found = append(found, k.name)
		}
	case "server":
		for _, l := range m.links {
			found = append(found, l.target.Name)
		}
	case "tool":
		found = slices.Collect(maps.Keys(m.board.tools))
		for _, l := range m.links {
			for _, t := range l.tools.Tools[:min(len(l.tools.Tools), toolsMost)] {
				found = append(found, task.CleanLine(t.Name, 256).Line(), t.Title.Line()) // a row shows either
			}
		}
	case "id":
		found = m.board.sampleIDs(value)
	}
	return found
}

// plainStatus is a status word as a filter writes it.
func plainStatus(n string) string { return strings.ReplaceAll(n, " ", "-") }

// sampleIDs returns ids that begin with value among the first rows in sight and
// the first that there are.
func (b *Board) sampleIDs(value string) []string {
	var found []string
	look := func(r *Row) bool {
		if id := r.Key.ID; id != "" && strings.HasPrefix(strings.ToLower(string(id)), value) {
			if shown := id.Text().Line(); shown == string(id) { // what is cleaned would not be found
				found = append(found, shown)
			}
		}
		return len(found) < candidatesMost
	}
	for i := 0; i < min(b.Len(), sampleRows) && look(b.At(i)); i++ {
	}
	for i := 0; i < min(len(b.all), sampleRows) && look(b.all[i]); i++ {
	}
	return found
}

// choose returns what begins with value, else what holds it, sorted, in quotes
// where it holds a space.
func choose(of []string, value string) []string {
	for _, fits := range []func(string, string) bool{strings.HasPrefix, strings.Contains} {
		var found []string
		for _, c := range of {
			if c != "" && fits(strings.ToLower(c), value) && !strings.Contains(c, `"`) {
				if strings.ContainsFunc(c, unicode.IsSpace) || strings.Contains(c, ",") {
					c = `"` + c + `"`
				}
				found = append(found, c)
			}
		}
		if found != nil {
			slices.Sort(found)
			found = slices.Compact(found)
			return found[:min(len(found), candidatesMost)]
		}
	}
	return nil
}

// noteTool keeps the names of tools for CompleteFilter.
func (b *Board) noteTool(r *Row) {
	if r.Tool.IsZero() || len(b.tools) >= toolsMost {
		return
	}
	if name := r.Tool.Line(); len(name) <= 256 {
		b.tools[name] = struct{}{}
	}
}
