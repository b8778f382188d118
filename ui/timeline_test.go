package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
	"callboard/ui/uitest"
)

// A task that works, asks, works on, is not seen for a while, and ends, with a
// report that contradicts its end.
func longStory(s *stage, srv *script) {
	t := task.Task{ID: "story", Status: task.Working, Message: task.Own("Reading"), Created: time.Now().Add(-20 * time.Second), Updated: time.Now(), TTL: time.Hour}
	tell := func(after time.Duration, st task.Status, words string) {
		s.wait(after)
		t.Status, t.Message, t.Updated = st, task.Own(words), time.Now()
		srv.push(t)
		s.settle()
	}
	tell(0, task.Working, "Reading")
	tell(30*time.Second, task.Working, "Comparing")
	tell(30*time.Second, task.InputRequired, "Which of the two?")
	tell(2*time.Minute, task.Working, "Writing")
	tell(40*time.Second, task.Completed, "Done")
	tell(10*time.Second, task.Failed, "Not done")
	s.goTo("story")
}

func TestTheTimeLineDrawsWhatLastedHowLong(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"200x60", 200, 60}} {
		onOps(t, size.w, size.h, func(s *stage, srv *script) {
			longStory(s, srv)
			if size.w < sideBySide {
				s.press("tab", "G")
			}
			s.shows("4m in all", "· before it was seen 20s", "▒ working 1m40s", "█ input_required 2m", "contradicts the end")
			s.golden("story-" + size.name)
		})
	}
}

func TestTheTimeLineInASCII(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		longStory(s, srv)
		*s.r.t = *uitest.Mono(t, true)
		s.press("tab")
		s.shows("= working 1m40s", "# input_required 2m", "...===")
	})
}

// What goes on is drawn anew no oftener than its words are.
func TestARunningTimeLineStepsCoarsely(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		srv.push(task.Task{ID: "new", Status: task.Working, Created: time.Now().Add(-5 * time.Second), Updated: time.Now()})
		s.settle()
		s.goTo("new")
		parts := map[string]bool{}
		for range 20 {
			s.wait(time.Second)
			_, part, _ := strings.Cut(s.see(), "Time line")
			parts[part] = true
		}
		if len(parts) > 10 { // the table's ages step beside it
			t.Errorf("%d pictures in 20 s", len(parts))
		}
	})
}

func TestCellsOfShareTheWidth(t *testing.T) {
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	of := func(seconds ...int) []stretch {
		var all []stretch
		for _, n := range seconds {
			all = append(all, stretch{from: at, to: at.Add(time.Duration(n) * time.Second)})
		}
		return all
	}
	for _, tt := range []struct {
		w    int
		of   []int
		want []int
	}{
		{10, []int{1, 1}, []int{5, 5}},
		{10, []int{1, 100}, []int{1, 9}},
		{10, []int{0, 7}, []int{0, 10}},
		{4, []int{1, 1000, 1, 1}, []int{1, 1, 1, 1}},
		{38, []int{20, 60, 120, 40}, []int{3, 10, 19, 6}},
		{5, []int{0, 0}, []int{0, 0}},
	} {
		all := of(tt.of...)
		if got := cellsOf(all, whole(all), tt.w); !slices.Equal(got, tt.want) {
			t.Errorf("%v in %d: %v, want %v", tt.of, tt.w, got, tt.want)
		}
	}
	for n := 1; n < 70; n++ { // ends, whatever the width
		seconds := make([]int, n)
		for i := range seconds {
			seconds[i] = i*i%17 + 1
		}
		for w := range 40 {
			all, sum := of(seconds...), 0
			for _, c := range cellsOf(all, whole(all), w) {
				sum += c
			}
			if sum != w {
				t.Fatalf("%d of %d cells", sum, w)
			}
		}
	}
}
