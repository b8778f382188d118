package cli

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func entries() []Record {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.Local)
	const here, there = "https://a.example/mcp", "https://b.example/mcp"
	records := []Record{
		{Entry: task.Entry{What: task.TaskSeen, Server: here, Task: "t1", Tool: "deploy", To: task.Working, How: task.Listed}},
		{Entry: task.Entry{What: task.StatusChanged, Server: here, Task: "t1", Tool: "deploy", From: task.Working, To: task.InputRequired, How: task.Pushed}},
		{Entry: task.Entry{What: task.PersonAnswered, Server: here, Task: "t1", Prompt: "k", Action: task.Dismiss, Effect: "delivered"}, By: "ada"},
		{Entry: task.Entry{What: task.PersonStarted, Server: there, Call: "c9", Tool: "dig\x1b[31m", Effect: "sent"}, By: "ada"},
		{Entry: task.Entry{What: task.AuditGap, Text: "3 entries were left out: of the disk"}},
		{Entry: task.Entry{What: "later", Server: there, Task: "t2"}},
	}
	for i := range records {
		records[i].At = at.Add(time.Duration(i) * time.Minute)
		records[i].Line = []byte(`{"n":` + string(rune('0'+i)) + "\u200b}")
	}
	return records
}

func printed(t *testing.T, line string) string {
	t.Helper()
	a := parse(t, line)
	var out bytes.Buffer
	if err := PrintAudit(&out, a, slices.Values(entries())); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAuditIsReadable(t *testing.T) {
	want := `
2026-12-01 09:00:00.000  -    first seen  https://a.example/mcp  t1       deploy  working (listed)
2026-12-01 09:01:00.000  -    status      https://a.example/mcp  t1       deploy  working -> asking (pushed)
2026-12-01 09:02:00.000  ada  answered    https://a.example/mcp  t1       -       dismissed, delivered, question k
2026-12-01 09:03:00.000  ada  started     https://b.example/mcp  call c9  dig     sent
2026-12-01 09:04:00.000  -    left out    -                      -        -       3 entries were left out: of the disk
2026-12-01 09:05:00.000  -    later       https://b.example/mcp  t2       -
`
	if got := printed(t, "audit"); got != want[1:] {
		t.Errorf("\n%s", got)
	}
}

func TestAuditIsChosen(t *testing.T) {
	for line, want := range map[string]string{
		"audit --json": "012345", "audit a.example/mcp --json": "0124", "audit b.example/mcp --json": "345", "audit --task t1 --task t2 --json": "0125",
		"audit https://me:pw@a.example/mcp?q --json --since 2026-12-01T09:02": "24",
	} {
		got := ""
		for l := range strings.Lines(printed(t, line)) {
			got += strings.TrimPrefix(l, `{"n":`)[:1]
			if !strings.Contains(l, `\u200b`) {
				t.Errorf("%s: what cannot be seen is printed: %q", line, l)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// What a command does is in the trail, what one only looks at is not.
func TestWhichCommandsAudit(t *testing.T) {
	for line, want := range map[string]bool{
		"h.example": true, "h.example --no-audit": false, "run h.example t": true, "answer h.example i": true, "cancel h.example i": true,
		"cancel h.example i --no-audit": false, "watch h.example": true, "result h.example i": true, "ls h.example": false, "get h.example i": false,
		"tools h.example": false, "demo": false,
	} {
		if got := parse(t, line).Audits(); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAuditTellsThatItCannotBePrinted(t *testing.T) {
	for _, line := range []string{"audit", "audit --json"} {
		if err := PrintAudit(full{}, parse(t, line), slices.Values(entries())); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
}
