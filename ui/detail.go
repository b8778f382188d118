package ui

import (
	"fmt"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// detailPane shows everything that is known of one row.
type detailPane struct {
	text scroll
	of   task.Key
}

func (p *detailPane) title(*scene) string  { return "Detail" }
func (p *detailPane) note(s *scene) string { return s.withFound(p.text.find.words(), p.text.note()) }

func (p *detailPane) view(s *scene, w, h int, _ bool) []string {
	row := s.m.Row(p.of)
	if row == nil {
		p.text = scroll{}
		return s.centred([]string{"No task is selected."}, w, h)
	}
	return p.text.show(detailLines(s, row, w), h)
}

// show turns the pane to a row; another row is shown from its beginning.
func (p *detailPane) show(key task.Key) {
	if p.of != key {
		p.of, p.text = key, scroll{}
	}
}

func (p *detailPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, r.k.List.Open) {
		return r.openResult(p.of), true
	}
	return nil, p.text.key(&r.k.List, k)
}

func (p *detailPane) hints(r *Root) []key.Binding {
	return append(r.rowKeys(p.of), r.k.Task.Copy, r.k.Everywhere.NextPane, r.k.Everywhere.Back)
}

func detailLines(s *scene, r *model.Row, w int) []string {
	p := &page{s: s, w: w}
	t := s.t
	switch {
	case r.Key.ID != "":
		p.text(r.Key.ID.Text().Line(), &t.Strong)
	case r.Mark == model.UnknownOutcome:
		p.text("a call that may have done something", &t.Strong)
	case r.Plain && r.Live() && s.links[r.Key.Server].About.Era == task.Modern:
		p.text("a call; the server decides whether it becomes a task", &t.Strong)
	case r.Plain:
		p.text("a plain call, not a task", &t.Strong)
	default:
		p.text("a task that is being started", &t.Strong)
	}
	st := s.statusOf(r)
	p.add("status", fmt.Sprintf("%s %s %s", st.glyph, statusWord(r, st), lasting(s.since(holds(r)))), s.inText(st))
	p.add("", markWords(r), &t.Warning)
	p.add("", s.whatNow(r), &t.Text)
	p.add("", s.unasked(r), &t.Warning)
	if r.Later != task.Unknown {
		p.add("", "later reported "+r.Later.String()+": the first ending counts, the result can be opened", &t.Warning)
	}
	if len(r.Asks) == 0 || r.Asks[0].Prompt.Message != r.Task.Message {
		p.add("message", r.Task.Message.String(), &t.Text)
	}
	p.wish(r)
	p.asks(r)
	p.past(r.Past)
	if r.Progress != nil {
		words := strings.TrimSpace(s.progress(r, 15) + " " + amount(r.Progress))
		p.add("progress", words, &t.Text)
		p.add("", r.Progress.Message.String(), &t.Text)
	}
	p.add("note", r.Note.String(), &t.Text)
	p.outcome(r)
	p.facts(r)
	p.arguments(r)
	p.timeline(r)
	return p.lines
}

// inText is the role of a status within text. As a block, several lines would drown
// the question that stands under them.
func (s *scene) inText(st status) *themes.Role {
	if st.role == &s.t.Asking {
		return &s.t.PromptFrame
	}
	return st.role
}

// holds returns since when a row's status, or what befell it since, holds.
func holds(r *model.Row) time.Time {
	if r.Cancelling() {
		return r.Wish.At
	}
	if steps := r.Steps(); len(steps) > 0 && !r.Task.Status.Terminal() && (r.Mark == model.Gone || r.Mark == model.Expired) {
		if last := &steps[len(steps)-1]; last.Kind != task.Told {
			return last.At
		}
	}
	return r.Since.Time()
}

// statusWord is the protocol's own word, where the table says it in another.
func statusWord(r *model.Row, st status) string {
	if r.Asking() && r.Task.Status == task.InputRequired {
		return strings.Replace(st.word, "asking", task.InputRequired.String(), 1)
	}
	return st.word
}

func amount(p *task.Progress) string {
	if p.Total > 0 {
		return number(p.Done) + " of " + number(p.Total)
	}
	return ""
}

func (p *page) wish(r *model.Row) {
	if r.Wish == nil {
		return
	}
	words, role := p.s.wishWords(r.Wish)
	if cancelLost(r) {
		words, role = r.Wish.Verb+": too late", &p.s.t.Warning
	}
	if !r.Wish.At.IsZero() {
		words += ", " + ago(p.s.since(r.Wish.At))
	}
	if r.Wish.State == model.WishFailed && (r.Live() || r.Wish.Verb == "start") ||
		r.Wish.State == model.WishUnknown && r.Live() && r.Wish.Verb != "start" {
		words += ". " + p.s.k.Everywhere.Retry.Help().Key + " sends it again."
	}
	p.add("you", words, role)
	if r.Wish.Verb == "cancel" && (r.Wish.State == model.Delivered || r.Wish.State == model.Taken) {
		why := cancelProves
		if r.Wish.Why != "" {
			why = asSentence(oneLine(r.Wish.Why))
		}
		p.add("", why, &p.s.t.Dim)
	}
}

func (p *page) asks(r *model.Row) {
	for _, a := range r.Asks {
		p.add("asks", p.s.askState(a), &p.s.t.PromptFrame)
		p.quote(p.s.cut(a.Prompt.Message.String(), 4096))
		if a.Prompt.Guessed {
			p.add("", "inferred: the question named no task", &p.s.t.Dim)
		}
	}
}

