package form

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"callboard/model/task"
	"callboard/ui/render"
)

func (f *Form) title() string {
	server := f.spec.Server
	if f.spec.Guard != "" {
		server = f.spec.Guard + " " + server
	}
	switch {
	case f.spec.Kind == Call:
		return "new " + nameOf(f.spec.Tool) + " on " + server
	case f.isURL():
		return f.theme.Glyphs.Asking + " " + server + " asks you to visit a page" + f.ofMany()
	case f.spec.Sampling != nil:
		return f.theme.Glyphs.Asking + " " + server + " asks for a model's reply" + f.ofMany()
	}
	return f.theme.Glyphs.Asking + " " + server + " asks" + f.ofMany()
}

// ofMany says which of the questions of its task this is, "" where it is the
// only one.
func (f *Form) ofMany() string {
	if f.among.Of < 2 {
		return ""
	}
	return fmt.Sprintf(" %s question %d of %d", f.theme.Glyphs.Dot, f.among.Number, f.among.Of)
}

// nameOf shows a name that a server gave: as it is where it is one plain word,
// else in quotes of which it holds none, so that it cannot go on as if it were
// words of callboard.
func nameOf(name task.Text) string {
	s := name.Line()
	if s != "" && !strings.ContainsFunc(s, notInNames) {
		return s
	}
	return quoted(s)
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, "'") + `"` }

func notInNames(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:/", r)
}

// roomyHeight is from which height on a form spends lines on looks.
const roomyHeight = 14

// header says what else is known of who asks, then what became of it. The
// title names the server already, by the name that the person gave it.
func (f *Form) header() []string {
	if f.head.lines != nil && f.head.w == f.w && f.head.h == f.h {
		return f.head.lines
	}
	s, t := &f.spec, f.theme
	var parts []string
	if !s.Tool.IsZero() && s.Kind == Question {
		parts = append(parts, "tool "+nameOf(s.Tool))
	}
	if !s.Task.IsZero() {
		id := nameOf(s.Task)
		if s.Guessed {
			id += " (most likely)"
		}
		parts = append(parts, "task "+id)
	} else if s.Kind == Question {
		who := "no task named"
		if s.Calling {
			who = "a call of yours"
		}
		if s.Calling && s.Unborn {
			who += ", no task yet"
		}
		parts = append(parts, who)
	}
	if s.ServerURL != "" && s.ServerURL != s.Server {
		parts = append(parts, "at "+task.CleanLine(s.ServerURL, 512).Line())
	}
	if name := s.Name.Line(); name != "" {
		parts = append(parts, "calls itself "+quoted(name))
	}
	rows := f.packed(parts)
	limit := 1
	switch {
	case f.h >= roomyHeight:
		limit = 3
	case f.h >= roomyHeight-3:
		limit = 2
	}
	if len(rows) > limit {
		rows = append(rows[:limit-1:limit-1], strings.Join(rows[limit-1:], " "+t.Glyphs.Dot+" ")) // cut by the frame
	}
	for i := range rows {
		rows[i] = t.Dim.Paint(rows[i])
	}
	rows = append(rows, f.banner()...)
	rows = append(rows, f.sampleLines()...)
	if f.h >= roomyHeight {
		rows = append(rows, "")
	}
	rows = rows[:min(len(rows), max(f.h-3, 0))]
	f.head = keptLines{lines: rows, w: f.w, h: f.h}
	return rows
}

// keptLines are lines that were laid out for a form of w by h cells.
type keptLines struct {
	lines []string
	w, h  int
}

// packed puts parts on as few rows as they need, each whole where it fits.
func (f *Form) packed(parts []string) []string {
	var rows []string
	dot := " " + f.theme.Glyphs.Dot + " "
	for _, p := range parts {
		if n := len(rows); n > 0 && render.Width(rows[n-1]+dot+p) <= f.inner() {
			rows[n-1] += dot + p
			continue
		}
		if f.h < roomyHeight { // cut by the frame
			rows = append(rows, p)
			continue
		}
		rows = append(rows, render.Wrap(p, f.inner())...)
	}
	return rows
}

// ages says in the upper edge how old the question is, and how long it can
// still be answered, which goes first where there is little room.
func (f *Form) ages(w int) string {
	t := f.theme
	now := f.spec.Now()
	asked, left := "", ""
	role := &t.PromptFrame
	if !f.spec.Since.IsZero() {
		asked = "asked " + ago(now.Sub(f.spec.Since))
	}
	if f.ending() {
		d := f.spec.Ends.Sub(now)
		if left = timeLeft(d); d < time.Minute {
			role, left = &t.Warning, t.Glyphs.Warning+" "+left
		}
	}
	dot := " " + t.Glyphs.Dot + " "
	switch {
	case left == "" && asked != "" && len(asked)+2 <= w/3:
		return t.PromptFrame.Paint(" " + asked + " ")
	case left == "" || len(left)+2 > 2*w/5:
		return ""
	case asked == "" || len(asked+left)+5 > w/2:
		return role.Paint(" " + left + " ")
	}
	return t.PromptFrame.Paint(" "+asked+dot) + role.Paint(left+" ")
}

// ending reports whether the time for an answer is known and matters.
func (f *Form) ending() bool {
	if f.spec.Ends.IsZero() {
		return false
	}
	switch f.state.Phase {
	case Asking, Failed, Held:
		return true
	case Sending, Sent, Withdrawn, Waiting, Complete:
	}
	return false
}

// timeLeft is as coarse as ago.
func timeLeft(d time.Duration) string {
	switch {
	case d <= 0:
		return "time is up"
	case d < 5*time.Second:
		return "<5s left"
	}
	return span(d) + " left"
}

// ago is coarse, so that a form does not flicker: 5 s steps under a minute.
func ago(d time.Duration) string {
	if d < 5*time.Second {
		return "just now"
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/(5*time.Second))*5) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

// seconds writes some seconds, "1 s".
func seconds(n int) string { return strconv.Itoa(n) + " s" }
