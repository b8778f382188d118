package state

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

var epoch = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func TestHowLongHandlesStay(t *testing.T) {
	for _, each := range []struct {
		what   string
		status task.Status
		ttl    time.Duration
		seen   time.Duration // after the task's creation
		stays  time.Duration // after the task's creation
	}{
		{"ended, no ttl told", task.Completed, 0, time.Hour, 7*day + time.Hour},
		{"ended, no limit", task.Failed, task.NoTTL, time.Hour, 7*day + time.Hour},
		{"ended, a short ttl", task.Cancelled, 2 * time.Hour, time.Hour, 2 * time.Hour},
		{"ended, a long ttl", task.Completed, 30 * day, time.Hour, 7*day + time.Hour},
		{"ended, an endless ttl", task.Completed, math.MaxInt64, time.Hour, 7*day + time.Hour},
		{"live, with ttl", task.Working, time.Hour, time.Minute, 7*day + time.Hour},
		{"live, beyond its ttl", task.Working, time.Hour, 3 * time.Hour, 7*day + 3*time.Hour},
		{"live, no limit", task.InputRequired, task.NoTTL, time.Hour, 30*day + time.Hour},
		{"live, no ttl told", task.Unknown, 0, time.Hour, 30*day + time.Hour},
	} {
		for _, created := range []time.Time{epoch, {}} { // a server without a clock: from when it was kept
			h := task.Handle{
				Task: task.Task{ID: "a", Status: each.status, TTL: each.ttl, Created: created}, Since: epoch, Seen: epoch.Add(each.seen),
			}
			d := newDocument("")
			d.put(h, "", epoch)
			d.prune(epoch.Add(each.stays))
			if len(d.handles) != 1 {
				t.Errorf("%s: it left too early", each.what)
			}
			d.prune(epoch.Add(each.stays + time.Second))
			if len(d.handles) != 0 {
				t.Errorf("%s: it left too late", each.what)
			}
		}
	}
}

func TestWhatElseLeavesWithTime(t *testing.T) {
	full := func() document {
		d := newDocument("")
		d.sessions["s"] = session{kept: epoch}
		d.sent["c"] = sent{Sent: task.Sent{Call: "c", At: epoch}}
		d.dropped["x"] = dropped{at: epoch}
		return d
	}
	d := full()
	d.prune(epoch.Add(7 * day))
	if len(d.sessions) != 1 || len(d.sent) != 1 || len(d.dropped) != 1 {
		t.Errorf("too early: %+v", d)
	}
	d.prune(epoch.Add(7*day + time.Second))
	if len(d.sessions) != 1 || len(d.sent) != 0 {
		t.Errorf("a call without an outcome leaves after a week, a session does not: %+v", d)
	}
	d.prune(epoch.Add(30*day + time.Second))
	if len(d.sessions) != 0 || len(d.sent) != 0 || len(d.dropped) != 0 {
		t.Errorf("too late: %+v", d)
	}
}

func TestWhatIsKnownForSureStays(t *testing.T) {
	h := func(status task.Status, created, seen time.Duration) task.Handle {
		return task.Handle{Task: task.Task{ID: "a", Status: status, Created: epoch.Add(created)}, Since: epoch.Add(seen), Seen: epoch.Add(seen)}
	}
	named := h(task.Working, 0, time.Hour)
	named.Tool, named.Digest, named.Session, named.Watched = "tool", "digest", "session", true
	for _, each := range []struct {
		what     string
		old, new task.Handle
		want     task.Status
	}{
		{"newer", h(task.Working, 0, time.Hour), h(task.InputRequired, 0, 2*time.Hour), task.InputRequired},
		{"older", h(task.InputRequired, 0, 2*time.Hour), h(task.Working, 0, time.Hour), task.InputRequired},
		{"an end that is older", h(task.Working, 0, 2*time.Hour), h(task.Failed, 0, time.Hour), task.Failed},
		{"after the end", h(task.Completed, 0, time.Hour), h(task.Working, 0, 2*time.Hour), task.Completed},
		{"another end", h(task.Cancelled, 0, time.Hour), h(task.Completed, 0, 2*time.Hour), task.Cancelled},
		{"another task of that id", h(task.Completed, 0, time.Hour), h(task.Working, time.Hour, 2*time.Hour), task.Working},
	} {
		d := newDocument("")
		d.put(each.old, "", epoch)
		d.put(each.new, "", epoch)
		if got := d.handles["a"].Task.Status; got != each.want {
			t.Errorf("%s: %v, want %v", each.what, got, each.want)
		}
	}
	d := newDocument("")
	d.put(named, "", epoch)
	d.put(h(task.Working, 0, 2*time.Hour), "", epoch)
	if got := d.handles["a"]; got.Tool != "tool" || got.Digest != "digest" || got.Session != "session" || !got.Watched ||
		!got.Since.Equal(named.Since) || !got.Seen.Equal(epoch.Add(2*time.Hour)) {
		t.Errorf("%+v", got)
	}
}

