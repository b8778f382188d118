package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCheckColumn(t *testing.T) {
	for entry, want := range map[string]string{
		"status": "", "tool:14": "", "duration": "", "nose": "no column \"nose\": there are status, task",
		"tool:2": "a number from 3 to 200", "tool:x": "a number", "tool:": "a number", "": "no column",
	} {
		err := CheckColumn(entry)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", entry, err, want)
		}
	}
}

func heads(s *stage) string {
	p := s.r.tasks
	return titles(p.columns(p.linesOf.w, p.linesOf.many))
}

// What was chosen on the screen goes before the configuration, and what is for one
// server before what is for all.
func TestWhichColumnsHold(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, _ *script) {
		theme, keys := s.r.t, s.r.k
		set := Settings{Theme: theme, Keys: keys}
		check := func(want string) {
			t.Helper()
			s.send(SettingsMsg{Settings: set})
			if got := heads(s); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		byDefault := heads(s)
		set.Columns = []string{"task", "nonsense", "task", "message:20"}
		check("TASK MESSAGE")
		if cols := s.r.tasks.columns(70, false); cols[1].width != 20 {
			t.Errorf("the message has %d cells", cols[1].width)
		}
		set.ServerColumns = map[string][]string{"ops": {"how", "updated", "asks"}}
		check("HOW HEARD ASKS")
		s.r.taste.Columns = map[string][]string{"": {"ttl"}}
		check("HOW HEARD ASKS")
		s.r.taste.Columns["ops"] = []string{"began", "ended", "duration"}
		check("BEGAN ENDED TOOK")
		s.r.taste.Columns = nil
		set.Columns, set.ServerColumns = nil, nil
		check(byDefault)
	})
}

func TestMoreColumns(t *testing.T) {
	onOps(t, 160, 24, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.r.taste.Columns = map[string][]string{"": {"status", "how", "began", "ended", "duration", "updated", "asks"}}
		s.wait(time.Minute)
		s.golden("more-columns-160x24")
	})
}

func TestTheChoiceOfColumns(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		var kept []Taste
		s.r.o.Keep = func(t Taste) error { kept = append(kept, t); return nil }
		before := heads(s)
		s.press("C", "j", "space") // the task
		s.shows("Columns of all servers")
		if got := heads(s); got != strings.Replace(before, "TASK ", "", 1) {
			t.Errorf("without the task: %s", got)
		}
		s.press("space", "K")
		if got := heads(s); !strings.HasPrefix(got, "TASK STATUS") {
			t.Errorf("moved: %s", got)
		}
		w := s.r.tasks.columns(70, false)[0].width
		s.press("+", "+", "-")
		if got := s.r.tasks.columns(70, false)[0].width; got != w+1 {
			t.Errorf("%d wide, was %d", got, w)
		}
		s.press("s")
		s.shows("Columns of ops")
		s.press("j", "space", "esc")
		if len(kept) != 1 || len(kept[0].Columns[""]) == 0 || !slices.Contains(kept[0].Columns["ops"], fmt.Sprintf("task:%d", w+1)) {
			t.Errorf("kept %+v", kept)
		}
		s.press("C", "r")
		s.shows("Columns of ops")
		s.press("s", "r")
		if got := heads(s); got != before {
			t.Errorf("as they were: %s", got)
		}
		s.press("up", "up", "up", "space")
		for range len(strings.Fields(before)) - 1 {
			s.press("j", "space")
		}
		s.shows("One column has to stay")
	})
}

// For one server of several there is a choice where the filter names it.
func TestColumnsOfOneServerOfSeveral(t *testing.T) {
	play(t, 120, 40, func() map[string]*script {
		return map[string]*script{"ops": opsServer(), "lab": opsServer()}
	}, func(s *stage) {
		s.press("C", "s")
		s.shows("filter by server:NAME")
		s.press("esc", "/", "server:lab", "enter", "C", "s")
		s.shows("Columns of lab")
		s.press("space", "esc")
		if got := heads(s); strings.Contains(got, "STATUS") {
			t.Error(got)
		}
		s.press("esc")
		if got := heads(s); !strings.Contains(got, "STATUS") {
			t.Error(got)
		}
	})
}

func TestSavedFilters(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		var kept []Taste
		s.r.o.Keep = func(t Taste) error { kept = append(kept, t); return nil }
		s.press("F")
		s.shows("No filter is saved", ":save NAME")
		s.press(":", "save x", "enter")
		s.shows("no filter to save")
		s.press("/", "disk", "enter", ":", "save full", "enter")
		s.shows("Saved as full")
		if n := len(kept); n == 0 || kept[n-1].Named["full"] != "disk" || !slices.Contains(kept[n-1].Filters, "disk") {
			t.Errorf("kept %+v", kept)
		}
		s.press(":", "save ../x", "enter")
		s.shows("A name is of letters")
		s.press("/", "ette", "enter", ":", "save full", "enter")
		s.shows("Save over full?", "/disk")
		s.press("n")
		if s.r.taste.Named["full"] != "disk" {
			t.Error("no meant yes")
		}
		s.send(SettingsMsg{Settings: Settings{Theme: s.r.t, Keys: s.r.k, Filters: map[string]string{"asking": "is:asking"}}})
		s.press(":", "save asking", "enter")
		s.shows("stands in the configuration")
		s.press("F")
		s.shows("1 asking", "/is:asking", "config", "2 full")
		s.golden("saved-100x30")
		s.press("d")
		s.shows("is taken away there")
		s.press("2")
		s.shows("Tasks 1 of 8", "/disk")
		s.press(":", "saved asking", "enter")
		s.shows("/is:asking")
		s.press("F", "j", "enter")
		s.shows("/disk")
		s.press("F", "j", "d")
		s.shows("Deleted full, which was /disk")
		if len(s.r.taste.Named) != 0 || len(kept[len(kept)-1].Named) != 0 {
			t.Errorf("%v", slices.Collect(maps.Keys(s.r.taste.Named)))
		}
	})
}

func TestTheFilterCompletes(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		s.press("/", "sta", "tab")
		s.shows("/ status:")
		s.press("f", "tab")
		s.shows("/ status:failed", "1 of 8")
		s.press("ctrl+u", "is:", "tab", "tab")
		if got := s.m.Board().Filter(); got != "is:call" {
			t.Errorf("the second is %q", got)
		}
		s.press("ctrl+u", "zzz", "tab")
		s.shows("Nothing known begins like that")
	})
}

// A filter that does not hold is told with its place, and stays to be mended.
func TestAFilterThatIsWrong(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		s.press("/", "/(/")
		s.shows(filterFault(s.m))
		if filterFault(s.m) == "" {
			t.Fatal("nothing is wrong")
		}
		s.press("enter")
		if _, ok := s.r.over.(*filterOverlay); !ok || slices.Contains(s.r.taste.Filters, "/(/") {
			t.Error("it was taken")
		}
		s.press("esc")
		s.press(":", "filter /(/", "enter")
		s.shows(filterFault(s.m))
	})
}

func TestTheHistoryOfFilters(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		s.press("/", "disk", "enter", "/", "ctrl+u", "rollout", "enter", "/", "ctrl+u", "new")
		s.press("up")
		s.shows("/ rollout")
		s.press("up")
		s.shows("/ disk")
		s.press("up")
		s.shows("nothing older")
		s.press("down", "down")
		s.shows("/ new")
		s.press("down")
		s.shows("nothing newer")
		s.press("esc")
		if got := s.m.Board().Filter(); got != "rollout" {
			t.Errorf("esc left %q", got)
		}
	})
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 100_000: "100,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
