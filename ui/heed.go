package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/time/rate"
)

// What a person who looks elsewhere hears of: the bell, the window's title,
// notifications of the desktop, and in the footer what will be lost soon. None of
// it holds words of a server but the names of tools and tasks.

// Events are what Settings.Notify may hold.
var Events = []string{"prompt", "failed", "completed", "cancelled", "ttl", "down"}

// notifyDefault is what is notified of where nothing is chosen.
var notifyDefault = []string{"prompt", "failed", "down"}

// How often each of them may be: some at once, then one in a while. What came
// meanwhile is told with the next.
const (
	bellsAtOnce, bellEvery   = 3, 5 * time.Second
	notesAtOnce, noteEvery   = 3, 10 * time.Second
	lossesAtOnce, lossesRest = 1, 30 * time.Second
	titleEvery               = time.Second
)

// lossesSaid is how many losses one sentence counts.
const lossesSaid = 100

// heed is what was told, and how often.
type heed struct {
	news, losses int // of the model, so far
	rings        uint64
	ringing      bool // the bell is still to ring
	bells, notes *rate.Limiter
	warnings     *rate.Limiter
	happened     map[string]*happening // not notified yet, by event
	losing       []model.Losing        // not said yet
	title        string
	titled       time.Time
	blurred      bool // the terminal said that it lost the focus, and not that it has it again
}

// happening is what is to be said of one event.
type happening struct {
	n      int
	key    task.Key // of the first
	tool   task.Text
	server string // "" for several
}

func newHeed() heed {
	return heed{
		bells:    rate.NewLimiter(rate.Every(bellEvery), bellsAtOnce),
		notes:    rate.NewLimiter(rate.Every(noteEvery), notesAtOnce),
		warnings: rate.NewLimiter(rate.Every(lossesRest), lossesAtOnce),
		happened: map[string]*happening{},
	}
}

// heed tells what happened since the last message.
func (r *Root) heed() tea.Cmd {
	r.hear()
	r.sayLosses()
	return tea.Batch(r.ring(), r.notify(), r.entitle())
}

// hear takes in what happened since the last time.
func (r *Root) hear() {
	h := &r.heeds
	var news []model.AwayRow
	news, h.news = r.m.News(h.news)
	for i := range news {
		r.note(eventOf(news[i].Kind), news[i].Key, news[i].Tool)
	}
	var losses []model.Losing
	losses, h.losses = r.m.Losses(h.losses)
	for _, l := range losses {
		if len(h.losing) < lossesSaid {
			h.losing = append(h.losing, l)
		}
		if row := r.m.Row(l.Key); row != nil {
			r.note("ttl", row.Key, row.Tool)
		}
	}
}

// eventOf is the name of what happened among Events, "" for what is none of them.
func eventOf(k model.AwayKind) string {
	switch k {
	case model.AwayAsked:
		return "prompt"
	case model.AwayFailed:
		return "failed"
	case model.AwayEnded:
		return "completed"
	case model.AwayCancelled:
		return "cancelled"
	case model.AwayLost:
		return "down"
	case model.AwayBegan, model.AwayExpired, model.AwayWithdrawn, model.AwayBack:
	}
	return ""
}

// note keeps an event to be notified of, where it is chosen and nobody looks.
func (r *Root) note(event string, key task.Key, tool task.Text) {
	chosen := r.o.Settings.Notify
	if chosen == nil {
		chosen = notifyDefault
	}
	if !r.heeds.blurred || r.o.Notify == nil || !slices.Contains(chosen, event) {
		return
	}
	x := r.heeds.happened[event]
	if x == nil {
		x = &happening{key: key, tool: tool, server: key.Server}
		r.heeds.happened[event] = x
	}
	x.n++
	if x.server != key.Server {
		x.server = ""
	}
}

// notify notifies of what happened, all in one sentence.
func (r *Root) notify() tea.Cmd {
	h := &r.heeds
	if len(h.happened) == 0 || !h.notes.AllowN(r.now, 1) {
		return nil // the clock asks again
	}
	text, show := r.notification(), r.o.Notify
	clear(h.happened)
	return func() tea.Msg { show(text); return nil }
}

// notification words what happened: the one thing, or how many of each.
func (r *Root) notification() string {
	h := &r.heeds
	if len(h.happened) == 1 {
		for event, x := range h.happened {
			if x.n == 1 {
				return "callboard: " + r.eventOfOne(event, x)
			}
		}
	}
	var parts []string
	server, first := "", true
	for _, event := range Events {
		x := h.happened[event]
		if x == nil {
			continue
		}
		noun := count(x.n, "task", "tasks")
		switch {
		case event == "down":
			noun = count(x.n, "server is", "servers are")
		case len(parts) > 0 && !strings.HasPrefix(parts[0], "1 server"):
			noun = fmt.Sprint(x.n)
		}
		parts = append(parts, noun+" "+eventWord(event, x.n))
		if first {
			server, first = x.server, false
		} else if server != x.server {
			server = ""
		}
	}
	text := "callboard: " + strings.Join(parts, ", ")
	if server != "" && r.heeds.happened["down"] == nil {
		text += " on " + task.CleanLine(server, 40).Line()
	}
	return text
}

