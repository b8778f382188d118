package model

import (
	"context"
	"slices"

	"callboard/model/task"
)

// resultBytes bounds the results that are kept; those fetched first go, and
// are fetched anew when they are looked at.
const resultBytes = 64 << 20

type fetched struct {
	id     task.ID
	result task.Result
	err    *task.Error
}

// fetch gets a row's result, unless it is there.
func (m *Model) fetch(key task.Key) {
	l, r := m.rowLink(key)
	switch {
	case r == nil:
		return
	case r.Outcome != nil && (r.Outcome.Loading || r.Outcome.Result != nil):
		return
	case r.Mark == NotOurs:
		m.tell(true, "No result: %s.", notOursWhy)
		return
	case r.Key.ID == "": // a call's outcome comes by itself
		return
	case !r.Task.Status.Terminal():
		m.tell(true, "%s has not ended: there is no result yet.", r.Key.ID.Text().Line())
		return
	}
	if why := m.unable(l); why != "" {
		m.tell(true, "No result: %s.", why)
		return
	}
	r.Outcome = &Outcome{Loading: true, At: m.now}
	m.changed(r)
	id := r.Key.ID
	m.ask(l, resultLimit, func(ctx context.Context, s Server) any {
		result, err := s.Result(ctx, id)
		return fetched{id, result, asError(err)}
	})
}

func (m *Model) fetched(l *link, f fetched) {
	r := l.store.tasks[f.id]
	if r == nil {
		return
	}
	if f.err != nil {
		r.Outcome = &Outcome{Err: f.err, At: m.now}
		if r.Wish == nil || r.Wish.Verb == "result" { // what became of a cancel or an answer is worth more
			r.Wish = &Wish{Verb: "result", State: WishFailed, Why: f.err.Message.Line(), At: m.now, key: r.Key}
		}
		if unknownTask(f.err) {
			m.mark(l, r)
		}
		m.changed(r)
		m.troubled(l, f.err)
		return
	}
	if r.Wish != nil && r.Wish.Verb == "result" {
		r.Wish = nil
	}
	m.progressed(l)
	m.keepOutcome(r, &Outcome{Result: &f.result, At: m.now})
	m.recordResult(l, r, &f.result, nil)
	// A tool may itself fail with such a code: only its words tell that it is
	// the task which is not there.
	if e := f.result.Err; unknownTask(e) && saysUnknown(e) && r.Mark == NoMark {
		m.mark(l, r)
	}
	m.changed(r)
}

// keepOutcome gives a row its outcome, and lets those go that came first where
// all together are too big.
func (m *Model) keepOutcome(r *Row, o *Outcome) {
	r.Outcome = o
	m.kept = append(slices.DeleteFunc(m.kept, func(k *Row) bool { return k == r }), r)
	total := 0
	for i, k := range slices.Backward(m.kept) {
		total += k.Outcome.size()
		if total <= resultBytes || k == r {
			continue
		}
		for _, old := range m.kept[:i+1] {
			old.dropResult()
			m.changed(old)
		}
		m.kept = slices.Clone(m.kept[i+1:])
		return
	}
}

func (o *Outcome) size() int {
	if o == nil || o.Result == nil {
		return 0
	}
	n := len(o.Result.Raw)
	for _, c := range o.Result.Content {
		n += len(c.Text) + len(c.Base64)
	}
	return n
}

// dropResult forgets a result that can be fetched anew, and says so of one
// that cannot.
func (r *Row) dropResult() {
	if r.Key.ID != "" {
		r.Outcome = nil
		return
	}
	r.Outcome = &Outcome{At: r.Heard.Time(), Err: &task.Error{Kind: task.Limit,
		Message: task.Own("the result is not kept any more: those that came after it need its place")}}
}
