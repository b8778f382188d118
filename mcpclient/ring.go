package mcpclient

import (
	"bytes"
	"cmp"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// Bounds of the log of one endpoint.
const (
	ringFrames = 4000
	ringBytes  = 5 << 20
	frameBytes = 64 << 10 // of one message
	// glanceBytes is how much of them is read at once: what a message says is read
	// when somebody looks, and the wire waits meanwhile.
	glanceBytes = 64 << 10
	ringSent    = 4096 // requests whose method a reply is told
	ringHidden  = 64   // secrets, the newest
	minHidden   = 6    // bytes: less is no secret, and would hide half of the log
)

// ring is the log of an endpoint: the last frames of the wire and notes about
// the link. Putting a frame in costs no more than an append; what it means is
// read from it when somebody looks, once.
type ring struct {
	mu     sync.Mutex
	frames []*logged // the oldest at first once it is full
	first  int
	bytes  int
	shared *share // of the budget of all logs
	seq    uint64
	hidden []string               // secrets of ours, which a server may repeat
	sent   map[string]sentRequest // by direction and JSON-RPC id
	order  []string               // keys of sent, oldest first
	calls  callSubjects
	head   headers
	file   *logFile
}

// sentRequest is what the reply to a request is told in the log.
type sentRequest struct {
	method string
	about  *subject
	at     time.Time
}

// logged is one frame. frame is complete once read, but for what it is about.
type logged struct {
	frame task.Frame
	read  bool
	gone  bool     // it left the ring, and counts no more
	raw   string   // the JSON-RPC id as it is written
	about *subject // nil for nothing that is known
}

// frameCost is what a frame takes beside its text.
const frameCost = 300

// size is what a frame counts of ringBytes.
func (l *logged) size() int { return frameCost + len(l.frame.Body) + len(l.frame.Masked) }

func newRing(w io.Writer) *ring {
	r := &ring{sent: make(map[string]sentRequest), shared: logs.share()}
	runtime.AddCleanup(r, (*share).release, r.shared)
	if w != nil {
		r.file = &logFile{w: w, ring: r}
	}
	return r
}

// wire takes in a message that went over the wire.
func (r *ring) wire(f transport.Frame) {
	out := task.Frame{At: f.At, Dir: task.In, Stream: f.Stream, Size: f.Size, Body: string(f.Data)}
	if f.Out {
		out.Dir, out.Wire = task.Out, r.head.read(&f, r.clean)
	}
	r.put(out)
}

// hide keeps a secret of ours, such as a token, out of the log: some servers
// repeat what they were sent.
func (r *ring) hide(secret string) {
	if len(secret) < minHidden {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.hidden, secret) {
		return
	}
	if len(r.hidden) == ringHidden {
		r.hidden = r.hidden[1:]
	}
	r.hidden = append(r.hidden, secret)
}

// conceal takes our secrets out of an error that a server made of what it was
// sent: its words are shown, and stand in the logs of scripts.
func (r *ring) conceal(e *jsonrpc.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range r.hidden {
		e.Message = strings.ReplaceAll(e.Message, secret, "••••")
		e.Data = bytes.ReplaceAll(e.Data, []byte(secret), []byte("••••"))
	}
}

// note takes in a line about the link.
func (r *ring) note(line string) {
	r.put(task.Frame{At: time.Now(), Dir: task.Note, Size: len(line), Body: line})
}

// count counts bytes that came, or went. r.mu is held.
func (r *ring) count(n int) {
	r.bytes += n
	r.shared.add(n)
}

func (r *ring) put(f task.Frame) {
	if len(f.Body) > frameBytes {
		f.Body = f.Body[:frameBytes]
	}
	l := &logged{frame: f}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	l.frame.Seq = r.seq
	r.frames = append(r.frames, l)
	r.count(l.size())
	for len(r.frames)-r.first > ringFrames || (r.bytes > ringBytes || r.shared.over()) && len(r.frames)-r.first > 1 {
		r.count(-r.frames[r.first].size())
		r.frames[r.first].gone = true // the log file may still have to read it
		r.frames[r.first] = nil
		r.first++
	}
	if r.first > ringFrames {
		r.frames = append(r.frames[:0:0], r.frames[r.first:]...)
		r.first = 0
	}
	if r.file != nil {
		r.file.add(l)
	}
}

// request remembers a request and what it is about, so that its reply can be told
// from others. in says that it came from the server.
func (r *ring) request(in bool, id jsonrpc.ID, method string, about subject) {
	key := sentKey(!in, string(id))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.sent[key]; !ok {
		r.order = append(r.order, key)
	}
	r.sent[key] = sentRequest{method, r.calls.of(about), time.Now()}
	if len(r.order) > ringSent {
		delete(r.sent, r.order[0])
		r.order = r.order[1:]
	}
}

func sentKey(ours bool, id string) string {
	if ours {
		return "o" + id
	}
	return "i" + id
}

// since returns the newest frames whose Seq is above after, at most limit of
// them, oldest first.
func (r *ring) since(after uint64, limit int) []task.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.frames[r.first:]
	from := len(kept)
	for from > 0 && len(kept)-from < limit && kept[from-1].frame.Seq > after {
		from--
	}
	return r.read(kept[from:])
}

