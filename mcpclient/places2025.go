package mcpclient

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

const (
	maxPlaces = 32      // that are kept, and as many questions that are done with
	maxPlace  = 8 << 10 // bytes of one, as it is kept
)

// place is where a question stands in a stream. Many servers send it once, and
// again to those alone who resume that stream behind an event before it
// (Transports, "Resumability and Redelivery"). Where there is no such event, the
// question itself is all that there is: the answer to it is a message of its own.
// It is what a session that is left leaves to who rejoins it: one line of
// task.Resume.Streams.
type place struct {
	Ask   jsonrpc.ID  `json:"ask"`             // the server's request
	Sum   uint64      `json:"sum"`             // of what it asks
	At    int64       `json:"at"`              // when it came: Unix milliseconds, our clock
	Nth   int         `json:"nth,omitempty"`   // of those that came in one session, for many come at a time
	Of    jsonrpc.ID  `json:"of,omitempty"`    // the request of ours whose stream it is, absent for the GET stream
	After string      `json:"after,omitempty"` // the last event before it
	Task  task.ID     `json:"task,omitempty"`
	Call  task.CallID `json:"call,omitempty"`
	Waits bool        `json:"waits,omitempty"` // Of is a tasks/result
	Asks  string      `json:"asks,omitempty"`  // the params of the request, where After is empty
	How   string      `json:"how,omitempty"`   // the method of the request, absent for elicitation/create
	Mine  task.ID     `json:"mine,omitempty"`  // the task that it is to the server, where that asked for one
	TTL   int64       `json:"ttl,omitempty"`   // of Mine, in milliseconds
	Done  bool        `json:"done,omitempty"`  // no place, but a question that is not to be asked again
}

// askedAs tells questions apart, in all processes that use the session.
type askedAs struct {
	ask jsonrpc.ID
	sum uint64
}

func (p place) as() askedAs { return askedAs{p.Ask, p.Sum} }

// sumOf is the hash of what is asked.
func sumOf(params json.RawMessage) uint64 {
	sum := sha256.Sum256(params)
	return binary.BigEndian.Uint64(sum[:])
}

// line is the place as it is kept, "" for one that is too long for that.
func (p place) line() string {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false) // ids are compared as they came
	if err := to.Encode(p); err != nil || b.Len() > maxPlace {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// readPlaces reads what another process, or this one before, left.
func readPlaces(lines string) (kept []place, done []closedPrompt) {
	for line := range strings.SplitSeq(lines, "\n") {
		var p place
		if len(line) > maxPlace || json.Unmarshal([]byte(line), &p) != nil || p.Ask.Absent() || len(p.Ask) > maxRequestID {
			continue
		}
		switch {
		case p.Done && len(done) < maxPlaces:
			done = append(done, closedPrompt{request: p.Ask, params: p.Sum, at: time.UnixMilli(p.At), why: "it was answered before"})
		case !p.Done && (p.After != "" || p.Asks != "") && len(kept) < maxPlaces:
			kept = append(kept, p)
		}
	}
	return kept, done
}

// places returns what LastEvent and Streams of a Resume are now. The GET stream
// is to be resumed behind the last event before the oldest question on it that
// is open. e.mu is held.
func (e *era2025) places() (last, lines string) {
	last = e.lastEvent
	var open []place
	add := func(p *prompt) {
		if p.place.lasts(p) {
			open = append(open, p.place)
		}
	}
	for _, r := range e.received.order {
		if !r.status.Terminal() || r.answer && !r.fetched { // an answer is on no disk: it is asked for again
			add(r.prompt)
		}
	}
	for _, k := range e.kept {
		if p := e.prompts.asked[k.Ask]; p != nil && p.params == k.Sum {
			continue // it is open already
		}
		if k.Of != "" || !e.wasUp { // else the stream was resumed and did not bring it
			open = append(open, k)
		}
	}
	for _, p := range e.prompts.open {
		if p.received == nil {
			add(p)
		}
	}
	if len(open) == 0 {
		return last, ""
	}
	order := func(a, b place) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Nth, b.Nth), strings.Compare(string(a.Ask), string(b.Ask)))
	}
	slices.SortFunc(open, order)
	for _, p := range open {
		if p.Of == "" && p.After != "" {
			last = p.After
			break
		}
	}
	// What came behind the oldest of them, and is answered, comes again too.
	var done []place
	for _, c := range e.prompts.closed {
		if at := c.at.UnixMilli(); at >= open[0].At && c.request != "" && !slices.ContainsFunc(open, func(p place) bool { return p.as() == askedAs{c.request, c.params} }) {
			done = append(done, place{Ask: c.request, Sum: c.params, At: at, Done: true})
		}
	}
	slices.SortFunc(done, order)
	var all []string
	for _, p := range append(newest(open), newest(done)...) {
		if line := p.line(); line != "" {
			all = append(all, line)
		}
	}
	return last, strings.Join(all, "\n")
}

