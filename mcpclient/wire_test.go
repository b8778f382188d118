package mcpclient

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

func TestTaskIsReadTolerantly(t *testing.T) {
	const day = "2026-01-02T03:04:05"
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, in string
		want     task.Task
	}{
		{"whole", `{"taskId":"a","status":"input_required","statusMessage":"m","createdAt":"` + day + `.250Z","lastUpdatedAt":"` + day + `Z","ttl":60000,"pollInterval":1500}`,
			task.Task{ID: "a", Status: task.InputRequired, Message: task.Clean("m"), Created: at.Add(250 * time.Millisecond), Updated: at, TTL: time.Minute, Poll: 1500 * time.Millisecond}},
		{"only an id", `{"taskId":"a"}`, task.Task{ID: "a"}},
		{"no limit", `{"taskId":"a","ttl":null}`, task.Task{ID: "a", TTL: task.NoTTL}},
		{"ttl as a fraction", `{"taskId":"a","ttl":0.5}`, task.Task{ID: "a", TTL: 500 * time.Microsecond}},
		{"ttl beyond reason", `{"taskId":"a","ttl":1e300}`, task.Task{ID: "a", TTL: maxDuration}},
		{"ttl 0, below, or words", `{"taskId":"a","ttl":0,"pollInterval":-5}`, task.Task{ID: "a"}},
		{"wrong types", `{"taskId":"a","status":3,"statusMessage":{},"createdAt":5,"lastUpdatedAt":[],"ttl":"x","pollInterval":true}`, task.Task{ID: "a"}},
		{"an offset", `{"taskId":"a","createdAt":"2026-01-02T04:04:05+01:00"}`, task.Task{ID: "a", Created: at}},
		{"no time", `{"taskId":"a","createdAt":"yesterday"}`, task.Task{ID: "a"}},
		{"a word of tomorrow", `{"taskId":"a","status":"paused"}`, task.Task{ID: "a"}},
		{"escapes", `{"taskId":"a\u0041","statusMessage":"\u001b[31mred","x":{"taskId":"b"}}`, task.Task{ID: "aA", Message: task.Clean("red")}},
		{"no id", `{"status":"working"}`, task.Task{Status: task.Working}},
		{"a number as id", `{"taskId":5}`, task.Task{}},
		{"an endless id", `{"taskId":"` + strings.Repeat("x", maxID+1) + `"}`, task.Task{}},
		{"nonsense", `[1]`, task.Task{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in interner
			got, ok := in.task([]byte(c.in))
			if got != c.want || ok != (c.want.ID != "") {
				t.Errorf("%+v, %v, want %+v", got, ok, c.want)
			}
		})
	}
}

func TestStatusMessageIsBounded(t *testing.T) {
	var in interner
	got, _ := in.task([]byte(`{"taskId":"a","statusMessage":"` + strings.Repeat("é", 10_000) + `"}`))
	if n := len(got.Message.String()); n > maxMessage+4 {
		t.Errorf("%d bytes are kept", n)
	}
	for i := range 3 * maxInterned {
		in.message(fmt.Appendf(nil, `"%d"`, i))
	}
	if len(in.texts) > maxInterned {
		t.Errorf("%d texts are kept", len(in.texts))
	}
}

func TestResultIsReadTolerantly(t *testing.T) {
	r := parseResult([]byte(`{"content":[
		{"type":"text","text":"hello","annotations":{"audience":["user",5]}},
		{"type":"image","data":"AAECAw==","mimeType":"image/png"},
		{"type":"audio","data":"AAEC","mimeType":"audio/wav"},
		{"type":"resource_link","uri":"file:///x","name":"x","title":"X","description":"d","size":12},
		{"type":"resource","resource":{"uri":"u","mimeType":"text/plain","text":"body"}},
		{"type":"resource","resource":{"uri":"u","blob":"AAE="}},
		{"type":"hologram","text":7},
		"not a block", null
	],"structuredContent":{"a":1},"isError":true,"_meta":{}}`))
	var got []string
	for _, c := range r.Content {
		got = append(got, fmt.Sprintf("%d %s/%s %d %s%s %v", c.Kind, c.Text, c.Base64, c.Size, c.URI, c.MIME, c.Audience))
	}
	want := []string{
		"1 hello/ 5  [user]", "2 /AAECAw== 4 image/png []", "3 /AAEC 3 audio/wav []", "4 / 12 file:///x []",
		"5 body/ 4 utext/plain []", "5 /AAE= 2 u []", "0 / -1  []", "0 / -1  []", "0 / -1  []",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
	if !r.IsError || string(r.Structured) != `{"a":1}` {
		t.Errorf("%+v", r)
	}
	many := parseResult([]byte(`{"content":[` + strings.Repeat(`1,`, 3*maxBlocks) + `1]}`))
	if len(many.Content) != maxBlocks+1 {
		t.Errorf("%d blocks", len(many.Content))
	}
}

func TestToolIsReadTolerantly(t *testing.T) {
	for in, want := range map[string]string{
		`{"name":"a","title":"T","execution":{"taskSupport":"required"},"annotations":{"title":"A","destructiveHint":true}}`: "a T required false true true",
		`{"name":"a","annotations":{"title":"A","readOnlyHint":true},"execution":{"taskSupport":"optional"}}`:                "a A optional true false true",
		`{"name":"a","execution":5,"annotations":[],"inputSchema":7}`:                                                        "a a forbidden false false true",
		`{"title":"x"}`: " x forbidden false false false",
	} {
		got, ok := parseTool([]byte(in))
		if s := fmt.Sprint(got.Name, " ", got.Title, " ", got.Support, got.ReadOnly, got.Destructive, ok); s != want {
			t.Errorf("%s: %s, want %s", in, s, want)
		}
	}
}

func TestLostWords(t *testing.T) {
	for s, want := range map[string]bool{
		"Session not found":                                 true,
		"Bad Request: No valid session ID provided":         true,
		"Bad Request: Server not initialized":               true,
		"Bad Request: Mcp-Session-Id header is required":    true,
		"Invalid session ID":                                true,
		"session terminated":                                true,
		"Task not found in this session":                    false,
		"Invalid or unexpired cursor":                       false,
		"the session is fine":                               false,
		"Failed to retrieve task: Task with ID x not found": false,
	} {
		if lostWords(s) != want {
			t.Errorf("lostWords(%q) = %v", s, !want)
		}
	}
}

func TestPages(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithPageSize(10), mcptest.WithFaults(mcptest.Faults{EmptyLastPage: true}))
		session := r.srv.Sessions()[0]
		for range 40 {
			r.srv.AddTask(mcptest.Task{Session: session})
		}
		if n, pages := tour(r); n != 40 || pages != 5 {
			t.Errorf("%d tasks on %d pages", n, pages)
		}
		r.srv.Fault(func(f *mcptest.Faults) { f.CursorLoop = true })
		if _, pages := tour(r); pages > 10 {
			t.Errorf("a cursor that repeats itself led to %d pages", pages)
		}
		if !noted(r, "cut short") {
			t.Error("the log does not say so")
		}
		r.srv.Fault(func(f *mcptest.Faults) { f.CursorLoop = false })
		if n, _ := tour(r); n != 40 {
			t.Errorf("afterwards a tour finds %d tasks", n)
		}
	})
}

