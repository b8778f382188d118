package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
)

// ears records what a Listening is told.
type ears struct {
	collector
	ups   []bool // with a gap?
	downs []error
	waits []time.Duration
	ids   []string
}

func (e *ears) listening() Listening {
	return Listening{
		Handle: e.until(0),
		Seen:   func(id string) { e.ids = append(e.ids, id) },
		Up:     func(gap bool) { e.ups = append(e.ups, gap) },
		Down: func(why error, at time.Time) {
			e.downs = append(e.downs, why)
			e.waits = append(e.waits, time.Until(at))
		},
	}
}

// Refusals that trying again cannot help end the listening.
func TestListenRefused(t *testing.T) {
	var status *StatusError
	var content *ContentError
	for _, tc := range []struct {
		name string
		do   http.HandlerFunc
		ok   func(error) bool
	}{
		{"405", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(405) }, func(err error) bool { return errors.Is(err, ErrNoStream) }},
		{"501", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(501) }, func(err error) bool { return errors.Is(err, ErrNoStream) }},
		{"204", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }, func(err error) bool { return errors.Is(err, ErrNoStream) }},
		{"400", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400) }, func(err error) bool { return errors.As(err, &status) && status.Status == 400 }},
		{"401", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) }, func(err error) bool { return errors.As(err, &status) && status.Status == 401 }},
		{"403", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) }, func(err error) bool { return errors.As(err, &status) && status.Status == 403 }},
		{"404", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }, func(err error) bool { return errors.As(err, &status) && status.Status == 404 }},
		{"html", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<html>") }, func(err error) bool { return errors.As(err, &content) }},
		{"json", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, note(1))
		}, func(err error) bool { return errors.As(err, &content) && content.ContentType == "application/json" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var e ears
			tr, end := serve(t, tc.do)
			defer end()
			if err := tr.Listen(context.Background(), e.listening()); !tc.ok(err) {
				t.Errorf("got %v", err)
			}
			if len(e.ups) != 0 || len(e.downs) != 0 {
				t.Errorf("ups %v, downs %v", e.ups, e.downs)
			}
		})
	}
}

// The stream waits as it is told, and by itself longer and longer until there
// is progress.
func TestListenWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		steps := []http.HandlerFunc{
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) },
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(502) },
			func(w http.ResponseWriter, r *http.Request) { stream(w) }, // opens, and brings nothing
			func(w http.ResponseWriter, r *http.Request) { stream(w, ": hello\n\n") },
			func(w http.ResponseWriter, r *http.Request) { stream(w, data("1", note(1))) },
			func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Retry-After", "100"); w.WriteHeader(503) },
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(409) },
			func(w http.ResponseWriter, r *http.Request) { stream(w); time.Sleep(11 * time.Second) },
			func(w http.ResponseWriter, r *http.Request) { stream(w, "retry: 4000\n\n") },
			func(w http.ResponseWriter, r *http.Request) { stream(w, data("2", note(2))) },
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) },
		}
		// In seconds, with the spread of each.
		waits := [][2]float64{{0.8, 1.2}, {1.6, 2.4}, {3.2, 4.8}, {6.4, 9.6}, {0.8, 1.2}, {100, 110}, {24, 36}, {0.8, 1.2}, {4, 4.4}, {4, 4.4}}
		n := 0
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n++
			steps[n-1](w, r)
		}, func(c *Config) { c.Timing = Timing{} })
		defer end()
		var e ears
		err := tr.Listen(context.Background(), e.listening())
		var status *StatusError
		if !errors.As(err, &status) || status.Status != 401 {
			t.Errorf("ended with %v", err)
		}
		if len(e.waits) != len(waits) {
			t.Fatalf("waits are %v", e.waits)
		}
		for i, w := range waits {
			if s := e.waits[i].Seconds(); s < w[0] || s > w[1] {
				t.Errorf("wait %d is %v, want %v s", i+1, e.waits[i], w)
			}
		}
		want(t, e.all(), []string{`{"n":1}`, `{"n":2}`})
	})
}

func TestBackOffEnds(t *testing.T) {
	p := newPace(Timing{Base: time.Second, Cap: time.Minute})
	for range 100 {
		if d := p.next(&attempt{retry: -1}, ending{}); d > 72*time.Second {
			t.Fatalf("a wait of %v", d)
		}
	}
	if p.fails != 100 {
		t.Errorf("%d fails", p.fails)
	}
	if d := p.next(&attempt{retry: 0}, ending{good: true}); d < minRetry || d > 2*minRetry {
		t.Errorf("retry: 0 gives a wait of %v", d)
	}
}

