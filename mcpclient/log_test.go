package mcpclient

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/mcpclient/internal/transport"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// lockedBuffer is a log file in memory.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestMask(t *testing.T) {
	for _, c := range []struct {
		name, body string
		answer     bool
		want       string
	}{
		{"nothing", `{"a":1,"b":["x"]}`, false, ""},
		{"a password", `{"p":{"Pass-Word":"x","n":1}}`, false, `{"p":{"Pass-Word":"••••","n":1}}`},
		{"any type", `{"api_key":{"a":[1]},"token":5,"n":[{"clientSecret":null}]}`, false,
			`{"api_key":"••••","token":"••••","n":[{"clientSecret":"••••"}]}`},
		{"not the progress token", `{"progressToken":"x","tokens":3}`, false, ""},
		{"an answer", `{"id":1,"result":{"action":"accept","content":{"a":"x","b":[1,"y"],"c":{"d":true}}}}`, true,
			`{"id":1,"result":{"action":"accept","content":{"a":"••••","b":["••••","••••"],"c":{"d":"••••"}}}}`},
		{"a result of the server", `{"id":1,"result":{"content":[{"type":"text"}]}}`, false, ""},
		{"cut in a secret", `{"a":1,"password":"abc`, false, `{"a":1,"password":"••••"`},
		{"cut in an answer", `{"result":{"content":{"a":"abc`, true, `{"result":{"content":{"a":"••••"`},
		{"an escaped key", `{"pass\u0077ord":"x"}`, false, `{"pass\u0077ord":"••••"}`},
		{"no JSON", `<html>password: x</html>`, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := mask(c.body, c.answer); got != c.want {
				t.Errorf("mask(%s) = %s, want %s", c.body, got, c.want)
			}
		})
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"", "{", `{"a":`, `{"password":"x"}`, `[[[`, `{"a":1,}`, `{"token":,"x"}`, `"\`} {
		f.Add(s, true)
	}
	f.Fuzz(func(_ *testing.T, s string, answer bool) {
		mask(s, answer)
		members([]byte(s), func([]byte, []byte) bool { return true })
		elements([]byte(s), func([]byte) bool { return true })
	})
}

func TestFramesTellReplies(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var file lockedBuffer
		r := newRig(t, Config{LogFile: &file}, asking("deploy", nameForm))
		r.dial(task.Resume{})
		r.call(task.Call{ID: "c", Tool: "deploy", Args: json.RawMessage(`{"password":"hunter2","to":"prod"}`)})
		p := any1[task.Prompted](r).Prompt
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"name":"Ann Secret"}`)}); err != nil {
			t.Fatal(err)
		}
		any1[task.Returned](r)
		_, err := r.s.Get(t.Context(), "t1")
		kind(t, err, task.RPC)
		frames := r.ep.Frames(0, 1000)
		last := uint64(0)
		var reply, answer, call task.Frame
		for _, f := range frames {
			if f.Seq <= last {
				t.Errorf("%d after %d", f.Seq, last)
			}
			last = f.Seq
			switch {
			case f.Dir == task.In && f.Method == "tasks/get":
				reply = f
			case f.Dir == task.Out && f.Method == "elicitation/create":
				answer = f
			case f.Dir == task.Out && f.Method == "tools/call":
				call = f
			}
		}
		if reply.Task != "t1" || reply.ID == "" || reply.Stream != "POST" || reply.Size != len(reply.Body) {
			t.Errorf("the reply: %+v", reply)
		}
		if !strings.Contains(answer.Body, "Ann Secret") || strings.Contains(answer.Masked, "Ann") || answer.Masked == "" {
			t.Errorf("the answer: %+v", answer)
		}
		if strings.Contains(call.Masked, "hunter2") || !strings.Contains(call.Masked, "prod") {
			t.Errorf("the call: %+v", call)
		}
		if n := len(r.ep.Frames(last, 10)); n != 0 {
			t.Errorf("%d frames after the last", n)
		}
		if two := r.ep.Frames(0, 2); len(two) != 2 || two[1].Seq != last {
			t.Errorf("the newest two: %+v", two)
		}
		for before, want := range map[uint64]uint64{last + 9: last, last + 1: last, last: last - 1, 3: 2} {
			if two := r.ep.FramesBefore(before, 2); len(two) != 2 || two[1].Seq != want {
				t.Errorf("before %d: %+v", before, two)
			}
		}
		if n := len(r.ep.FramesBefore(1, 2)) + len(r.ep.FramesBefore(0, 2)); n != 0 {
			t.Errorf("%d frames before the first", n)
		}
		if err := r.ep.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := file.String()
		lines := strings.Split(strings.TrimSpace(got), "\n")
		if len(lines) != len(frames) {
			t.Errorf("%d lines for %d frames", len(lines), len(frames))
		}
		for _, l := range lines {
			if strings.Contains(l, `"dir":"out"`) && (strings.Contains(l, "Ann Secret") || strings.Contains(l, "hunter2")) {
				t.Errorf("a secret is in the log file: %s", l)
			}
			if !json.Valid([]byte(l)) {
				t.Errorf("no JSON: %s", l)
			}
		}
	})
}

