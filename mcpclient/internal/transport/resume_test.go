package transport

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// A call that goes on with the stream of an earlier one sends no message, tells
// which events it saw, and is resumed as any other.
func TestCallBeginsWithResumption(t *testing.T) {
	var (
		mu    sync.Mutex
		asked []string
	)
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.Header.Get("Last-Event-Id"))
		mu.Unlock()
		switch r.Header.Get("Last-Event-Id") {
		case "a":
			stream(w, "retry: 1\n"+data("b", note(1)))
		case "b":
			stream(w, data("c", reply(1)))
		default:
			http.Error(w, "unknown event", http.StatusBadRequest)
		}
	})
	defer end()
	var (
		c    collector
		seen []string
	)
	call := Call{LastEventID: "a", Patient: true, Handle: c.until(1), Seen: func(id string) { seen = append(seen, id) }}
	if err := tr.Post(context.Background(), call); err != nil {
		t.Fatal(err)
	}
	tr.Close() // what was seen is all there
	want(t, c.all(), []string{`{"n":1}`, "reply"})
	if !slices.Equal(asked, []string{"GET a", "GET b"}) || !slices.Equal(seen, []string{"b", "c"}) {
		t.Errorf("asked %q, seen %q", asked, seen)
	}
}

// What a resumption comes to that does not begin, or is the only one, is told as
// it is.
func TestCallThatCannotBeResumed(t *testing.T) {
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-Id") != "known" {
			http.Error(w, "unknown event", http.StatusBadRequest)
			return
		}
		stream(w, data("next", note(1)))
	})
	defer end()
	var (
		c      collector
		status *StatusError
		lost   *LostError
	)
	if err := tr.Post(context.Background(), Call{LastEventID: "gone", Handle: c.until(1)}); !errors.As(err, &status) || status.Status != http.StatusBadRequest {
		t.Errorf("%v", err)
	}
	if err := tr.Post(context.Background(), Call{LastEventID: "known", Final: true, Handle: c.until(1)}); !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
	want(t, c.all(), []string{`{"n":1}`})
}
