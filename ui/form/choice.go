package form

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"callboard/keymap"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// manyChoices is from how many choices on typing searches among them.
const manyChoices = 8

func (r *row) choices() []task.Choice {
	if r.kind == modeRow {
		return modeChoices
	}
	return r.field.Choices
}

// matching returns the indexes of the choices that the search lets through.
func (r *row) matching() []int {
	choices := r.choices()
	want := strings.ToLower(r.search)
	out := make([]int, 0, len(choices))
	for i, c := range choices {
		if want == "" || strings.Contains(strings.ToLower(c.Label.Line()), want) {
			out = append(out, i)
		}
	}
	return out
}

// moveChoice moves among the choices that match. Of one of several the choice
// under the cursor is chosen: what a person looks at is what is sent.
func (r *row) moveChoice(by int) bool {
	matching := r.matching()
	if len(matching) == 0 {
		return false
	}
	to := 0
	for i, c := range matching {
		if c == r.cursor {
			to = max(min(i+by, len(matching)-1), 0)
		}
	}
	return r.stand(matching[to])
}

// stand puts the cursor on choice i, and chooses it where one is to be chosen.
func (r *row) stand(i int) bool {
	r.cursor = i
	r.changed()
	if r.isMany() {
		return false
	}
	return r.choose(i)
}

// jump goes to the next choice that begins with a letter; where nothing is
// chosen yet, the one under the cursor is the first of these.
func (r *row) jump(letter rune) (changed, found bool) {
	choices := r.choices()
	from := r.cursor + 1
	if !r.set && !r.isMany() {
		from = r.cursor
	}
	for n := range choices {
		i := (from + n) % len(choices)
		if first, _ := utf8.DecodeRuneInString(choices[i].Label.Line()); unicode.ToLower(first) == unicode.ToLower(letter) {
			return r.stand(i), true
		}
	}
	return false, false
}

// choose chooses one of one; it returns whether that is a change.
func (r *row) choose(i int) bool {
	if r.kind == modeRow {
		was := r.text
		r.set, r.text, r.cursor = true, string(modeChoices[i].Value), i
		r.changed()
		return r.text != was
	}
	was := r.set && r.chosen[i] && r.problem == ""
	clear(r.chosen)
	r.chosen[i], r.cursor, r.others = true, i, nil
	r.writeChoices()
	return !was
}

// toggle turns the choice under the cursor on or off.
func (r *row) toggle() bool {
	matching := r.matching()
	found := false
	for _, i := range matching {
		found = found || i == r.cursor
	}
	if !found {
		if len(matching) == 0 {
			return false
		}
		r.cursor = matching[0]
	}
	r.chosen[r.cursor] = !r.chosen[r.cursor]
	r.writeChoices()
	return true
}

// find changes the search, and puts the cursor on its first match.
func (r *row) find(search string) bool {
	r.search = search
	r.changed()
	matching := r.matching()
	if len(matching) == 0 || search == "" {
		return false
	}
	for _, i := range matching {
		if i == r.cursor && (r.isMany() || r.set) {
			return false
		}
	}
	r.cursor = matching[0]
	if r.isMany() {
		return false
	}
	return r.choose(r.cursor)
}

// chosenNow reports whether choice i is chosen.
func (r *row) chosenNow(i int) bool {
	if r.kind == modeRow {
		return r.text == string(modeChoices[i].Value)
	}
	return r.chosen[i]
}

// updateChoice takes a key on a row of choices. taken is false for a key that
// means nothing there.
func (r *row) updateChoice(msg tea.KeyMsg, keys *keymap.Form) (changed, taken bool) {
	searching := len(r.choices()) > manyChoices
	switch {
	case key.Matches(msg, keys.Up), key.Matches(msg, keys.Left):
		return r.moveChoice(-1), true
	case key.Matches(msg, keys.Down), key.Matches(msg, keys.Right):
		return r.moveChoice(1), true
	case key.Matches(msg, keys.Toggle) && (r.search == "" || r.isMany()):
		if r.isMany() {
			return r.toggle(), true
		}
		return r.moveChoice(0), true
	case searching && msg.Type == tea.KeyBackspace && r.search != "":
		runes := []rune(r.search)
		return r.find(string(runes[:len(runes)-1])), true
	case searching && (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt:
		return r.find(r.search + string(msg.Runes)), true
	case !searching && msg.Type == tea.KeyRunes && !msg.Alt && len(msg.Runes) > 0:
		for _, letter := range msg.Runes {
			c, t := r.jump(letter)
			changed, taken = changed || c, taken || t
		}
		return changed, taken
	}
	return false, false
}

// updateBool takes a key on a yes or no.
func (r *row) updateBool(msg tea.KeyMsg, keys *keymap.Form) (changed, taken bool) {
	yes := r.set && r.text == "true"
	switch {
	case key.Matches(msg, keys.Left):
		return r.say(true), true
	case key.Matches(msg, keys.Right):
		return r.say(false), true
	case key.Matches(msg, keys.Toggle):
		return r.say(!yes), true
	case msg.Type == tea.KeyRunes && !msg.Alt && len(msg.Runes) > 0:
		last := tea.KeyMsg{Type: tea.KeyRunes, Runes: msg.Runes[len(msg.Runes)-1:]} // who types fast sends several
		switch {
		case key.Matches(last, keys.Yes):
			return r.say(true), true
		case key.Matches(last, keys.No):
			return r.say(false), true
		}
	}
	return false, false
}

func (r *row) say(yes bool) bool {
	text := "false"
	if yes {
		text = "true"
	}
	was := r.set && r.text == text
	r.assign(text)
	return !was
}
