package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"callboard/model/task"
)

// conversationSchemas are the schemas that servers ask with in the conversations
// of the client's tests.
func conversationSchemas(f *testing.F) (found [][]byte) {
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no conversations: %v", err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for rest := content; ; {
			_, after, ok := bytes.Cut(rest, []byte(`"requestedSchema":`))
			if !ok {
				break
			}
			var raw json.RawMessage
			if json.NewDecoder(bytes.NewReader(after)).Decode(&raw) == nil {
				found = append(found, raw)
			}
			rest = after
		}
	}
	return found
}

// FuzzReply holds of whatever is typed into whatever form: what may be sent is one
// JSON object that holds what was typed and nothing else, the same each time; it
// passes the check; and it comes back into the form as it went.
func FuzzReply(f *testing.F) {
	schemas := append(conversationSchemas(f),
		[]byte(`{"properties":{"a":{"type":"integer","minimum":-5},"b":{"type":["string","null"],"minLength":2},"c":{"type":"array","items":{"enum":["x","y"]}}},"required":["a"]}`),
		[]byte(`{"properties":{"d":{"type":"string","format":"date-time"},"n":{"type":"number"},"o":{"type":"object"}}}`),
		[]byte(`{"properties":{"k":{"enum":["yes","no"],"enumNames":["Yes","No"]},"":{"type":"string"},"z":{"type":"boolean"}},"additionalProperties":false}`),
	)
	for _, raw := range schemas {
		for _, typed := range []string{"", "12345678901234567890.10", "+2h", "true", `["x"]`, "null", "a\x1b[2J\u202eb", `{"a":1}`} {
			f.Add(raw, typed, typed, uint8(3))
		}
	}
	f.Add([]byte(`{"properties":{"a":{"type":"string"},"b":{"type":"object"}}}`), "\xff", "{\"\xff\":1}", uint8(3)) // no UTF-8
	f.Fuzz(func(t *testing.T, raw []byte, one, two string, set uint8) {
		form := Form(raw)
		draft := map[string]string{}
		for i := range form.Fields {
			if i < 8 && set&(1<<i) != 0 {
				draft[form.Fields[i].Name] = []string{one, two}[i%2]
			}
		}
		if form.JSONOnly != "" {
			draft = map[string]string{"": one}
		}
		content, problems := task.Assemble(form, draft)
		if again, _ := task.Assemble(form, draft); form.JSONOnly == "" && !bytes.Equal(again, content) && !strings.HasPrefix(one, "+") && !strings.HasPrefix(two, "+") {
			t.Fatalf("%s, then %s", content, again)
		}
		for _, p := range problems {
			if task.Clean(p.Text.String()) != p.Text {
				t.Fatalf("%q is not clean", p.Text)
			}
		}
		if len(problems) > 0 {
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(content, &members); err != nil || members == nil {
			t.Fatalf("%q would be sent: %v", content, err)
		}
		if !utf8.Valid(content) {
			t.Fatalf("%q would be sent", content)
		}
		if form.Check != nil && len(form.Check(content)) > 0 {
			t.Fatalf("%s does not pass the check", content)
		}
		if form.JSONOnly != "" {
			return
		}
		for i := range form.Fields {
			field := &form.Fields[i]
			value, sent := members[field.Name]
			if _, typed := draft[field.Name]; sent != typed && !(field.Required && field.Nullable && string(value) == "null") {
				t.Fatalf("%q: sent %v, typed %v: %s", field.Name, sent, typed, content)
			}
		}
		if back, err := task.Split(form, content); err == nil {
			if again, _ := task.Assemble(form, back); !bytes.Equal(again, content) {
				t.Fatalf("%s came back as %s", content, again)
			}
		}
	})
}
