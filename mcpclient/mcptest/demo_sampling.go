package mcptest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// summaryEvery is how often the show asks for a summary, while somebody takes such requests.
const summaryEvery = 90 * time.Second

// handOver is the scene of a task that wants text from a model. It is played only for clients that declare sampling.
var handOver = scene{title: "Write the hand-over", ttl: questionTTL, play: writeSummary}

// askSummary is sampling/createMessage with a bit of everything: instructions, turns of either side, a picture.
func askSummary(r *rand.Rand) Elicitation {
	var log strings.Builder
	for i := range 6 {
		fmt.Fprintf(&log, "%02d:%02d  %s: %d ms\n", 6+i, r.IntN(60), []string{"checkout", "search", "billing"}[r.IntN(3)], 80+r.IntN(900))
	}
	text := func(s string) map[string]any { return map[string]any{"type": "text", "text": s} }
	raw, _ := json.Marshal(map[string]any{ // plain values: this cannot fail
		"systemPrompt": "You write the hand-over note of an operations desk. Three sentences at most, no names.",
		"messages": []map[string]any{
			{"role": "user", "content": text("The slowest answers of the early shift:\n" + log.String())},
			{"role": "assistant", "content": text("Which of them were noticed by customers?")},
			{"role": "user", "content": []map[string]any{
				text("Only those above 500 ms. Here is the chart; now write the note."),
				{"type": "image", "mimeType": "image/png", "data": base64.StdEncoding.EncodeToString(chart(r))},
			}},
		},
		"modelPreferences": map[string]any{"hints": []map[string]any{{"name": "small"}}, "costPriority": 0.8, "speedPriority": 0.5, "intelligencePriority": 0.2},
		"maxTokens":        200, "temperature": 0.3, "stopSequences": []string{"END"}, "includeContext": "none",
	})
	return Elicitation{Sampling: raw}
}

// writeSummary asks for the note, and files it.
func writeSummary(_ context.Context, c *Call, r *rand.Rand) Outcome {
	if !c.s.samples() {
		return ToolError("No client here takes sampling requests, so that nobody would write the note.")
	}
	if !steps(c, r, "Hand-over note", "reading the log") {
		return stopped()
	}
	reply, err := c.Elicit(askSummary(r))
	if err != nil {
		return unanswered(err)
	}
	var said struct {
		Model   string
		Content struct{ Text string }
	}
	if err := reply.Bind(&said); err != nil {
		return ToolError("this is no reply: " + err.Error())
	}
	return Outcome{
		Content:    []Content{Text("The hand-over, as " + said.Model + " wrote it:\n\n" + said.Content.Text)},
		Structured: map[string]any{"model": said.Model, "characters": len([]rune(said.Content.Text))}, Message: "Hand-over filed",
	}
}

// nightNote asks for notes round after round, while somebody takes such requests.
func (d *show) nightNote(rounds int) script {
	return func(ctx context.Context, c *Call, r *rand.Rand) Outcome {
		for range rounds {
			for !d.s.samples() {
				if !c.Sleep(5 * time.Second) {
					return stopped()
				}
			}
			if o := writeSummary(ctx, c, r); ctx.Err() != nil {
				return o
			}
			c.Status("Night note: filed, the next one comes")
			if !pause(c, r, 2*nightPause, 3*nightPause) {
				return stopped()
			}
		}
		return Outcome{Content: []Content{Text("The notes are filed.")}, Message: "Notes filed"}
	}
}

// samples reports whether some client takes sampling requests: a session of the legacy era, or who asked last in the
// modern one.
func (s *Server) samples() bool {
	if s.sampled.Load() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessions {
		if ss.sampling {
			return true
		}
	}
	return false
}
