package form

import (
	"maps"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// sample is what is known of the person's command that writes drafts.
type sample struct {
	running bool
	since   time.Time
	err     string
	from    map[string]string // the content as it was when the command began
}

// SetSample tells the form of the person's command: that it runs since when,
// or why it failed, in words.
func (f *Form) SetSample(running bool, since time.Time, err string) {
	if running && !f.sample.running {
		f.sample.from = f.content()
	}
	f.sample.running, f.sample.since, f.sample.err = running, since, err
}

// SetUnkept changes what Spec.Unkept said: a disk may fill, or be mended, while the
// form is open.
func (f *Form) SetUnkept(why string) { f.spec.Unkept = why }

// SetDraft gives the form a draft that came while it is open: of the person's
// command, or one that was kept. It goes in place of what stands in the form
// where nobody typed there, or nothing since the command began; what stood
// there is kept, and the menu brings it back. Else it waits until the person
// takes it. With Changed the form's own Draft is worth saving.
func (f *Form) SetDraft(d model.Draft) Event {
	f.store()
	content := f.content()
	if d == nil || f.isURL() || maps.Equal(map[string]string(d), content) {
		return Event{}
	}
	switch {
	case !f.touched || f.blank():
		f.take(d)
	case f.sample.from != nil && maps.Equal(f.sample.from, content):
		f.other, f.came = model.Draft(content), false
		f.take(d)
		f.say("The draft is in place of what you typed: " + f.swapKeys() + " brings that back.")
	default:
		f.other, f.came = d, true
		f.say("A draft came. What you typed stays: " + f.swapKeys() + " changes the two.")
	}
	f.sample.from, f.touched = nil, true
	return Event{Kind: Changed}
}

// blank reports whether nothing stands in the form but what it began with.
func (f *Form) blank() bool {
	return maps.Equal(f.content(), task.Prefill(f.spec.Form))
}

// take puts a draft in place of what is typed.
func (f *Form) take(d model.Draft) {
	d = maps.Clone(d)
	delete(d, draftMode) // what a call is run as stays
	delete(d, draftTTL)
	f.edit, f.whole = nil, nil
	if text, ok := d[""]; ok {
		f.json, f.jsonText = true, text
	} else if f.json {
		content, _ := task.Assemble(f.form(), maps.Clone(map[string]string(d)))
		f.jsonText = pretty(content)
	} else {
		f.fill(map[string]string(d))
	}
	f.follow = true
	f.enter()
}

// swap changes what is typed for the draft that is kept beside it.
func (f *Form) swap() Event {
	was := model.Draft(f.content())
	f.take(f.other)
	f.other, f.came = was, false
	return Event{Kind: Changed}
}

// swapWords names what swap brings.
func (f *Form) swapWords() string {
	if f.came {
		return "put the draft that came in place of what you typed"
	}
	return "bring back what was typed before"
}

func (f *Form) swapKeys() string { return shown(f.keys.Form.Menu) + " " + shown(f.keys.Menu.Swap) }

// canSample says why no command can be asked for a draft, "" where it can.
func (f *Form) canSample() string {
	switch {
	case f.spec.Sampling == nil:
		return "A command writes drafts of replies to a model's conversation; this is none."
	case !f.spec.Sampler:
		return "You have no command for drafts: callboard --sampling-command CMD names one."
	}
	return ""
}

// sampleKey begins the person's command, or stops it.
func (f *Form) sampleKey() Event {
	if why := f.canSample(); why != "" {
		f.say(why)
		return Event{}
	}
	if f.sample.running {
		return Event{Kind: StopSample}
	}
	f.sample.err = ""
	return Event{Kind: Sample}
}

// sampleWords is the line of the menu about the command.
func (f *Form) sampleWords() string {
	if f.sample.running {
		return "stop your command"
	}
	return "have your command write a draft"
}

// sampleLines say what the command does.
func (f *Form) sampleLines() []string {
	t := f.theme
	switch {
	case f.sample.running:
		words := "Your command writes a draft"
		if s := int(f.spec.Now().Sub(f.sample.since) / time.Second); !f.sample.since.IsZero() && s > 0 {
			words += ", for " + seconds(s)
		}
		return f.marked(t.Glyphs.Working, words+". "+shown(f.keys.Form.Sample)+" stops it.", &t.Working)
	case f.sample.err != "":
		return f.marked(t.Glyphs.Failed, "Your command wrote no draft: "+strings.TrimSuffix(f.sample.err, ".")+". "+
			shown(f.keys.Form.Sample)+" runs it again.", &t.Error)
	case f.other != nil && f.came:
		return f.marked(t.Glyphs.Working, "A draft came. "+f.swapKeys()+" puts it in place of what you typed.", &t.Working)
	}
	return nil
}
