package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"callboard/model/task"
)

// What the looking half reads. It may be read between two Updates only, by the
// goroutine that owns the model.

// Links returns the links in the order of the targets. It is read, never written:
// who asks again before anything has changed gets the same.
func (m *Model) Links() []LinkView {
	now := time.Now()
	if v := &m.views; v.links == nil || v.updates != m.updates || now.Sub(v.at) >= viewsLast {
		v.links, v.updates, v.at = make([]LinkView, len(m.links)), m.updates, now
		for i, l := range m.links {
			v.links[i] = l.view(now)
		}
	}
	return m.views.links
}

// views are the links as they were seen last. A message of the screen asks for them
// a dozen times.
type views struct {
	links   []LinkView
	updates uint64 // of the model
	at      time.Time
}

// viewsLast is how long a view holds while nothing is brought: some of it ages.
const viewsLast = 100 * time.Millisecond

// Counts are numbers of rows by what the header shows. Each row counts once,
// those of other credentials (NotOurs) in Total alone:
// Calls are plain calls that run, Gone is what is known of no more before it
// was seen to end.
type Counts struct{ Working, Asking, Completed, Failed, Cancelled, Gone, Calls, Total int }

// Counts returns the counts over all servers.
func (m *Model) Counts() Counts {
	return Counts{
		Working: m.counts[working], Asking: m.counts[asking], Completed: m.counts[completed],
		Failed: m.counts[failed], Cancelled: m.counts[cancelled], Gone: m.counts[gone],
		Calls: m.counts[calls], Total: m.board.Total(),
	}
}

// Revision grows with each change that a view could show.
func (m *Model) Revision() uint64 { return m.rev }

// Rings grows with each new prompt: the screen rings the bell when it grew.
func (m *Model) Rings() uint64 { return m.rings }

// Notice returns the newest sentence for the footer and when it came ("" none).
func (m *Model) Notice() (line string, bad bool, at time.Time) {
	return m.notice.line, m.notice.bad, m.notice.at
}

// Board returns the ordered, filtered table of rows.
func (m *Model) Board() *Board { return m.board }

// Row returns the row that key names, following a call that became a task;
// nil where there is none. Rows are read, never written, outside this package.
func (m *Model) Row(key task.Key) *Row {
	_, r := m.rowLink(key)
	return r
}

// rowLink returns the row that key names and its link, nil where there is none.
func (m *Model) rowLink(key task.Key) (*link, *Row) {
	l := m.byName[key.Server]
	switch {
	case l == nil:
		return nil, nil
	case key.ID != "":
		return l, l.store.tasks[key.ID]
	case key.Call != "":
		return l, l.store.calls[key.Call]
	}
	return l, nil
}

// Tools returns what is known of a server's tools.
func (m *Model) Tools(server string) ToolsView {
	if l := m.byName[server]; l != nil {
		return l.tools
	}
	return ToolsView{}
}

// unable returns why l's server cannot be reached now, "" where it can.
func (m *Model) unable(l *link) string {
	switch {
	case l == nil:
		return "there is no such server"
	case l.server == nil && l.dialing:
		return l.target.Name + " is being connected to"
	case l.server == nil:
		return l.target.Name + " is not connected"
	}
	return ""
}

// Unpushed returns why push brings no news of the row that key names, so that it
// is polled; "" where push does, and of rows of which no news can come.
func (m *Model) Unpushed(key task.Key) string {
	l, r := m.rowLink(key)
	switch {
	case r == nil || r.Key.ID == "" || !r.Live() || l.server == nil || l.mute != nil:
		return ""
	case !l.stream.Up && l.stream.Never:
		return cmp.Or(l.stream.Why, "the server pushes nothing")
	case !l.stream.Up:
		return "push is down: " + cmp.Or(l.stream.Why, "it is not open yet")
	}
	return l.sched.unpushed(key.ID)
}

// CanCancel returns "" where the key works on that row, else the reason why it
// does not.
func (m *Model) CanCancel(key task.Key) string {
	l, r := m.rowLink(key)
	switch {
	case r == nil:
		return "no row is selected"
	case r.Mark == NotOurs:
		return notOursWhy
	case r.Task.Status.Terminal():
		return "it has ended (" + r.Task.Status.String() + ")"
	case r.Mark == UnknownOutcome:
		return "nobody knows what became of the call"
	case !r.Live():
		return "the server does not know it any more"
	case l.target.ReadOnly:
		return l.readOnlyWhy()
	case l.server == nil:
		return m.unable(l)
	case r.Key.ID != "" && l.about.Cancel == task.CanNo && !l.forceStop[r.Key.ID]:
		return "the server did not declare tasks/cancel; :force allows one try"
	}
	return ""
}

// CanStart returns "" where tools of that server can be started, else the
// reason why not.
func (m *Model) CanStart(server string) string {
	l := m.byName[server]
	switch {
	case l != nil && l.target.ReadOnly:
		return l.readOnlyWhy()
	case m.unable(l) != "":
		return m.unable(l)
	case l.about.Tools == task.CanNo:
		return "the server has no tools"
	case l.starts >= startMost:
		return "64 calls are under way; one has to end first"
	}
	return ""
}

