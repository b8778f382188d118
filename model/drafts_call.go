package model

import (
	"maps"
	"time"

	"callboard/model/task"
)

// CallDraft returns what was typed into the form for the arguments of a call, nil
// for nothing. tool is its raw name, like the task.Digest of the arguments that
// the form began with, "" for none.
func (m *Model) CallDraft(server, tool, like string) Draft {
	l := m.byName[server]
	if l == nil {
		return nil
	}
	if t := l.drafts[draftName{asked: like, tool: tool}]; t != nil && time.Since(t.at) < draftLife {
		return maps.Clone(t.fields)
	}
	return nil
}

// CallDraftAt is DraftAt for the draft that CallDraft returns.
func (m *Model) CallDraftAt(server, tool, like string) (at time.Time, here bool) {
	if m.CallDraft(server, tool, like) == nil {
		return time.Time{}, false
	}
	t := m.byName[server].drafts[draftName{asked: like, tool: tool}]
	return t.at, t.here
}

// SaveCallDraft keeps what is typed into the form for the arguments of a call, nil
// removes it. It is kept as SaveDraft keeps.
func (m *Model) SaveCallDraft(server, tool, like string, d Draft) {
	l, name := m.byName[server], draftName{asked: like, tool: tool}
	if l == nil || tool == "" {
		return
	}
	had := l.drafts[name]
	switch {
	case d == nil:
		m.forgetDraft(l, name)
	case had != nil && maps.Equal(had.fields, d):
		return
	default:
		t := &typed{name: name, fields: maps.Clone(d), at: time.Now(), here: true}
		m.storeDraft(l, t, l.formOf(tool))
	}
	m.rev++
}

// formOf returns the form of a tool's arguments, nil where it is not known.
func (l *link) formOf(tool string) *task.Form {
	for i := range l.tools.Tools {
		if t := &l.tools.Tools[i]; t.Name == tool {
			return &t.Input
		}
	}
	return nil
}
