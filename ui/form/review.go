package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// reading is something whole that is read in place of the fields, which
// scrolls by the keys of lists.
type reading struct {
	notes []string // painted, above the document
	doc   *render.Document
	// send says that the key that sends does so from here; at is then the time
	// by which dates were settled.
	send bool
	at   time.Time
}

// review shows what will be sent: what the server gets, and nothing else.
func (f *Form) review() Event {
	f.store()
	r := &reading{doc: render.Blank(f.theme), send: true, at: f.form().Now()}
	form := f.form()
	form.Now = func() time.Time { return r.at }
	_, problems := task.Assemble(form, f.content())
	content, _ := task.Assemble(form, f.masked(f.content()))
	t := f.theme
	words := "This is what goes out."
	if f.spec.Kind == Call {
		words = "These are the arguments that go out."
	}
	r.notes = append(r.notes, f.own(words+" "+shown(f.keys.Form.Send)+" sends it, "+shown(f.keys.Form.Leave)+" goes back.")...)
	for i := range f.rows {
		if words := f.sentDate(&f.rows[i]); words != "" && !f.json {
			r.notes = append(r.notes, f.marked(t.Glyphs.Arrow, quoted(f.rows[i].field.Label.Line())+" "+words, &t.Text)...)
		}
	}
	if f.hidesSecrets() != "" {
		r.notes = append(r.notes, f.marked(t.Glyphs.Warning, "Secret text is masked here; it goes out as typed.", &t.Warning)...)
	}
	if n := len(problems); n > 0 {
		r.notes = append(r.notes, f.marked(t.Glyphs.Failed, "It cannot go out yet: "+counted(n, "thing")+" to mend. "+
			shown(f.keys.Form.Leave)+" "+shown(f.keys.Form.Fault)+" leads there.", &t.FieldError)...)
	}
	r.notes = append(r.notes, "")
	raw := f.outgoing(content)
	text := pretty(raw)
	if wide := slices.ContainsFunc(strings.Split(text, "\n"), func(l string) bool { return len(l) > f.inner() }); wide || !json.Valid(raw) {
		r.doc.AddText(text, &t.Text) // wrapped: all of it is to be seen
	} else {
		r.doc.AddJSON(raw)
	}
	f.reading = r
	return Event{}
}

// outgoing is content as the server gets it (client/elicitation, "Response
// Actions"; client/sampling, "Creating Messages").
func (f *Form) outgoing(content json.RawMessage) json.RawMessage {
	if f.spec.Kind == Call {
		return content
	}
	if f.spec.Sampling == nil {
		return bytes.Join([][]byte{[]byte(`{"action":"accept","content":`), content, []byte("}")}, nil)
	}
	var reply map[string]json.RawMessage
	if json.Unmarshal(content, &reply) != nil {
		return content
	}
	var b bytes.Buffer
	b.WriteString(`{"role":"assistant","content":{"type":"text","text":`)
	b.Write(orNull(reply[task.SampledText]))
	b.WriteString(`},"model":`)
	b.Write(orNull(reply[task.SampledModel]))
	b.WriteString(`,"stopReason":"endTurn"}`)
	return b.Bytes()
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// readWhole shows all that the server wrote of its question.
func (f *Form) readWhole() Event {
	r := &reading{doc: render.Conversation(f.spec.Message, f.spec.Sampling, f.theme)}
	r.notes = append(f.own("All that the server wrote of it. "+shown(f.keys.Form.Leave)+" goes back."), "")
	if at := f.current(); at != nil && at.kind == fieldRow && f.spec.Sampling == nil {
		r.doc.AddSaid("of the field under the cursor, "+quoted(at.field.Label.Line()), at.field.Description.String())
	}
	f.reading = r
	return Event{}
}

// drawReading draws what is read: always as high as there is room.
func (f *Form) drawReading(w, h, room int) string {
	_ = h
	notes := f.reading.notes
	if most := max(room/2, 1); len(notes) > most {
		notes = notes[:most:most]
	}
	body := append(notes[:len(notes):len(notes)], strings.Split(f.reading.doc.View(f.inner(), max(room-len(notes), 1)), "\n")...)
	return f.framed(w, body[:min(len(body), room)], f.reading.doc.Status())
}

// readingKey takes a key while something is read.
func (f *Form) readingKey(k tea.KeyMsg) Event {
	keys := &f.keys.Form
	switch {
	case k.Paste:
		f.say("What is pasted goes into text fields only.")
	case key.Matches(k, keys.Leave):
		f.reading = nil
	case key.Matches(k, keys.Menu):
		f.reading = nil
		f.openMenu()
	case key.Matches(k, keys.Send) && f.reading.send:
		if f.locked() {
			return Event{}
		}
		e := f.send()
		f.reading = nil
		return e
	case f.reading.doc.Update(k, &f.keys.List):
	case f.reading.send:
		f.say(shown(keys.Send) + " sends it, " + shown(keys.Leave) + " goes back.")
	default:
		f.say(shown(keys.Leave) + " goes back.")
	}
	return Event{}
}

// form is the form that is filled in, with its clock: that of what is reviewed,
// while it is.
func (f *Form) form() task.Form {
	form := f.spec.Form
	switch {
	case f.reading != nil && f.reading.send:
		at := f.reading.at
		form.Now = func() time.Time { return at }
	case form.Now == nil:
		form.Now = f.spec.Now
	}
	return form
}
