package keymap

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// keyNames are the names of the keys that Bubble Tea can send, but for text.
var keyNames = func() map[string]bool {
	names := map[string]bool{}
	for t := tea.KeyType(-128); t < 128; t++ {
		if name := (tea.Key{Type: t}).String(); utf8.RuneCountInString(name) > 1 && name != "runes" {
			names[name] = true
		}
	}
	return names
}()

// others are what people call keys, and how a terminal sends them.
var others = map[string]string{
	"space": " ", "ctrl+space": "ctrl+@", "return": "enter", "ctrl+m": "enter", "ctrl+i": "tab", "ctrl+[": "esc", "escape": "esc",
	"pgdn": "pgdown", "pagedown": "pgdown", "page-down": "pgdown", "pageup": "pgup", "page-up": "pgup", "del": "delete", "ins": "insert",
	"backtab": "shift+tab",
}

// prettier is how a person calls a key whose name is another.
var prettier = map[string]string{" ": "space", "ctrl+@": "ctrl+space", "pgdown": "pgdn"}

// Shown is a key as a person names it.
func Shown(k string) string {
	if rest, ok := strings.CutPrefix(k, "alt+"); ok && rest != "" {
		return "alt+" + Shown(rest)
	}
	if name, ok := prettier[k]; ok {
		return name
	}
	return k
}

// isText reports whether a key writes a character.
func isText(k string) bool { return utf8.RuneCountInString(k) == 1 }

// parseKey returns the key that a person names, as Bubble Tea names it, or why
// there is none.
func parseKey(word string) (k, why string) {
	if c, n := utf8.DecodeRuneInString(word); n == len(word) && n > 0 {
		if c == utf8.RuneError || c != ' ' && !unicode.IsGraphic(c) || unicode.IsSpace(c) && c != ' ' {
			return "", "no key " + quoted(word)
		}
		return word, ""
	}
	low := strings.ToLower(word)
	if rest, ok := strings.CutPrefix(low, "alt+"); ok && rest != "" {
		k, why := parseKey(word[len("alt+"):])
		switch {
		case why != "":
			return "", "no key " + quoted(word)
		case k == "esc" || strings.HasPrefix(k, "alt+"):
			return "", "no terminal sends " + quoted(word) + " as one key"
		}
		return "alt+" + k, ""
	}
	if letter, ok := strings.CutPrefix(low, "shift+"); ok && utf8.RuneCountInString(letter) == 1 {
		c, _ := utf8.DecodeRuneInString(letter)
		if up := unicode.ToUpper(c); up != c {
			return string(up), ""
		}
	}
	if k, ok := others[low]; ok {
		return k, ""
	}
	if keyNames[low] {
		return low, ""
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range keyNames {
			if !yield(Shown(name)) {
				return
			}
		}
	})
	return "", "no key " + quoted(word) + meant(Nearest(low, names))
}

// quoted is a name as it was given, safe to show.
func quoted(word string) string {
	const most = 60
	odd := func(c rune) bool { return !unicode.IsGraphic(c) || unicode.IsSpace(c) || c == utf8.RuneError }
	if len(word) > most {
		return strconv.QuoteToASCII(word[:most])
	}
	if word == "" || strings.ContainsFunc(word, odd) {
		return strconv.QuoteToASCII(word)
	}
	return word
}

// Nearest returns those of names that a misspelt one may mean, the nearest first,
// three at most.
func Nearest(word string, names []string) []string {
	const most = 3
	type near struct {
		name string
		far  int
	}
	word = strings.ToLower(word)
	if len(word) > 100 {
		return nil
	}
	var all []near
	for _, name := range names {
		far := distance(word, name)
		_, action, scoped := strings.Cut(name, ".")
		if scoped { // "cancel" for "task.cancel"
			far = min(far, distance(word, action)+1)
		}
		if far <= max(len(word)/3, 1) || far <= 2 && len(word) > 3 {
			all = append(all, near{name, far})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	var found []string
	for _, n := range all {
		if len(found) < most && n.far <= all[0].far+1 {
			found = append(found, n.name)
		}
	}
	return found
}

// distance is how many characters must be put in, taken away, exchanged or
// swapped with the next to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	two, one, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range one {
		one[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			same := 1
			if x[i] == y[j] {
				same = 0
			}
			row[j+1] = min(row[j]+1, one[j+1]+1, one[j]+same)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], two[j-1]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(y)]
}
