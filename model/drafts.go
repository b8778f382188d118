package model

import (
	"maps"
	"strings"
	"time"

	"callboard/model/task"
)

// Draft is what was typed into a form: the text of each field that is set, by
// name (choices as JSON), and of the JSON editor under "" where that is in
// use. It stays until its answer was delivered or the person throws it away,
// however the prompt ends; on the disk, where there is a Memory, until 7 days
// after the last key press.
type Draft map[string]string

// draftLife is how long after the last key press a draft is offered.
const draftLife = 7 * 24 * time.Hour

// draftName is the name of a draft on one server (task.KeptDraft).
type draftName struct {
	asked string
	task  task.ID
	tool  string
}

// typed is a draft as this process has it: whole, with secret fields.
type typed struct {
	name   draftName
	fields Draft
	at     time.Time // of the last key press
	here   bool      // typed in this process
	stored bool      // it was handed to the memory, or came from there
	whole  bool      // so was all of it
	// sent: its answer was delivered, and what the server makes of it is not known
	// yet. It is on no disk any more, and is offered where the same task asks again.
	sent bool
}

// name is the name of a's draft.
func (a *Ask) name() draftName { return draftName{asked: a.asked, task: a.Prompt.Task} }

// Draft returns the draft of a prompt, nil for none.
func (m *Model) Draft(id task.PromptID) Draft { return maps.Clone(m.drafts[id]) }

// DraftAt returns when the draft of a prompt was last typed at, zero for none, and
// whether that was in this process.
func (m *Model) DraftAt(id task.PromptID) (at time.Time, here bool) {
	a := m.asks[id]
	if a == nil || m.drafts[id] == nil {
		return time.Time{}, false
	}
	name := a.name()
	if a.source != (draftName{}) {
		name = a.source
	}
	t := m.byName[a.Server].drafts[name]
	return a.draftAt, a.typed || t != nil && t.here
}

// SaveDraft keeps what is typed into a prompt's form, nil removes it. Called at
// each key press, it is on the disk within a second, but for secret fields.
func (m *Model) SaveDraft(id task.PromptID, d Draft) {
	a, had := m.asks[id], m.drafts[id]
	switch {
	case a == nil, a.State == Answered, d == nil && had == nil, d != nil && had != nil && maps.Equal(had, d):
		return
	case d == nil:
		m.discardDraft(a)
	default:
		m.setDraft(a, maps.Clone(d), time.Now())
	}
	m.rev++
}

// setDraft makes d what is typed for a.
func (m *Model) setDraft(a *Ask, d Draft, at time.Time) {
	m.drafts[a.Prompt.ID] = d
	a.typed, a.draftAt = true, at
	if a.Prompt.Mode == task.URLMode {
		return
	}
	m.storeDraft(m.byName[a.Server], &typed{name: a.name(), fields: d, at: at, here: true}, &a.Prompt.Form)
}

// storeDraft takes a draft in, and hands it to the memory without what was typed
// into secret fields of form; a nil form is not known, and nothing is handed over.
func (m *Model) storeDraft(l *link, t *typed, form *task.Form) {
	old := l.drafts[t.name]
	l.drafts[t.name] = t
	var public Draft
	if form != nil {
		public, t.whole = publicDraft(form, t.fields)
	}
	if public == nil {
		if old != nil && old.stored {
			m.dropDraft(l, t.name)
		}
		return
	}
	t.stored = true
	delete(l.dropped, t.name)
	m.keep(l, task.KeepDraft{Draft: task.KeptDraft{
		Asked: t.name.asked, Task: t.name.task, Tool: t.name.tool, Fields: public, At: t.at,
	}})
}

// publicDraft returns what of d may be kept on a disk, nil for nothing, and
// whether that is all. The JSON text of a form that asks for a secret may hold
// it, and so may a property that is none of its fields.
func publicDraft(form *task.Form, d Draft) (public Draft, whole bool) {
	public, whole = maps.Clone(d), true
	secret := form.Secret
	fields := make(map[string]bool, len(form.Fields))
	for i := range form.Fields {
		f := &form.Fields[i]
		if fields[f.Name] = true; f.Secret {
			secret = true
			whole = whole && public[f.Name] == ""
			delete(public, f.Name)
		}
	}
	if secret {
		for name, typed := range public {
			if !fields[name] && !strings.HasPrefix(name, "\x00") { // how a call is made is no secret
				whole = whole && typed == ""
				delete(public, name)
			}
		}
	}
	if secret && len(public) == 0 {
		return nil, whole
	}
	return public, whole
}

// forgetDraft forgets a draft, here and on the disk, unless another prompt that
// waits has one under the same name: that one stands there then.
func (m *Model) forgetDraft(l *link, name draftName) {
	t := l.drafts[name]
	if t == nil {
		return
	}
	delete(l.drafts, name)
	if t.stored {
		m.dropDraft(l, name)
	}
	for _, o := range m.askOrder {
		if d := m.drafts[o.Prompt.ID]; d != nil && o.typed && o.waits() && o.Server == l.target.Name && o.name() == name {
			m.storeDraft(l, &typed{name: name, fields: d, at: o.draftAt, here: true}, &o.Prompt.Form)
		}
	}
}

// dropDraft takes a draft from the disk.
func (m *Model) dropDraft(l *link, name draftName) {
	l.dropped[name] = time.Now()
	m.keep(l, task.DropDraft{Asked: name.asked, Task: name.task, Tool: name.tool})
}

