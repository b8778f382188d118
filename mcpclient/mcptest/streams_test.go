package mcptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestInitializeNegotiates(t *testing.T) {
	s, c := serve(t, WithInstructions("be kind"))
	for asked, want := range map[string]string{"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2026-07-28": "2025-11-25"} {
		var res struct {
			ProtocolVersion string
			Instructions    string
			Capabilities    struct{ Tasks map[string]any }
		}
		c.call("initialize", `{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"x","version":"0"}}`).bind(t, &res)
		if res.ProtocolVersion != want || res.Instructions != "be kind" || (res.Capabilities.Tasks != nil) != (want == Revision) {
			t.Errorf("asked %s: %+v", asked, res)
		}
	}
	fixed := New(WithVersion("2024-11-05"))
	defer fixed.Close()
	url, err := fixed.Start()
	if err != nil {
		t.Fatal(err)
	}
	m := raw(t, url, &http.Transport{}).initialize("{}")
	if !bytes.Contains(m.Result, []byte(`"2024-11-05"`)) {
		t.Errorf("fixed version: %s", m.Result)
	}
	if n := len(s.Sessions()); n != 4 {
		t.Errorf("%d sessions", n)
	}
	if res := c.do(context.Background(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "MCP-Protocol-Version", "1999-01-01"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("unknown version header: %d", res.StatusCode)
	}
}

func TestSessionsAreKnownLostAndDeleted(t *testing.T) {
	s, c := serve(t)
	status := func(method, body string, header ...string) (int, string) {
		res := c.do(context.Background(), method, body, header...)
		defer func() { _ = res.Body.Close() }()
		raw, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(raw)
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`
	id := c.session
	c.session = ""
	if code, _ := status(http.MethodPost, list); code != http.StatusBadRequest {
		t.Errorf("without a session: %d", code)
	}
	c.session = id
	s.AddTask(Task{Session: id})
	s.LoseSessions()
	if len(s.Tasks()) != 0 {
		t.Error("a lost session left its task")
	}
	if code, body := status(http.MethodPost, list); code != http.StatusNotFound || !strings.Contains(body, "Session not found") {
		t.Errorf("lost: %d %s", code, body)
	}
	s.Fault(func(f *Faults) { f.Loss = Loss400 })
	if code, body := status(http.MethodPost, list); code != http.StatusBadRequest || !strings.Contains(body, "No valid session ID provided") {
		t.Errorf("lost: %d %s", code, body)
	}
	s.Fault(func(f *Faults) { f.Loss = LossEmpty })
	if code, body := status(http.MethodPost, list); code != http.StatusOK || !strings.Contains(body, `"tasks":[]`) {
		t.Errorf("lost: %d %s", code, body)
	}
	for mode, want := range map[DeleteMode]int{Delete405: 405, Delete404HTML: 404, DeleteIgnored: 200} {
		s.Fault(func(f *Faults) { f.Delete = mode })
		if code, _ := status(http.MethodDelete, ""); code != want {
			t.Errorf("DELETE mode %d: %d", mode, code)
		}
	}
	s.Fault(func(f *Faults) { f.Delete, f.Loss = DeleteOK, Loss404 })
	if code, _ := status(http.MethodDelete, ""); code != http.StatusOK || len(s.Sessions()) != 0 {
		t.Errorf("DELETE: %d, left %v", code, s.Sessions())
	}
	if code, _ := status(http.MethodPost, list); code != http.StatusNotFound {
		t.Errorf("after DELETE: %d", code)
	}
	if code, _ := status(http.MethodPost, list, "Origin", "https://evil.example"); code != http.StatusForbidden {
		t.Errorf("foreign origin: %d", code)
	}
}

func TestGETModes(t *testing.T) {
	s, c := serve(t)
	for mode, want := range map[GETMode]int{GET405: 405, GET409: 409} {
		s.Fault(func(f *Faults) { f.GET = mode })
		if st := c.get(); st.res.StatusCode != want {
			t.Errorf("mode %d: %d", mode, st.res.StatusCode)
		}
	}
	s.Fault(func(f *Faults) { f.GET = GETSilent })
	silent := c.get()
	s.Push("", "notifications/lost", nil)
	s.Fault(func(f *Faults) { f.GET = GETOpen })
	s.Push("", "notifications/first", nil)
	if m := silent.must(); m.Method != "notifications/first" {
		t.Errorf("after silence: %s", m.Method)
	}
	if st := c.get(); st.res.StatusCode != http.StatusConflict {
		t.Errorf("second GET: %d", st.res.StatusCode)
	}
	s.Fault(func(f *Faults) { f.StealGET = true })
	thief := c.get()
	if _, err := silent.next(); !errors.Is(err, io.EOF) {
		t.Errorf("the robbed stream ended with %v", err)
	}
	s.Push(c.session, "notifications/second", nil)
	thief.until("notifications/second")
}

func TestReplyShapes(t *testing.T) {
	s, c := serve(t, WithTools(Tool{Name: "t", Run: func(_ context.Context, c *Call) Outcome {
		c.Progress(1, 2, "half")
		return Answered("x")
	}}))
	shape := func(method, params string) string {
		st, _ := c.post(method, params)
		st.until("")
		return st.res.Header.Get("Content-Type")
	}
	call := `{"name":"t","_meta":{"progressToken":7}}`
	if got := shape("tasks/list", ""); got != typeJSON {
		t.Errorf("auto list: %s", got)
	}
	if got := shape("tools/call", call); got != typeSSE {
		t.Errorf("auto call with progress: %s", got)
	}
	if got := shape("tools/call", `{"name":"t"}`); got != typeJSON {
		t.Errorf("auto call without: %s", got)
	}
	s.Fault(func(f *Faults) { f.Replies = ReplyJSON })
	if got := shape("tools/call", call); got != typeJSON {
		t.Errorf("json call: %s", got)
	}
	s.Fault(func(f *Faults) { f.Replies = ReplySSE })
	if got := shape("tasks/list", ""); got != typeSSE {
		t.Errorf("sse list: %s", got)
	}
	s.Fault(func(f *Faults) { f.Replies = ReplyTurns })
	if a, b := shape("tasks/list", ""), shape("tasks/list", ""); a == b {
		t.Errorf("turns: %s, %s", a, b)
	}
	s.Fault(func(f *Faults) { f.Replies, f.Noise = ReplyAuto, true })
	st, _ := c.post("tasks/list", "")
	if m := st.must(); m.Method != "notifications/message" {
		t.Errorf("noise begins with %s", m.Raw)
	}
	c.answer(st.until("ping"), "{}")
	st.until("")
}

func TestPrimingAndResumption(t *testing.T) {
	s, c := serve(t, WithPriming(1500*time.Millisecond))
	st := c.get()
	prime := st.must()
	if prime.Event != "g-0" || prime.Retry != "1500" || prime.Raw != nil {
		t.Errorf("priming %+v", prime)
	}
	s.Push("", "notifications/one", nil)
	one := st.until("notifications/one")
	s.CutStreams()
	if _, err := st.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut stream ended with %v", err)
	}
	s.Push("", "notifications/two", nil)
	st = c.get("Last-Event-ID", one.Event)
	if prime := st.must(); prime.Event != one.Event {
		t.Errorf("resumed at %q", prime.Event)
	}
	if m := st.must(); m.Method != "notifications/two" {
		t.Errorf("resumed with %s", m.Raw)
	}
	s.EndStreams()
	if _, err := st.next(); !errors.Is(err, io.EOF) {
		t.Errorf("ended stream: %v", err)
	}
	for _, unknown := range []string{"nonsense", "g-999", "p77-1", "g--2"} {
		if st := c.get("Last-Event-ID", unknown); st.res.StatusCode != http.StatusBadRequest {
			t.Errorf("unknown event id %s: %d", unknown, st.res.StatusCode)
		}
	}
	s.Fault(func(f *Faults) { f.UnknownID = true })
	if st := c.get("Last-Event-ID", "nonsense"); st.res.StatusCode != http.StatusOK {
		t.Errorf("unknown event id: %d", st.res.StatusCode)
	}
}

func TestPOSTStreamResumesAfterItWasClosed(t *testing.T) {
	tool, end := gate(Forbidden)
	s, c := serve(t, WithTools(tool), WithPriming(0), WithFaults(Faults{Replies: ReplySSE, StreamLife: time.Millisecond}))
	st, id := c.post("tools/call", `{"name":"gate"}`)
	prime := st.must()
	if _, err := st.next(); !errors.Is(err, io.EOF) {
		t.Fatalf("closed on purpose: %v", err)
	}
	end <- Answered("here")
	s.Fault(func(f *Faults) { f.StreamLife = 0 })
	again := c.get("Last-Event-ID", prime.Event)
	again.must()
	if m := again.must(); string(m.ID) != id || !strings.Contains(string(m.Result), "here") {
		t.Errorf("resumed reply %s", m.Raw)
	}
	if _, err := again.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after its reply: %v", err)
	}
}

func TestCutsLoseNothingThatCanBeResumed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s, c := serve(t, WithFaults(Faults{CutBytes: func() int { return 200 + rng.IntN(2000) }}))
	st := c.get()
	const n = 300
	for i := range n {
		s.Push("", "notifications/n", map[string]int{"n": i})
	}
	last, cuts := "", 0
	for want := 0; want < n; {
		m, err := st.next()
		if err != nil {
			cuts++
			st = c.get("Last-Event-ID", last)
			if st.res.StatusCode != http.StatusOK {
				t.Fatalf("resuming %q: %d", last, st.res.StatusCode)
			}
			continue
		}
		if string(m.Params) != fmt.Sprintf(`{"n":%d}`, want) {
			t.Fatalf("event %s, want %d", m.Params, want)
		}
		want, last = want+1, m.Event
	}
	if cuts < 10 {
		t.Errorf("only %d cuts", cuts)
	}
	s.Fault(func(f *Faults) { f.CutBytes, f.CutEvents = nil, 2 })
	s.EndStreams()
	if err := s.WaitUntil(within(t), func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.conns) == 0 }); err != nil {
		t.Fatal(err)
	}
	st = c.get("Last-Event-ID", "g-100")
	st.must()
	st.must()
	if _, err := st.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("after two events: %v", err)
	}
}

func TestEventStoreIsBounded(t *testing.T) {
	st := newStream("g", 10, 100)
	for range 1000 {
		st.push([]byte("x"))
	}
	if n := len(st.events); n > 2*(10+10)+1 {
		t.Errorf("%d events kept with no connection", n)
	}
	if !st.has(1001) || !st.has(992) || st.has(1) || st.has(1002) {
		t.Error("the store does not know what it holds")
	}
	c := &conn{wake: make(chan struct{}, 1), stop: make(chan struct{})}
	st.attach(c, 1)
	for range 1000 {
		st.push([]byte("y"))
	}
	if n := len(st.events); n > 2*(10+100)+1 {
		t.Errorf("%d events kept for a slow connection", n)
	}
	none := newStream("g", 0, 100)
	none.attach(c, 0)
	none.push([]byte("x"))
	if got := none.frame(nil, []byte("x"), 1); bytes.Contains(got, []byte("id:")) {
		t.Errorf("without a store: %s", got)
	}
}

func TestKeepAliveAndDelaysInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := memory(t, WithKeepAlive(15*time.Second), WithSkew(time.Hour))
		st := c.get()
		began := time.Now()
		if line, err := st.r.ReadString('\n'); err != nil || line != ": keep-alive\n" || time.Since(began) != 15*time.Second {
			t.Errorf("%q after %v, %v", line, time.Since(began), err)
		}
		if date, err := http.ParseTime(st.res.Header.Get("Date")); err != nil || date.Sub(began) < 59*time.Minute {
			t.Errorf("skewed date %v, %v", date, err)
		}
		s.Intercept(Interception{Method: "tasks/list", Delay: 3 * time.Second})
		began = time.Now()
		c.call("tasks/list", "")
		if d := time.Since(began); d != 3*time.Second {
			t.Errorf("delayed by %v", d)
		}
		s.Intercept(Interception{Method: "tasks/list", Hang: true})
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		if res := c.do(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`); res != nil {
			t.Errorf("a hanging request got %d", res.StatusCode)
		}
		st.close()
	})
}

