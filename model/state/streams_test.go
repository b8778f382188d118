package state

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func stands(lines, was string) task.KeepResume {
	return task.KeepResume{Resume: task.Resume{Era: task.Legacy, Session: "s", Streams: task.Secret(lines)}, Was: task.Secret(was)}
}

// Several processes use one session: what one of them knows of its streams does
// not take away what the others know.
func TestStreamsOfSeveralProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := process(t, dir, Credentials{}), process(t, dir, Credentials{})
	now := func() string { return string(recall(t, process(t, dir, Credentials{})).Resume.Streams) }
	flush(t, a, stands("1\n2", ""))
	guest := recall(t, b).Resume
	if guest.Streams != "1\n2" {
		t.Fatalf("the second process finds %q", string(guest.Streams))
	}
	guest.PostOnly, guest.Streams = true, "2\n3" // it answered 1, and was asked 3
	flush(t, b, task.KeepResume{Resume: guest, Was: "1\n2"})
	if got := now(); got != "2\n3" {
		t.Errorf("%q", got)
	}
	flush(t, a, stands("1\n2\n4", "1\n2")) // it does not know yet
	if got := now(); got != "2\n3\n4" {
		t.Errorf("%q", got)
	}
	// Changes that wait together are one.
	a.Keep(stands("2\n4\n5", "1\n2\n4"), stands("4", "2\n4\n5"))
	flush(t, a, stands("4\n6", "4"))
	if got := now(); got != "3\n4\n6" {
		t.Errorf("%q", got)
	}
	flush(t, a, stands("", "4\n6"))
	if got := now(); got != "3" {
		t.Errorf("%q", got)
	}
}

// Where a question stands is written at once, as a call that goes out is.
func TestStreamsAreWrittenAtOnce(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	m.folder.gather = time.Hour
	m.Keep(stands("1", ""))
	other := process(t, dir, Credentials{})
	for recall(t, other).Resume.Streams != "1" {
		if t.Context().Err() != nil {
			t.Fatal("it is not written")
		}
	}
}

func TestStreamsAreBounded(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	if got := streams([]string{"", long, "a\nb", "1"}); got != "1" {
		t.Errorf("%q", string(got))
	}
	all := strings.Repeat("1\n", 3*maxLines) + "last"
	if got := lines(bounded(task.Resume{Streams: task.Secret(all)}).Streams); len(got) != maxLines || got[maxLines-1] != "last" {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
}

// However many questions are open in however many sessions: the file can be read
// again, and the newest session's stay.
func TestStreamsOfAllSessionsAreBounded(t *testing.T) {
	d := newDocument(server)
	line := strings.Repeat(`"`, maxLine) // each takes two bytes on disk
	all := task.Secret(strings.TrimSuffix(strings.Repeat(line+"\n", maxLines), "\n"))
	now := time.Now()
	for i := range maxSessions {
		id := task.Secret(fmt.Sprint(i))
		d.sessions[id] = session{resume: task.Resume{Session: id, Streams: all}, kept: now.Add(time.Duration(i) * time.Second)}
	}
	d.limit()
	size := 0
	for _, s := range d.sessions {
		size += len(s.resume.Streams)
	}
	if size > maxAsked || size*2 > maxFile/2 {
		t.Errorf("%d bytes", size)
	}
	if d.sessions["15"].resume.Streams != all || d.sessions["0"].resume.Streams != "" {
		t.Error("the newest session's questions went first")
	}
}