func tour(r *rig) (tasks, pages int) {
	r.t.Helper()
	for at := (task.Cursor{}); ; {
		p, err := r.s.Page(r.t.Context(), at)
		if err != nil {
			r.t.Fatal(err)
		}
		tasks += len(p.Tasks)
		pages++
		if at = p.Next; !at.Set || pages > 100 {
			return tasks, pages
		}
	}
}

func TestSweepEnds(t *testing.T) {
	s := newSweep()
	at := task.Cursor{}
	for i := 0; ; i++ {
		next, why := s.next(at, task.Cursor{Value: fmt.Sprint(i), Set: true}, fmt.Append(nil, i), false)
		if why != "" {
			if i != maxPages {
				t.Errorf("%s after %d pages", why, i)
			}
			break
		}
		at = next
	}
	s = newSweep()
	for i, at := range []task.Cursor{{}, {Value: "1", Set: true}, {Value: "2", Set: true}} {
		_, why := s.next(at, task.Cursor{Value: fmt.Sprint(i%2 + 1), Set: true}, fmt.Append(nil, i), false)
		if (why != "") != (i == 2) {
			t.Errorf("page %d: %q", i, why)
		}
	}
	s = newSweep()
	same := []byte(`[{"taskId":"a"}]`)
	if _, why := s.next(task.Cursor{}, task.Cursor{Value: "1", Set: true}, same, false); why != "" {
		t.Error(why)
	}
	if _, why := s.next(task.Cursor{Value: "1", Set: true}, task.Cursor{Value: "2", Set: true}, same, false); why == "" {
		t.Error("a page that repeats goes on")
	}
	s = newSweep()
	if next, _ := s.next(task.Cursor{}, task.Cursor{Set: true}, same, false); !next.Set {
		t.Error("the empty string is a cursor too")
	}
}

func TestToolsAreListedWhole(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var tools []mcptest.Tool
		for i := range 25 {
			tools = append(tools, mcptest.Tool{Name: fmt.Sprintf("t%02d", i), TaskSupport: mcptest.Optional})
		}
		r := attach(t, mcptest.WithTools(tools...), mcptest.WithToolPageSize(10))
		got, err := r.s.Tools(t.Context())
		if err != nil || len(got) != 25 || got[24].Name != "t24" || got[0].Support != task.Optional {
			t.Errorf("%d tools, %v", len(got), err)
		}
		any1[task.Stream](r)
		r.srv.SetTools(tools[:1]...)
		any1[task.ToolsChanged](r)
	})
}

func TestNoSuchTask(t *testing.T) {
	for _, c := range []struct {
		code int
		msg  string
		want bool
	}{
		{-32602, "Failed to retrieve task: Task not found", true},
		{-32603, "unknown task", true},
		{-32603, `task "x" has no result stored`, true},
		{-32602, "Invalid arguments for tool deploy", false},
		{-32000, "task not found", false},
		{-32603, "exploded", false},
	} {
		if got := noSuchTask(&jsonrpc.Error{Code: c.code, Message: c.msg}); got != c.want {
			t.Errorf("noSuchTask(%d %q) = %v", c.code, c.msg, got)
		}
	}
}

func TestCancelIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		id := r.srv.AddTask(mcptest.Task{})
		got, err := r.s.Cancel(t.Context(), task.ID(id))
		if err != nil || got.Status != task.Cancelled {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = r.s.Cancel(t.Context(), task.ID(id))
		if te := failure(t, err, task.RPC); te.Code != -32602 {
			t.Errorf("%v", te)
		}
	})
}

func TestLogMessage(t *testing.T) {
	for in, want := range map[string]string{
		`{"level":"error","logger":"db","data":"slow"}`: "error db: slow",
		`{"level":5,"data":{"a":1}}`:                    `info {"a":1}`,
		`{"data":"\u001b]0;x\u0007y"}`:                  "info y",
	} {
		if l := logMessage([]byte(in)); l.Level+" "+l.Text.String() != want {
			t.Errorf("%s: %s %s", in, l.Level, l.Text)
		}
	}
}
