package mcpclient

import (
	"bytes"
	"io"
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
	ringBytes  = 4 << 20
	frameBytes = 64 << 10 // of one message
	ringSent   = 4096     // requests whose method a reply is told
	ringHidden = 64       // secrets, the newest
	minHidden  = 6        // bytes: less is no secret, and would hide half of the log
)

// ring is the log of an endpoint: the last frames of the wire and notes about
// the link. Putting a frame in costs no more than an append; what it means is
// read from it when somebody looks, once.
type ring struct {
	mu     sync.Mutex
	frames []*logged // the oldest at head once it is full
	head   int
	bytes  int
	seq    uint64
	hidden []string               // secrets of ours, which a server may repeat
	sent   map[string]sentRequest // by direction and JSON-RPC id
	order  []string               // keys of sent, oldest first
	file   *logFile
}

// sentRequest is what the reply to a request is told in the log.
type sentRequest struct {
	method string
	task   task.ID
	at     time.Time
}

// logged is one frame. frame is complete once read.
type logged struct {
	frame task.Frame
	read  bool
}

func newRing(w io.Writer) *ring {
	r := &ring{sent: make(map[string]sentRequest)}
	if w != nil {
		r.file = &logFile{w: w, ring: r}
	}
	return r
}

// wire takes in a message that went over the wire.
func (r *ring) wire(f transport.Frame) {
	dir := task.In
	if f.Out {
		dir = task.Out
	}
	r.put(task.Frame{At: f.At, Dir: dir, Stream: f.Stream, Size: f.Size, Body: string(f.Data)})
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
	r.bytes += len(f.Body)
	for len(r.frames)-r.head > ringFrames || r.bytes > ringBytes && len(r.frames)-r.head > 1 {
		r.bytes -= len(r.frames[r.head].frame.Body)
		r.frames[r.head] = nil
		r.head++
	}
	if r.head > ringFrames {
		r.frames = append(r.frames[:0:0], r.frames[r.head:]...)
		r.head = 0
	}
	if r.file != nil {
		r.file.add(l)
	}
}

// request remembers a request, so that its reply can be told from others. in
// says that it came from the server.
func (r *ring) request(in bool, id jsonrpc.ID, method string, about task.ID) {
	key := sentKey(!in, string(id))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.sent[key]; !ok {
		r.order = append(r.order, key)
	}
	r.sent[key] = sentRequest{method, about, time.Now()}
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
	kept := r.frames[r.head:]
	from := len(kept)
	for from > 0 && len(kept)-from < limit && kept[from-1].frame.Seq > after {
		from--
	}
	out := make([]task.Frame, 0, len(kept)-from)
	for _, l := range kept[from:] {
		r.complete(l)
		out = append(out, l.frame)
	}
	return out
}

// complete reads what a message says of itself. r.mu is held.
func (r *ring) complete(l *logged) {
	if l.read {
		return
	}
	l.read = true
	f := &l.frame
	before := len(f.Body)
	for _, secret := range r.hidden {
		f.Body = strings.ReplaceAll(f.Body, secret, "••••")
	}
	r.bytes += len(f.Body) - before
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
	response := f.Method == ""
	if response && id != "" {
		if q, ok := r.sent[sentKey(f.Dir == task.In, id)]; ok {
			f.Method, f.Task, f.Took = q.method, q.task, max(0, f.At.Sub(q.at))
		}
	} else if params != nil {
		f.Task = task.ID(text(member(params, "taskId")))
		if f.Task == "" {
			f.Task = relatedTask(params)
		}
	}
	f.Masked = mask(f.Body, response && f.Dir == task.Out)
}
