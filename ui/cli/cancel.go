package cli

import (
	"errors"

	"callboard/model"
	"callboard/model/task"
)

// cancelDoc is one task of cancel.
type cancelDoc struct {
	*taskDoc
	Cancel string `json:"cancel"`
	Why    string `json:"why,omitempty"`
}

// cancel cancels tasks, each on its own: one that cannot be cancelled keeps no
// other from it.
func (d *desk) cancel() error {
	var (
		docs  []cancelDoc
		lines [][]string
		bad   *Exit
	)
	if err := d.connected(); err != nil {
		return err
	}
	for _, id := range d.a.IDs {
		doc, err := d.cancelOne(id)
		var end *Exit
		switch {
		case errors.As(err, &end) && end.Code == exitFailed:
			doc = cancelDoc{&taskDoc{ID: string(id), Status: task.Unknown.String()}, "unknown", end.Line}
		case err != nil:
			return err
		}
		if doc.Cancel != "cancelled" && doc.Cancel != "requested" && bad == nil {
			bad = exit(exitFailed, "%s was not cancelled: %s", id.Text().Line(), doc.Why)
		}
		docs = append(docs, doc)
		lines = append(lines, []string{id.Text().Line(), doc.Cancel, doc.Why})
	}
	var err error
	if d.a.JSON {
		err = d.print(map[string]any{"tasks": docs})
	} else {
		err = d.columns([]string{"TASK", "CANCEL", ""}, lines)
	}
	if err == nil && bad != nil {
		return bad
	}
	return err
}

func (d *desk) cancelOne(id task.ID) (cancelDoc, error) {
	r, err := d.row(id)
	if err != nil {
		return cancelDoc{}, err
	}
	key := d.key(id)
	say := func(word, why string) (cancelDoc, error) { return cancelDoc{newTaskDoc(d.m.Row(key)), word, why}, nil }
	if r.Task.Status.Terminal() {
		return say("ended", "it had ended before: "+r.Task.Status.String())
	}
	if why := d.m.CanCancel(key); why != "" {
		return say("failed", why)
	}
	d.send(model.CancelMsg{Key: key})
	var w *model.Wish
	err = d.until(func() bool {
		w = r.Wish
		switch {
		case !r.Live():
			return true
		case w == nil || w.Verb != "cancel":
			return false
		}
		return w.State == model.NoEffect || w.State == model.WishFailed || w.State == model.WishUnknown ||
			w.State == model.Delivered && d.link().About.Era == task.Modern
	})
	switch {
	case err != nil:
		return cancelDoc{}, err
	case r.Task.Status == task.Cancelled:
		return say("cancelled", "it does not prove that the work stopped, or that what was done is undone")
	case r.Task.Status.Terminal():
		return say("ended", "it ended nevertheless: "+r.Task.Status.String())
	case !r.Live():
		return say("cancelled", "the server does not know it any more")
	case w.State == model.WishFailed:
		return say("failed", w.Why)
	case w.State == model.WishUnknown:
		return say("unknown", w.Why)
	}
	return say("requested", "the server took the wish; the task says later what became of it")
}
