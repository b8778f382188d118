package model

import (
	"slices"
	"strings"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// succeeds takes in that the callboard which had the stream of pushed news of
// l's session has ended: that stream is l's from now on, to be opened as soon as
// nothing stands against it.
func (l *link) succeeds(kept task.Resume, now time.Time) {
	if l.resume.PostOnly && !kept.PostOnly && kept.Session != "" && kept.Session == l.resume.Session {
		if l.estate.Session == "" {
			l.estateAt = now
		}
		l.estate = kept
	}
}

// patience is how long a takeover waits for open questions: they come again with
// the stream, which is nothing for a person who is typing. Where nobody is there
// to answer, others must not be missed for them.
const patience = 2 * time.Minute

// takeOver opens the stream of pushed news that another callboard left. The
// session stays, and what is known of it; since a session has its streams from
// its beginning, it is rejoined for that. What would suffer from it is waited
// for: polling does for as long.
func (m *Model) takeOver(l *link) {
	kept := l.estate
	switch {
	case kept.Session == "":
		return
	case kept.Session != l.resume.Session || !l.resume.PostOnly:
		l.estate = task.Resume{} // that session is over
		return
	case l.dialing, l.server != nil && m.engaged(l):
		return
	}
	l.estate = task.Resume{}
	s := l.server
	if s == nil {
		l.resume = left(l.resume, kept)
		return
	}
	m.note(l, "another callboard that used the session has ended: its stream of pushed news is opened here")
	l.resume = left(s.Resume(), kept)
	l.cancel()
	l.server, l.quiet = nil, true
	l.unasked()
	m.askedAgain(l)
	m.do(func() tea.Msg { closeSession(s); return nil })
	m.dial(l)
}

// left returns what rejoins the session of ours with its stream, at the places
// that the one who had it left.
func left(ours, kept task.Resume) task.Resume {
	ours.PostOnly, ours.Joined = false, kept.Joined
	if kept.LastEvent != "" {
		ours.LastEvent = kept.LastEvent
	}
	lines := strings.Split(string(kept.Streams), "\n")
	for line := range strings.SplitSeq(string(ours.Streams), "\n") {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	ours.Streams = task.Secret(strings.Join(lines, "\n"))
	return ours
}

// askedAgain lays l's open questions aside, without a word: the stream brings them
// again.
func (m *Model) askedAgain(l *link) {
	said := m.notice
	m.hushed = true
	for _, a := range slices.Clone(m.askOrder) {
		if a.Server == l.target.Name && a.waits() {
			m.closeAsk(a, Withdrawn, "the session was rejoined for its stream, which brings it again")
		}
	}
	m.notice, m.hushed = said, false
}

// engaged reports whether l is not to be disturbed: something of it would not
// outlive its streams (a call without an end, an answer, something that the
// person wants), a question is open, for a while, or its server does not answer
// now.
func (m *Model) engaged(l *link) bool {
	patient := m.now.Before(l.estateAt.Add(patience))
	return l.starts > 0 || len(l.cancels) > 0 || l.tools.Loading || l.mute != nil || m.now.Before(l.busyTo) || len(m.busyRows(l)) > 0 ||
		slices.ContainsFunc(m.askOrder, func(a *Ask) bool {
			return a.Server == l.target.Name && a.waits() && (patient || a.State != Open)
		})
}
