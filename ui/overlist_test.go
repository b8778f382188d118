package ui

import (
	"slices"
	"testing"

	"callboard/model/task"
)

// The mouse does in a list over the panes what it does in a pane: a press chooses,
// another takes, the wheel scrolls.
func TestAPressInAListOverThePanes(t *testing.T) {
	onOps(t, 120, 20, func(s *stage, _ *script) {
		s.send(SettingsMsg{Settings: Settings{
			Theme: s.r.t, Keys: s.r.k, Filters: map[string]string{"asking": "is:asking", "broken": "status:failed"},
		}})
		s.press("F")
		s.clickOn("status:failed")
		s.shows("Saved filters")
		s.clickOn("status:failed")
		s.shows("Tasks 1 of 8 · /status:failed")

		s.press("esc", "C")
		s.clickOn("□ how")
		s.hides("■ how")
		s.clickOn("□ how")
		s.shows("■ how")
		list := s.r.over.(*chooser).list
		s.wheel("Columns of", 1)
		if now := s.r.over.(*chooser).list; now.win.offset <= list.win.offset {
			t.Errorf("the wheel leaves the list at %d", now.win.offset)
		}
		s.press("esc")
	})
}

// Many are cancelled with the mouse as one is: by its keys, not by its words.
func TestAPressCancelsMany(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		s.press("g", "space", "space", "c")
		s.clickOn("Cancel 2 of 2")
		s.shows("Cancel 2 of 2")
		s.clickOn("y yes")
		s.hides("Cancel 2 of 2")
		if b := s.m.Bulk(); b == nil || b.Total != 2 {
			t.Errorf("%+v", b)
		}
	})
}

func TestAPressPicksTheResultToCompareWith(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		var ids []task.ID
		for i := range s.m.Board().Len() {
			if row := s.m.Board().At(i); hasResult(row) {
				ids = append(ids, row.Key.ID)
			}
		}
		s.r.tasks.take(s.m, task.Key{Server: "ops", ID: ids[0]})
		s.press("D")
		p, ok := s.r.over.(*picker)
		if !ok || slices.Contains(p.keys, task.Key{Server: "ops", ID: ids[0]}) {
			t.Fatalf("over the panes is %T", s.r.over)
		}
		s.clickOn("enter compare")
		s.hides("Compare with which")
		s.shows("ompared") // that it is, or why it is not
	})
}