// leave leaves a question that came while the session was being closed to who
// rejoins it. e.mu is held.
func (e *era2025) leave(p *prompt) {
	kept, done := readPlaces(string(e.left.Streams))
	if !p.place.lasts(p) || len(kept)+len(done) >= maxPlaces || slices.ContainsFunc(kept, func(k place) bool { return k.as() == p.place.as() }) {
		return
	}
	if p.place.Of == "" && e.left.LastEvent == "" {
		e.left.LastEvent = task.Secret(p.place.After)
	}
	lines := string(e.left.Streams) + "\n" + p.place.line()
	e.left.Streams = task.Secret(strings.Trim(lines, "\n"))
}

// lasts completes the place of p, and reports whether it is of use to who rejoins
// the session: what a call asks is not, where its reply cannot be had.
func (l *place) lasts(p *prompt) bool {
	l.Task, l.Call = p.Task, p.Call
	return l.After != "" || l.Asks != "" && (p.Task != "" || p.Call == "")
}

func newest(ps []place) []place { return ps[max(0, len(ps)-maxPlaces):] }

// put finds out where a new question stands. One that comes again stands where
// it stood, and is as old as it is. e.mu is held.
func (e *era2025) put(p *prompt, o *origin, params json.RawMessage) {
	if !o.at.IsZero() {
		p.At = o.at // it waited since
	}
	as := askedAs{p.request, p.params}
	for i, k := range e.kept {
		if k.as() != as {
			continue
		}
		e.kept = slices.Delete(e.kept, i, i+1)
		p.place, p.At = k, time.UnixMilli(k.At)
		if p.Task == "" && o.task == "" && o.call == "" {
			p.Task, p.Call = k.Task, k.Call
		}
		return
	}
	e.came++
	p.place = place{
		Ask: p.request, Sum: p.params, At: p.At.UnixMilli(), Nth: e.came, Of: o.request, After: o.last, Waits: o.method == "tasks/result",
	}
	if o.last == "" && len(params) < maxPlace {
		p.place.Asks = string(params)
		if p.Mode == task.SamplingMode {
			p.place.How = methodSample
		}
	}
}

// restore opens the questions that were left and that nothing brings again.
func (e *era2025) restore() {
	if e.ep.cfg.ReadOnly && !e.silent() {
		return
	}
	e.mu.Lock()
	kept := slices.Clone(e.kept)
	e.mu.Unlock()
	for _, k := range kept {
		if k.Asks == "" || k.Mine != "" && !e.mine(k) {
			continue
		}
		if params := json.RawMessage(k.Asks); sumOf(params) == k.Sum && isObject(params) && json.Valid(params) {
			e.prompted(&jsonrpc.Message{ID: k.Ask, Method: cmp.Or(k.How, methodElicit), Params: params}, &origin{stream: new(carrier)})
			if k.Mine != "" && k.Of != "" && k.After != "" {
				e.mu.Lock()
				e.kept = append(e.kept, k) // its stream is resumed for what the server asks next
				e.mu.Unlock()
			}
		}
	}
}

// polled notes what the server says of tasks now: that one asks nothing any more
// is the end of the questions that it asked before.
func (e *era2025) polled(ts ...task.Task) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.kept) == 0 {
		return
	}
	for _, t := range ts {
		e.kept = slices.DeleteFunc(e.kept, func(p place) bool {
			// On the GET stream some servers ask without saying so in the status.
			return p.Task == t.ID && t.Status != task.InputRequired && p.Of != ""
		})
	}
}