// discardDraft forgets what is typed for a, and what was filled in.
func (m *Model) discardDraft(a *Ask) {
	l := m.byName[a.Server]
	delete(m.drafts, a.Prompt.ID)
	a.typed, a.Before = false, false
	m.forgetDraft(l, a.name())
	m.forgetSource(l, a)
}

// forgetSource forgets the draft of another task from which that of a came.
func (m *Model) forgetSource(l *link, a *Ask) {
	if a.source != (draftName{}) && !m.draftInUse(l, a.source, a) {
		m.forgetDraft(l, a.source)
	}
	a.source = draftName{}
}

// draftSent takes in that a's answer was delivered: its draft leaves the disk.
// Until the server shows what it makes of it, it can be offered again.
func (m *Model) draftSent(a *Ask) {
	l := m.byName[a.Server]
	m.forgetSource(l, a)
	t := l.drafts[a.name()]
	m.forgetDraft(l, a.name())
	if t != nil && l.drafts[a.name()] == nil && a.Wish != nil && a.Wish.State != Taken {
		t.sent, t.stored = true, false
		l.drafts[a.name()] = t
	}
}

// draftTaken takes in that the server has taken a's answer, or that nothing more
// will show of it.
func (m *Model) draftTaken(a *Ask) {
	l := m.byName[a.Server]
	if t := l.drafts[a.name()]; t != nil && t.sent {
		delete(l.drafts, a.name())
	}
}

// draftUnsure takes in that nobody knows whether a's answer arrived after all: its
// draft goes back to the disk.
func (m *Model) draftUnsure(a *Ask) {
	l := m.byName[a.Server]
	if t := l.drafts[a.name()]; t != nil && t.sent {
		t.sent = false
		m.storeDraft(l, t, &a.Prompt.Form)
	}
}

// offerDraft fills in what was typed when the same was asked before, unless
// something is typed already: for the same task first, else the newest one.
func (m *Model) offerDraft(l *link, a *Ask) {
	if a.typed || a.Prompt.Mode == task.URLMode || len(l.drafts) == 0 {
		return
	}
	t := m.findDraft(l, a)
	if t == nil || m.drafts[a.Prompt.ID] != nil && !t.at.After(a.draftAt) {
		return
	}
	m.drafts[a.Prompt.ID] = maps.Clone(t.fields)
	a.Before, a.draftAt, a.source = true, t.at, draftName{}
	a.Offered++
	m.rev++
	for _, o := range m.askOrder { // it moves from where it can be of no use any more
		if !o.waits() && o.State == Withdrawn && o.Server == a.Server && o.name() == t.name {
			delete(m.drafts, o.Prompt.ID)
			o.typed = false
		}
	}
	switch {
	case t.name != a.name():
		a.source = t.name
	case t.sent:
		t.sent = false
		m.storeDraft(l, t, &a.Prompt.Form)
	}
}

// findDraft returns the draft to be offered for a, nil for none.
func (m *Model) findDraft(l *link, a *Ask) *typed {
	fresh := func(t *typed) bool { return m.now.Sub(t.at) < draftLife }
	if t := l.drafts[a.name()]; t != nil && fresh(t) && !m.draftInUse(l, t.name, a) {
		return t
	}
	var best *typed
	for name, t := range l.drafts {
		if name.asked == a.asked && name.tool == "" && !t.sent && fresh(t) &&
			(best == nil || t.at.After(best.at)) && !m.draftInUse(l, name, a) {
			best = t
		}
	}
	return best
}

// draftInUse reports whether a draft belongs to another prompt than a that waits,
// or to another task that asks and whose question has not come yet.
func (m *Model) draftInUse(l *link, name draftName, a *Ask) bool {
	if r := l.store.tasks[name.task]; r != nil && name.task != a.Prompt.Task && r.Live() && r.Task.Status == task.InputRequired {
		return true
	}
	for _, o := range m.askOrder {
		if o != a && o.waits() && o.Server == l.target.Name && o.name() == name {
			return true
		}
	}
	return false
}

// rememberDrafts takes in the drafts that are kept, those of other processes among
// them. What is typed here stays as it is.
func (m *Model) rememberDrafts(l *link, kept []task.KeptDraft) {
	now := make(map[draftName]bool, len(kept))
	for _, d := range kept {
		name := draftName{d.Asked, d.Task, d.Tool}
		if now[name] {
			continue
		}
		now[name] = true
		if at, ok := l.dropped[name]; ok && !d.At.After(at) {
			continue // it was read before it was taken from there
		}
		if t := l.drafts[name]; t == nil || d.At.After(t.at) {
			l.drafts[name] = &typed{name: name, fields: maps.Clone(Draft(d.Fields)), at: d.At, stored: true, whole: true}
		}
	}
	for name := range l.draftsRead {
		if t := l.drafts[name]; t != nil && !now[name] && t.stored && !t.here {
			delete(l.drafts, name)
			m.unoffer(l, name)
		}
	}
	maps.DeleteFunc(l.dropped, func(name draftName, _ time.Time) bool { return !now[name] })
	l.draftsRead = now
	for _, a := range m.askOrder {
		if a.Server == l.target.Name && a.State == Open {
			m.offerDraft(l, a)
		}
	}
}

// unoffer takes a draft out of the forms into which it was filled, since another
// process has sent it or thrown it away.
func (m *Model) unoffer(l *link, name draftName) {
	for _, a := range m.askOrder {
		if a.Server == l.target.Name && a.State == Open && !a.typed && a.Before && (a.name() == name || a.source == name) {
			delete(m.drafts, a.Prompt.ID)
			a.Before, a.source = false, draftName{}
			a.Offered++
			m.rev++
		}
	}
}
