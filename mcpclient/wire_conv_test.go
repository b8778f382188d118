package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// TestConversations plays testdata/*.txtar, each one behaviour on the wire. The
// files of an archive are, in this order where they matter to each other:
//
//	POST method   a reply to such a request, used once: status, content type and
//	              an empty line, then the body; $ID stands for the request's id;
//	              "open" behind the content type leaves the stream open
//	GET           the stream of the session; without one GET is 405
//	GET after id  the continuation of a stream that broke; $ID stands for the id
//	              of the last request
//	do            what the session is told to do, a line each
//	want          the events and answers that come, a line each
//	sent          the answers and notifications that are sent, a line each; of
//	              2026-07-28 the calls and answers, without what all have
//
// Archives whose name begins with "modern-" are of 2026-07-28, the others of
// 2025-11-25.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			protocol := task.Legacy
			if strings.HasPrefix(filepath.Base(f), "modern-") {
				protocol = task.Modern
			}
			inBubble(t, func(t *testing.T) { play(t, protocol, parseArchive(string(raw))) })
		})
	}
}

// file is one file of an archive in the txtar format.
type file struct{ name, data string }

// parseArchive reads the txtar format: a comment, then files, each behind a line
// "-- name --".
func parseArchive(raw string) []file {
	var files []file
	for line := range strings.Lines(raw) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(name, " --") {
			files = append(files, file{name: strings.TrimSuffix(name, " --")})
		} else if len(files) > 0 {
			files[len(files)-1].data += line
		}
	}
	return files
}

func play(t *testing.T, protocol task.Era, files []file) {
	t.Helper()
	srv := &script{}
	var do, want, sent string
	for _, f := range files {
		switch body := strings.TrimSpace(f.data); f.name {
		case "do":
			do = body
		case "want":
			want = body
		case "sent":
			sent = body
		default:
			srv.replies = append(srv.replies, f)
		}
	}
	ep, err := NewEndpoint(Config{URL: "http://127.0.0.1/mcp", RoundTripper: srv, Protocol: protocol})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ep.Dial(t.Context(), task.Resume{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(do) {
		if out := act(t.Context(), s, strings.Fields(line)); out != "" {
			got = append(got, out)
		}
	}
	ctx, cancel := contextFor(t, 15*time.Second)
	defer cancel()
	for {
		b, err := s.Next(ctx)
		if err != nil {
			var te *task.Error
			if errors.As(err, &te) {
				got = append(got, "ended: "+te.Message.Line())
			}
			break
		}
		for _, e := range b.Events {
			if line := describe(e); line != "" {
				got = append(got, line)
			}
		}
	}
	if err := s.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("came:\n%s\n\nwant:\n%s", g, want)
	}
	if g := strings.Join(srv.sent, "\n"); g != sent {
		t.Errorf("sent:\n%s\n\nwant:\n%s", g, sent)
	}
}

// act does one line of "do" and returns a line for what came of it.
func act(ctx context.Context, s *Session, w []string) string {
	say := func(v any, err error) string {
		if err != nil {
			return fmt.Sprintf("%s: %v", w[0], err)
		}
		return fmt.Sprintf("%s: %v", w[0], v)
	}
	switch w[0] {
	case "call", "plain":
		if err := s.Start(ctx, task.Call{ID: task.CallID(w[1]), Tool: w[1], AsTask: w[0] == "call"}); err != nil {
			return say(nil, err)
		}
		return ""
	case "get":
		begun := time.Now()
		t, err := s.Get(ctx, task.ID(w[1]))
		if d := time.Since(begun); d > 5*time.Second {
			return fmt.Sprintf("get: took %v", d)
		}
		return say(t.Status, err)
	case "cancel":
		t, err := s.Cancel(ctx, task.ID(w[1]))
		return say(fmt.Sprintf("%q %v", t.ID, t.Status), err)
	case "page":
		p, err := s.Page(ctx, task.Cursor{})
		return say(fmt.Sprint(len(p.Tasks), " tasks, more ", p.Next.Set), err)
	case "result":
		r, err := s.Result(ctx, task.ID(w[1]))
		return say(fmt.Sprint(len(r.Content), " blocks, error ", r.Err), err)
	case "answer":
		return answerNext(ctx, s, w[1])
	case "attend":
		s.Attend([]task.ID{task.ID(w[1])})
		return ""
	case "wait":
		time.Sleep(3 * time.Second)
		return ""
	}
	panic("unknown line " + w[0])
}

// answerNext waits for a prompt, answers it with content, and returns what came.
func answerNext(ctx context.Context, s *Session, content string) string {
	var lines []string
	for {
		b, err := s.Next(ctx)
		if err != nil {
			return fmt.Sprintf("answer: %v", err)
		}
		for _, e := range b.Events {
			if line := describe(e); line != "" {
				lines = append(lines, line)
			}
			if p, ok := e.(task.Prompted); ok {
				receipt, err := s.Answer(ctx, task.Reply{Prompt: p.Prompt.ID, Action: task.Accept, Content: json.RawMessage(content)})
				lines = append(lines, fmt.Sprintf("answer: waits for %d, error %v", receipt.Waits, err))
			}
		}
		if len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1], "answer") {
			return strings.Join(lines, "\n")
		}
	}
}

