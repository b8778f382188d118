package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

func idOf(i int) jsonrpc.ID { return jsonrpc.ID(fmt.Sprint(i)) }

func noSkew() time.Duration { return 0 }

func TestFeedPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed(noSkew)
		begun := time.Now()
		f.add(task.ToolsChanged{})
		if _, err := f.next(t.Context()); err != nil || time.Since(begun) != 0 {
			t.Errorf("the first batch came after %v, %v", time.Since(begun), err)
		}
		f.add(task.ToolsChanged{})
		time.Sleep(10 * time.Millisecond)
		if _, err := f.next(t.Context()); err != nil || time.Since(begun) != feedPause {
			t.Errorf("the second batch came after %v, %v", time.Since(begun), err)
		}
		go func() {
			time.Sleep(time.Second)
			f.add(task.ToolsChanged{})
		}()
		if _, err := f.next(t.Context()); err != nil || time.Since(begun) != time.Second+feedPause {
			t.Errorf("after a quiet time the batch came after %v, %v", time.Since(begun), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestFeedDrainsBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed(noSkew)
		f.add(task.ToolsChanged{})
		f.finish(errClosed, task.Withdrawn{Prompt: "p"})
		f.finish(errors.New("later"))
		f.add(task.ToolsChanged{})
		b, err := f.next(t.Context())
		if err != nil || len(b.Events) != 2 {
			t.Errorf("%+v, %v", b, err)
		}
		for range 2 {
			if _, err := f.next(t.Context()); !errors.Is(err, errClosed) {
				t.Errorf("%v", err)
			}
		}
	})
}

func step(s task.Status, message string, updated int) task.Task {
	t := task.Task{ID: "t", Status: s, Message: task.Clean(message)}
	if updated > 0 {
		t.Updated = time.Unix(int64(updated), 0)
	}
	return t
}

func TestFeedMerges(t *testing.T) {
	for _, c := range []struct {
		name    string
		in      []task.Task
		status  task.Status
		message string
		steps   int
		late    int
	}{
		{"the newest counts", []task.Task{step(task.Working, "a", 1), step(task.Working, "b", 2)}, task.Working, "b", 2, 0},
		{"a repetition is no step", []task.Task{step(task.Working, "a", 1), step(task.Working, "a", 2)}, task.Working, "a", 1, 0},
		{"the first end stays", []task.Task{step(task.Cancelled, "a", 1), step(task.Completed, "b", 2)}, task.Cancelled, "a", 2, 1},
		{"an end stays before life", []task.Task{step(task.Failed, "a", 1), step(task.Working, "b", 2)}, task.Failed, "a", 2, 1},
		{"what is dated earlier does not count", []task.Task{step(task.InputRequired, "b", 5), step(task.Working, "a", 1)}, task.InputRequired, "b", 2, 0},
		{"an end counts however it is dated", []task.Task{step(task.Working, "b", 5), step(task.Completed, "", 1)}, task.Completed, "", 2, 0},
		{"without dates the order counts", []task.Task{step(task.InputRequired, "b", 0), step(task.Working, "a", 0)}, task.Working, "a", 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFeed(noSkew)
			for i, s := range c.in {
				f.change(s, time.Unix(int64(i), 0))
			}
			b, err := f.next(t.Context())
			if err != nil || len(b.Events) != 1 {
				t.Fatalf("%+v, %v", b, err)
			}
			got := b.Events[0].(task.Changed)
			late := 0
			for _, s := range got.Steps {
				if s.Late {
					late++
				}
			}
			if got.Task.Status != c.status || got.Task.Message.String() != c.message || len(got.Steps) != c.steps || late != c.late {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestFeedKeepsOrder(t *testing.T) {
	f := newFeed(noSkew)
	f.change(task.Task{ID: "a"}, time.Now())
	f.add(task.Stream{Up: true, Gap: true})
	f.add(task.Prompted{Prompt: task.Prompt{ID: "p"}})
	f.add(task.Progressed{Call: "c", Progress: task.Progress{Done: 1}})
	f.change(task.Task{ID: "b"}, time.Now())
	f.change(task.Task{ID: "a", Status: task.Working}, time.Now())
	f.add(task.Progressed{Call: "c", Progress: task.Progress{Done: 2}})
	f.add(task.Stream{Why: "down"})
	f.add(task.Stream{Up: true})
	f.add(task.ToolsChanged{})
	f.add(task.ToolsChanged{})
	b, err := f.next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range b.Events {
		got += fmt.Sprintf("%T ", e)
	}
	want := "task.Changed task.Stream task.Prompted task.Progressed task.Changed task.ToolsChanged "
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s := b.Events[1].(task.Stream); !s.Up || !s.Gap {
		t.Errorf("a gap was forgotten: %+v", s)
	}
	if p := b.Events[3].(task.Progressed); p.Progress.Done != 2 {
		t.Errorf("%+v", p)
	}
}

func TestFeedIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed(noSkew)
		const limit = 3000
		f.limit = limit
		for i := range 10 * maxSteps {
			f.change(step(task.Working, fmt.Sprint(i), i), time.Now())
		}
		for i := range 3 * maxLogged {
			f.add(task.Logged{Text: task.Clean(fmt.Sprint(i))})
		}
		go func() {
			for i := range limit + 10 {
				f.change(task.Task{ID: task.ID(fmt.Sprint(i)), Status: task.Completed}, time.Now())
			}
			f.add(task.Prompted{})
		}()
		synctest.Wait() // the sender is held up
		if n := len(f.pending); n != limit {
			t.Errorf("%d events wait", n)
		}
		ends, prompts, logs := 0, 0, 0
		for range 2 {
			b, err := f.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.Events {
				switch e := e.(type) {
				case task.Changed:
					if e.Task.ID == "t" && (len(e.Steps) != maxSteps || e.Dropped != 9*maxSteps || e.Task.Message.String() != "319") {
						t.Errorf("%d steps, %d dropped, last %v", len(e.Steps), e.Dropped, e.Task.Message)
					} else if e.Task.Status == task.Completed {
						ends++
					}
				case task.Prompted:
					prompts++
				case task.Logged:
					logs++
				}
			}
			synctest.Wait()
		}
		if ends != limit+10 || prompts != 1 || logs != maxLogged {
			t.Errorf("%d endings, %d prompts, %d log messages came through", ends, prompts, logs)
		}
	})
}

// What a task asks at once is told at once: who answers all of it must know all.
func TestFeedTellsTogetherWhatIsAskedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed(noSkew)
		f.limit = 1 // full after the first
		told := make(chan int)
		go func() {
			b, _ := f.next(context.Background())
			told <- len(b.Events)
		}()
		synctest.Wait()
		f.ask(make([]task.Prompt, 3))
		if n := <-told; n != 3 {
			t.Errorf("%d of 3 questions were told", n)
		}
	})
}
