package model

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// What a server has of its own holds for no other.
func TestPerServer(t *testing.T) {
	closed, open := newScript(), newScript()
	sampler := func(context.Context, json.RawMessage) (string, error) { return "", nil }
	o := Options{Targets: []Target{
		{Name: "closed", Endpoint: closed, ReadOnly: true},
		{Name: "open", Endpoint: open, OnDemand: true, Sampler: sampler},
	}}
	play(t, o, open, func(st *stage) {
		for _, s := range []*script{closed, open} {
			s.put(a("t", task.InputRequired))
		}
		st.pass(6 * time.Second)
		st.wish(CancelMsg{task.Key{Server: "closed", ID: "t"}})
		st.wish(CancelMsg{task.Key{Server: "open", ID: "t"}})
		if closed.count("cancel", "") != 0 || open.count("cancel", "") != 1 {
			t.Errorf("cancels: %d of the read-only server, %d of the other", closed.count("cancel", ""), open.count("cancel", ""))
		}
		if why := st.CanStart("closed"); !strings.Contains(why, "the configuration has this server read-only") {
			t.Errorf("why: %q", why)
		}
		if why := st.CanStart("open"); why != "" {
			t.Errorf("why: %q", why)
		}
		if len(closed.attendedIDs()) != 0 || len(open.attendedIDs()) != 0 {
			t.Errorf("attended %v and %v", closed.attendedIDs(), open.attendedIDs())
		}
		if st.HasSampler("closed") || !st.HasSampler("open") {
			t.Error("the command of one server writes for the other")
		}
	})
}
