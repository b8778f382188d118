package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A call of its own headers, whose stream is not resumed whatever ids it showed.
func TestFinalCall(t *testing.T) {
	var asked atomic.Int32
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Method != http.MethodPost {
			t.Errorf("the stream was resumed: %s after %q", r.Method, r.Header.Get("Last-Event-Id"))
		}
		if got := r.Header.Get("Mcp-Method") + " " + r.Header.Get("X-Of-All") + " " + r.Header.Get("Content-Type"); got != "m one application/json" {
			t.Errorf("the headers of the call are %q", got)
		}
		stream(w, "retry: 1\n"+data("7", note(1)))
	}, func(c *Config) { c.Header = http.Header{"X-Of-All": {"all"}} })
	defer end()
	var c collector
	err := tr.Post(context.Background(), Call{Body: request(), Final: true, Handle: c.until(1),
		Header: http.Header{"mcp-method": {"m"}, "X-Of-All": {"one"}, "Content-Type": {"text/plain"}}})
	var lost *LostError
	if !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
	want(t, c.all(), []string{`{"n":1}`})
	if n := asked.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// A stream that may be silent for a while: comments count as news, and for the
// headers there is as much time.
func TestIdleCall(t *testing.T) {
	alive := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("X-Late") != "" {
			<-r.Context().Done()
			return
		}
		for range 5 {
			stream(w, ":\n\n")
			time.Sleep(50 * time.Second)
		}
		stream(w, data("", note(1)))
		<-r.Context().Done()
	}
	synctest.Test(t, func(t *testing.T) {
		tr, end := serve(t, alive)
		defer end()
		for late, took := range map[string]time.Duration{"": 250*time.Second + time.Minute, "yes": time.Minute} {
			var c collector
			begun := time.Now()
			err := tr.Post(context.Background(), Call{Body: request(), Patient: true, Idle: time.Minute, Handle: c.until(1), Header: http.Header{"X-Late": {late}}})
			var lost *LostError
			if !errors.As(err, &lost) || lost.Kind != Timeout {
				t.Errorf("late %q: %v", late, err)
			}
			if d := time.Since(begun); d != took {
				t.Errorf("late %q: given up after %v", late, d)
			}
		}
	})
}
