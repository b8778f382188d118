package model

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// record puts an entry into the audit trail. All of one Update go out together.
func (m *Model) record(l *link, e task.Entry) {
	if m.options.Audit == nil {
		return
	}
	e.At, e.Server = m.now, l.target.URL
	m.entries = append(m.entries, e)
}

// recordRow puts an entry about a row into the audit trail.
func (m *Model) recordRow(l *link, r *Row, e task.Entry) {
	if m.options.Audit == nil {
		return
	}
	e.Task, e.Tool = r.Key.ID, r.tool()
	if r.Key.ID == "" {
		e.Call = r.Key.Call
	} else if r.Call != nil {
		e.Call = r.Call.ID
	}
	m.record(l, e)
}

// tool returns the raw name of the tool that r came from, "" where not known.
func (r *Row) tool() string {
	switch {
	case r.Call != nil:
		return r.Call.Tool
	case r.Sent != nil:
		return r.Sent.Tool
	case r.Handle != nil:
		return r.Handle.Tool
	}
	return ""
}

// recordReport puts what a report changed into the audit trail. A task that was
// kept from before was written down by who saw it first.
func (m *Model) recordReport(l *link, c change, rep report) {
	if m.options.Audit == nil || c.row == nil {
		return
	}
	r, said := c.row, rep.task.Status
	switch {
	case c.fresh:
		m.recordRow(l, r, task.Entry{What: task.TaskSeen, To: said, How: rep.how})
	case rep.how == task.Created && r.Call != nil: // see started
	case c.moved:
		m.recordRow(l, r, task.Entry{What: task.StatusChanged, From: c.from, To: said, How: rep.how})
	case c.said && r.Task.Status.Terminal() && r.Task.Status != said:
		m.recordRow(l, r, task.Entry{
			What: task.StatusChanged, From: r.Task.Status, To: said, How: rep.how, Text: "reported after its end, which stays",
		})
	}
}

// recordAsk puts an entry about a prompt into the audit trail.
func (m *Model) recordAsk(a *Ask, e task.Entry) {
	if m.options.Audit == nil {
		return
	}
	e.Prompt = a.Prompt.Key
	if r := m.Row(a.Row); r != nil {
		m.recordRow(m.byName[a.Server], r, e)
		return
	}
	e.Task, e.Call = a.Prompt.Task, a.Prompt.Call
	m.record(m.byName[a.Server], e)
}

// recordWish puts how far a wish has come into the audit trail.
func (m *Model) recordWish(w *Wish) {
	if m.options.Audit == nil {
		return
	}
	e := task.Entry{Effect: w.State.String()}
	if w.State == Sending {
		e.Effect = "sent"
	}
	if w.ask != nil {
		e.What, e.Action = task.PersonAnswered, w.ask.Action()
		m.recordAsk(w.ask, e)
		return
	}
	switch w.Verb {
	case "cancel":
		e.What = task.PersonCanceled
	case "start":
		e.What = task.PersonStarted
	default:
		return
	}
	if l, r := m.rowLink(w.key); r != nil {
		m.recordRow(l, r, e)
	}
}

// recordResult puts into the audit trail that a row's result was fetched.
func (m *Model) recordResult(l *link, r *Row, o *task.Result, err *task.Error) {
	kind := "a result"
	switch {
	case err != nil || o == nil || o.Err != nil:
		kind = "an error"
	case o.IsError:
		kind = "an error of the tool"
	}
	m.recordRow(l, r, task.Entry{What: task.ResultRead, Text: kind})
}

// ownWords returns what of a reason is in our words: what a server wrote stands
// after a colon.
func ownWords(why string) string {
	own, _, _ := strings.Cut(why, ":")
	return own
}

// writeAudit hands over the entries of this Update.
func (m *Model) writeAudit() {
	if len(m.entries) == 0 {
		return
	}
	entries := m.entries
	m.entries = nil // they are the trail's now
	_ = safely(func() error { m.options.Audit.Add(entries...); return nil })
}

// auditTrouble says why the audit trail cannot be written.
type auditTrouble struct{ err error }

// hearAudit waits for what the audit trail has to say.
func (m *Model) hearAudit() {
	if m.options.Audit == nil {
		return
	}
	ctx, trail, at := m.ctx, m.options.Audit, m.now
	if m.auditWhy != "" {
		at = at.Add(newsPause)
	}
	m.do(func() tea.Msg {
		if !sleepUntil(ctx, at) {
			return nil
		}
		err := safely(func() error { return trail.News(ctx) })
		if ctx.Err() != nil || err == nil || errors.Is(err, os.ErrClosed) || errors.Is(err, context.Canceled) {
			return nil
		}
		return auditTrouble{err}
	})
}

// auditFailed tells once of each trouble with the audit trail.
func (m *Model) auditFailed(n auditTrouble) {
	why := asError(n.err).Message.Line()
	if why != m.auditWhy {
		m.tell(true, "The audit trail: %s", cmp.Or(why, "it cannot be written"))
	}
	m.auditWhy = why
	m.hearAudit()
}

// AuditTrouble returns in one line what stood against writing the audit trail
// last, "" for nothing.
func (m *Model) AuditTrouble() string { return m.auditWhy }
