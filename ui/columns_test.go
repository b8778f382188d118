package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/x/ansi"
)

func titles(cols []column) string {
	var names []string
	for _, c := range cols {
		names = append(names, c.title)
	}
	return strings.Join(names, " ")
}

func TestColumnsByWidth(t *testing.T) {
	for _, c := range []struct {
		w    int
		many bool
		want string
	}{
		{20, false, "STATUS MESSAGE"},
		{36, false, "STATUS TASK MESSAGE"},
		{44, false, "STATUS TASK MESSAGE AGE"},
		{56, false, "STATUS TASK MESSAGE AGE TTL"},
		{64, false, "STATUS TASK MESSAGE AGE TTL"},
		{74, false, "STATUS TASK TOOL MESSAGE AGE TTL"}, // beside the detail on a screen of 120
		{86, false, "STATUS TASK TOOL MESSAGE AGE TTL"},
		{97, false, "STATUS TASK TOOL MESSAGE PROGRESS AGE TTL"},
		{54, true, "STATUS TASK MESSAGE AGE SERVER"},
		{64, true, "STATUS TASK MESSAGE AGE SERVER"},
		{70, true, "STATUS TASK MESSAGE AGE SERVER"},
		{71, true, "STATUS TASK TOOL MESSAGE AGE SERVER"}, // the message tells of a TTL that runs out
		{74, true, "STATUS TASK TOOL MESSAGE AGE SERVER"}, // beside the detail on a screen of 120
		{76, true, "STATUS TASK TOOL MESSAGE AGE SERVER"}, // a screen of 80
		{80, true, "STATUS TASK TOOL MESSAGE AGE TTL SERVER"},
		{100, true, "STATUS TASK TOOL MESSAGE AGE TTL SERVER"},
		{130, true, "STATUS TASK TOOL MESSAGE PROGRESS AGE TTL SERVER"},
	} {
		p := &tasksPane{tools: true, progress: true, words: 200, toolWidth: 90, serverWidth: 90}
		cols := p.columns(c.w, c.many)
		if got := titles(cols); got != c.want {
			t.Errorf("%d wide, several servers %v: %s, want %s", c.w, c.many, got, c.want)
		}
		for _, col := range cols {
			if tool := strings.Contains(c.want, "TOOL"); col.by == model.ByMessage && tool && col.width < besideTool {
				t.Errorf("%d wide: the message has %d cells", c.w, col.width)
			}
			if col.by == model.ByMessage && !c.many && len(cols) > 5 && col.width < enoughMessage {
				t.Errorf("%d wide: the message has %d cells", c.w, col.width)
			}
			if col.by == model.ByTool && (col.width > mostTool || col.width < leastTool) {
				t.Errorf("%d wide: the tool has %d cells", c.w, col.width)
			}
			if urgent := !strings.Contains(c.want, "TTL"); col.by == model.ByMessage && col.urgent != urgent {
				t.Errorf("%d wide: the message tells of the TTL: %v", c.w, col.urgent)
			}
		}
	}
}

// A table that gets wider loses no column.
func TestWideningTakesNoColumnAway(t *testing.T) {
	for mask := range 8 {
		tools, progress, many := mask&1 != 0, mask&2 != 0, mask&4 != 0
		for _, words := range []int{0, 12, 20, 24, 90} {
			for _, toolWidth := range []int{4, 10, 90} {
				for _, serverWidth := range []int{8, 10, 90} {
					p := &tasksPane{tools: tools, progress: progress, words: words, toolWidth: toolWidth, serverWidth: serverWidth}
					before := ""
					for w := 10; w < 220; w++ {
						now := titles(p.columns(w, many))
						for _, title := range strings.Fields(before) {
							if !strings.Contains(now, title) {
								t.Errorf("words %d, tool %d, server %d, several %v: at %d %s, at %d %s", words, toolWidth, serverWidth, many, w-1, before, w, now)
							}
						}
						before = now
					}
				}
			}
		}
	}
}

// Short messages and short names leave room for the tool.
func TestShortMessagesLeaveRoomForTheTool(t *testing.T) {
	p := &tasksPane{tools: true, progress: true, words: 20, toolWidth: 4}
	if got := titles(p.columns(74, false)); got != "STATUS TASK TOOL MESSAGE AGE TTL" {
		t.Error(got)
	}
	if w := p.columns(74, false)[2].width; w != 6 {
		t.Errorf("the tool has %d cells", w)
	}
}

// The widths follow what is in sight.
func TestTheTableMeasuresWhatIsInSight(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		s.run(s.r.start("ops", task.Call{Tool: "deploy-everything-everywhere"}))
		s.send(struct{}{})
		s.r.View()
		if p := s.r.tasks; p.toolWidth < mostTool || p.words < enoughMessage {
			t.Errorf("tool %d, message %d", p.toolWidth, p.words)
		}
		s.shows("STATUS ▼      TASK      TOOL      MESSAGE    ", "deploy-…", "Approve rollout to prod…")
	})
}

// Over several servers the tool stands beside the message, which tells of what is
// lost soon where no column does.
func TestSeveralServersLeaveRoomForTheTool(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {200, 60}} {
		play(t, size[0], size[1], func() map[string]*script {
			return map[string]*script{"billing-prod": opsServer(), "orders-prod": opsServer()}
		}, func(s *stage) {
			s.run(s.r.start("orders-prod", task.Call{Tool: "deploy-everything"}))
			s.send(struct{}{})
			s.r.View()
			s.shows("TOOL", "deploy", "MESSAGE", "Approve rollout", "SERVER")
			s.golden(fmt.Sprintf("two-tools-%dx%d", size[0], size[1]))
		})
	}
}