// TestSecretsStayOutOfTheLog: a server may repeat what it was sent.
func TestSecretsStayOutOfTheLog(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const token = "t0ken-that-is-secret"
		r := newRig(t, Config{Token: token, Header: map[string][]string{"X-Key": {"Custom k3y-that-is-secret"}}}, mcptest.WithToken(token),
			tool("echo", func(_ ctx, c *mcptest.Call) mcptest.Outcome {
				return mcptest.Answered("Bearer "+token, "k3y-that-is-secret", c.Session())
			}))
		r.dial(task.Resume{})
		session := r.srv.Sessions()[0]
		r.call(task.Call{ID: "c", Tool: "echo"})
		any1[task.Returned](r)
		r.ep.Note("note of " + token)
		for _, f := range r.ep.Frames(0, 1000) {
			for _, secret := range []string{token, "k3y-that", session} {
				if strings.Contains(f.Body+f.Masked, secret) {
					t.Errorf("%s is in the log: %s", secret, f.Body)
				}
			}
		}
	})
}

func TestRingIsBounded(t *testing.T) {
	r := newRing(nil)
	body := []byte(strings.Repeat("x", frameBytes))
	for range 2 * ringBytes / frameBytes {
		r.wire(transport.Frame{At: time.Now(), Stream: "GET", Size: len(body), Data: body})
	}
	if r.bytes > ringBytes || len(r.frames)-r.first > ringBytes/frameBytes {
		t.Errorf("%d bytes in %d frames are kept", r.bytes, len(r.frames)-r.first)
	}
	for range 3 * ringFrames {
		r.note("n")
	}
	if n := len(r.since(0, 10*ringFrames)); n != ringFrames || len(r.frames) > 3*ringFrames {
		t.Errorf("%d frames are kept, %d held", n, len(r.frames))
	}
	for i := range 3 * ringSent {
		r.request(false, "x"+idOf(i), "m", subject{call: task.CallID(idOf(i)), token: string(idOf(i))})
	}
	if len(r.calls.order) > maxSubjects || len(r.calls.byCall) > maxSubjects || len(r.calls.byToken) > maxSubjects {
		t.Errorf("%d calls are remembered", len(r.calls.byCall))
	}
	if len(r.sent) > ringSent {
		t.Errorf("%d requests are remembered", len(r.sent))
	}
}

// stuck is a log file on a disk that stands still until free is closed.
type stuck struct {
	free    chan struct{}
	written bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.free
	return s.written.Write(p)
}

// TestLogFileHoldsNothingUp: of what came while the disk stood still, part is
// written and the rest counted, whenever the writer happened to look.
func TestLogFileHoldsNothingUp(t *testing.T) {
	s := &stuck{free: make(chan struct{})}
	r := newRing(s)
	const notes = 3 * maxUnwritten // of which the writer holds one queue while the next fills
	for range notes {
		r.note("n") // would hang here
	}
	r.mu.Lock()
	waiting := len(r.file.queue)
	r.mu.Unlock()
	if waiting > maxUnwritten {
		t.Errorf("%d lines wait", waiting)
	}
	close(s.free)
	if err := r.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	written, leftOut := 0, 0
	for line := range bytes.Lines(s.written.Bytes()) {
		var l struct {
			Text string
			Size int
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if l.Text == "n" {
			written++
		} else {
			leftOut += l.Size
		}
	}
	if leftOut == 0 || written+leftOut != notes {
		t.Errorf("%d lines are written and %d counted as left out, of %d", written, leftOut, notes)
	}
}

func TestSkew(t *testing.T) {
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var s skew
	if s.value() != 0 {
		t.Error("skew without a sample")
	}
	for i := range 20 { // the server is 90.4 s ahead, and answers in 50 ms
		sent := base.Add(time.Duration(i) * 370 * time.Millisecond)
		date := sent.Add(90400*time.Millisecond + 25*time.Millisecond).Truncate(time.Second)
		s.sample(date, sent, sent.Add(50*time.Millisecond))
	}
	if v := s.value(); (v - 90400*time.Millisecond).Abs() > 100*time.Millisecond {
		t.Errorf("estimated %v", v)
	}
	s.sample(base, base, base.Add(time.Second)) // the clock was set
	if v := s.value(); v != 0 {
		t.Errorf("estimated %v after the clock was set", v)
	}
	s.sample(time.Time{}, base, base)
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithSkew(-time.Hour))
		b, err := r.s.Next(t.Context())
		if err != nil || (b.Skew+time.Hour).Abs() > 2*time.Second {
			t.Errorf("skew %v, %v", b.Skew, err)
		}
	})
}
