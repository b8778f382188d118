package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// asks reports whether a row waits for something that was not dealt with.
func (d *desk) asks(r *model.Row) bool {
	if r.Key.ID == "" && !r.Plain && !d.able() && d.link().About.Era == task.Legacy {
		return false // it is a task in a moment, which can wait
	}
	return len(d.unasked(r)) > 0 || r.Task.Status == task.InputRequired && len(r.Asks) == 0 && d.sought != r.Since
}

// unasked returns the open prompts of a row that were not dealt with.
func (d *desk) unasked(r *model.Row) []*model.Ask {
	return slices.DeleteFunc(open(r), func(a *model.Ask) bool { return d.asked[a.Prompt.ID] })
}

// able reports whether there is somebody, or something, to answer with.
func (d *desk) able() bool {
	return !d.a.Servers[0].ReadOnly && d.a.Command != Result && (d.scripted() || d.env.Terminal)
}

// scripted reports whether the command line answers.
func (d *desk) scripted() bool {
	return d.a.Refuse != 0 || d.a.AcceptDefaults || d.a.Fields != nil || d.a.Command == Answer && d.a.Data != ""
}

// meet deals with what a row asks on the way to its end. Where nobody can answer
// it is not even asked for: some servers hand a question out once.
func (d *desk) meet(r *model.Row) error {
	if !d.able() {
		d.inline(r)
		return d.waiting(r, "")
	}
	if err := d.unlock(); err != nil {
		return err
	}
	asks := d.unasked(r)
	if len(asks) == 0 {
		d.attend(r)
		return nil
	}
	for _, a := range asks {
		d.asked[a.Prompt.ID] = true
		reply, problem := d.reply(a, nil)
		if problem != "" && !d.env.Terminal {
			return d.waiting(r, problem)
		}
		if reply == nil {
			left, err := d.ask(a)
			if err != nil {
				return err
			}
			if reply = left; reply == nil && a.State == model.Open {
				return d.waiting(r, "")
			}
		}
		if reply == nil {
			continue // withdrawn
		}
		if err := d.deliver(a, *reply); err != nil {
			return err
		}
	}
	return nil
}

// inline waits a moment for the questions that come with a task's state, without
// being asked for.
func (d *desk) inline(r *model.Row) {
	if d.link().About.Era == task.Modern && r.Live() && r.Task.Status == task.InputRequired {
		d.within(2*time.Second, func() bool { return len(open(r)) > 0 })
	}
}

// attend has the question of a row asked for.
func (d *desk) attend(r *model.Row) {
	d.sought = r.Since
	d.send(model.AttendMsg{Key: r.Key})
}

// within waits for done, but not longer than limit.
func (d *desk) within(limit time.Duration, done func() bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	d.limit = timer.C
	_ = d.until(done) // what ends it shows again
	d.limit = nil
}

// waiting ends the command, since the row waits for a person.
func (d *desk) waiting(r *model.Row, problem string) error {
	asks := open(r)
	if r.Key.ID == "" {
		docs := newPromptDocs(asks)
		d.send(model.CancelMsg{Key: r.Key})
		d.within(2*time.Second, func() bool { return !r.Live() })
		return d.askedFor(r, docs, exit(exitAsks, "the call asks before there is a task that could wait, and was given up: %s%s; answer it by --field or --accept-defaults, or on a terminal", questions(asks), problemWords(problem)))
	}
	if d.a.JSON && d.watch == nil {
		if err := d.print(reportDoc{Task: newTaskDoc(r), Prompts: newPromptDocs(asks)}); err != nil {
			return err
		}
	}
	said := questions(asks)
	if len(asks) == 0 {
		said = cmp.Or(r.Task.Message.Line(), "a question")
	}
	if !strings.HasSuffix(said, "..") {
		said = strings.TrimSuffix(said, ".")
	}
	return exit(exitAsks, "the task %s waits for an answer: %s%s; it goes on with: %s", r.Key.ID.Text().Line(), said, problemWords(problem), d.again("answer", r))
}

// needsVisit is the error of a call that works once a page was visited
// (client/elicitation, "URL Elicitation Required Error").
const needsVisit = -32042

// refused ends the command of a call that the server refuses until a page was
// visited.
func (d *desk) refused(r *model.Row) error {
	asks := open(r)
	var pages []string
	for _, a := range asks {
		pages = append(pages, task.CleanLine(a.Prompt.URL, 4096).Line())
	}
	return d.askedFor(r, newPromptDocs(asks), exit(exitAsks, "the call is refused until you have visited %s; then run it again", strings.Join(pages, " and ")))
}

// askedFor is the end of a call that asked and cannot wait; its document has what it
// asked.
func (d *desk) askedFor(r *model.Row, prompts []promptDoc, end *Exit) error {
	if d.a.JSON {
		if err := d.print(reportDoc{Task: newTaskDoc(r), Prompts: prompts, Error: errorDoc(end).Error}); err != nil {
			return err
		}
	}
	return end
}

func problemWords(problem string) string {
	if problem == "" {
		return ""
	}
	return " (what was given does not answer it: " + problem + ")"
}

func questions(asks []*model.Ask) string {
	var all []string
	for _, a := range asks {
		all = append(all, strings.TrimSpace(a.Prompt.Message.Line()+" "+question(a.Prompt)))
	}
	return strings.Join(all, "; ")
}

