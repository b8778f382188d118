package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// stormWire carries the requests of a client through the weather. It strikes
// whole messages, and notes which questions came and which answers went out.
type stormWire struct {
	*weather
	base *http.Transport
	work sync.WaitGroup // requests that were doubled

	mu     sync.Mutex
	seen   map[string]int    // requests and events of each kind
	asked  map[string]string // what a question is called on the wire: its text
	answer map[string]int    // texts of questions: how often an answer to it was sent
	polls  map[string]bool   // requests of the server for the answer to what it asked as a task
	total  int
	rate   map[int64]int // requests in each minute of the life
	heavy  float64       // how much of the traffic is struck
}

func newStormWire(w *weather, heavy float64) *stormWire {
	s := &stormWire{weather: w, seen: map[string]int{}, asked: map[string]string{}, answer: map[string]int{}, polls: map[string]bool{}, rate: map[int64]int{}, heavy: heavy}
	s.base = &http.Transport{DialContext: w.DialContext, DisableCompression: true}
	return s
}

// inherit goes on with the story of an earlier life. What that one left behind may
// still add to its own.
func (s *stormWire) inherit(old *stormWire) {
	old.weather.mu.Lock()
	s.trace, s.counts, s.told = slices.Clone(old.trace), maps.Clone(old.counts), old.told
	old.weather.mu.Unlock()
	old.mu.Lock()
	s.asked, s.answer, s.polls = maps.Clone(old.asked), maps.Clone(old.answer), maps.Clone(old.polls)
	old.mu.Unlock()
}

// story is what happened.
func (s *stormWire) story() []string {
	s.weather.mu.Lock()
	defer s.weather.mu.Unlock()
	return slices.Clone(s.trace)
}

// end closes what is left of the client's connections.
func (s *stormWire) end() {
	s.each(func(c *stormConn) { _ = c.Close() })
	s.base.CloseIdleConnections()
	s.work.Wait()
}

// wireRequest is what matters here of a message of the client.
type wireRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Task      string                     `json:"taskId"`
		Name      string                     `json:"name"`
		Args      json.RawMessage            `json:"arguments"`
		Responses map[string]json.RawMessage `json:"inputResponses"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// kind is what the storm calls the exchange that the message begins.
func (q *wireRequest) kind(method string) string {
	switch {
	case method != http.MethodPost:
		return method
	case q.Method == "" && len(q.ID) > 0:
		return "answer"
	case len(q.Params.Responses) > 0 && q.Method == "tools/call":
		return "round"
	}
	return q.Method
}

// doubled are requests that a network may bring twice without a second meaning.
var doubled = map[string]bool{"answer": true, "tasks/update": true, "tasks/cancel": true, "tasks/get": true, "tasks/list": true, "notifications/cancelled": true}

// next counts the things of a kind.
func (s *stormWire) next(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	s.seen[kind]++
	return s.seen[kind]
}

// busiest returns how many requests there were in the minute that had most. s.mu is
// held.
func (s *stormWire) busiest() (most int) {
	for _, n := range s.rate {
		most = max(most, n)
	}
	return most
}

// RoundTrip carries a request.
func (s *stormWire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	var q wireRequest
	if r.GetBody != nil {
		// The client goes by how far its body was read: this is read from a copy,
		// and the client's own stays unread.
		copied, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(copied); err != nil {
			return nil, err
		}
		_ = json.Unmarshal(body, &q)
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	kind := q.kind(r.Method)
	n := s.next(kind)
	s.mu.Lock()
	s.rate[time.Now().Unix()/60]++
	s.mu.Unlock()
	names := s.answers(r, &q)
	s.tell("-> " + kind + " " + q.Params.Task + " " + strings.Join(names, ", "))
	var torn atomic.Bool // the request could not be written as a whole
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		torn.Store(i.Err != nil)
	}})
	if dice := s.dice.of("exchange "+kind, n); s.strikes() {
		p := s.heavy
		if kind == "answer" || kind == "tasks/update" || kind == "round" {
			p = min(4*p, 0.5)
		}
		if doubled[kind] && dice.Float64() < p/3 {
			s.struck("double " + kind)
			again := r.Clone(context.WithoutCancel(ctx))
			again.Body = io.NopCloser(bytes.NewReader(body))
			s.work.Go(func() {
				if resp, err := s.base.RoundTrip(again); err == nil {
					_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
					_ = resp.Body.Close()
				}
			})
		}
		if dice.Float64() < p {
			out, in := s.fault(dice, len(body))
			if in != nil && in.kind == faultGarble && q.kind(r.Method) == "tools/call" {
				in.kind = faultCut // a question that comes first on a call's stream has no event before it, from which it could be had again
			}
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
				if c, ok := i.Conn.(*stormConn); ok {
					c.arm(out, in)
				}
			}})
		}
	}
	resp, err := s.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		if rest, ok := r.Body.(interface{ Len() int }); ok && rest.Len() > 0 || torn.Load() {
			s.unsent(names) // no server can make anything of a part
		}
		s.tell("<- " + kind + ": " + err.Error())
		return nil, err
	}
	if resp.StatusCode >= 400 && resp.StatusCode < 500 {
		s.unsent(names) // the server did not take them
	}
	s.watch(resp, r, &q, kind)
	return resp, nil
}

// fault chooses what strikes one exchange, and where: in the request, in the head
// of the reply, or in its body.
func (s *stormWire) fault(r *rand.Rand, size int) (out, in *strike) {
	f := &strike{kind: []string{faultCut, faultCut, faultTruncate, faultStall, faultStall, faultGarble, faultDelay}[r.IntN(7)], wait: between(r, 100*time.Millisecond, 40*time.Second)}
	if f.kind == faultDelay {
		f.wait = between(r, 10*time.Millisecond, 3*time.Second)
	}
	if r.IntN(3) == 0 {
		f.at = r.IntN(size + 600)
		return f, nil
	}
	f.at = r.IntN([]int{2, 200, 600, 2000}[r.IntN(4)])
	return nil, f
}

// answers counts the answers that go out with a message, and returns the texts of
// their questions.
func (s *stormWire) answers(r *http.Request, q *wireRequest) (texts []string) {
	var names []string
	switch q.kind(r.Method) {
	case "answer":
		// No answer to a ping, and none that stands in a task.
		if bytes.Contains(q.Result, []byte(`"action"`)) || bytes.Contains(q.Result, []byte(`"role"`)) || bytes.Contains(q.Error, []byte("User rejected")) {
			names = append(names, r.Header.Get("Mcp-Session-Id")+" "+string(q.ID))
		}
	case "tasks/update":
		for key := range q.Params.Responses {
			names = append(names, q.Params.Task+" "+key)
		}
	case "round":
		for key := range q.Params.Responses {
			names = append(names, callName(q)+" "+key)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if s.polls[name] {
			continue // the person's answer is on its way for as long as it is asked for
		}
		text := s.asked[name]
		if text == "" {
			text = "unknown: " + name
		}
		s.answer[text]++
		texts = append(texts, text)
	}
	return texts
}

// unsent takes back what answers counted.
func (s *stormWire) unsent(texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		s.answer[text]--
	}
}

func callName(q *wireRequest) string { return "call " + q.Params.Name + string(q.Params.Args) }

// wireMessage is what matters here of a message of the server.
type wireMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		wireQuestion
		wireState
	} `json:"params"`
	Result *wireState `json:"result"`
}

type wireQuestion struct {
	Message  string `json:"message"`
	Messages []struct {
		Content struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"messages"`
}

