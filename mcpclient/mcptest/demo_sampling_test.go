package mcptest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const samplingCaps = `{"elicitation":{"form":{},"url":{}},"sampling":{}}`

// written is schema type CreateMessageResult.
const written = `{"role":"assistant","content":{"type":"text","text":"Checkout was slow at seven."},"model":"human","stopReason":"endTurn"}`

// TestDemoSamplesForThoseWhoTakeIt: the show asks for text where a client declared that it gives some, in its own time.
func TestDemoSamplesForThoseWhoTakeIt(t *testing.T) {
	for name, caps := range map[string]string{"declared": samplingCaps, "not declared": allCaps} {
		t.Run(name, func(t *testing.T) {
			var j *judge
			if os.Getenv("CALLBOARD_SCHEMAS") != "" {
				j = newJudge(t)
			}
			synctest.Test(t, func(t *testing.T) {
				s := Demo(7)
				defer s.Close()
				tr := s.Transport()
				defer tr.CloseIdleConnections()
				c := raw(t, MemoryURL, tr)
				if j != nil {
					c.check = j.see
				}
				c.initialize(caps)
				notes := 0
				for range 300 {
					time.Sleep(time.Second)
					synctest.Wait()
					for _, a := range s.Asking() {
						if !a.Sampling || a.Handed {
							continue
						}
						st, _ := c.post("tasks/result", idParams(a.Task))
						m := st.until("sampling/createMessage")
						if !strings.Contains(string(m.Params), "hand-over") || !strings.Contains(string(m.Params), a.Task) {
							t.Errorf("asked: %.300s", m.Params)
						}
						c.answer(m, written)
						if got := st.until(""); !strings.Contains(string(got.Result), "as human wrote it") {
							t.Errorf("filed: %s", got.Raw)
						}
						st.close()
						notes++
					}
				}
				if (name == "declared") != (notes >= 2) || name == "not declared" && notes > 0 {
					t.Errorf("%d notes were asked for", notes)
				}
			})
		})
	}
}

// TestDemoNightSamples is the same of the modern era, where it is a task that waits for such a client.
func TestDemoNightSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := DemoModern(7)
		defer s.Close()
		tr := s.Transport()
		defer tr.CloseIdleConnections()
		c := modern(t, MemoryURL, tr)
		c.caps = strings.Replace(modernCaps, `"sampling":{},`, "", 1)
		look := func() (note string) {
			time.Sleep(30 * time.Second)
			for _, id := range s.TaskIDs() {
				for _, in := range c.get(id).InputRequests {
					if in.Method == "sampling/createMessage" {
						note = id
					}
				}
			}
			return note
		}
		if look() != "" {
			t.Error("a client that does not take sampling is asked for it")
		}
		c.caps = modernCaps
		c.call("tools/list", nil)
		id := look()
		if id == "" {
			t.Fatal("nothing is asked for")
		}
		for key := range c.get(id).InputRequests {
			c.update(id, map[string]any{key: json.RawMessage(written)})
		}
		time.Sleep(nightLag + time.Second)
		if got := c.get(id); got.Status != Working || len(got.InputRequests) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestSummaryTool: who starts it without taking such requests is told so.
func TestSummaryTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Demo(1)
		defer s.Close()
		tr := s.Transport()
		defer tr.CloseIdleConnections()
		c := dial(t, MemoryURL, tr)
		id := c.start("write_summary", "").TaskID
		if m := c.call("tasks/result", idParams(id)); !strings.Contains(string(m.Result), "No client here takes") {
			t.Errorf("%s", m.Raw)
		}
	})
}
