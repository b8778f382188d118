package mcptest

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pushed is a notification of a subscription.
type pushed struct {
	modernResult
	Meta          map[string]json.RawMessage `json:"_meta"`
	Notifications struct {
		TaskIDs []string `json:"taskIds"`
		Tools   bool     `json:"toolsListChanged"`
	}
	RequestID json.RawMessage `json:"requestId"`
}

func (st *openStream) pushed(method string) pushed {
	st.t.Helper()
	var p pushed
	m := st.must()
	if m.Method != method {
		st.t.Fatalf("%s came, not %s", m.Raw, method)
	}
	m.bind(st.t, &p)
	return p
}

func TestModernListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := modernly(t, WithTools(pairTool))
		a, b := s.AddTask(Task{}), s.AddTask(Task{})
		st, id := c.post("subscriptions/listen", map[string]any{"notifications": map[string]any{"taskIds": []string{a, "unknown"}, "toolsListChanged": true}})
		ack := st.pushed("notifications/subscriptions/acknowledged")
		if len(ack.Notifications.TaskIDs) != 1 || ack.Notifications.TaskIDs[0] != a || !ack.Notifications.Tools || string(ack.Meta[metaSubscription]) != id {
			t.Fatalf("acknowledged: %+v", ack)
		}
		if err := s.WaitListening(t.Context(), a); err != nil || s.Listening(b) != 0 || s.Listening("") != 1 {
			t.Errorf("listening: %v", err)
		}
		s.SetStatus(b, Completed, "not yours")
		go func() { _, _ = s.Ask(t.Context(), a, askApproval) }()
		if p := st.pushed("notifications/tasks"); p.TaskID != a || p.Status != InputRequired || len(p.InputRequests) != 1 || p.ResultType != "" || string(p.Meta[metaSubscription]) != id {
			t.Errorf("pushed: %+v", p)
		}
		c.update(a, map[string]any{"input": accept(nil)})
		if p := st.pushed("notifications/tasks"); p.Status != Working {
			t.Errorf("pushed: %+v", p)
		}
		s.Finish(a, Answered("fine"))
		if p := st.pushed("notifications/tasks"); p.Status != Completed || !strings.Contains(string(p.Result), "fine") {
			t.Errorf("pushed: %+v", p)
		}
		s.SetTools()
		st.pushed("notifications/tools/list_changed")
		s.EndStreams()
		if p := st.pushed("notifications/cancelled"); string(p.RequestID) != id {
			t.Errorf("the end: %+v", p)
		}
		if m := st.must(); string(m.ID) != id || !strings.Contains(string(m.Result), `"resultType":"complete"`) || !strings.Contains(string(m.Result), metaSubscription) {
			t.Errorf("the result: %s", m.Raw)
		}
		if _, err := st.next(); !errors.Is(err, io.EOF) {
			t.Errorf("after that: %v", err)
		}
		if s.Listening("") != 0 {
			t.Error("it is still listened to")
		}
	})
}

func TestModernListenFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := modernly(t)
		id := s.AddTask(Task{})
		filter := map[string]any{"taskIds": []string{id}}
		with := func(f Faults) (*openStream, pushed) {
			t.Helper()
			s.Fault(func(old *Faults) { *old = f })
			st, _ := c.post("subscriptions/listen", map[string]any{"notifications": filter})
			return st, st.pushed("notifications/subscriptions/acknowledged")
		}
		st, ack := with(Faults{Listen: ListenNoTasks, ListenEnd: EndResult})
		if ack.Notifications.TaskIDs != nil || s.Listening(id) != 0 {
			t.Errorf("without tasks: %+v", ack)
		}
		s.EndListens()
		if m := st.must(); m.Method != "" || m.Error != nil {
			t.Errorf("the result alone: %s", m.Raw)
		}
		st, ack = with(Faults{Listen: ListenOwnID, ListenEnd: EndCancelled, PushWithoutInput: true, Duplicate: true})
		own := string(ack.Meta[metaSubscription])
		s.SetStatus(id, InputRequired, "asks")
		for range 2 {
			if p := st.pushed("notifications/tasks"); p.InputRequests != nil || string(p.Meta[metaSubscription]) != own || !strings.HasPrefix(own, `"sub-`) {
				t.Errorf("under its own id: %+v", p)
			}
		}
		s.EndListens()
		st.pushed("notifications/cancelled")
		st.pushed("notifications/cancelled")
		if _, err := st.next(); !errors.Is(err, io.EOF) {
			t.Errorf("after the notification: %v", err)
		}
		st, _ = with(Faults{Listen: ListenEnds, ListenEnd: EndResult})
		if m := st.must(); m.Method != "" {
			t.Errorf("at once: %s", m.Raw)
		}
		st, _ = with(Faults{StreamLife: time.Second})
		if _, err := st.next(); !errors.Is(err, io.EOF) {
			t.Errorf("closed on purpose: %v", err)
		}
		st, _ = with(Faults{})
		s.CutStreams()
		if _, err := st.next(); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("a break looks like %v", err)
		}
		s.Fault(func(f *Faults) { *f = Faults{Listen: ListenRefused} })
		if e := c.errs("subscriptions/listen", map[string]any{"notifications": filter}); e.Code != CodeNoMethod {
			t.Errorf("refused: %v", e)
		}
		synctest.Wait()
		if n := s.Listening(""); n != 0 {
			t.Errorf("%d listens are left", n)
		}
	})
}

func TestModernListenKeepsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := modernly(t, WithKeepAlive(time.Second))
		st, _ := c.listen(map[string]any{"toolsListChanged": true})
		for range 3 {
			if line, err := st.r.ReadString('\n'); err != nil || line != ": keep-alive\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if line, err := st.r.ReadString('\n'); err != nil || line != "\n" {
				t.Fatalf("%q, %v", line, err)
			}
		}
	})
}

func TestModernNoiseAndShapes(t *testing.T) {
	_, c := serveModernly(t, WithFaults(Faults{Noise: true, ResultType: func(method, right string) string {
		if method == "tools/list" {
			return "task"
		}
		return right
	}}))
	st, id := c.post("tools/list", nil)
	n := 0
	for {
		m := st.must()
		if m.Method == "" {
			if string(m.ID) != id || !strings.Contains(string(m.Result), `"resultType":"task"`) {
				t.Errorf("%s", m.Raw)
			}
			break
		}
		if m.ID != nil {
			t.Errorf("a request on a modern stream: %s", m.Raw)
		}
		n++
	}
	if n != 3 || st.res.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("%d notifications before the reply", n)
	}
}