func describe(e task.Event) string {
	switch e := e.(type) {
	case task.Changed:
		return fmt.Sprintf("changed %s %v %v", e.Task.ID, e.Task.Status, e.How)
	case task.Started:
		return fmt.Sprintf("started %s: %s %v", e.Call, e.Task.ID, e.Task.Status)
	case task.Returned:
		if e.Err != nil {
			return fmt.Sprintf("returned %s: error %d %s", e.Call, e.Err.Code, e.Err.Message.Line())
		}
		return fmt.Sprintf("returned %s: %d blocks", e.Call, len(e.Result.Content))
	case task.Prompted:
		return fmt.Sprintf("prompted: %s, task %q, call %q", e.Prompt.Message.Line(), e.Prompt.Task, e.Prompt.Call)
	case task.Withdrawn:
		return "withdrawn: " + e.Why.Line()
	case task.Progressed:
		return fmt.Sprintf("progress %v", e.Progress.Done)
	case task.Logged:
		return "logged: " + e.Text.Line()
	}
	return ""
}

// script is a server that says what an archive says.
type script struct {
	mu      sync.Mutex
	replies []file
	sent    []string
	id      string // of the last request
}

func (s *script) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

func (s *script) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Body == nil {
		name := q.Method
		if id := q.Header.Get("Last-Event-ID"); id != "" {
			name += " after " + id
		}
		return s.reply(q, name, s.last(), http.StatusMethodNotAllowed), nil
	}
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	m, err := jsonrpc.Decode(body)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Method == "initialize":
		return response(q, http.StatusOK, "application/json", fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tasks":{}},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)), nil
	case m.Method == "server/discover":
		return response(q, http.StatusOK, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, modern)), nil
	case m.Request():
		s.mu.Lock()
		s.id = string(m.ID)
		if version := q.Header.Get("Mcp-Protocol-Version"); version == version2026 && (m.Method == "tools/call" || m.Method == "tasks/update") {
			s.sent = append(s.sent, summary(&m))
		}
		s.mu.Unlock()
		return s.reply(q, "POST "+m.Method, string(m.ID), http.StatusNotImplemented), nil
	case m.Method != "notifications/initialized":
		s.mu.Lock()
		s.sent = append(s.sent, summary(&m))
		s.mu.Unlock()
	}
	return response(q, http.StatusAccepted, "", ""), nil
}

// summary is one line for a message of ours that is no request.
func summary(m *jsonrpc.Message) string {
	switch {
	case m.Request():
		line := m.Method
		members(m.Params, func(k, v []byte) bool {
			if string(k) != "_meta" {
				line += fmt.Sprintf(" %s=%s", k, v)
			}
			return true
		})
		return line
	case m.Method != "":
		return m.Method + " " + string(member(m.Params, "reason"))
	case m.Error != nil:
		return fmt.Sprintf("%s: error %d", m.ID, m.Error.Code)
	}
	return fmt.Sprintf("%s: %s", m.ID, m.Result)
}

// reply takes the next reply of that name.
func (s *script) reply(q *http.Request, name, id string, otherwise int) *http.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.replies {
		if f.name != name {
			continue
		}
		s.replies = append(s.replies[:i:i], s.replies[i+1:]...)
		head, body, _ := strings.Cut(f.data, "\n\n")
		var status int
		var kind string
		if _, err := fmt.Sscan(head, &status, &kind); err != nil {
			panic(f.name + " has no head: " + head)
		}
		r := response(q, status, kind, strings.ReplaceAll(body, "$ID", id))
		if strings.HasSuffix(head, " open") {
			r.Body = io.NopCloser(io.MultiReader(r.Body, untilDone{q.Context()}))
		}
		return r
	}
	return response(q, otherwise, "text/plain", "")
}

func response(q *http.Request, status int, kind, body string) *http.Response {
	r := &http.Response{StatusCode: status, Proto: "HTTP/1.1", Header: http.Header{}, Request: q, Body: http.NoBody}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
		r.Body = io.NopCloser(bytes.NewReader([]byte(body)))
	}
	return r
}