// Being polled alone must not write a file every second.
func TestSeenAloneIsKeptToTheMinute(t *testing.T) {
	d := newDocument("")
	h := live("a", epoch)
	d.put(h, "", epoch)
	before, err := d.encode()
	if err != nil {
		t.Fatal(err)
	}
	h.Seen = epoch.Add(59 * time.Second)
	d.put(h, "", epoch)
	if after, err := d.encode(); err != nil || !bytes.Equal(before, after) {
		t.Error("59 s make a new file")
	}
	h.Seen = epoch.Add(time.Minute)
	d.put(h, "", epoch)
	if !d.handles["a"].Seen.Equal(h.Seen) {
		t.Error("a minute makes none")
	}
}

func TestLimits(t *testing.T) {
	d := newDocument("")
	for i := range maxHandles + 10 {
		h := live(fmt.Sprint("live ", i), epoch.Add(time.Duration(i)*time.Second))
		if i < 20 {
			h = live(fmt.Sprint("ended ", i), epoch.Add(day-time.Duration(i)*time.Second))
			h.Task.Status = task.Completed
		}
		d.put(h, "", epoch)
	}
	for i := range 1000 {
		d.sessions[task.Secret(fmt.Sprint(i))] = session{kept: epoch.Add(time.Duration(i))}
		d.sent[task.CallID(fmt.Sprint(i))] = sent{Sent: task.Sent{Call: task.CallID(fmt.Sprint(i)), At: epoch}}
		d.dropped[task.ID(fmt.Sprint(i))] = dropped{at: epoch}
	}
	d.prune(epoch)
	if len(d.handles) != maxHandles || len(d.sessions) != maxSessions || len(d.sent) != maxSent || len(d.dropped) != maxDropped {
		t.Errorf("%d handles, %d sessions, %d calls, %d dropped", len(d.handles), len(d.sessions), len(d.sent), len(d.dropped))
	}
	for i := range 20 {
		if _, stays := d.handles[task.ID(fmt.Sprint("ended ", i))]; stays != (i < 10) {
			t.Errorf("ended %d stays: %v; those that ended first leave first", i, stays)
		}
	}
	if _, ok := d.sessions["999"]; !ok {
		t.Error("the newest session left")
	}
}

// Whatever a server makes up, a file can be read again.
func TestLargestFileCanBeRead(t *testing.T) {
	d, awful := newDocument("u"), strings.Repeat("\x01", 10_000)
	for i := range 500 {
		h := live(fmt.Sprint(i)+awful[:maxID-10], epoch)
		h.Tool, h.Digest, h.Session = awful, awful, task.Secret(awful[:maxID])
		d.put(h, "", epoch)
	}
	d.put(live(awful, epoch), "", epoch) // too long to be kept
	p := pending{}
	for i := range maxSessions {
		about := task.About{Version: awful, Instructions: task.Own(strings.Repeat("\u202e", 100_000))}
		p.add(task.KeepResume{Resume: task.Resume{Session: task.Secret(fmt.Sprint(i)), LastEvent: task.Secret(awful), About: about}}, epoch)
	}
	p.add(task.KeepResume{Resume: task.Resume{Session: task.Secret(awful)}}, epoch)
	for i := range maxSent {
		p.add(task.KeepSent{Sent: task.Sent{Call: task.CallID(fmt.Sprint(i)), Tool: awful, Session: task.Secret(awful), At: epoch}}, epoch)
	}
	for i := range maxDropped {
		p.add(task.DropHandle{ID: task.ID(fmt.Sprint("dropped ", i))}, epoch)
	}
	p.add(task.DropHandle{ID: task.ID(awful)}, epoch)
	writer{now: epoch}.apply(&d, p)
	content, err := d.encode()
	if err != nil || len(content) > maxFile/2 {
		t.Fatalf("%d bytes, %v", len(content), err)
	}
	again, err := parse(content)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := again.encode(); err != nil || !bytes.Equal(same, content) {
		t.Errorf("read again it is another one (%v): %d handles, %d sessions", err, len(again.handles), len(again.sessions))
	}
}

