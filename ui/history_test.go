package ui

import "testing"

func TestTheWalkThroughAHistory(t *testing.T) {
	h := walkOf([]string{"old", "new"})
	step := func(by int, now, line, why string) {
		t.Helper()
		if got, said := h.step(by, now); got != line || said != why {
			t.Errorf("%+d from %q: %q, %q; not %q, %q", by, now, got, said, line, why)
		}
	}
	step(1, "typed", "", "There is nothing newer.")
	step(-1, "typed", "new", "")
	step(-1, "new", "old", "")
	step(-1, "old", "", "There is nothing older.")
	if !h.recalled() {
		t.Error("the oldest is not recalled")
	}
	step(1, "old", "new", "")
	step(1, "new", "typed", "")
	if h.recalled() {
		t.Error("what is typed is recalled")
	}
	step(-1, "typed", "new", "")
	h.leave() // it was changed, and is what is typed from now on
	step(-1, "newer", "new", "")
	step(1, "new", "newer", "")
}

// All three lines that have a history give back what was typed.
func TestHistoriesGiveBackWhatWasTyped(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		remember(&s.r.searches, "needle")
		remember(&s.r.taste.Filters, "disk")
		remember(&s.r.taste.Commands, "force")
		for _, open := range []string{"/", "tab"} {
			s.press(open)
			if open == "tab" {
				s.press("/")
			}
			s.press("m", "y", "up")
			s.hides("/ my")
			s.press("down")
			s.shows("/ my")
			s.press("down")
			s.shows("nothing newer")
			s.press("esc")
		}
		s.press(":", "up")
		s.shows(": force")
		s.press("down", "down")
		s.hides(": force")
		s.shows("nothing newer")
	})
}
