package state

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"callboard/model/task"
)

// Limits of one file. What is beyond them leaves, the oldest first, handles of
// tasks that ended before all others.
const (
	maxHandles  = 2000
	maxForeign  = 200
	maxSessions = 16
	maxSent     = 200
	maxDropped  = 500
	maxNames    = 1 << 20 // bytes of all handles' names, of ids, sessions and tools

	// Bytes of what a server made up. A longer name is not one to be kept.
	maxID    = 1024
	maxEvent = 2048
	maxLine  = 8 << 10 // of task.Resume.Streams
	maxLines = 128
	maxAsked = 4 << 20 // bytes of the lines of all sessions; the oldest session's leave first
	maxTool  = 512
	maxWords = 4096
)

// How long what is kept stays.
const (
	endedStays  = 7 * 24 * time.Hour  // after a task ended, unless its ttl ran out before
	lateStays   = 7 * 24 * time.Hour  // after the ttl of a task that is not known to have ended
	sentStays   = 7 * 24 * time.Hour  // a call without outcome
	unseenStays = 30 * 24 * time.Hour // a live task without ttl, a session
	seenStep    = time.Minute         // Seen alone makes a new file not more often
)

// A document is what one file holds. It is not changed once others may have it.
type (
	document struct {
		url      string
		era      task.Era
		sessions map[task.Secret]session
		handles  map[task.ID]handle
		sent     map[task.CallID]sent
		dropped  map[task.ID]dropped
	}
	session struct {
		resume task.Resume
		kept   time.Time
		owner  string // the Memory that uses it; "" for none
	}
	handle struct {
		task.Handle
		ended time.Time // when it was first known to have ended, our clock
	}
	sent struct {
		task.Sent
		owner string
	}
	// dropped keeps a handle that was forgotten from being brought back by
	// another process that had it.
	dropped struct {
		at time.Time
		by string
	}
)

func newDocument(url string) document {
	return document{
		url: url, sessions: map[task.Secret]session{}, handles: map[task.ID]handle{},
		sent: map[task.CallID]sent{}, dropped: map[task.ID]dropped{},
	}
}

func (d document) clone() document {
	d.sessions, d.handles = maps.Clone(d.sessions), maps.Clone(d.handles)
	d.sent, d.dropped = maps.Clone(d.sent), maps.Clone(d.dropped)
	return d
}

// put takes in a handle. What is known for sure stays: the first end of a task,
// the call that made it, and that a person named it.
func (d document) put(h task.Handle, by string, now time.Time) {
	id := h.Task.ID
	if id == "" || len(id) > maxID {
		return
	}
	h.Task.Message = task.Text{}
	h.Tool = cut(h.Tool)
	h.Digest = cut(h.Digest)
	if len(h.Session) > maxID {
		h.Session = ""
	}
	if h.Seen.IsZero() {
		h.Seen = now
	}
	if h.Since.IsZero() {
		h.Since = now
	}
	if gone, ok := d.dropped[id]; ok && gone.by != by && !h.Since.After(gone.at) {
		return
	}
	delete(d.dropped, id)
	merged := handle{Handle: h}
	if old, ok := d.handles[id]; ok {
		merged = old.merge(h)
	}
	if merged.Task.Status.Terminal() && merged.ended.IsZero() {
		merged.ended = merged.Seen
	}
	d.handles[id] = merged
}

func (old handle) merge(h task.Handle) handle {
	if !old.Task.Created.IsZero() && h.Task.Created.After(old.Task.Created) {
		return handle{Handle: h} // another task: the server began to count anew
	}
	if h.Since.After(old.Since) {
		h.Since = old.Since
	}
	h.Tool, h.Digest, h.Session = cmp.Or(h.Tool, old.Tool), cmp.Or(h.Digest, old.Digest), cmp.Or(h.Session, old.Session)
	h.Watched = h.Watched || old.Watched
	ended := old.Task.Status.Terminal()
	if ended || old.Seen.After(h.Seen) && !h.Task.Status.Terminal() {
		h.Task = old.Task
	}
	if old.Seen.After(h.Seen) {
		h.Seen = old.Seen
	}
	now := handle{Handle: h, ended: old.ended}
	if still := now; h.Seen.Sub(old.Seen) < seenStep {
		still.Seen = old.Seen
		if still.same(old) {
			return old
		}
	}
	return now
}

func (old handle) same(h handle) bool { return handleOf(old) == handleOf(h) }

// cut keeps a word of a server short.
func cut(s string) string {
	if len(s) > maxTool {
		s = strings.ToValidUTF8(s[:maxTool], "")
	}
	return s
}

// until returns when h leaves.
func (h handle) until() time.Time {
	ttl, created := h.Task.TTL, h.Task.Created
	if created.IsZero() {
		created = h.Since
	}
	if h.Task.Status.Terminal() {
		late := h.ended.Add(endedStays)
		if over := created.Add(ttl); ttl > 0 && over.Before(late) {
			return over
		}
		return late
	}
	if ttl <= 0 {
		return h.Seen.Add(unseenStays)
	}
	if over := created.Add(ttl); over.After(h.Seen) {
		return over.Add(lateStays)
	}
	return h.Seen.Add(lateStays) // it lives longer than it said
}

