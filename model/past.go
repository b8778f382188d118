package model

import (
	"time"

	"callboard/model/task"
)

// Past is a question that is closed, as its row keeps it when the inbox has
// long forgotten it.
type Past struct {
	Words         string // the question on one line, at most 200 characters
	Asked, Closed time.Time
	State         AskState    // Answered or Withdrawn
	Action        task.Action // of Answered: what was sent
	Why           string      // of Withdrawn

	id task.PromptID
}

// past returns what is kept of a prompt that was just closed.
func (a *Ask) past() *Past {
	return &Past{
		Words: short(a.Prompt.Message.Line(), 200, 0), Asked: a.Since, Closed: a.closed,
		State: a.State, Action: a.Action(), Why: a.Why, id: a.Prompt.ID,
	}
}

// Action returns what was sent last, 0 where nothing was.
func (a *Ask) Action() task.Action {
	if a.reply == nil {
		return 0
	}
	return a.reply.Action
}

// withdrawnNews words for the notice which question of which task is gone.
func (m *Model) withdrawnNews(a *Ask) string {
	of := a.Server
	switch r := m.Row(a.Row); {
	case r != nil && r.Key.ID != "":
		of = "task " + short(r.Key.ID.Text().Line(), 24, 4) + " on " + a.Server
	case r != nil:
		of = "the call of " + short(r.Tool.Line(), 40, 0) + " on " + a.Server
	case a.Row.ID != "":
		of = "task " + short(a.Row.ID.Text().Line(), 24, 4) + " on " + a.Server
	}
	return `The question "` + short(a.Prompt.Message.Line(), 80, 0) + `" of ` + of
}

// short cuts words that are longer than limit characters. Where tail is not 0
// eight of its first and tail of its last characters are left, as of an id.
func short(words string, limit, tail int) string {
	runes := []rune(words)
	switch {
	case len(runes) <= limit:
		return words
	case tail > 0:
		return string(runes[:8]) + "..." + string(runes[len(runes)-tail:])
	}
	return string(runes[:limit-3]) + "..."
}
