package model

import (
	"testing"
	"time"

	"callboard/model/task"
)

func TestInstant(t *testing.T) {
	if At(time.Time{}) != 0 || !Instant(0).Time().IsZero() {
		t.Error("no moment is one")
	}
	for _, text := range []string{"1971-01-01T00:00:00.000001Z", "0001-01-01T00:00:01Z", "1600-02-29T12:00:00Z", "9999-12-31T23:59:59.999999Z"} {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := At(at).Time(); !got.Equal(at) {
			t.Errorf("%s came back as %s", text, got)
		}
	}
	early, late := time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if At(early) >= At(late) {
		t.Error("the order is another one")
	}
}

// What is sorted by a moment has the latest year last: in ns it would come first.
func TestMomentsOfAllYearsAreSorted(t *testing.T) {
	ending := func(year int) *Row {
		began := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		return &Row{Began: At(began), Since: At(began), Task: task.Task{Status: task.InputRequired, TTL: time.Hour}}
	}
	years := []int{2, 1600, 2026, 2300, 9999}
	q := newAskQueue()
	var m Model
	for i, year := range years {
		r := ending(year)
		if q.follow(r); r.queued != r.Since {
			t.Errorf("queued at %d of %d", r.queued, r.Since)
		}
		if end, _ := r.Expiry(); !At(m.warnAt(r, end)).Time().Equal(end) {
			t.Errorf("a loss in %s is told at %s", end, At(m.warnAt(r, end)).Time())
		}
		if i > 0 && ByTTL.keyOf(ending(years[i-1])).a >= ByTTL.keyOf(r).a {
			t.Errorf("%d does not come after %d", year, years[i-1])
		}
	}
	epoch := ending(1970)
	if q.follow(epoch); epoch.queued == 0 {
		t.Error("what asks since 1970 is not in the queue")
	}
}

// The first step is not kept apart until what the row says changes, and says then
// what it said before.
func TestFirstStepIsKeptWithTheRow(t *testing.T) {
	s := newStore("ops")
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tell := func(after time.Duration, status task.Status, message string) *Row {
		at := began.Add(after)
		return s.apply(report{task: task.Task{ID: "t", Status: status, Message: task.Own(message)}, how: task.Listed, sentAt: at, at: at}).row
	}
	first := func(r *Row, steps int) {
		t.Helper()
		if got := r.Steps(); len(got) != steps || got[0].Status != task.Working || got[0].Message.String() != "one" || !got[0].At.Equal(began) || got[0].How != task.Listed {
			t.Errorf("%+v", got)
		}
	}
	r := tell(0, task.Working, "one")
	first(r, 1)
	tell(time.Second, task.Working, "one")
	if r.steps != nil {
		t.Error("a step was kept for nothing new")
	}
	first(r, 1)
	tell(2*time.Second, task.Working, "two")
	first(r, 2)
	tell(3*time.Second, task.Completed, "")
	first(r, 3)
	tell(4*time.Second, task.Completed, "its last words")
	first(r, 3)

	s = newStore("ops") // what an ended task says later is no part of its only step
	r = tell(0, task.Completed, "")
	tell(time.Second, task.Completed, "its last words")
	if got := r.Steps(); len(got) != 1 || !got[0].Message.IsZero() || r.Task.Message.String() != "its last words" {
		t.Errorf("%+v, %v", got, r.Task.Message)
	}
}