// A TTL that runs out stands before the message where no column has it.
func TestTheMessageTellsWhatIsLostSoon(t *testing.T) {
	onOps(t, 40, 12, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.wait(56*time.Minute + 20*time.Second)
		s.shows("!40s left")
		s.fitsScreen()
		s.size(100, 30)
		s.hides("!40s left")
		s.shows("!40s")
	})
}

// The arrow at a column points up where what it shows grows downwards, whichever
// way it is sorted.
func TestTheArrowIsTheOrderOfWhatIsSeen(t *testing.T) {
	onOps(t, 200, 24, func(s *stage, srv *script) {
		for i, done := range []float64{2, 7} {
			s.run(s.r.start("ops", task.Call{Tool: fmt.Sprint("tool-", i)}))
			s.send(struct{}{})
			srv.events <- task.Progressed{Call: srv.calls[i].ID, Progress: task.Progress{Done: done, Total: 10}}
		}
		s.settle()
		// What a cell says as a number or a word that grows; "" where it is empty.
		says := map[model.Column]func(r *model.Row) string{
			model.ByStatus: func(r *model.Row) string {
				return map[bool]string{true: "2", false: "1"}[r.Asking()] // the most urgent is the greatest
			},
			model.ByTool:    func(r *model.Row) string { return r.Tool.Line() },
			model.ByTask:    func(r *model.Row) string { return string(r.Key.ID) },
			model.ByMessage: func(r *model.Row) string { return r.Task.Message.String() },
			model.ByProgress: func(r *model.Row) string {
				if r.Progress == nil {
					return ""
				}
				return fmt.Sprint(r.Progress.Done)
			},
			model.ByAge: func(r *model.Row) string { return fmt.Sprintf("%020d", time.Since(r.Began.Time())) },
			model.ByTTL: func(r *model.Row) string {
				end, ok := r.Expiry()
				if !ok || !r.Live() {
					return ""
				}
				return fmt.Sprintf("%020d", time.Until(end))
			},
		}
		for _, c := range columns {
			say := says[c.by]
			if say == nil { // there is one server
				continue
			}
			for range 2 {
				s.press(c.key(&s.r.k.Sort).Keys()[0])
				head := strings.Split(s.see(), "\n")[2]
				up := strings.Contains(head, c.title+" ▲")
				if !up && !strings.Contains(head, c.title+" ▼") {
					t.Fatalf("no arrow at %s: %s", c.title, head)
				}
				last := ""
				for i := range s.m.Board().Len() {
					switch now := say(s.m.Board().At(i)); {
					case now == "":
					case last != "" && now != last && (now > last) != up:
						t.Errorf("%s: the arrow points up: %v, and %q stands below %q", c.title, up, now, last)
						last = now
					default:
						last = now
					}
				}
			}
		}
	})
}

// The columns fill the width, and the first one stays when others are scrolled.
func TestColumnsFillTheWidth(t *testing.T) {
	for w := 5; w < 250; w++ {
		for shift := range 6 {
			p := &tasksPane{tools: true, progress: true, shift: shift}
			cols := p.columns(w, true)
			if len(cols) == 0 || cols[0].title != "STATUS" {
				t.Fatalf("%d wide, scrolled by %d: %v", w, shift, titles(cols))
			}
			sum := len(columnGap) * len(cols)
			for _, c := range cols {
				sum += c.width
			}
			if w > 16 && sum > w {
				t.Errorf("%d wide, scrolled by %d: %d cells", w, shift, sum)
			}
		}
	}
}

func TestColumnsWithoutContentAreLeftOut(t *testing.T) {
	if got := titles((&tasksPane{}).columns(120, false)); got != "STATUS TASK MESSAGE AGE TTL" {
		t.Error(got)
	}
}

func TestShortID(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		sc := s.r.scene()
		for in, want := range map[string]string{
			"786512e2-9e0d-44bd-8f29-789f320fe840": "786512e2",
			"task-7":                               "task-7",
			"127.0.0.1:4111":                       "127…4111", // servers too
			"task-000123":                          "tas…0123",
			"task-000124":                          "tas…0124",
		} {
			if got := sc.shortID(in, 8); got != want {
				t.Errorf("%s: %s, want %s", in, got, want)
			}
		}
		for _, id := range []string{"日本語のタスク識別子", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", strings.Repeat("e\u0301", 30)} {
			for w := 1; w < 20; w++ {
				if got := ansi.StringWidth(sc.shortID(id, w)); got > w {
					t.Errorf("%s in %d cells takes %d", id, w, got)
				}
			}
		}
	})
}

// Numbers of servers are not to be trusted.
func TestProgressOfAnyNumber(t *testing.T) {
	zero := 0.0
	for _, c := range []struct {
		done, total float64
		want        float64
		ok          bool
	}{
		{1, 4, 0.25, true}, {9, 4, 1, true}, {-1, 4, 0, true}, {1, 0, 0, false}, {1, -3, 0, false},
		{zero / zero, 4, 0, false}, {1, 1 / zero, 0, false}, {1, zero / zero, 0, false},
	} {
		got, ok := fraction(&task.Progress{Done: c.done, Total: c.total})
		if got != c.want || ok != c.ok {
			t.Errorf("%v of %v: %v %v", c.done, c.total, got, ok)
		}
	}
}
