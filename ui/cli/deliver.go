package cli

import (
	"slices"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// sendAll sends the answers that were given, those of several prompts together,
// and waits until they are delivered.
func (d *desk) sendAll(r *model.Row, asks []*model.Ask, given []*task.Reply) error {
	last := -1
	for i, reply := range given {
		if reply != nil {
			last = i
		}
	}
	if last < 0 {
		return d.waiting(r, "")
	}
	for i, reply := range given {
		if reply == nil {
			continue
		}
		if err := d.hand(asks[i], *reply, i < last); err != nil {
			return err
		}
	}
	sent := func(a *model.Ask) bool {
		return settled(a) && (a.State != model.Held || !slices.ContainsFunc(asks, answering))
	}
	if err := d.until(func() bool {
		return !slices.ContainsFunc(asks, func(a *model.Ask) bool { return !sent(a) && replied(asks, given, a) })
	}); err != nil {
		return err
	}
	// Who asks for the task right after this should not be told that it asks.
	taken := func() bool {
		return !slices.ContainsFunc(asks, unfetched) && (!r.Live() || r.Task.Status != task.InputRequired || len(open(r)) > 0)
	}
	d.within(effectLimit, taken)
	return d.answered(r, asks, given)
}

// effectLimit is how long a task may take to go on after an answer.
const effectLimit = 5 * time.Second

// answered prints what became of answers.
func (d *desk) answered(r *model.Row, asks []*model.Ask, given []*task.Reply) error {
	var (
		docs  []answerDoc
		lines [][]string
		bad   *Exit
	)
	for i, a := range asks {
		if given[i] == nil {
			continue
		}
		doc := answerDoc{Prompt: promptKey(asks, i), Action: given[i].Action.String(), State: "delivered"}
		if a.Wish != nil && a.Wish.State == model.Taken {
			doc.State = "taken"
		}
		if unfetched(a) {
			doc.State, doc.Why = "not fetched", "the server polls for it and did not come in time; it is asked again"
			bad = exit(exitFailed, "the answer was not fetched: %s", doc.Why)
		}
		if a.State != model.Answered {
			doc.State, doc.Why = "failed", a.Why
			switch {
			case a.State == model.Held:
				doc.State, doc.Why = "not sent", "the server takes the answers to all its questions together: give them all"
			case a.Wish != nil && a.Wish.State == model.WishUnknown:
				doc.State = "unknown"
			}
			bad = exit(exitFailed, "the answer was not delivered: %s", doc.Why)
		}
		docs = append(docs, doc)
		lines = append(lines, []string{a.Prompt.Message.Line(), doc.Action, doc.State})
	}
	var err error
	if d.a.JSON {
		err = d.print(reportDoc{Task: newTaskDoc(r), Answers: docs})
	} else {
		err = d.columns(lines[0], lines[1:])
	}
	if err == nil && bad != nil {
		return bad
	}
	return err
}

func answering(a *model.Ask) bool { return a.State == model.Answering }

// unfetched reports whether an answer waits here for a server that polls for it:
// it is gone with this process.
func unfetched(a *model.Ask) bool {
	return a.Prompt.Polled && a.State == model.Answered && a.Wish != nil && a.Wish.State == model.Delivered
}

func replied(asks []*model.Ask, given []*task.Reply, a *model.Ask) bool {
	return given[slices.Index(asks, a)] != nil
}
