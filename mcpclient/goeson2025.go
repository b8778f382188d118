package mcpclient

import (
	"slices"
	"time"

	"callboard/model/task"
)

// goesOn is why a prompt is withdrawn of which the server says nothing more.
const goesOn = "its task goes on without an answer"

// justAsked is how old a question must be, by the server's clock as we know it,
// for the news that its task works again to be its end. A server that gives up may
// ask anew at once, and news and question come on different streams.
const justAsked = 2 * time.Second

// stoppedAsking is manners.stoppedAsking. It finds out whether a task that waited
// for its open prompts went on without an answer of ours, as servers do that lose
// their patience in silence. Reports can overtake each other, so that only a later
// lastUpdatedAt counts; and with an answer of ours in play it is not known which
// prompt went with it. Where a prompt may have come since, the task is looked at.
// e.mu is held.
func (e *era2025) stoppedAsking(t task.Task) (which func(*prompt) bool, look func()) {
	since, asked := e.asking[t.ID]
	switch {
	case t.Status.Terminal():
		delete(e.asking, t.ID)
		e.kept = slices.DeleteFunc(e.kept, func(p place) bool { return p.Task == t.ID })
		if t.Status == task.Failed && e.calls.byTask[t.ID] != nil {
			look = func() { e.fetchFailed(t.ID) }
		}
		return nil, look
	case t.Status == task.InputRequired:
		if !asked || t.Updated.After(since) {
			e.asking[t.ID] = t.Updated
		}
		return nil, nil
	case !asked || !t.Updated.After(since):
		return nil, nil
	}
	delete(e.asking, t.ID)
	skew := e.skew.value()
	var doubtful []task.PromptID
	for _, p := range e.prompts.open {
		switch {
		case p.Task != t.ID || p.Polled:
		case p.sending:
			return nil, nil
		case p.At.Add(skew + justAsked).After(t.Updated):
			doubtful = append(doubtful, p.ID)
		}
	}
	if len(doubtful) > 0 {
		look = func() { e.lookAgain(t.ID, doubtful) }
	}
	return func(p *prompt) bool {
		return p.Task == t.ID && p.ID != "" && !p.Polled && !slices.Contains(doubtful, p.ID)
	}, look
}

// lookAgain withdraws prompts of a task unless that still asks.
func (e *era2025) lookAgain(id task.ID, doubtful []task.PromptID) {
	t, err := e.get(e.life, id)
	if err != nil || t.Status == task.InputRequired || t.Status.Terminal() {
		return
	}
	e.mu.Lock()
	gone := e.prompts.drop(func(p *prompt) bool { return !p.sending && slices.Contains(doubtful, p.ID) })
	e.mu.Unlock()
	for _, p := range gone {
		e.feed.add(task.Withdrawn{Prompt: p, Why: task.Own(goesOn), Inferred: true})
	}
}
