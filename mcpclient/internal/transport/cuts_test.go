package transport

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// script is a server whose one stream of numbered events is cut off again and
// again, and goes on behind the last event that the client says it saw.
type script struct {
	t      *testing.T
	mu     sync.Mutex
	rnd    *rand.Rand
	events []string           // texts of whole events, event i having the id i+1
	cut    func(left int) int // bytes of the rest to send before the cut; beyond left: none
	conns  int
}

// newScript makes n events, of all forms there are. With a reply, the last is
// the response to request 1.
func newScript(t *testing.T, rnd *rand.Rand, n int, withReply bool) *script {
	s := &script{t: t, rnd: rnd}
	for i := 1; i <= n; i++ {
		text := fmt.Sprintf("id: %d\n", i)
		switch message := note(i); {
		case withReply && i == n:
			text += "data: " + reply(1) + "\n\n"
		case rnd.IntN(8) == 0: // priming: no message
			text += "data:\n\n"
		case rnd.IntN(8) == 0: // several lines
			text += "event: message\n: a comment\ndata: " + strings.ReplaceAll(message, ",", ",\ndata:") + "\n\n"
		case rnd.IntN(8) == 0:
			text += "retry: 1\ndata:" + message + "\n\n: keep-alive\n\n"
		default:
			text += "data: " + message + "\n\n"
		}
		text = strings.ReplaceAll(text, "\n", []string{"\n", "\r", "\r\n"}[rnd.IntN(3)])
		s.events = append(s.events, text)
	}
	return s
}

// messages is what a client must see, once each and in this order.
func (s *script) messages() []string {
	var all []string
	for i, e := range s.events {
		switch {
		case strings.Contains(e, "result"):
			all = append(all, "reply")
		case strings.Contains(e, "method"):
			all = append(all, fmt.Sprintf(`{"n":%d}`, i+1))
		}
	}
	return all
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	from := 0
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		var err error
		if from, err = strconv.Atoi(id); err != nil || from > len(s.events) {
			s.t.Errorf("an id that was never sent: %q", id)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	s.mu.Lock()
	s.conns++
	text := strings.Join(s.events[from:], "")
	n := s.cut(len(text))
	abort := s.rnd.IntN(2) == 0
	var sizes []int
	for left := min(n, len(text)); left > 0; {
		size := 1 + s.rnd.IntN(min(left, 200))
		sizes = append(sizes, size)
		left -= size
	}
	s.mu.Unlock()
	stream(w)
	for _, size := range sizes {
		_, _ = io.WriteString(w, text[:size])
		text = text[size:]
		w.(http.Flusher).Flush()
	}
	switch {
	case n > len(text) && text == "" && r.Method == http.MethodGet:
		<-r.Context().Done() // all is said; the stream stays open
	case abort:
		panic(http.ErrAbortHandler)
	}
}

// Whatever cuts the stream, and wherever, each event comes exactly once and in
// order, on the GET stream and on that of a POST before its reply.
func TestRandomCuts(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("get ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			s := newScript(t, rnd, 400, false)
			s.cut = func(left int) int { return 40 + rnd.IntN(1500) }
			listenToAll(t, s)
			if s.conns < 20 {
				t.Errorf("only %d connections", s.conns)
			}
		})
		t.Run(fmt.Sprint("post ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			s := newScript(t, rnd, 400, true)
			s.cut = func(left int) int { return 100 + rnd.IntN(1500) }
			s.events[0] = "id: 1\ndata:\n\n"
			postToTheEnd(t, s)
			if s.conns < 20 {
				t.Errorf("only %d connections", s.conns)
			}
		})
	}
}

// One cut, at every byte position of the stream.
func TestEveryCut(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	s := newScript(t, rnd, 8, true)
	s.events[0] = "id: 1\ndata:\n\n"
	total := len(strings.Join(s.events, ""))
	for at := len(s.events[0]); at < total; at++ {
		first := true
		s.cut = func(left int) int {
			if first {
				first = false
				return at
			}
			return left + 1
		}
		postToTheEnd(t, s)
		if t.Failed() {
			t.Fatalf("with the cut at byte %d of %d", at, total)
		}
	}
	s = newScript(t, rnd, 8, false)
	total = len(strings.Join(s.events, ""))
	for at := range total {
		first := true
		s.cut = func(left int) int {
			if first {
				first = false
				return at
			}
			return left + 1
		}
		listenToAll(t, s)
		if t.Failed() {
			t.Fatalf("with the cut at byte %d of %d", at, total)
		}
	}
}

func postToTheEnd(t *testing.T, s *script) {
	t.Helper()
	tr, end := serve(t, s.ServeHTTP)
	defer end()
	var c collector
	if err := tr.Post(context.Background(), Call{Body: request(), Handle: c.until(1), Patient: true}); err != nil {
		t.Errorf("post: %v", err)
	}
	want(t, c.all(), s.messages())
}

func listenToAll(t *testing.T, s *script) {
	t.Helper()
	tr, end := serve(t, s.ServeHTTP)
	defer end()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var c collector
	handle := c.until(0)
	err := tr.Listen(ctx, Listening{
		Handle: handle,
		Seen: func(id string) {
			if id == strconv.Itoa(len(s.events)) {
				cancel()
			}
		},
	})
	if ctx.Err() == nil {
		t.Errorf("listen: %v", err)
	}
	want(t, c.all(), s.messages())
}
