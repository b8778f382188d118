package model

import (
	"context"
	"math/rand/v2"
	"time"

	"callboard/model/task"
)

// ToolsView is what is known of a server's tools.
type ToolsView struct {
	Tools   []task.Tool
	Loading bool
	Err     *task.Error
	At      time.Time
}

// Tools are listed anew when they are looked at after toolsFresh, and toolsCalm
// after the server says that they changed, at the earliest.
const (
	toolsFresh = 10 * time.Minute
	toolsCalm  = 2 * time.Second
)

type toolsListed struct {
	tools []task.Tool
	err   *task.Error
}

// listTools lists a server's tools, unless they are known and fresh.
func (m *Model) listTools(server string) {
	l := m.byName[server]
	if l == nil || l.tools.Loading {
		return
	}
	if l.tools.Err == nil && !l.toolsOld && !l.tools.At.IsZero() && m.now.Sub(l.tools.At) < toolsFresh {
		return
	}
	if why := m.unable(l); why != "" {
		l.tools.Err = &task.Error{Kind: task.Unreachable, Message: task.Own(why)}
		m.rev++
		return
	}
	m.askTools(l)
}

func (m *Model) askTools(l *link) {
	l.tools.Loading, l.toolsOld, l.toolsDue = true, false, time.Time{}
	m.rev++
	m.ask(l, 2*callLimit, func(ctx context.Context, s Server) any {
		tools, err := s.Tools(ctx)
		return toolsListed{tools, asError(err)}
	})
}

func (m *Model) toolsListed(l *link, n toolsListed) {
	l.tools.Loading, l.tools.Err = false, n.err
	m.rev++
	if n.err != nil {
		m.troubled(l, n.err)
		return
	}
	l.tools.Tools, l.tools.At = n.tools, m.now
	m.progressed(l)
}

// toolsChanged lets the tools be listed anew, at leisure, where they were
// listed before.
func (m *Model) toolsChanged(l *link) {
	l.toolsOld = true
	if !l.tools.At.IsZero() && l.toolsDue.IsZero() {
		l.toolsDue = m.now.Add(toolsCalm + rand.N(toolsCalm))
	}
}
