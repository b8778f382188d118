package ui

import (
	"fmt"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
)

// status is how a row's state looks: a glyph, a word, and their role.
type status struct {
	glyph, word string
	role        *themes.Role
}

// statusOf tells a row's state by glyph and word. It claims no more than is
// known: what cannot be heard of now has a question mark.
func (s *scene) statusOf(r *model.Row) status {
	g, t := &s.t.Glyphs, s.t
	st := status{g.Working, "working", &t.Working}
	switch ended := r.Task.Status.Terminal(); {
	case r.Mark == model.NotOurs:
		return status{g.Gone, "not ours", &t.Gone}
	case !ended && r.Mark == model.Expired:
		return status{g.Gone, "expired", &t.Gone}
	case !ended && r.Mark == model.Gone:
		return status{g.Gone, "gone", &t.Gone}
	case !ended && r.Mark == model.UnknownOutcome:
		return status{g.Warning, "unknown", &t.Warning}
	case r.MustVisit():
		return status{g.Asking, "must visit", &t.Asking}
	case r.ToolFailed():
		return status{g.Failed, "tool error", &t.Failed}
	case r.Task.Status == task.Completed:
		return status{g.Completed, "completed", &t.Completed}
	case r.Task.Status == task.Failed:
		return status{g.Failed, "failed", &t.Failed}
	case r.Task.Status == task.Cancelled:
		return status{g.Cancelled, "cancelled", &t.Cancelled}
	case r.Cancelling():
		st = status{g.Working, "cancelling", &t.Working}
	case r.Asking():
		st = status{g.Asking, "asking", &t.Asking}
	case r.Plain:
		st.word = "calling"
	case r.Task.Status == task.Unknown:
		st.word = "unknown"
	}
	if s.stale(r) {
		st.word += "?"
		st.role = &t.Dim
	}
	return st
}

// stale reports whether what is known of a row may be out of date: its server
// is not reached, or nothing was heard of it since callboard began.
func (s *scene) stale(r *model.Row) bool {
	return s.down(r.Key.Server) || r.How == task.Remembered
}

// stepStatus is how a step of the time line looks.
func (s *scene) stepStatus(st task.Status) status {
	return s.statusOf(&model.Row{Task: task.Task{Status: st}})
}

// rowID is the short name of a row in tables.
func (s *scene) rowID(key task.Key, w int) string {
	if key.ID == "" {
		return s.fit("(call)", w)
	}
	return s.fit(s.shortID(key.ID.Text().Line(), w), w)
}

// rowName names a row within a sentence.
func (s *scene) rowName(r *model.Row) string {
	name := s.shortID(r.Key.ID.Text().Line(), 13)
	switch {
	case r.Key.ID == "" && r.Tool.IsZero():
		return "the call"
	case r.Key.ID == "":
		return "the call of " + s.cut(r.Tool.Line(), 30)
	case r.Tool.IsZero():
		return "task " + name
	}
	return "task " + name + " (" + s.cut(r.Tool.Line(), 30) + ")"
}

// wishWords says how far a wish got, and how it looks.
func (s *scene) wishWords(w *model.Wish) (string, *themes.Role) {
	why := func(words string) string {
		if w.Why == "" {
			return words
		}
		return words + ": " + oneLine(w.Why)
	}
	switch w.State {
	case model.Sending:
		return w.Verb + ": sending", &s.t.Working
	case model.Delivered:
		if w.Verb == "start" { // its reply is the task, or the result
			return w.Verb + ": sent, no answer yet", &s.t.Working
		}
		return w.Verb + ": delivered", &s.t.Working
	case model.Taken:
		return w.Verb + ": taken", &s.t.OK
	case model.NoEffect:
		return why(w.Verb + ": no effect seen"), &s.t.Warning
	case model.WishFailed:
		return why(w.Verb + " failed"), &s.t.Error
	case model.WishUnknown:
		if w.Why == "" {
			return w.Verb + ": nobody knows whether it arrived", &s.t.Warning
		}
		return why(w.Verb + ": unknown"), &s.t.Warning
	}
	return "", &s.t.Text
}

// whatNow says what the person can do about what befell a row, "" for nothing.
func (s *scene) whatNow(r *model.Row) string {
	switch {
	case r.Mark == model.UnknownOutcome && r.Call == nil:
		return "Find out at the server what it did, before you start it again. :forget takes this row away."
	case r.Mark == model.UnknownOutcome:
		return "Find out at the server what it did, before " + s.k.Everywhere.Retry.Help().Key + " sends it again."
	case r.Mark == model.NotOurs:
		return "callboard shows it with the credentials that started it. :forget takes this row away."
	case (r.Mark == model.Gone || r.Mark == model.Expired) && r.Handle != nil:
		return ":forget takes this row away."
	case r.MustVisit():
		return s.k.Everywhere.Answer.Help().Key + " shows the address to visit; then the call is sent again."
	}
	return ""
}

// onItsWay is how long a question takes at most to come behind the status that tells
// of it.
const onItsWay = 5 * time.Second

// unasked says why there is no question of a row that asks, and what helps, "" for
// nothing.
func (s *scene) unasked(r *model.Row) string {
	if !r.Asking() || len(r.Asks) > 0 || r.MustVisit() || min(s.since(r.Since.Time()), s.since(r.First.Time())) < onItsWay || s.down(r.Key.Server) {
		return ""
	}
	words := asSentence(oneLine(s.m.CanAnswer(r.Key)))
	if words != "" && s.links[r.Key.Server].About.Unsampled {
		words += " It begins with a callboard that is started once this session's tasks have ended; " + keyOf(s.k.Task.Cancel) + " cancels this one."
	}
	return words
}

// oneLine keeps a sentence of the model on one line.
func oneLine(words string) string { return strings.Join(strings.Fields(words), " ") }

// markWords says what befell a row beyond its status, "" for nothing.
func markWords(r *model.Row) string {
	switch r.Mark {
	case model.NoMark:
	case model.Expired:
		return "expired: its time to live had run out when the server forgot it"
	case model.Gone:
		return "gone: the server no longer knows it, before its time to live ran out"
	case model.PushOnly:
		return "known by push alone: the server does not let it be read"
	case model.UnknownOutcome:
		return "unknown outcome: the link, or callboard, ended before the reply came, so nobody knows whether the call did anything"
	case model.NotOurs:
		return "not ours: it was started with other credentials, so it is not asked for"
	}
	return ""
}

// message is the sentence that a row shows in the table.
func message(r *model.Row) string {
	switch {
	case r.Asking() && len(r.Asks) > 0 && !r.Asks[0].Prompt.Message.IsZero():
		if n := len(r.Asks); n > 1 {
			return fmt.Sprintf("(%d) %s", n, r.Asks[0].Prompt.Message.Line())
		}
		return r.Asks[0].Prompt.Message.Line()
	case r.Progress != nil && !r.Task.Status.Terminal() && !r.Progress.Message.IsZero():
		return r.Progress.Message.Line()
	case r.Task.Message.IsZero() && r.Outcome != nil && r.Outcome.Err != nil:
		return r.Outcome.Err.Message.Line()
	case r.Task.Message.IsZero() && r.Outcome != nil && r.Outcome.Result != nil:
		return gist(r.Outcome.Result)
	}
	return r.Task.Message.Line()
}

// gist is the beginning of a result's first text, "" where it has none.
func gist(r *task.Result) string {
	for i := range r.Content {
		if c := &r.Content[i]; c.Kind == task.TextContent {
			return task.CleanLine(strings.TrimSpace(c.Text[:min(len(c.Text), 400)]), 400).Line()
		}
	}
	return ""
}