func TestInterceptions(t *testing.T) {
	s, c := serve(t)
	s.Intercept(HTTPError("tasks/list", 2, http.StatusTooManyRequests, 1500*time.Millisecond))
	s.Intercept(HTMLPage("", 1, http.StatusOK))
	s.Intercept(Interception{Method: "tasks/list", Err: &Error{Code: -32000, Message: "no"}})
	list := `{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`
	for i, want := range []string{"429 2 text/plain", "429 2 text/plain", "200  text/html; charset=utf-8", "200  application/json", "200  application/json"} {
		res := c.do(context.Background(), http.MethodPost, list)
		_ = res.Body.Close()
		got := fmt.Sprintf("%d %s %s", res.StatusCode, res.Header.Get("Retry-After"), res.Header.Get("Content-Type"))
		if got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	id := s.AddTask(Task{})
	s.Intercept(Interception{Method: "tasks/cancel", Drop: true})
	if res := c.do(context.Background(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":`+idParams(id)+`}`); res != nil {
		t.Errorf("dropped request got %d", res.StatusCode)
	}
	if task, _ := s.Task(id); task.Status != Working {
		t.Errorf("a dropped cancel was acted on: %s", task.Status)
	}
	s.Intercept(Interception{Method: "tasks/cancel", DropReply: true})
	if res := c.do(context.Background(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":`+idParams(id)+`}`); res != nil {
		t.Errorf("dropped reply got %d", res.StatusCode)
	}
	if task, _ := s.Task(id); task.Status != Cancelled {
		t.Errorf("a cancel whose reply was dropped was not acted on: %s", task.Status)
	}
	s.Intercept(HTTPError("", -1, http.StatusServiceUnavailable, 0))
	for range 3 {
		if got := c.send(list); got != http.StatusServiceUnavailable {
			t.Errorf("for ever: %d", got)
		}
	}
	s.ClearInterceptions()
	s.SetToken("secret")
	if got := c.send(list); got != http.StatusUnauthorized {
		t.Errorf("without the token: %d", got)
	}
	c.token = "secret"
	if got := c.send(list); got != http.StatusOK {
		t.Errorf("with the token: %d", got)
	}
	s.Fault(func(f *Faults) { f.ErrorStatus = http.StatusNotFound })
	if st, _ := c.post("tasks/get", idParams("nobody")); st.res.StatusCode != http.StatusNotFound || st.must().Error == nil {
		t.Errorf("error status: %d", st.res.StatusCode)
	}
}

func TestBadMessages(t *testing.T) {
	_, c := serve(t)
	for body, want := range map[string]int{"[]": 400, "{": 400, `{"jsonrpc":"1.0"}`: 400, `{"jsonrpc":"2.0","id":9,"result":{}}`: 202} {
		if got := c.send(body); got != want {
			t.Errorf("%s: %d", body, got)
		}
	}
	if m := c.call("resources/list", ""); m.Error == nil || m.Error.Code != CodeNoMethod {
		t.Errorf("unknown method: %+v", m)
	}
	if res := c.do(context.Background(), http.MethodPut, ""); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", res.StatusCode)
	}
}

func TestStateless(t *testing.T) {
	s, c := serve(t, WithStateless(), WithTools(Tool{Name: "t", TaskSupport: Required}))
	if c.session != "" {
		t.Errorf("session %q", c.session)
	}
	id := c.start("t", "").TaskID
	other := raw(t, s.URL(), &http.Transport{})
	if _, err := other.task(id); err != nil {
		t.Error(err)
	}
	if st := c.get(); st.res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", st.res.StatusCode)
	}
}

func TestRequestsBothWays(t *testing.T) {
	s, c := serve(t, WithFaults(Faults{RequestIDs: func(n int) any {
		if n == 0 {
			return 0
		}
		return fmt.Sprintf("srv-%d", n)
	}}))
	st := c.get()
	for _, want := range []string{`0`, `"srv-1"`} {
		errs := make(chan error, 1)
		go func() {
			_, err := s.SendRequest(within(t), "", "ping", nil)
			errs <- err
		}()
		m := st.until("ping")
		if string(m.ID) != want {
			t.Errorf("id %s, want %s", m.ID, want)
		}
		c.answer(m, "{}")
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.SendRequest(ctx, c.session, "ping", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("unanswered: %v", err)
	}
	if _, err := s.SendRequest(ctx, "nobody", "ping", nil); !errors.Is(err, ErrNoSession) {
		t.Errorf("no session: %v", err)
	}
	if m := c.call("ping", ""); string(m.Result) != "{}" {
		t.Errorf("pong %s", m.Result)
	}
}

func TestThroughput(t *testing.T) {
	s, c := serve(t)
	var ids []string
	for range 1000 {
		ids = append(ids, s.AddTask(Task{}))
	}
	st := c.get()
	const n = 20_000
	began := time.Now()
	go func() {
		for i := range n {
			s.SetStatus(ids[i%len(ids)], Working, "step")
		}
	}()
	for range n {
		st.must()
	}
	if err := s.Drain(within(t)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%.0f a second", float64(n)/time.Since(began).Seconds())
}

func BenchmarkStatusNotifications(b *testing.B) {
	s := New(WithRecord(0))
	defer s.Close()
	id := s.AddTask(Task{})
	ss := s.newSession("x")
	s.mu.Lock()
	s.keepSession(ss)
	s.mu.Unlock()
	b.ReportAllocs()
	for b.Loop() {
		s.SetStatus(id, Working, "step")
	}
}
