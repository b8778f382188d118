package ui

import (
	"net/url"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// lineOverlay is the command line, in the place of the footer, with the list of
// what can be typed above it.
type lineOverlay struct {
	typedLine
	history historyWalk
	all     []entry
	list    []entry // those that match what is typed
	win     window
	chosen  bool // the person moved in the list
	listAt  box  // its lines in the last view
}

// openCommand opens the command line.
func (r *Root) openCommand() {
	l := &lineOverlay{typedLine: typedLine{r.textLine(" : ", "")}, history: walkOf(r.taste.Commands), all: r.entries()}
	l.changed(r)
	r.over = l
}

func (l *lineOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	keys := &r.k.Line
	past := l.history.recalled() || l.input.Value() == ""
	switch {
	case !ok:
	case key.Matches(k, keys.Leave):
		r.over = nil
		return nil
	case key.Matches(k, keys.Accept):
		return l.accept(r)
	case key.Matches(k, keys.Complete):
		l.complete(r)
		return nil
	case key.Matches(k, keys.Older) && past && !l.chosen:
		l.recall(r, -1)
		return nil
	case key.Matches(k, keys.Newer) && past && !l.chosen:
		l.recall(r, 1)
		return nil
	case key.Matches(k, keys.Above, keys.Older):
		l.move(r, -1)
		return nil
	case key.Matches(k, keys.Below, keys.Newer):
		l.move(r, 1)
		return nil
	}
	cmd, changed := l.edit(msg)
	if changed {
		l.history.leave()
		l.changed(r)
	}
	return cmd
}

func (l *lineOverlay) set(r *Root, text string) {
	l.input.SetValue(text)
	l.input.CursorEnd()
	l.changed(r)
}

// changed finds what matches what is typed.
func (l *lineOverlay) changed(r *Root) {
	l.list, l.chosen = l.matching(r), false
	l.win = window{height: l.win.height}
}

// recall steps through what was entered before.
func (l *lineOverlay) recall(r *Root, step int) {
	text, why := l.history.step(step, l.input.Value())
	if why != "" {
		r.say(why)
		return
	}
	l.set(r, text)
}

// move chooses another line of the list.
func (l *lineOverlay) move(r *Root, step int) {
	switch n := len(l.list); {
	case n == 0:
		r.say("Nothing there matches what is typed.")
	case !l.chosen && step > 0 && !l.sure():
		l.chosen = true
	default:
		l.chosen = true
		l.win.cursor = (l.win.cursor + step + n) % n
		l.win.show(n, l.win.height)
	}
}

// sure reports whether enter means the first line of the list, though nobody
// chose it: what is typed stands in its name as it is.
func (l *lineOverlay) sure() bool {
	return l.name() != "" && !l.behind() && len(l.list) > 0 && l.list[0].rank <= byPart
}

// behind reports whether what stands behind a command is being typed.
func (l *lineOverlay) behind() bool {
	name, _, behind := strings.Cut(typedIn(l.input.Value()), " ")
	_, known := commandOf(name)
	return behind && known
}

// complete takes the chosen line of the list into what is typed.
func (l *lineOverlay) complete(r *Root) {
	if len(l.list) == 0 {
		if c, ok := commandOf(l.name()); ok && c.args != "" {
			r.say("Here stands " + c.args + ": " + c.help + ".")
			return
		}
		r.say("Nothing there matches what is typed.")
		return
	}
	l.take(r, &l.list[l.win.cursor])
}

func (l *lineOverlay) take(r *Root, e *entry) {
	text := e.line
	if e.args != "" || e.more {
		text += " "
	}
	l.history.leave()
	l.set(r, text)
}

func (l *lineOverlay) name() string {
	name, _ := split(l.input.Value())
	return name
}

// accept runs what is typed, or the line of the list that is meant.
func (l *lineOverlay) accept(r *Root) tea.Cmd {
	text := strings.TrimSpace(l.input.Value())
	_, args := split(text)
	_, known := commandOf(l.name())
	switch {
	case l.chosen && len(l.list) > 0:
		e := l.list[l.win.cursor]
		if e.args != "" && e.args[0] != '[' {
			l.take(r, &e)
			r.say("Here stands " + e.args + ": " + e.help + ".")
			return nil
		}
		text = e.line
	case text == "" || known || args != "" || len(r.actionsOf(text)) > 0:
	case l.sure():
		e := l.list[0]
		if e.args != "" && e.args[0] != '[' {
			l.take(r, &e)
			return nil
		}
		text = e.line
	}
	r.over = nil
	var kept tea.Cmd
	if !secret(text) && remember(&r.taste.Commands, text) {
		kept = r.keepTaste()
	}
	return tea.Batch(kept, r.run(text))
}

// secret reports whether a line holds what must not be kept: an URL may carry a
// password or a token.
func secret(text string) bool {
	for word := range strings.FieldsSeq(text) {
		u, err := url.Parse(word)
		if err != nil && strings.Contains(word, "//") || err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
			return true
		}
		if strings.Contains(word, "@") && strings.ContainsAny(word, ":/") || strings.ContainsAny(word, "?#") && strings.Contains(word, "/") {
			return true // without its scheme
		}
	}
	return false
}