// prune removes what has had its time.
func (d document) prune(now time.Time) {
	maps.DeleteFunc(d.handles, func(_ task.ID, h handle) bool { return now.After(h.until()) })
	maps.DeleteFunc(d.sessions, func(_ task.Secret, s session) bool { return now.Sub(s.kept) > unseenStays })
	maps.DeleteFunc(d.sent, func(_ task.CallID, s sent) bool { return now.Sub(s.At) > sentStays })
	maps.DeleteFunc(d.dropped, func(_ task.ID, each dropped) bool { return now.Sub(each.at) > endedStays })
	d.limit()
}

// limit removes what is too much, or of no form that callboard writes.
func (d document) limit() {
	maps.DeleteFunc(d.handles, func(id task.ID, h handle) bool {
		return id == "" || len(id)+len(h.Session)+len(h.Tool)+len(h.Digest) > 2*(maxID+maxTool)
	})
	maps.DeleteFunc(d.sessions, func(id task.Secret, _ session) bool { return id == "" || len(id) > maxID })
	maps.DeleteFunc(d.sent, func(id task.CallID, _ sent) bool { return id == "" })
	most := maxHandles
	for names := d.names(); names > maxNames; names /= 2 {
		most = min(most, len(d.handles)) / 2
	}
	shorten(d.handles, most, func(a, b handle) int {
		if x, y := a.Task.Status.Terminal(), b.Task.Status.Terminal(); x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Or(a.ended.Compare(b.ended), a.Seen.Compare(b.Seen), cmp.Compare(a.Task.ID, b.Task.ID))
	})
	shorten(d.sessions, maxSessions, func(a, b session) int { return a.kept.Compare(b.kept) })
	d.limitStreams()
	shorten(d.sent, maxSent, func(a, b sent) int { return a.At.Compare(b.At) })
	shorten(d.dropped, maxDropped, func(a, b dropped) int { return a.at.Compare(b.at) })
}

// limitStreams keeps what stands of open questions in proportion to the file.
func (d document) limitStreams() {
	keys := slices.SortedFunc(maps.Keys(d.sessions), func(a, b task.Secret) int {
		return cmp.Or(d.sessions[b].kept.Compare(d.sessions[a].kept), cmp.Compare(a, b))
	})
	size := 0
	for _, id := range keys { // the newest first
		s := d.sessions[id]
		if size += len(s.resume.Streams); size > maxAsked {
			size -= len(s.resume.Streams)
			s.resume.Streams = ""
			d.sessions[id] = s
		}
	}
}

// names returns how many bytes of the handles are a server's words.
func (d document) names() int {
	n := 0
	for _, h := range d.handles {
		n += len(h.Task.ID) + len(h.Session) + len(h.Tool) + len(h.Digest)
	}
	return n
}

// shorten leaves most of m, by removing what comes first in order.
func shorten[K comparable, V any](m map[K]V, most int, order func(a, b V) int) {
	if len(m) <= most {
		return
	}
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b K) int { return order(m[a], m[b]) })
	for _, key := range keys[:len(keys)-most] {
		delete(m, key)
	}
}

// newest returns the session that was kept last.
func (d document) newest() (task.Secret, session, bool) {
	var (
		id    task.Secret
		found session
	)
	for each, s := range d.sessions {
		if id == "" || s.kept.After(found.kept) || s.kept.Equal(found.kept) && each > id {
			id, found = each, s
		}
	}
	return id, found, id != ""
}

// lines takes task.Resume.Streams apart.
func lines(s task.Secret) []string {
	if s == "" {
		return nil
	}
	return strings.Split(string(s), "\n")
}

// streams puts lines together, without those that are too long, or too many: then
// the first ones leave.
func streams(all []string) task.Secret {
	all = slices.DeleteFunc(slices.Clone(all), func(line string) bool {
		return line == "" || len(line) > maxLine || strings.Contains(line, "\n")
	})
	return task.Secret(strings.Join(all[max(0, len(all)-maxLines):], "\n"))
}

// moved returns the lines of kept as they are after was became is.
func moved(kept, was, is task.Secret) task.Secret {
	before, after, out := lines(was), lines(is), lines(kept)
	out = slices.DeleteFunc(out, func(line string) bool { return slices.Contains(before, line) && !slices.Contains(after, line) })
	for _, line := range after {
		if !slices.Contains(out, line) && !slices.Contains(before, line) {
			out = append(out, line)
		}
	}
	return streams(out)
}

// bounded returns r without what is too long to be kept.
func bounded(r task.Resume) task.Resume {
	r.PostOnly = false
	if len(r.LastEvent) > maxEvent {
		r.LastEvent = ""
	}
	r.Streams = streams(lines(r.Streams))
	r.About.Version = cut(r.About.Version)
	for _, t := range []*task.Text{&r.About.Name, &r.About.ServerVersion, &r.About.Instructions, &r.About.Note} {
		*t = task.CleanMax(task.CleanMax(t.String(), maxWords).String(), maxWords) // what is shown in place of what is hidden is longer
	}
	return r
}
