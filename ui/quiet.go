package ui

import (
	"time"

	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// quiet is how long what came under the cursor by itself takes no key that
// acts: the key was meant for what stood there before.
const quiet = 500 * time.Millisecond

// under is what the keys act on.
type under struct {
	row task.Key
	ask task.PromptID // in the inbox
}

// watch notices when what is under the cursor becomes another without a key.
func (r *Root) watch(keyed bool) {
	now := under{row: r.row()}
	if r.at == atInbox {
		now.ask = r.inbox.at
	}
	was := r.under
	r.under = now
	switch {
	case keyed:
		r.moved = time.Time{}
	case now == was, was == under{}, now == under{}:
	case now.ask == was.ask && r.m.Row(was.row) == r.m.Row(now.row): // a call that became a task
	default:
		r.moved = r.now
	}
}

// startled reports whether a key that acts came right after the row under the
// cursor had become another by itself, and says which it is now.
func (r *Root) startled(k tea.KeyMsg) bool {
	e, t := &r.k.Everywhere, &r.k.Task
	if r.moved.IsZero() || r.now.Sub(r.moved) >= quiet || !r.hasSide() ||
		!key.Matches(k, e.Answer, e.Retry, r.k.List.Open, t.Cancel, t.Copy, t.Save, t.Again) {
		return false
	}
	what := "another prompt"
	if row := r.m.Row(r.under.row); row != nil {
		what = r.scene().rowName(row)
	}
	r.say("The rows moved: this is now " + what + ". Press " + keyWord(k) + " again.")
	return true
}
