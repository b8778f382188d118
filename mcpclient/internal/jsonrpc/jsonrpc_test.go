package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDecodeKinds(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		kind     string // request, notification, response
		want     Message
	}{
		{"request", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, "request", Message{ID: "0", Method: "ping"}},
		{"string id", ` {"method":"m","params":{"a":[1,2]},"id":"srv-1","jsonrpc":"2.0"} `, "request",
			Message{ID: `"srv-1"`, Method: "m", Params: json.RawMessage(`{"a":[1,2]}`)}},
		{"notification", `{"jsonrpc":"2.0","method":"a/b","params":null}`, "notification", Message{Method: "a/b"}},
		{"notification with null id", `{"jsonrpc":"2.0","id":null,"method":"a/b"}`, "notification", Message{ID: Null, Method: "a/b"}},
		{"result", `{"jsonrpc":"2.0","id":7,"result":{"x":"\u00e9\n"}}`, "response", Message{ID: "7", Result: json.RawMessage(`{"x":"\u00e9\n"}`)}},
		{"null result", `{"jsonrpc":"2.0","id":7,"result":null}`, "response", Message{ID: "7", Result: json.RawMessage(`null`)}},
		{"result and null error", `{"jsonrpc":"2.0","id":7,"result":{},"error":null}`, "response", Message{ID: "7", Result: json.RawMessage(`{}`)}},
		{"error", `{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":-3.2602e4,"message":"n\"o","data":[]}}`, "response",
			Message{ID: "7", Error: &Error{Code: CodeInvalidParams, Message: `n"o`, Data: json.RawMessage(`[]`)}}},
		{"error to nobody", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse"},"id":null}`, "response",
			Message{ID: Null, Error: &Error{Code: CodeParse, Message: "parse"}}},
		{"error without id", `{"jsonrpc":"2.0","error":{"code":-32700}}`, "response", Message{ID: Null, Error: &Error{Code: CodeParse}}},
		{"escaped names", `{"json\u0072pc":"2.0","m\u0065thod":"n\u002fm"}`, "notification", Message{Method: "n/m"}},
		{"names by case", `{"jsonrpc":"2.0","method":"m","Method":"x","ID":4}`, "notification", Message{Method: "m"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := Decode([]byte(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprintf("%+v %+v", m, m.Error), fmt.Sprintf("%+v %+v", tc.want, tc.want.Error); m.Error == nil && got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if (m.Error == nil) != (tc.want.Error == nil) {
				t.Fatalf("error is %v, want %v", m.Error, tc.want.Error)
			}
			if m.Error != nil && (m.Error.Code != tc.want.Error.Code || m.Error.Message != tc.want.Error.Message ||
				string(m.Error.Data) != string(tc.want.Error.Data) || m.ID != tc.want.ID) {
				t.Errorf("got %q %+v, want %q %+v", m.ID, m.Error, tc.want.ID, tc.want.Error)
			}
			for kind, holds := range map[string]bool{"request": m.Request(), "notification": m.Notification(), "response": m.Response()} {
				if holds != (kind == tc.kind) {
					t.Errorf("%s: %v", kind, holds)
				}
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	for _, tc := range []struct{ in, why string }{
		{``, "too early"},
		{`{`, "too early"},
		{`null`, "an object"},
		{`"a"`, "an object"},
		{`[]`, "an object"},
		{`{}`, `"jsonrpc": "2.0"`},
		{`{"method":"m"}`, `"jsonrpc": "2.0"`},
		{`{"jsonrpc":2.0,"method":"m"}`, `"jsonrpc": "2.0"`},
		{`{"jsonrpc":"2.0"}`, "has none"},
		{`{"jsonrpc":"2.0","id":1}`, "has none"},
		{`{"jsonrpc":"2.0","id":1,"error":null}`, "has none"},
		{`{"jsonrpc":"2.0","result":{}}`, "answers nothing"},
		{`{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, "not both"},
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}`, "not both"},
		{`{"jsonrpc":"2.0","id":{},"method":"m"}`, "an id is"},
		{`{"jsonrpc":"2.0","id":true,"method":"m"}`, "an id is"},
		{`{"jsonrpc":"2.0","method":7}`, "no name"},
		{`{"jsonrpc":"2.0","method":""}`, "no name"},
		{`{"jsonrpc":"2.0","method":"m","params":"p"}`, "params"},
		{`{"jsonrpc":"2.0","id":1,"error":"no"}`, "no object"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1.5}}`, "whole number"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1e99}}`, "whole number"},
		{`{"jsonrpc":"2.0","method":"m"}x`, "more follows"},
		{`{"jsonrpc":"2.0","method":"m",}`, "name of a member"},
		{`{"jsonrpc":"2.0","method":"m","x":01}`, "comma"},
		{`{"jsonrpc":"2.0","method":"m","x":"` + "\n" + `"}`, "control character"},
		{`{"jsonrpc":"2.0","method":"m","x":"\x"}`, "escape"},
		{`{"jsonrpc":"2.0","method":"m","x":"\u12`, "escape"},
		{`{"jsonrpc":"2.0","method":"m","params":` + deep + `}`, "deeper"},
	} {
		_, err := Decode([]byte(tc.in))
		if err == nil || !strings.Contains(err.Error(), tc.why) {
			t.Errorf("%.60s: %v, want an error with %q", tc.in, err, tc.why)
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%.60s: %T is no SyntaxError", tc.in, err)
		}
	}
	if _, err := Decode([]byte(`{"jsonrpc":"2.0","method":"m","params":` + deep[1:2*MaxDepth-1] + `}`)); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
}

func TestDecodeAll(t *testing.T) {
	one := `{"jsonrpc":"2.0","method":"m"}`
	for _, tc := range []struct {
		in string
		n  int // 0: refused
	}{
		{one, 1},
		{"[" + one + "]", 1},
		{" [ " + one + " , " + one + " ] ", 2},
		{"[]", 0},
		{"[" + one, 0},
		{"[" + one + one + "]", 0},
		{"[" + one + ",1]", 0},
		{"[" + one + ",]", 0},
		{"[" + one + "]]", 0},
		{"[" + strings.Repeat(one+",", MaxBatch-1) + one + "]", MaxBatch},
		{"[" + strings.Repeat(one+",", MaxBatch) + one + "]", 0},
	} {
		ms, err := DecodeAll([]byte(tc.in))
		if len(ms) != tc.n || (err != nil) != (tc.n == 0) {
			t.Errorf("%.60s: %d messages, %v; want %d", tc.in, len(ms), err, tc.n)
		}
	}
}

// A raw member can be appended to without a change to its neighbour.
func TestRawMembersAreApart(t *testing.T) {
	m, err := Decode([]byte(`{"jsonrpc":"2.0","params":{"a":1},"method":"m","id":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	before := m.ID
	_ = append(m.Params, "XXXXXXXXXXXXXXXXXX"...)
	if m.ID != before {
		t.Errorf("the id became %q", m.ID)
	}
}

func TestEncode(t *testing.T) {
	text := func(b []byte, err error) string {
		if err != nil {
			return "error: " + err.Error()
		}
		return string(b)
	}
	for _, tc := range []struct{ name, got, want string }{
		{"request", text(Request(StringID("a-1"), "tasks/get", map[string]string{"taskId": "<1>"})),
			`{"jsonrpc":"2.0","id":"a-1","method":"tasks/get","params":{"taskId":"<1>"}}`},
		{"request without params", text(Request(IntID(0), "ping", nil)), `{"jsonrpc":"2.0","id":0,"method":"ping"}`},
		{"request without id", text(Request("", "ping", nil)), "error: jsonrpc: a request needs an id"},
		{"scalar params", text(Request(IntID(0), "ping", 5)), `error: jsonrpc: params must be an object, not "5"`},
		{"notification", text(Notification("n", struct{}{})), `{"jsonrpc":"2.0","method":"n","params":{}}`},
		{"result", text(Result(`"srv\u002d1"`, nil)), `{"jsonrpc":"2.0","id":"srv\u002d1","result":{}}`},
		{"refusal", text(Refusal("0", &Error{Code: CodeMethodNotFound, Message: "no"})), `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}`},
		{"no outcome", text(Encode(&Message{ID: "1"})), "error: jsonrpc: a response has a result or an error, one of the two"},
		{"no id", text(Encode(&Message{Result: json.RawMessage("{}")})), "error: jsonrpc: a response needs an id"},
		{"both", text(Encode(&Message{Method: "m", Result: json.RawMessage("{}")})), "error: jsonrpc: a message has a method or an outcome, not both"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, tc.got, tc.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	e := &Error{Code: 5, Message: "a\x1b[31m\u202e" + strings.Repeat("x", 1000)}
	if got := e.Error(); strings.ContainsAny(got, "\x1b\u202e") || len(got) > 400 {
		t.Errorf("the text is not safe to print: %q", got)
	}
}

// conversations are the messages of the client's tests that play conversations.
func conversations(f *testing.F) (messages [][]byte) {
	files, err := filepath.Glob("../../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no conversations: %v", err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(content) {
			if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data: "))); bytes.HasPrefix(line, []byte(`{"jsonrpc"`)) {
				messages = append(messages, line)
			}
		}
	}
	return messages
}

// The scanner and encoding/json agree on what JSON is.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1,-2.5e+3,true,null,"\u00e9\"\\"]}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"m"}}`,
		`[{"jsonrpc":"2.0","id":1,"result":{}}]`, "{\"a\":\"\xff\"}", `{"a":0.}`, `{"a":1e}`, `{"a":-}`, `{"\ud800":{}}`,
	} {
		f.Add([]byte(s))
	}
	for _, message := range conversations(f) {
		f.Add(message)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{data: data}
		s.space()
		err := s.value()
		if err == nil {
			err = s.end()
		}
		if !errors.Is(err, ErrDepth) && (err == nil) != json.Valid(data) {
			t.Fatalf("scanner says %v, encoding/json says valid is %v", err, json.Valid(data))
		}
		ms, err := DecodeAll(data)
		if err != nil {
			return
		}
		for i := range ms {
			m := &ms[i]
			text, err := Encode(m)
			if err != nil {
				t.Fatalf("cannot encode what was decoded: %v", err)
			}
			again, err := Decode(text)
			if err != nil || again.ID != m.ID || again.Method != m.Method || (again.Error == nil) != (m.Error == nil) {
				t.Fatalf("%q became %q: %v", data, text, err)
			}
		}
	})
}

// BenchmarkDecode decodes a task status notification, beside encoding/json doing
// the same.
func BenchmarkDecode(b *testing.B) {
	data := []byte(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"786512e2-9e0d-44bd-8f29-789f320fe840","status":"working","statusMessage":"Analyzing content of 17 documents","createdAt":"2025-11-25T10:30:00.000Z","lastUpdatedAt":"2025-11-25T10:40:00.000Z","ttl":3600000,"pollInterval":2000}}`)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var m struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Method  string          `json:"method"`
				Params  json.RawMessage `json:"params"`
			}
			if err := json.Unmarshal(data, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}
