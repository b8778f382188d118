package mcptest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAskingAndGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		got := make(chan error, 1)
		id := s.Launch(Tool{Name: "ask", Run: func(_ context.Context, c *Call) Outcome {
			_, err := c.ElicitWithin(5*time.Second, Elicitation{Message: "Ready?"}) //nolint:contextcheck // a Call has its own
			got <- err
			return Answered()
		}}, Task{}, nil)
		synctest.Wait()
		if qs := s.Asking(); len(qs) != 1 || qs[0].Task != id || qs[0].Message != "Ready?" || !qs[0].Open || qs[0].Handed {
			t.Fatalf("%+v", qs)
		}
		from := time.Now()
		if err := <-got; !errors.Is(err, ErrUnanswered) || time.Since(from) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(from))
		}
		synctest.Wait()
		if qs := s.Asking(); len(qs) != 0 {
			t.Errorf("%+v", qs)
		}
		if task, _ := s.Task(id); task.Status != Completed {
			t.Errorf("it is %s", task.Status)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
