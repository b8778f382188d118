package state

import (
	"bytes"
	"testing"

	"callboard/model/task"
)

// FuzzParseDraft holds that whatever stands in a draft's file is refused, or read
// as what would be written for it.
func FuzzParseDraft(f *testing.F) {
	whole := draft{by: "o", url: "https://example.com/mcp", KeptDraft: task.KeptDraft{Asked: "a", Task: "t", Tool: "tool", At: epoch, Fields: map[string]string{"name": "A\u0301da"}}}
	for _, dropped := range []bool{false, true} {
		whole.dropped = dropped
		content, err := whole.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte(`{"version":2,"fields":5}`))
	f.Add([]byte(`{"version":1,"at":"99999-01-01T00:00:00Z","fields":{"":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := parseDraft(content)
		if err != nil {
			return
		}
		once, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseDraft(once)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if twice, err := again.encode(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("it changes by being read:\n%s\n%s", once, twice)
		}
	})
}
