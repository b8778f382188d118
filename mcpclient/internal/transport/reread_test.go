package transport

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
)

// An event that was damaged on its way is asked for once more, and what came
// behind it is not lost for it, nor taken twice.
func TestADamagedEventIsHadAgain(t *testing.T) {
	const damaged = "{\"jsonrpc\":\"2.0\",\"method\":\"\x01\"}"
	for name, ids := range map[string][]string{"resumed": {"1", "2", "3"}, "begun anew": {"", "", ""}} {
		for _, persists := range []bool{false, true} {
			t.Run(name+map[bool]string{false: "", true: ", damaged for good"}[persists], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n, resumed := 0, ""
					tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
						first, second := data(ids[0], note(1)), data(ids[1], note(2))
						if n++; n == 1 || persists {
							second = data(ids[1], damaged)
						}
						if n > 1 {
							resumed = r.Header.Get("Last-Event-ID")
							first = ""
						}
						if n > 2 {
							w.WriteHeader(http.StatusMethodNotAllowed)
							return
						}
						stream(w, first, second, data(ids[2], note(3)))
						if n > 1 {
							return
						}
						<-r.Context().Done()
					}, func(c *Config) { c.Timing = Timing{} })
					defer end()
					var e ears
					if err := tr.Listen(context.Background(), e.listening()); !errors.Is(err, ErrNoStream) {
						t.Error(err)
					}
					got := []string{`{"n":1}`, `{"n":2}`, `{"n":3}`}
					if persists {
						got = []string{`{"n":1}`, `{"n":3}`}
					}
					want(t, e.all(), got)
					if resumed != ids[len(ids)-1] {
						t.Errorf("the last was resumed behind %q", resumed)
					}
				})
			})
		}
	}
}

// What the server meant, though it is no message, is left out.
func TestWhatIsNoMessageIsNotAskedForAgain(t *testing.T) {
	r, without := Reread{}, Reread{}
	if !r.once("2") || r.once("2") || !r.once("3") || !without.once("") || without.once("") {
		t.Error("an event is asked for again not once")
	}
	a := &attempt{reread: &Reread{}, gate: &gate{}, lastID: "1"}
	if a.unread([]byte("[1]"), "2") {
		t.Error("what is JSON was not damaged")
	}
	if a.lastID = ""; a.unread([]byte("{"), "2") {
		t.Error("a stream that cannot be resumed is torn")
	}
}

// A reply that was damaged on its way, and that nothing brings again, is not waited
// for as long as its stream can be resumed behind it. What only takes its time is.
func TestADamagedReplyIsNotWaitedForForEver(t *testing.T) {
	for name, first := range map[string]string{"damaged": "{\"id\":1,\"result\":{\"\x01", "only slow": note(1)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
					switch n++; {
					case n == 1:
						stream(w, data("1", first))
					case n < 4*maxBarren:
						stream(w, ": nothing yet\n\n")
					default:
						stream(w, data("2", reply(1)))
					}
				}, func(c *Config) { c.Timing = Timing{} })
				defer end()
				var c collector
				err := tr.Post(context.Background(), Call{Body: request(), Patient: true, Handle: c.until(1)})
				var lost *LostError
				switch {
				case first == note(1):
					if err != nil {
						t.Error(err)
					}
				case !errors.As(err, &lost) || n > 2+maxBarren:
					t.Errorf("%v, after %d requests", err, n)
				}
			})
		})
	}
}