// The stream begins afresh, with a gap, when the server has forgotten the id.
func TestListenForgottenID(t *testing.T) {
	var asked []string
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Last-Event-ID")
		asked = append(asked, id)
		switch len(asked) {
		case 1: // the id of the start: resumed
			stream(w, data("b", note(1)))
		case 2: // forgotten
			w.WriteHeader(400)
		case 3: // afresh; the id is taken back at the end
			stream(w, data("c", note(2)), "id\ndata: "+note(3)+"\n\n")
		case 4: // no id: nothing to resume
			stream(w, data("", note(4)))
		default:
			w.WriteHeader(403)
		}
	})
	defer end()
	var e ears
	l := e.listening()
	l.LastEventID = "a"
	var status *StatusError
	if err := tr.Listen(context.Background(), l); !errors.As(err, &status) || status.Status != 403 {
		t.Errorf("ended with %v", err)
	}
	want(t, asked, []string{"a", "b", "", "", ""})
	want(t, e.ids, []string{"b", "", "c", ""})
	want(t, e.all(), []string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`})
	if len(e.ups) != 3 || e.ups[0] || !e.ups[1] || !e.ups[2] {
		t.Errorf("gaps are %v", e.ups)
	}
}

// An id that cannot be a header is no reason to fail: the stream goes on, but
// cannot be resumed.
func TestListenUnusableID(t *testing.T) {
	n := 0
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			stream(w, data("good", note(1)), data("b\x01ad", note(2)))
			return
		}
		if id := r.Header.Values("Last-Event-ID"); len(id) != 0 {
			t.Errorf("resumed with %q", id)
		}
		w.WriteHeader(405)
	})
	defer end()
	var e ears
	if err := tr.Listen(context.Background(), e.listening()); !errors.Is(err, ErrNoStream) {
		t.Error(err)
	}
	want(t, e.all(), []string{`{"n":1}`, `{"n":2}`})
}

// A silent stream is opened anew; one that only sends comments is not silent.
func TestListenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lasted []time.Duration
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			if len(lasted) == 2 {
				w.WriteHeader(405)
				return
			}
			stream(w, data("1", note(1)))
			if len(lasted) == 0 {
				for range 10 {
					time.Sleep(4 * time.Minute)
					stream(w, ": keep-alive\n\n")
				}
			}
			<-r.Context().Done()
			lasted = append(lasted, time.Since(start))
		}, func(c *Config) { c.Timing = Timing{} })
		defer end()
		var e ears
		if err := tr.Listen(context.Background(), e.listening()); !errors.Is(err, ErrNoStream) {
			t.Error(err)
		}
		if lasted[0] != 45*time.Minute || lasted[1] != 5*time.Minute {
			t.Errorf("the streams lasted %v", lasted)
		}
		var broken *NetError
		if len(e.downs) != 2 || !errors.As(e.downs[0], &broken) || broken.Kind != Timeout {
			t.Errorf("downs are %v", e.downs)
		}
	})
}

// An event that is too large is left out; the stream goes on behind it, and is
// resumed behind it.
func TestListenLargeEvent(t *testing.T) {
	var faults []error
	n := 0
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			stream(w, data("1", note(1)), data("2", strings.Repeat("x", 5000)), data("3", "[1]"), data("4", note(4)), data("5", strings.Repeat("x", 5000)))
			return
		}
		if id := r.Header.Get("Last-Event-ID"); id != "5" {
			t.Errorf("resumed with %q", id)
		}
		w.WriteHeader(405)
	}, func(c *Config) {
		c.Limits.Event = 1000
		c.Fault = func(err error) { faults = append(faults, err) }
	})
	defer end()
	var e ears
	if err := tr.Listen(context.Background(), e.listening()); !errors.Is(err, ErrNoStream) {
		t.Error(err)
	}
	want(t, e.all(), []string{`{"n":1}`, `{"n":4}`})
	var large *TooLargeError
	var malformed *MalformedError
	counts := [2]int{}
	for _, f := range faults {
		if errors.As(f, &large) {
			counts[0]++
		}
		if errors.As(f, &malformed) {
			counts[1]++
		}
	}
	if counts != [2]int{2, 1} {
		t.Errorf("faults are %v", faults)
	}
}

// The handler is through with an event before its id counts: a break meanwhile
// repeats the event, and loses none.
func TestIDIsTakenOverLast(t *testing.T) {
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, data("1", note(1)))
		<-r.Context().Done()
	})
	defer end()
	ctx, cancel := context.WithCancel(context.Background())
	var order []string
	var e ears
	l := e.listening()
	until := l.Handle
	l.Handle = func(m *jsonrpc.Message) bool { order = append(order, "handled"); return until(m) }
	l.Seen = func(id string) { order = append(order, "seen "+id); cancel() }
	if err := tr.Listen(ctx, l); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	want(t, order, []string{"handled", "seen 1"})
}

// How a POST's stream is resumed, or not.
func TestPostResumption(t *testing.T) {
	var status *StatusError
	var content *ContentError
	var lost *LostError
	for _, tc := range []struct {
		name string
		then []http.HandlerFunc // answers to the GETs
		err  any                // nil: the reply comes
	}{
		{"resumed", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { stream(w, data("2", reply(1))) }}, nil},
		{"polled", []http.HandlerFunc{
			func(w http.ResponseWriter, r *http.Request) { stream(w, "id: 2\ndata:\n\n") },
			func(w http.ResponseWriter, r *http.Request) { stream(w) },
			func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Last-Event-ID") == "2" {
					stream(w, data("3", reply(1)))
				}
			},
		}, nil},
		{"held, busy, then resumed", []http.HandlerFunc{
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(409) },
			func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) },
			func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
			func(w http.ResponseWriter, r *http.Request) { stream(w, data("2", reply(1))) },
		}, nil},
		{"forgotten", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400) }}, &status},
		{"session lost", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }}, &status},
		{"no streams", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(405) }}, &status},
		{"a page", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<html>") }}, &content},
		{"id taken back", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { stream(w, "id:\ndata:\n\n") }}, &lost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var gets atomic.Int32
			tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					stream(w, "retry: 1\nid: 1\ndata:\n\n")
					return
				}
				n := int(gets.Add(1))
				if n > len(tc.then) {
					t.Errorf("GET %d", n)
					n = 1
				}
				tc.then[n-1](w, r)
			})
			defer end()
			err := ask(context.Background(), tr)
			switch {
			case tc.err == nil && err != nil:
				t.Error(err)
			case tc.err != nil && (!errors.As(err, &lost) || !errors.As(err, tc.err)):
				t.Errorf("got %v, want a LostError with a %T", err, tc.err)
			}
			if int(gets.Load()) != len(tc.then) {
				t.Errorf("%d GETs, want %d", gets.Load(), len(tc.then))
			}
		})
	}
}

// The wait that the server asks for before the resumption is kept, and a server
// that stays away is given up in the end.
func TestPostResumptionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var posted, resumed time.Time
		var down bool
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				posted = time.Now()
				stream(w, "retry: 7000\nid: 1\ndata:\n\n")
			case down:
				w.WriteHeader(503)
			default:
				resumed = time.Now()
				stream(w, data("2", reply(1)))
			}
		}, func(c *Config) { c.Timing = Timing{} })
		defer end()
		if err := ask(context.Background(), tr); err != nil {
			t.Error(err)
		}
		if d := resumed.Sub(posted); d < 7*time.Second || d > 8*time.Second {
			t.Errorf("resumed after %v", d)
		}
		down = true
		var lost *LostError
		if err := ask(context.Background(), tr); !errors.As(err, &lost) {
			t.Error(err)
		}
		if d := time.Since(posted); d < 2*time.Minute || d > 4*time.Minute {
			t.Errorf("given up after %v", d)
		}
	})
}

// A server that has the client poll, stream by stream, is not failing, however
// long it takes.
func TestPostPolledForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if time.Since(start) > 20*time.Minute {
				stream(w, data("z", reply(1)))
				return
			}
			stream(w, "retry: 5000\nid: a\ndata:\n\n")
		}, func(c *Config) { c.Timing = Timing{} })
		defer end()
		if err := ask(context.Background(), tr); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d < 20*time.Minute {
			t.Errorf("took %v", d)
		}
	})
}
