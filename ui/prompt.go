package ui

import (
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/form"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// formOverlay is an open form: a server's question, or the arguments of a
// call. What is typed is kept with each change, however the form goes away.
type formOverlay struct {
	form *form.Form
	ask  task.PromptID // of a question; "" for a call
	url  bool
	call callForm

	at      box    // in the last view
	offered uint64 // how far Ask.Offered was when the form took its draft
	written string // the text of a command that the form has
}

// callForm names the form for the arguments of a call: tool is the raw name, like
// stands for the arguments that the form began with.
type callForm struct{ server, tool, like string }

// maxFormWidth is how wide a form gets: longer lines of text are hard to read.
const maxFormWidth = 100

// answer opens the question of the selected row, else the inbox at the most
// urgent one.
func (r *Root) answer() tea.Cmd {
	if r.at == atInbox && r.inbox.at != "" {
		return r.openAsk(r.inbox.at)
	}
	row := r.m.Row(r.row())
	if row != nil && r.hasSide() && asks(row) {
		return r.answerRow(row)
	}
	if waiting(r.m.Inbox()) == 0 {
		r.say("No prompt waits for an answer.")
		return nil
	}
	if r.at != atInbox {
		r.visit(atInbox)
	}
	r.inbox.win.cursor, r.inbox.at = 0, ""
	return nil
}

// asks reports whether there is something to answer at a row: a call that was
// refused for want of a visit has ended, and asks for it all the same.
func asks(row *model.Row) bool { return row.Asking() || len(row.Asks) > 0 }

// answerRow opens a row's question; one that has not come yet is asked for,
// and opened when it comes, unless a key is pressed first.
func (r *Root) answerRow(row *model.Row) tea.Cmd {
	for _, wanted := range []func(*model.Ask) bool{
		unanswered,
		func(a *model.Ask) bool { return a.State == model.Open || a.State == model.Held },
		func(a *model.Ask) bool { return a.State == model.Answering },
	} {
		if i := slices.IndexFunc(row.Asks, wanted); i >= 0 {
			return r.openAsk(row.Asks[i].Prompt.ID)
		}
	}
	if r.scene().links[row.Key.Server].About.ReadOnly {
		r.refuse(r.m.CanAnswer(row.Key))
		return nil
	}
	r.wanted = row.Key
	if why := r.m.CanAnswer(row.Key); why != "" {
		r.refuse(why + "; it opens when it comes")
		return nil
	}
	r.say("Asking the server for its question. It opens when it comes.")
	return r.m.Update(model.AttendMsg{Key: row.Key})
}

// questionArrived opens the question that the person waits for.
func (r *Root) questionArrived() tea.Cmd {
	row := r.m.Row(r.wanted)
	if row == nil || r.over != nil {
		return nil
	}
	for _, a := range row.Asks {
		if a.State == model.Open {
			r.wanted, r.said = task.Key{}, note{}
			return r.openAsk(a.Prompt.ID)
		}
	}
	return nil
}

// openAsk opens the form of a question. Where the person has a command for what it
// asks, and nothing is typed yet, that begins to write when the form is opened first.
func (r *Root) openAsk(id task.PromptID) tea.Cmd {
	a := r.m.Ask(id)
	switch {
	case a == nil:
		r.say("That prompt is no longer here.")
		return nil
	case a.State == model.Answered:
		r.say("It is " + r.scene().askStatus(a).word + " already.")
		return nil
	}
	if why := r.m.CanAnswer(a.Row); why != "" && !a.Row.IsZero() && a.State != model.Withdrawn {
		r.refuse(why)
		return nil
	}
	f := &formOverlay{
		form: form.New(r.t, r.k, r.askSpec(a)), ask: id, url: a.Prompt.Mode == task.URLMode, offered: a.Offered,
	}
	r.over = f
	var cmd tea.Cmd
	if r.m.Draft(id) == nil && r.m.CanSample(id) == "" && !a.Sample.Running && !r.sampled[id] {
		r.sampled[id] = true
		cmd = r.m.Update(model.SampleMsg{Prompt: id})
	}
	return tea.Batch(cmd, f.settle(r))
}

// askSpec is what the form of a question is made from.
func (r *Root) askSpec(a *model.Ask) form.Spec {
	p, link := &a.Prompt, r.scene().links[a.Server]
	spec := form.Spec{
		Kind: form.Question, Server: a.Server, Guard: guardWord(link.Guard), ServerURL: link.URL, Name: link.About.Name,
		Task: p.Task.Text(), Guessed: p.Guessed, Message: p.Message, Since: p.At, Ends: r.m.Ends(a),
		Mode: p.Mode, Form: p.Form, URL: p.URL, Visit: p.Visit, Sampling: p.Sampling, Sampler: r.m.HasSampler(a.Server),
		NoRefusal: asSentence(r.m.CanRefuse(p.ID)), Draft: r.m.Draft(p.ID), Now: r.o.Now,
	}
	if row := r.m.Row(a.Row); row != nil {
		spec.Tool, spec.Task, spec.Calling = row.Tool, row.Key.ID.Text(), row.Key.ID == ""
		spec.Unborn = row.Live() && (!row.Plain || link.About.Era == task.Modern)
	}
	if p.Sampling != nil {
		spec.Message = task.Text{} // it is the end of the conversation
	}
	if p.Polled {
		spec.Notes = append(spec.Notes, "The server polls for the answer, and fetches it once it is there.")
	}
	if a.Before && spec.Draft != nil {
		at, here := r.m.DraftAt(p.ID)
		words := "This was asked before: what you typed then is filled in (" + r.ago(at) + ")."
		if !here {
			words = "Typed " + r.ago(at) + " in another run of callboard, and kept since: it is filled in."
		}
		spec.Warn = append(spec.Warn, words)
	}
	if p.Mode != task.URLMode {
		spec.Unkept = r.unkept(a.Server)
	}
	return spec
}

func (r *Root) ago(at time.Time) string { return ago(r.scene().since(at)) }

// unkept says why what is typed for a server does not outlive the program, "" where
// it does.
func (r *Root) unkept(server string) string {
	ok, why := r.m.DraftsKept(server)
	if ok {
		return ""
	}
	why = strings.TrimPrefix(strings.TrimSuffix(oneLine(why), "."), "nothing is kept beyond this run: ")
	return "Not kept beyond this run: " + why + "."
}

// openCall opens the form for the arguments of a tool, prefilled with those of
// an earlier call where there was one.
func (r *Root) openCall(server string, t *task.Tool, earlier *task.Call) {
	if why := r.m.CanStart(server); why != "" {
		r.refuse(why)
		return
	}
	link := r.scene().links[server]
	spec := form.Spec{
		Kind: form.Call, Server: server, Guard: guardWord(link.Guard), ServerURL: link.URL, Name: link.About.Name,
		Tool: t.Title, Message: t.Description, Form: t.Input, Support: t.Support, TTL: r.lastTTL, Now: r.o.Now,
		Unkept: r.unkept(server),
	}
	of := callForm{server: server, tool: t.Name}
	if earlier != nil {
		of.like = task.Digest(earlier.Args)
		spec.Args, spec.Plain = earlier.Args, !earlier.AsTask
		if earlier.AsTask {
			spec.TTL = earlier.TTL
		}
	}
	spec.Draft = r.m.CallDraft(of.server, of.tool, of.like)
	if at, here := r.m.CallDraftAt(of.server, of.tool, of.like); !here && !at.IsZero() {
		spec.Warn = append(spec.Warn, "Typed "+r.ago(at)+" in another run of callboard, and kept since: it is filled in.")
	}
	if t.Destructive {
		spec.Warn = append(spec.Warn, "The server says that this tool may destroy something.")
	}
	r.over = &formOverlay{form: form.New(r.t, r.k, spec), call: of}
}

func (f *formOverlay) typing() bool { return true }

func (f *formOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	event, cmd := f.form.Update(msg)
	return tea.Batch(cmd, f.happened(r, event))
}

// happened does what the person wants of the form.
func (f *formOverlay) happened(r *Root, e form.Event) tea.Cmd {
	switch e.Kind {
	case form.Nothing:
	case form.Changed:
		f.keep(r)
		return f.takeBack(r)
	case form.Submit, form.Hold:
		return f.reply(r, task.Accept, e)
	case form.NextAsk:
		return f.step(r, 1)
	case form.PrevAsk:
		return f.step(r, -1)
	case form.Decline:
		return f.reply(r, task.Decline, e)
	case form.Dismiss:
		return f.reply(r, task.Dismiss, e)
	case form.Start:
		call := task.Call{Tool: f.call.tool, Args: e.Content, AsTask: e.AsTask, TTL: e.TTL}
		return r.startFrom(f.call.server, call, func() {
			r.saveCall(f.call, nil)
			r.over = nil
			if e.AsTask {
				r.lastTTL = e.TTL
			}
		})
	case form.Leave:
		r.over = nil
	case form.Discard:
		r.over = nil
		f.discard(r)
	case form.EditText:
		return f.edit(r, e)
	case form.CopyText:
		what := "the text"
		if f.url {
			what = "the URL"
		}
		return r.copyText(what, e.Text)
	case form.OpenURL:
		return f.consent(r, func(r *Root) tea.Cmd { return r.openURL(e.Text) })
	case form.CopyURL:
		return f.consent(r, func(r *Root) tea.Cmd { return r.copyText("the URL", e.Text) })
	case form.Reopen:
		return r.openURL(e.Text)
	case form.Done:
		return f.done(r)
	case form.Sample:
		return r.m.Update(model.SampleMsg{Prompt: f.ask})
	case form.StopSample:
		return r.m.Update(model.StopSampleMsg{Prompt: f.ask})
	case form.GiveUp:
		r.over = nil
		if a := r.m.Ask(f.ask); a != nil && a.Prompt.Visit {
			r.say("Not waited for any more: " + r.k.Task.Again.Help().Key + " sends the call again.")
		} else {
			r.say("Not waited for any more. The server was told that you agreed to visit the address.")
		}
	}
	return nil
}

// consent tells the server that the person agreed to visit its address, then does
// what then does.
func (f *formOverlay) consent(r *Root, then func(*Root) tea.Cmd) tea.Cmd {
	var servers []string
	if a := r.m.Ask(f.ask); a != nil && !a.Prompt.Visit && a.State != model.Answered { // else nothing is sent
		servers = []string{a.Server}
	}
	return r.guarded(servers, "You agree to visit an address, and the server is told.", func(r *Root) tea.Cmd {
		return tea.Batch(r.m.Update(model.OpenedMsg{Prompt: f.ask}), then(r))
	})
}

// needsURL is the error of a call that works once an address was visited
// (client/elicitation, "URL Elicitation Required Error").
const needsURL = -32042

// done closes the form of an address that was visited. A call that was refused
// for want of the visit has to be sent again.
func (f *formOverlay) done(r *Root) tea.Cmd {
	r.over = nil
	a := r.m.Ask(f.ask)
	if a == nil {
		return nil
	}
	row := r.m.Row(a.Row)
	if row != nil && row.Call != nil && (a.Prompt.Visit || refusedForVisit(row.Outcome)) {
		r.askAgainOf(row)
		return nil
	}
	if next, ok := r.goOn(a, "Done here."); ok {
		return next
	}
	r.say("The server takes it from here: its task shows what comes of it.")
	return nil
}

func refusedForVisit(o *model.Outcome) bool {
	if o == nil {
		return false
	}
	e := o.Err
	if e == nil && o.Result != nil {
		e = o.Result.Err
	}
	return e != nil && e.Code == needsURL
}

// takeBack opens a question again whose answer is held, since another one is
// being typed: what goes out is what was said last.
func (f *formOverlay) takeBack(r *Root) tea.Cmd {
	if a := r.m.Ask(f.ask); a == nil || a.State != model.Held {
		return nil
	}
	cmd := r.m.Update(model.TakeBackMsg{Prompt: f.ask})
	if r.m.Ask(f.ask).State == model.Open {
		r.say("It is not held any more. " + r.k.Form.Hold.Help().Key + " holds it again, " + r.k.Form.Send.Help().Key + " sends.")
	}
	return cmd
}

// keep keeps what was typed.
func (f *formOverlay) keep(r *Root) {
	if f.ask != "" {
		r.m.SaveDraft(f.ask, f.form.Draft())
		return
	}
	r.saveCall(f.call, f.form.Draft())
}

// saveCall keeps what is typed for a call, nil removes it.
func (r *Root) saveCall(of callForm, d model.Draft) {
	r.m.SaveCallDraft(of.server, of.tool, of.like, d)
	if d == nil {
		delete(r.forms, of)
	} else {
		r.forms[of] = true
	}
}

// discard forgets what was typed, on the person's word.
func (f *formOverlay) discard(r *Root) {
	if f.ask != "" {
		r.m.SaveDraft(f.ask, nil)
	} else {
		r.saveCall(f.call, nil)
	}
	r.say("What was typed is thrown away.")
}

// open returns the question where it can be answered; else it says so, and
// returns nil.
func (f *formOverlay) open(r *Root) *model.Ask {
	a := r.m.Ask(f.ask)
	if a == nil || a.State != model.Open && a.State != model.Held {
		r.say("It can no longer be answered. What you typed is kept.")
		return nil
	}
	return a
}

// replyWords say what a guard lets through.
func replyWords(action task.Action, hold bool) string {
	switch {
	case action == task.Decline:
		return "The server is told that you decline."
	case action == task.Dismiss:
		return "The server is told that there is no answer."
	case hold:
		return "An answer is held, and goes out with the others of its task."
	}
	return "An answer is sent."
}

// reply sends an answer and closes the form: the row shows what becomes of it,
// and where that fails the form can be opened anew with what was typed.
func (f *formOverlay) reply(r *Root, action task.Action, e form.Event) tea.Cmd {
	a := f.open(r)
	if a == nil {
		return nil
	}
	hold := e.Kind == form.Hold
	return r.guarded([]string{a.Server}, replyWords(action, hold), func(r *Root) tea.Cmd {
		a := f.open(r) // it may have been withdrawn while the name was typed
		if a == nil {
			return nil
		}
		r.over = nil
		reply := task.Reply{Prompt: f.ask, Action: action}
		if action == task.Accept {
			reply.Content = e.Content
		}
		cmd := r.m.Update(model.AnswerMsg{Server: a.Server, Reply: reply, Hold: hold})
		return tea.Batch(cmd, f.replied(r, a, hold))
	})
}

// replied goes on after an answer went out.
func (f *formOverlay) replied(r *Root, a *model.Ask, hold bool) tea.Cmd {
	done := "Sending it."
	if hold {
		done = "Held."
	}
	if next, ok := r.goOn(a, done); ok {
		return next
	}
	if r.at == atInbox {
		r.inbox.next(r.m, f.ask)
	}
	return nil
}

// settle tells the form what became of its question.
func (f *formOverlay) settle(r *Root) tea.Cmd {
	if f.ask == "" {
		f.form.SetUnkept(r.unkept(f.call.server))
		return nil
	}
	a := r.m.Ask(f.ask)
	if a == nil {
		f.form.SetState(form.State{Phase: form.Withdrawn, Why: "The prompt is no longer here."})
		return nil
	}
	f.form.SetState(f.state(r, a))
	if !f.url {
		f.form.SetUnkept(r.unkept(a.Server))
	}
	f.form.SetPlace(placeOf(r.m, a))
	f.form.SetSample(a.Sample.Running, a.Sample.Since, a.Sample.Err)
	return f.offer(r, a)
}

// offer hands the form a draft that came while it is open.
func (f *formOverlay) offer(r *Root, a *model.Ask) tea.Cmd {
	if a.Offered != f.offered {
		f.offered = a.Offered
		if e := f.form.SetDraft(r.m.Draft(f.ask)); e.Kind == form.Changed {
			f.keep(r)
		}
	}
	text := a.Sample.Text
	switch {
	case text == "" || a.State != model.Open:
	case f.form.Draft()[task.SampledText] == text: // the form has it in place of what was typed
		return r.m.Update(model.TakeSampleMsg{Prompt: f.ask})
	case text != f.written:
		f.written = text
		d := f.form.Draft()
		if d == nil {
			d = model.Draft{}
		}
		delete(d, "") // the text of a JSON editor
		d[task.SampledText] = text
		if e := f.form.SetDraft(d); e.Kind == form.Changed {
			f.keep(r)
		}
	}
	return nil
}

// state is what became of a question, for its form.
func (f *formOverlay) state(r *Root, a *model.Ask) form.State {
	st := form.State{Why: oneLine(a.Why), At: a.Since}
	switch a.State {
	case model.Open:
		st.Phase = form.Asking
		switch {
		case a.Done:
			st.Phase = form.Complete
		case !a.Opened.IsZero():
			st.Phase, st.At = form.Waiting, a.Opened
		case a.Wish != nil && (a.Wish.State == model.WishFailed || a.Wish.State == model.WishUnknown):
			st.Phase, st.Why, st.Unknown = form.Failed, oneLine(a.Wish.Why), a.Wish.State == model.WishUnknown
		}
	case model.Answering:
		st.Phase = form.Sending
		if f.url && !a.Opened.IsZero() {
			st.Phase, st.At = form.Waiting, a.Opened
		}
	case model.Answered:
		st.Phase = form.Sent
		if f.url && !a.Opened.IsZero() {
			st.Phase, st.At = form.Waiting, a.Opened
		}
		if a.Done {
			st.Phase = form.Complete
		}
	case model.Held:
		st.Phase, st.Why = form.Held, heldWords(r.m, a)
	case model.Withdrawn:
		st.Phase = form.Withdrawn
	}
	return st
}

func (f *formOverlay) draw(r *Root, s *scene, screen []string) {
	w := min(r.width, maxFormWidth)
	lines := strings.Split(f.form.Snug(w, len(screen)-1), "\n")
	f.at = box{(r.width - w) / 2, 1 + (len(screen)-1-len(lines))/2, w, len(lines)}
	s.over(screen, lines, f.at.x, f.at.y)
}

func (f *formOverlay) hints(*Root) []key.Binding { return f.form.Hints() }

func (f *formOverlay) click(r *Root, x, y int) tea.Cmd {
	if !f.at.has(x, y) {
		return nil
	}
	return f.happened(r, f.form.Click(x-f.at.x, y-f.at.y))
}

func (f *formOverlay) wheel(_ *Root, _, _, by int) { f.form.Wheel(by) }

// foot has the last hint always: it is the way out.
func (f *formOverlay) foot(r *Root, s *scene) string {
	hints := f.form.Hints()
	last := max(len(hints)-1, 0)
	out := s.hintRow(hints[last:], r.width)
	return s.hintRow(hints[:last], r.width-width(out)) + out
}
