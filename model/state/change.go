package state

import (
	"slices"
	"time"

	"callboard/model/task"
)

// A change is one task.Keep with its time, under a name: of two changes of one
// name the later one holds, so that what waits to be written stays small.
type (
	change struct {
		keep task.Keep
		at   time.Time
	}
	name struct {
		kind byte // one of the letters below
		of   string
	}
)

const (
	aHandle  = 'h'
	aSession = 's'
	anEra    = 'e'
	aCall    = 'c'
)

// maxPending bounds what waits where nothing can be written.
const maxPending = 2*maxHandles + maxSessions + maxSent

type pending map[name]change

// add takes in what came from Keep.
func (p pending) add(k task.Keep, now time.Time) {
	c := change{keep: k, at: now}
	switch k := k.(type) {
	case task.KeepHandle:
		p.set(name{aHandle, string(k.Handle.Task.ID)}, c)
	case task.DropHandle:
		p.set(name{aHandle, string(k.ID)}, c)
	case task.KeepSent:
		p.set(name{aCall, string(k.Sent.Call)}, c)
	case task.Settled:
		p.set(name{aCall, string(k.Call)}, c)
	case task.KeepResume:
		if k.Gone != "" {
			p.set(name{aSession, string(k.Gone)}, change{keep: task.KeepResume{Gone: k.Gone}, at: now})
		}
		if s := k.Resume.Session; s != "" && len(s) <= maxID {
			k.Gone = ""
			p.set(name{aSession, string(s)}, change{keep: k, at: now})
		}
		if k.Resume.Era != task.AnyEra {
			p.set(name{kind: anEra}, change{keep: task.KeepResume{Resume: task.Resume{Era: k.Resume.Era}}, at: now})
		}
	}
}

func (p pending) set(n name, c change) {
	if old, ok := p[n]; ok {
		c = fold(old, c)
	}
	p[n] = c
	if len(p) > maxPending {
		p.shed()
	}
}

// shed forgets the oldest eighth of the changes that are only handles.
func (p pending) shed() {
	var handles []name
	for n := range p {
		if n.kind == aHandle {
			handles = append(handles, n)
		}
	}
	slices.SortFunc(handles, func(a, b name) int { return p[a].at.Compare(p[b].at) })
	for _, n := range handles[:(len(handles)+7)/8] {
		delete(p, n)
	}
}

// fold returns one change for two of one name.
func fold(old, c change) change {
	if since, ok := c.keep.(task.KeepResume); ok {
		if before, ok := old.keep.(task.KeepResume); ok && before.Resume.Session == since.Resume.Session {
			since.Was = before.Was
			c.keep = since
		}
	}
	was, ok := old.keep.(task.KeepHandle)
	is, also := c.keep.(task.KeepHandle)
	if ok && also {
		if was.Handle.Since.IsZero() {
			was.Handle.Since = old.at
		}
		if is.Handle.Seen.IsZero() {
			is.Handle.Seen = c.at
		}
		if is.Handle.Since.IsZero() {
			is.Handle.Since = is.Handle.Seen
		}
		c.keep = task.KeepHandle{Handle: handle{Handle: was.Handle}.merge(is.Handle).Handle}
	}
	return c
}

// back puts in what could not be written, behind what came since.
func (p pending) back(old pending) {
	for n, c := range old {
		if since, ok := p[n]; ok {
			p[n] = fold(c, since)
			continue
		}
		p.set(n, c)
	}
}

// claims reports whether something of p is marked as in use by the Memory that
// writes it.
func (p pending) claims() bool {
	for n, c := range p {
		r, ok := c.keep.(task.KeepResume)
		if _, calls := c.keep.(task.KeepSent); calls || ok && n.kind == aSession && r.Resume.Session != "" && !r.Resume.PostOnly {
			return true
		}
	}
	return false
}

// A writer applies changes in the name of one Memory.
type writer struct {
	by    string // the Memory
	holds bool   // whether it has its lock, by which others see that it lives
	now   time.Time
	alive func(owner string) bool
}

// apply makes the changes in d.
func (w writer) apply(d *document, p pending) {
	for n, c := range p {
		switch k := c.keep.(type) {
		case task.KeepHandle:
			d.put(k.Handle, w.by, c.at)
		case task.DropHandle:
			delete(d.handles, k.ID)
			if len(k.ID) <= maxID {
				d.dropped[k.ID] = dropped{at: c.at, by: w.by}
			}
		case task.KeepSent:
			s := sent{Sent: k.Sent, owner: w.by}
			s.Tool, s.Digest = cut(s.Tool), cut(s.Digest)
			if len(s.Session) > maxID {
				s.Session = ""
			}
			d.sent[k.Sent.Call] = s
		case task.Settled:
			delete(d.sent, k.Call)
		case task.KeepResume:
			w.resume(d, n, k, c.at)
		}
	}
	d.prune(w.now)
}

func (w writer) resume(d *document, n name, k task.KeepResume, at time.Time) {
	r := k.Resume
	if n.kind == anEra {
		d.era = r.Era
		return
	}
	id := task.Secret(n.of)
	if r.Session == "" {
		delete(d.sessions, id)
		return
	}
	s := d.sessions[id]
	r.Streams = moved(s.resume.Streams, k.Was, r.Streams)
	if r.PostOnly { // the one with the stream knows how far it came
		r.LastEvent = s.resume.LastEvent
	} else if w.holds && !w.othersUse(s) {
		s.owner = w.by
	}
	if r.About == (task.About{}) {
		r.About = s.resume.About
	}
	s.resume, s.kept = bounded(r), at
	d.sessions[id] = s
}

// othersUse reports whether another Memory uses the session.
func (w writer) othersUse(s session) bool {
	return s.owner != "" && s.owner != w.by && w.alive(s.owner)
}

// claim takes the newest session for the Memory, unless another one uses it.
func (w writer) claim(d *document) {
	if id, s, ok := d.newest(); ok && w.holds && s.owner != w.by && !w.othersUse(s) {
		s.owner = w.by
		d.sessions[id] = s
	}
}