// eventWord is the verb of an event of n things.
func eventWord(event string, n int) string {
	switch {
	case event == "prompt" && n == 1:
		return "asks"
	case event == "prompt":
		return "ask"
	case event == "ttl":
		return "will be lost soon"
	case event == "cancelled" && n == 1:
		return "was cancelled"
	case event == "cancelled":
		return "were cancelled"
	}
	return event
}

func (r *Root) eventOfOne(event string, x *happening) string {
	server := task.CleanLine(x.key.Server, 40).Line()
	if event == "down" {
		return server + " is down"
	}
	name := "a call"
	if x.key.ID != "" {
		name = "task " + r.scene().shortID(x.key.ID.Text().Line(), 13)
	}
	if !x.tool.IsZero() {
		name += " (" + task.CleanLine(x.tool.Line(), 40).Line() + ")"
	}
	return name + " " + eventWord(event, 1) + ", on " + server
}

// focus takes in that the terminal has the focus, or lost it. One that never says
// so has it.
func (r *Root) focus(has bool) {
	h := &r.heeds
	switch {
	case !has && !h.blurred:
		h.blurred, r.away.blurred = true, r.now
	case has && h.blurred:
		h.blurred = false
		clear(h.happened)
		if r.now.Sub(r.away.blurred) >= blurIsAway {
			r.cameBack(r.away.blurred, false)
		}
	}
}

// ring rings when questions arrived; many at once ring a few times, and then no
// oftener than a person could look.
func (r *Root) ring() tea.Cmd {
	h := &r.heeds
	rings := r.m.Rings()
	h.ringing = h.ringing || rings > h.rings
	h.rings = rings
	if !h.ringing || r.o.Bell == nil || !h.bells.AllowN(r.now, 1) {
		return nil
	}
	h.ringing = false
	bell := r.o.Bell
	return func() tea.Msg { bell(); return nil }
}

// entitle names the terminal's window, at most once a second.
func (r *Root) entitle() tea.Cmd {
	h := &r.heeds
	if r.o.Window == nil || r.quitting || r.now.Sub(h.titled) < titleEvery {
		return nil
	}
	title := r.windowTitle()
	if title == h.title {
		return nil
	}
	h.title, h.titled = title, r.now
	name := r.o.Window
	return func() tea.Msg { name(title); return nil }
}

// windowTitle is the counts in words of ours, "" where none is wanted.
func (r *Root) windowTitle() string {
	if r.o.Settings.NoTitle {
		return ""
	}
	c := r.m.Counts()
	var parts []string
	if c.Asking > 0 {
		parts = append(parts, fmt.Sprintf("%d asking", c.Asking))
	}
	if n := c.Working + c.Calls; n > 0 {
		parts = append(parts, fmt.Sprintf("%d working", n))
	}
	down := 0
	for _, l := range r.m.Links() {
		if l.State == model.Down {
			down++
		}
	}
	if down > 0 {
		parts = append(parts, count(down, "server down", "servers down"))
	}
	if parts == nil {
		return r.title()
	}
	return r.title() + ": " + strings.Join(parts, ", ")
}

// sayLosses says in the footer what will be lost soon, where nothing else is said
// there, in one sentence.
func (r *Root) sayLosses() {
	h := &r.heeds
	h.losing = slices.DeleteFunc(h.losing, func(l model.Losing) bool {
		row := r.m.Row(l.Key)
		if row == nil {
			return true
		}
		loss, _ := r.m.LosesSoon(row, r.now)
		return loss == model.LosesNothing
	})
	if len(h.losing) == 0 || r.notice().text != "" || !h.warnings.AllowN(r.now, 1) {
		return
	}
	r.say(r.lossWords(h.losing))
	r.said.keep = true
	h.losing = nil
}

func (r *Root) lossWords(all []model.Losing) string {
	if len(all) == 1 {
		l := &all[0]
		words, key, does := "The result", r.k.Task.Save, "saves"
		if l.Loss == model.LosesPrompt {
			words, key, does = "The question", r.k.Everywhere.Answer, "answers"
		}
		return words + " of " + r.scene().rowName(r.m.Row(l.Key)) + " will be lost in " + left(l.End.Sub(r.now)) +
			": on its row " + key.Help().Key + " " + does + " it."
	}
	prompts := 0
	last := all[0].End
	for i := range all {
		if all[i].Loss == model.LosesPrompt {
			prompts++
		}
		if all[i].End.After(last) {
			last = all[i].End
		}
	}
	what := "results"
	switch prompts {
	case 0:
	case len(all):
		what = "questions"
	default:
		what = "questions or results"
	}
	more := ""
	if len(all) == lossesSaid {
		more = " and more"
	}
	return fmt.Sprintf("The %s of %d tasks%s will be lost within %s: %s sorts by TTL left.", what, len(all), more,
		left(last.Sub(r.now)+ageStep), r.k.Sort.TTL.Help().Key)
}
