package model

import (
	"fmt"
	"time"
)

// Shutdown closes all sessions in bounded time (at most 2 s): one with live
// tasks is left alone, an idle one of our own gets its DELETE. It returns a
// sentence for the person for each session left alone. It is called after the
// program's loop has ended.
func (m *Model) Shutdown() []string {
	idle := m.crew.dismiss()
	m.stop()
	if m.alarm.stop != nil {
		m.alarm.stop()
	}
	var told []string
	closed := make(chan struct{}, len(m.links))
	open := 0
	for _, l := range m.links {
		s := l.server
		if s == nil {
			continue
		}
		l.server = nil
		live := l.live()
		if live > 0 && l.about.Session {
			told = append(told, fmt.Sprintf("%s: the session is left open, since %s in it.", l.target.Name, liveWords(live)))
		}
		open++
		go func() {
			closeSession(s, live > 0 || l.about.Joined)
			closed <- struct{}{}
		}()
	}
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	for open > 0 {
		select {
		case <-closed:
			open--
		case <-limit.C:
			return told
		}
	}
	select {
	case <-idle:
	case <-limit.C:
	}
	return told
}

func liveWords(n int) string {
	if n == 1 {
		return "1 task is live"
	}
	return fmt.Sprintf("%d tasks are live", n)
}

// live returns how many of l's tasks and calls may still change.
func (l *link) live() int {
	n := 0
	for _, r := range l.store.tasks {
		if r.Live() {
			n++
		}
	}
	for _, r := range l.store.calls {
		if r.Key.ID == "" && r.Live() {
			n++
		}
	}
	return n
}