// reply makes the answer to a prompt of the command line, nil where that says
// nothing for it. What does not fit is told in one line.
func (d *desk) reply(a *model.Ask, data json.RawMessage) (reply *task.Reply, problem string) {
	r := task.Reply{Prompt: a.Prompt.ID, Action: task.Accept}
	strict := d.a.Command == Answer
	switch {
	case d.a.Refuse != 0:
		r.Action = d.a.Refuse
		return &r, ""
	case a.Prompt.Mode == task.URLMode && d.a.AcceptDefaults:
		d.note("consented; the page is %s", task.CleanLine(a.Prompt.URL, 4096).Line())
		return &r, ""
	case a.Prompt.Mode == task.URLMode && (d.a.Fields != nil || data != nil):
		return nil, "it is a link, which has no fields: --accept-defaults consents to it"
	case d.a.Fields != nil && !strict && !d.a.AcceptDefaults && !slices.ContainsFunc(d.a.Fields, func(p Pair) bool { return hasField(a.Prompt.Form, p.Name) }):
		return nil, "no --field of it was given"
	case d.a.Fields == nil && data == nil && !d.a.AcceptDefaults:
		return nil, ""
	}
	fields := d.a.Fields
	if !strict { // those of other prompts are theirs
		fields = slices.DeleteFunc(slices.Clone(fields), func(p Pair) bool { return !hasField(a.Prompt.Form, p.Name) })
	}
	if r.Content, problem = compose(a.Prompt.Form, fields, data, strict && len(a.Prompt.Form.Fields) > 0); problem != "" {
		return nil, problem
	}
	return &r, ""
}

func hasField(form task.Form, name string) bool {
	return slices.ContainsFunc(form.Fields, func(f task.Field) bool { return f.Name == name })
}

// deliver sends an answer and waits until it is known whether it arrived.
func (d *desk) deliver(a *model.Ask, reply task.Reply) error {
	if err := d.hand(a, reply, false); err != nil {
		return err
	}
	if err := d.until(func() bool { return settled(a) }); err != nil {
		return err
	}
	switch a.State {
	case model.Answered, model.Held:
		return nil
	case model.Withdrawn:
		d.note("%q can no longer be answered: %s", a.Prompt.Message.Line(), a.Why)
		return nil
	default:
	}
	return exit(exitFailed, "the answer: %s", a.Why)
}

// hand gives the model an answer; it is on its way then, or held.
func (d *desk) hand(a *model.Ask, reply task.Reply, hold bool) error {
	if err := d.connected(); err != nil {
		return err
	}
	d.send(model.AnswerMsg{Server: d.server, Reply: reply, Hold: hold})
	if a.State == model.Open {
		why, _, _ := d.m.Notice()
		return exit(exitFailed, "%s", strings.TrimSuffix(why, " What was typed is kept."))
	}
	return nil
}

// settled reports whether it is known what became of an answer that was sent.
func settled(a *model.Ask) bool {
	switch a.State {
	case model.Answering:
		return false
	case model.Open:
		return a.Wish != nil && (a.Wish.State == model.WishFailed || a.Wish.State == model.WishUnknown)
	default:
		return true
	}
}

// answer answers what a task asks.
func (d *desk) answer() error {
	data, err := d.data()
	if err != nil {
		return err
	}
	if !d.scripted() && !d.env.Terminal {
		return usage("answer with what? --field NAME=VALUE, --data FILE, --accept-defaults, --decline or --cancel (there is no terminal to ask on)")
	}
	r, err := d.row(d.a.IDs[0])
	if err != nil {
		return err
	}
	asks, err := d.questions(r)
	if err != nil {
		return err
	}
	given := make([]*task.Reply, len(asks))
	for i, a := range asks {
		problem := ""
		if given[i], problem = d.reply(a, data); problem != "" {
			return usage("the answer does not fit: %s", problem)
		}
		if given[i] == nil {
			if given[i], err = d.ask(a); err != nil {
				return err
			}
		}
	}
	return d.sendAll(r, asks, given)
}

// questions waits for the prompts that are to be answered.
func (d *desk) questions(r *model.Row) ([]*model.Ask, error) {
	var asks []*model.Ask
	err := d.until(func() bool {
		if r.Asking() && len(r.Asks) == 0 && d.sought != r.Since {
			d.attend(r)
		}
		asks = d.chosen(open(r))
		return len(asks) > 0 || !r.Live()
	})
	switch {
	case errors.Is(err, errLate) && len(open(r)) > 0:
		return nil, usage("there is no question %s: %s", task.CleanLine(d.a.Prompt, 80).Line(), keysOf(open(r)))
	case err != nil:
		return nil, err
	case len(asks) == 0:
		mark, _ := markWords(r.Mark)
		return nil, exit(exitFailed, "the task %s asks nothing any more: it is %s", r.Key.ID.Text().Line(), cmp.Or(mark, r.Task.Status.String()))
	case len(asks) > 1 && d.a.Refuse == 0 && !d.a.AcceptDefaults && d.scripted():
		return nil, usage("the task asks %d questions: say which by --prompt (%s)", len(asks), keysOf(asks))
	}
	return asks, nil
}

// chosen returns the prompts that --prompt names, all without it.
func (d *desk) chosen(asks []*model.Ask) []*model.Ask {
	if d.a.Prompt == "" {
		return asks
	}
	for i, a := range asks {
		if promptKey(asks, i) == d.a.Prompt {
			return []*model.Ask{a}
		}
	}
	return nil
}

// keysOf names prompts as --prompt takes them.
func keysOf(asks []*model.Ask) string {
	var keys []string
	for i, a := range asks {
		keys = append(keys, task.CleanLine(promptKey(asks, i), 80).Line()+": "+a.Prompt.Message.Line())
	}
	return strings.Join(keys, "; ")
}