// past tells of the question that closed last.
func (p *page) past(q *model.Past) {
	if q == nil {
		return
	}
	words, role := p.s.when(q.Asked)+` "`+p.s.cut(q.Words, 100)+`", `, &p.s.t.Dim
	if q.State == model.Withdrawn {
		words, role = words+"withdrawn", &p.s.t.Warning
	} else {
		words += p.s.actStatus(q.Action).word
	}
	words += " " + p.s.when(q.Closed)
	if q.Why != "" {
		words += ": " + oneLine(q.Why)
	}
	p.add("asked", words, role)
}

func (p *page) outcome(r *model.Row) {
	o, t := r.Outcome, p.s.t
	switch {
	case o == nil && (!r.Task.Status.Terminal() || r.Mark == model.NotOurs):
	case o == nil && r.ToolFailed():
		p.add("result", t.Glyphs.Failed+" the tool says that it failed; "+keyOf(p.s.k.List.Open)+" reads it", &t.Error)
	case o == nil:
		p.add("result", keyOf(p.s.k.List.Open)+" reads it", &t.Dim)
	case o.Loading:
		p.add("result", "being read", &t.Dim)
	case o.Err != nil:
		p.add("result", o.Err.Error(), &t.Error)
	case o.Result == nil:
	case o.Result.Err != nil:
		p.add("result", fmt.Sprintf("error %d: %s", o.Result.Err.Code, o.Result.Err.Message.Line()), &t.Error)
	case o.Result.IsError:
		p.add("result", p.s.t.Glyphs.Failed+" the tool says that it failed; "+keyOf(p.s.k.List.Open)+" shows it", &t.Error)
	default:
		p.add("result", size(len(o.Result.Raw))+", "+keyOf(p.s.k.List.Open)+" shows it", &t.OK)
	}
}

func (p *page) facts(r *model.Row) {
	s, t := p.s, p.s.t
	p.head("Facts")
	p.add("tool", r.Tool.Line(), &t.Text)
	p.add("server", task.CleanLine(r.Key.Server, 256).Line(), &t.Text)
	how := r.How.String()
	if r.Heard != 0 {
		how += " " + ago(s.since(r.Heard.Time()))
	}
	p.add("known", strings.TrimSpace(how), &t.Text)
	p.add("", oneLine(s.m.Unpushed(r.Key)), &t.Dim)
	p.kept(r)
	if s.down(r.Key.Server) {
		p.add("", "The server is not reached: this may be out of date.", &t.Warning)
	}
	p.add("poll", r.PollError, &t.Error)
	p.add("began", s.when(r.Began.Time())+", "+ago(s.since(r.Began.Time())), &t.Text)
	if !r.Task.Updated.IsZero() {
		p.add("updated", s.when(r.Task.Updated)+", server's clock", &t.Text)
	}
	switch end, ok := r.Expiry(); {
	case ok && end.After(s.now):
		p.add("TTL", left(end.Sub(s.now))+" of "+span(r.Task.TTL)+", until "+s.when(end), &t.Text)
	case ok:
		p.add("TTL", span(r.Task.TTL)+", ran out "+ago(s.since(end)), &t.Warning)
	case r.Task.TTL == task.NoTTL:
		p.add("TTL", "none: kept without limit", &t.Text)
	case !r.Plain && r.Key.ID != "":
		p.add("TTL", "not told", &t.Dim)
	}
	p.losing(r)
	if r.Task.Poll > 0 {
		p.add("interval", span(r.Task.Poll)+", as the server asks", &t.Text)
	}
}

// kept tells of what outlives the program.
func (p *page) kept(r *model.Row) {
	s, t := p.s, p.s.t
	if sent := r.Sent; sent != nil && r.Call == nil {
		p.add("sent", s.when(sent.At)+", "+ago(s.since(sent.At))+", by an earlier callboard", &t.Text)
	}
	if h := r.Handle; h != nil && s.links[r.Key.Server].Keeps {
		words := "for the next start, since " + s.when(h.Since)
		if h.Watched {
			words += "; watched by its id"
		}
		p.add("kept", words, &t.Text)
	}
	if r.Sent != nil && r.Call == nil && r.Digest() == "" {
		p.add("arguments", "none", &t.Text)
	}
	if r.Call == nil && r.Digest() != "" {
		p.add("arguments", "not kept; their digest is "+task.CleanLine(r.Digest(), 128).Line(), &t.Text)
	}
}

// maxArguments is how much of the arguments the detail shows.
const maxArguments = 2048

func (p *page) arguments(r *model.Row) {
	if r.Call == nil || len(r.Call.Args) == 0 {
		return
	}
	p.head("Arguments")
	p.text(task.CleanMax(string(r.Call.Args), maxArguments).String(), &p.s.t.Text)
}

// losing says what the end of the ttl, or of a question, will take away soon, and
// what helps.
func (p *page) losing(r *model.Row) {
	s, t := p.s, p.s.t
	loss, end := s.m.LosesSoon(r, s.now)
	lead := t.Glyphs.Warning + " "
	in := left(end.Sub(s.now))
	switch loss {
	case model.LosesPrompt:
		p.add("", lead+"What it asks can be answered for "+in+" more: "+s.k.Everywhere.Answer.Help().Key+" answers it.", &t.Warning)
	case model.LosesResult:
		p.add("", lead+"Nobody has read its result, which will be lost in "+in+": "+s.k.List.Open.Help().Key+" reads it, "+
			s.k.Task.Save.Help().Key+" saves it.", &t.Warning)
	case model.LosesNothing:
		if end, ok := r.Expiry(); ok && r.Live() && end.After(s.now) && end.Sub(s.now) < time.Minute {
			p.add("", lead+"The server may forget it then, ended or not.", &t.Warning)
		}
	}
}
