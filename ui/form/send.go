package form

import (
	"slices"
	"strconv"

	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
)

// hold checks everything as send does, and tells that the answer is to wait for
// those of the other questions.
func (f *Form) hold() Event {
	if why := f.canHold(); why != "" {
		f.say(why)
		return Event{}
	}
	e := f.send()
	if e.Kind == Submit {
		e.Kind, f.state = Hold, State{Phase: Held, At: f.spec.Now()}
	}
	return e
}

// canHold returns why no answer can be held, "" where it can.
func (f *Form) canHold() string {
	switch {
	case f.spec.Kind != Question:
		return "A call is sent alone: " + shown(f.keys.Form.Send) + " starts it."
	case f.isURL():
		return "What you agree to is not held."
	case f.among.Others == 0:
		return "No other question of this task waits: " + shown(f.keys.Form.Send) + " sends."
	}
	return ""
}

// beside is the key that leads to the question after or before this one.
func (f *Form) beside(by int) key.Binding {
	k := f.keys
	switch {
	case by > 0 && f.isURL():
		return k.URL.NextAsk
	case by > 0:
		return k.Form.NextAsk
	case f.isURL():
		return k.URL.PrevAsk
	}
	return k.Form.PrevAsk
}

// leaveFor leaves the form for another question of its task.
func (f *Form) leaveFor(kind EventKind) Event {
	switch {
	case f.spec.Kind != Question:
		f.say("This is a call of yours: it has no question beside it.")
		return Event{}
	case f.among.Of < 2:
		f.say("This is the only question of its task.")
		return Event{}
	}
	f.store()
	return Event{Kind: kind}
}

// notDone says that nothing goes out, since n things are wrong.
func (f *Form) notDone(n int) string {
	words := "Not sent: "
	if f.spec.Kind == Call {
		words = "Not started: "
	}
	if n == 1 {
		return words + "one thing is wrong."
	}
	return words + strconv.Itoa(n) + " things are wrong."
}

// send checks everything and tells that it is to be sent, or goes to the first
// thing that is wrong.
func (f *Form) send() Event {
	f.follow = true
	content, problems := task.Assemble(f.form(), f.content())
	first := f.show(problems)
	ttl, err := f.ttl()
	if err != nil && f.asTask() {
		for i := range f.rows {
			if f.rows[i].kind == ttlRow {
				f.rows[i].problem = err.Error()
				f.rows[i].changed()
				if first < 0 {
					first = i
				}
			}
		}
		problems = append(problems, task.Problem{})
	}
	if n := len(problems); n > 0 {
		f.say(f.notDone(n))
		if first >= 0 && !f.json {
			f.move(first)
		} else {
			f.scroll, f.follow = 0, f.json
		}
		return Event{}
	}
	content = slices.Clone(content)
	if f.spec.Kind == Call {
		e := Event{Kind: Start, Content: content, AsTask: f.asTask()}
		if e.AsTask {
			e.TTL = ttl
		}
		return e
	}
	f.state = State{Phase: Sending, At: f.spec.Now()}
	return Event{Kind: Submit, Content: content}
}

// show puts problems at their rows; it returns the first row that has one, -1
// for none.
func (f *Form) show(problems []task.Problem) int {
	f.whole = nil
	first := -1
	byName := f.rowsByName()
	for _, i := range byName {
		if r := &f.rows[i]; r.problem != "" {
			r.problem = ""
			r.changed()
		}
	}
	for _, p := range problems {
		i, ok := byName[p.Field]
		switch {
		case p.Field == "" || !ok:
			f.whole = append(f.whole, p.Text.Line())
		case f.json:
			f.whole = append(f.whole, f.rows[i].field.Label.Line()+" "+p.Text.Line())
		default:
			if f.rows[i].problem == "" {
				f.rows[i].problem = p.Text.Line()
				f.rows[i].changed()
			}
			if first < 0 || i < first {
				first = i
			}
		}
	}
	return first
}