func TestPendingChangesAreFew(t *testing.T) {
	p := pending{}
	for i := range 3 * maxPending {
		h := live(fmt.Sprint(i), epoch)
		p.add(task.KeepHandle{Handle: h}, epoch.Add(time.Duration(i)*time.Second))
	}
	p.add(task.KeepSent{Sent: task.Sent{Call: "c"}}, epoch)
	if len(p) > maxPending {
		t.Errorf("%d changes wait", len(p))
	}
	if _, ok := p[name{aCall, "c"}]; !ok {
		t.Error("a call is shed before a handle")
	}
	if _, ok := p[name{aHandle, fmt.Sprint(3*maxPending - 1)}]; !ok {
		t.Error("the newest handle is shed")
	}
}

func TestPendingChangesOfOneName(t *testing.T) {
	p := pending{}
	p.add(task.KeepHandle{Handle: task.Handle{Task: task.Task{ID: "a", Status: task.Completed}, Tool: "tool"}}, epoch)
	p.add(task.KeepHandle{Handle: task.Handle{Task: task.Task{ID: "a", Status: task.Working}}}, epoch.Add(time.Hour))
	p.add(task.KeepSent{Sent: task.Sent{Call: "c", At: epoch}}, epoch)
	p.add(task.Settled{Call: "c"}, epoch)
	failed := p // a write that failed, and what came meanwhile
	p = pending{}
	p.add(task.DropHandle{ID: "b"}, epoch)
	p.add(task.KeepHandle{Handle: task.Handle{Task: task.Task{ID: "a", Status: task.Working}}}, epoch.Add(2*time.Hour))
	p.back(failed)
	d := newDocument("")
	writer{now: epoch.Add(2 * time.Hour)}.apply(&d, p)
	h := d.handles["a"]
	if len(d.handles) != 1 || h.Task.Status != task.Completed || h.Tool != "tool" || !h.Since.Equal(epoch) || len(d.sent) != 0 {
		t.Errorf("%+v, %d calls", d.handles, len(d.sent))
	}
}

func FuzzParse(f *testing.F) {
	d := newDocument(server)
	d.put(task.Handle{Task: task.Task{ID: "a", Status: task.Completed, TTL: task.NoTTL, Created: epoch}, Tool: "t"}, "", epoch)
	d.sessions["s"] = session{kept: epoch, owner: "o", resume: task.Resume{Session: "s", Era: task.Legacy}}
	d.sent["c"] = sent{owner: "o", Sent: task.Sent{Call: "c", At: epoch}}
	d.dropped["x"] = dropped{at: epoch, by: "o"}
	whole, err := d.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"version":1,"handles":[{"id":"a","ttl":-9223372036854775808,"created":5,"seen":"99999-01-01T00:00:00Z"}]}`))
	f.Add([]byte(`{"version":1,"sessions":[{"id":"\ud800","about":{"name":"\u001b[2J","list":"perhaps"}}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := parse(content)
		if err != nil {
			return
		}
		once, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(once)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if twice, err := again.encode(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("it changes by being read:\n%s\n%s", once, twice)
		}
		for _, h := range d.handles {
			h.until()
		}
		d.prune(epoch)
	})
}