// CanAnswer returns "" where the row has a question, or where AttendMsg can
// fetch it, else the reason why there is nothing to answer.
func (m *Model) CanAnswer(key task.Key) string {
	l, r := m.rowLink(key)
	switch {
	case r == nil:
		return "no row is selected"
	case l.target.ReadOnly:
		return l.readOnlyWhy()
	case len(r.Asks) > 0:
		return ""
	case r.Mark == NotOurs:
		return notOursWhy
	case !r.Asking():
		return "it does not ask anything"
	case l.server == nil:
		return m.unable(l)
	case !slices.Contains(l.attended, r.Key.ID):
		return ""
	}
	if l.about.Unsampled {
		return "the server says that it asks, but has not sent the question here: this session was begun without sampling, and " +
			"texts (sampling) are asked for in the next one; another client may have got any other question"
	}
	return "the server says that it asks, but has not sent the question here; another client may have got it"
}

// Why returns the sentences of the empty state: what is so and why (no server
// reached, a list that is empty because tasks belong to sessions, ...). key returns
// the key of an action of the screen.
func (m *Model) Why(key func(action string) string) []string {
	if m.board.Total() > 0 && m.board.Len() == 0 && m.board.Filter() != "" && !m.board.Busy() {
		return []string{"No task passes the filter; " + key("everywhere.back") + " clears it."}
	}
	if len(m.links) == 0 {
		return []string{"No server is attached to.", ":connect URL attaches to one."}
	}
	var lines []string
	for _, l := range m.links {
		lines = append(lines, m.whyEmpty(l, key)...)
	}
	return lines
}

func (m *Model) whyEmpty(l *link, key func(string) string) []string {
	v, name := l.view(m.now), l.target.Name
	switch {
	case v.State == Connecting && l.err == nil:
		return []string{"Connecting to " + v.URL + "."}
	case v.State == Down || l.server == nil:
		lines := []string{name + " is not reached: " + cmp.Or(v.Why, "no reason was given") + "."}
		if v.Err != nil && !v.Err.Tried.IsZero() {
			lines = append(lines, "Tried: "+v.Err.Tried.Line()+".")
		}
		if v.Err != nil && !v.Err.Advice.IsZero() {
			lines = append(lines, sentence(v.Err.Advice.Line()))
		}
		if v.NextTry.IsZero() {
			return append(lines, "Nothing more is tried by itself: "+key("everywhere.refresh")+" tries again.")
		}
		return lines
	case l.about.Era == task.Modern:
		return m.whyEmptyModern(l, key)
	case l.listErr != "":
		lines := []string{name + " is connected, but its tasks cannot be listed: " + l.listErr + "."}
		if l.target.ReadOnly {
			return lines
		}
		if l.about.TaskCalls == task.CanNo {
			return append(lines, key("everywhere.new")+" shows the tools, which are called plainly.")
		}
		return append(lines, "Tasks that you start here are followed: "+key("everywhere.new")+" shows the tools.")
	case l.swept.IsZero():
		return []string{name + " is connected; its tasks are being listed."}
	case l.about.Joined:
		return []string{name + " lists no task in the session that was joined."}
	}
	lines := []string{name + " lists no tasks."}
	if l.rejoined {
		lines = []string{
			name + " lists no task in the session that was kept from before, and rejoined.",
			":watch ID asks for one task.",
		}
	} else if l.about.Session {
		lines = append(lines,
			"Most servers show a session only its own tasks, and this session is new.",
			"--session-file joins the session of another program; :watch ID asks for one task.")
	}
	if !l.target.ReadOnly && l.about.Tools != task.CanNo {
		lines = append(lines, key("everywhere.new")+" starts one.")
	}
	return lines
}

// whyEmptyModern says it of a server of the Modern era, which has neither lists
// nor sessions.
func (m *Model) whyEmptyModern(l *link, key func(string) string) []string {
	name := l.target.Name
	if l.about.TaskCalls == task.CanNo && !l.about.Note.IsZero() {
		lines := []string{name + " is connected.", sentence(l.about.Note.Line())}
		if !l.target.ReadOnly && l.about.Tools != task.CanNo {
			lines = append(lines, key("everywhere.new")+" calls a tool.")
		}
		return lines
	}
	kept := "."
	if l.target.Memory != nil {
		kept = ", and kept for the next start."
	}
	lines := []string{
		name + " speaks 2026-07-28, in which no server lists its tasks.",
		"Those started here are shown" + kept,
		":watch ID shows one whose id you have.",
	}
	if !l.about.Note.IsZero() {
		lines = append(lines, sentence(l.about.Note.Line()))
	}
	if !l.target.ReadOnly && l.about.Tools != task.CanNo {
		lines = append(lines, key("everywhere.new")+" starts one.")
	}
	return lines
}

// sentence makes a sentence of words that stand in the middle of one elsewhere.
func sentence(words string) string {
	first, n := utf8.DecodeRuneInString(words)
	words = string(unicode.ToUpper(first)) + words[n:]
	if strings.HasSuffix(words, "?") || strings.HasSuffix(words, ".") {
		return words
	}
	return words + "."
}