// text is what the question is known by.
func (q *wireQuestion) text() string {
	if len(q.Messages) > 0 {
		return q.Messages[0].Content.Text
	}
	return q.Message
}

type wireState struct {
	Task     string `json:"taskId"`
	Status   string `json:"status"`
	Requests map[string]struct {
		Params wireQuestion `json:"params"`
	} `json:"inputRequests"`
}

// asks notes the questions of a message; it returns their texts.
func (s *stormWire) asks(data []byte, session string, q *wireRequest) (texts []string, m wireMessage) {
	if json.Unmarshal(data, &m) != nil {
		return nil, m
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := func(name, text string) {
		s.asked[name] = text
		texts = append(texts, text)
	}
	switch text := m.Params.text(); {
	case m.Method == "" || len(m.ID) == 0:
	case m.Method == "tasks/result":
		s.polls[session+" "+string(m.ID)] = true
	case text != "":
		name(session+" "+string(m.ID), text)
	}
	for _, st := range []*wireState{m.Result, &m.Params.wireState} {
		if st == nil {
			continue
		}
		of := st.Task
		if of == "" {
			of = callName(q)
		}
		for key, r := range st.Requests {
			name(of+" "+key, r.Params.text())
		}
	}
	return texts, m
}

// watch lets the reply's body pass through the storm.
func (s *stormWire) watch(resp *http.Response, r *http.Request, q *wireRequest, kind string) {
	session := r.Header.Get("Mcp-Session-Id")
	b := &stormBody{s: s, body: resp.Body, session: session, q: q, kind: kind, events: make(chan []byte), over: make(chan struct{})}
	b.sse = strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	resp.Body = b
	b.stop = context.AfterFunc(r.Context(), b.end)
	if b.sse {
		s.work.Go(b.pump)
	}
}

// stormBody is the body of a reply.
type stormBody struct {
	s       *stormWire
	body    io.ReadCloser
	session string
	q       *wireRequest
	kind    string
	sse     bool

	whole  []byte      // of what is no stream
	events chan []byte // whole ones, and what is left at the end
	err    error       // of the stream, once events is closed
	over   chan struct{}
	once   sync.Once
	stop   func() bool

	ready []byte // to be read
	last  error  // after that
}

// Close ends the body.
func (b *stormBody) Close() error {
	b.stop()
	b.end()
	return b.body.Close()
}

func (b *stormBody) end() { b.once.Do(func() { close(b.over) }) }

// pump cuts the stream into its events.
func (b *stormBody) pump() {
	defer close(b.events)
	var buf []byte
	p := make([]byte, 4096)
	for {
		n, err := b.body.Read(p)
		buf = append(buf, p[:n]...)
		for {
			i := bytes.Index(buf, []byte("\n\n"))
			if i < 0 {
				break
			}
			event := append([]byte(nil), buf[:i+2]...)
			buf = buf[i+2:]
			select {
			case b.events <- event:
			case <-b.over:
				return
			}
		}
		if err != nil {
			b.err = err
			if len(buf) > 0 {
				select {
				case b.events <- buf:
				case <-b.over:
				}
			}
			return
		}
	}
}

func (b *stormBody) Read(p []byte) (int, error) {
	if !b.sse {
		n, err := b.body.Read(p)
		if b.whole = append(b.whole, p[:n]...); err != nil {
			texts, _ := b.s.asks(b.whole, b.session, b.q)
			b.s.tell("<- " + b.kind + " ends " + err.Error() + " " + strings.Join(texts, ", "))
		}
		return n, err
	}
	for len(b.ready) == 0 {
		if b.last != nil {
			return 0, b.last
		}
		select {
		case e, ok := <-b.events:
			if !ok {
				b.last = cmp.Or(b.err, io.ErrClosedPipe)
				b.s.tell("<- " + b.kind + " stream ends: " + b.last.Error())
				continue
			}
			b.pass(e)
		case <-b.over:
			b.last = io.ErrClosedPipe
		}
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// dataOf is what an event of mcptest holds.
func dataOf(event []byte) []byte {
	_, data, _ := bytes.Cut(event, []byte("data: "))
	return bytes.TrimSpace(data)
}

// pass lets an event through, as the storm has it.
func (b *stormBody) pass(e []byte) {
	s := b.s
	texts, m := s.asks(dataOf(e), b.session, b.q)
	what := m.Method
	if len(texts) > 0 {
		what = "question"
	} else if what == "" {
		what = "reply"
	}
	n := s.next("event " + what)
	r := s.dice.of("event "+what, n)
	s.tell("<- " + b.kind + " event " + what + " " + m.Params.Task + m.Params.Status + strings.Join(texts, ", "))
	p := s.heavy
	if what == "question" {
		p = min(5*p, 0.5)
	}
	if !s.strikes() || r.Float64() > p {
		b.ready = e
		return
	}
	note := len(m.ID) == 0 && m.Method != "" // what may be left out, or come in another order
	switch k := r.IntN(6); {
	case k == 0:
		s.struck("cut in " + what)
		b.ready, b.last = e[:r.IntN(len(e))], errReset
		_ = b.body.Close()
	case k == 1:
		s.struck("truncate in " + what)
		b.ready, b.last = e[:r.IntN(len(e))], io.EOF
		_ = b.body.Close()
	case k == 2:
		s.struck("delay " + what)
		s.pause(between(r, 10*time.Millisecond, 20*time.Second), b.over)
		b.ready = e
	case k == 3 && (note || what == "question"):
		s.struck("duplicate " + what)
		b.ready = append(append([]byte(nil), e...), e...)
	case k == 4 && note && what != "notifications/subscriptions/acknowledged" && what != "notifications/cancelled":
		s.struck("drop " + what)
	case k == 5 && note:
		b.swap(e)
	default:
		s.struck("stall " + what)
		s.pause(between(r, time.Second, 40*time.Second), b.over)
		b.ready = e
	}
}

// swap lets an event change places with the one behind it, where one comes soon
// and is none that ends the stream. Their ids stay in their places.
func (b *stormBody) swap(e []byte) {
	t := time.NewTimer(5 * time.Second)
	defer t.Stop()
	select {
	case next, ok := <-b.events:
		_, m := b.s.asks(dataOf(next), b.session, b.q)
		if !ok || m.Method == "" || len(m.ID) > 0 {
			b.ready = append(append([]byte(nil), e...), next...)
			return
		}
		b.s.struck("reorder")
		first, a, _ := bytes.Cut(e, []byte("data: "))
		second, z, _ := bytes.Cut(next, []byte("data: "))
		b.ready = bytes.Join([][]byte{first, []byte("data: "), z, second, []byte("data: "), a}, nil)
	case <-t.C:
		b.ready = e
	case <-b.s.calm:
		b.ready = e
	case <-b.over:
	}
}