// before returns the newest frames whose Seq is below seq, oldest first: at most
// limit of them, and no more than glanceBytes where one is not longer than that.
func (r *ring) before(seq uint64, limit int) []task.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.frames[r.first:]
	oldest := r.seq + 1 - uint64(len(kept))
	to := int(min(max(seq, oldest)-oldest, uint64(len(kept)))) //nolint:gosec // no more than there are
	from, size := to, 0
	for from > 0 && to-from < limit {
		if size += kept[from-1].size(); size > glanceBytes && from < to {
			break
		}
		from--
	}
	return r.read(kept[from:to])
}

// read returns frames with what is known of them by now. r.mu is held.
func (r *ring) read(part []*logged) []task.Frame {
	out := make([]task.Frame, 0, len(part))
	for _, l := range part {
		out = append(out, r.frame(l))
	}
	return out
}

// frame returns a frame with what is known by now. r.mu is held.
func (r *ring) frame(l *logged) task.Frame {
	r.complete(l)
	if l.about == nil && l.raw != "" && l.frame.Dir == task.In {
		r.tie(l, l.raw) // a request of the server is in the log before it is read
	}
	f := l.frame
	if l.about != nil {
		f.Task, f.Call = cmp.Or(f.Task, l.about.task), l.about.call
	}
	return f
}

// clean takes our secrets out of a text.
func (r *ring) clean(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cleaned(text)
}

func (r *ring) cleaned(text string) string {
	for _, secret := range r.hidden {
		text = strings.ReplaceAll(text, secret, "••••")
	}
	return text
}

// complete reads what a message says of itself. r.mu is held.
func (r *ring) complete(l *logged) {
	if l.read {
		return
	}
	l.read = true
	f := &l.frame
	before := l.size()
	defer func() {
		if !l.gone {
			r.count(l.size() - before)
		}
	}()
	f.Body = r.cleaned(f.Body)
	if f.Dir == task.Note {
		return
	}
	var params []byte
	id := ""
	members([]byte(f.Body), func(k, v []byte) bool {
		switch string(k) {
		case "id":
			id, f.ID = string(v), string(v)
			if s, ok := unquote(v); ok {
				f.ID = s
			}
		case "method":
			f.Method = text(v)
		case "params":
			params = v
		}
		return true
	})
	f.Reply = f.Method == ""
	f.ID, f.Method = bounded(f.ID), bounded(f.Method)
	if !f.Reply && params != nil {
		f.Task = task.ID(text(member(params, "taskId")))
		if f.Task == "" {
			f.Task = relatedTask(params)
		}
	}
	f.Masked = mask(f.Body, f.Reply && f.Dir == task.Out)
	switch {
	case id != "":
		r.tie(l, id)
	case f.Method == "notifications/progress":
		l.about = r.calls.byToken[text(member(params, "progressToken"))]
	case f.Method == "notifications/cancelled":
		l.about = r.sent[sentKey(f.Dir == task.Out, string(member(params, "requestId")))].about
	}
}

// bounded is a text of the server in a column, which is cut there anyway.
func bounded(text string) string { return text[:min(len(text), maxRequestID)] }

// tie ties a request or a reply to what is known of the request. r.mu is held.
func (r *ring) tie(l *logged, id string) {
	f := &l.frame
	q, ok := r.sent[sentKey((f.Dir == task.Out) != f.Reply, id)]
	if !ok {
		if len(id) <= maxRequestID {
			l.raw = id
		}
		return
	}
	l.raw, l.about = "", q.about
	if f.Reply {
		f.Method, f.Took = q.method, max(0, f.At.Sub(q.at))
	}
}
