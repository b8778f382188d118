package ui

import (
	"fmt"
	"strings"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// inboxPane lists the questions of all servers, the most urgent first. The
// cursor stands on a question.
type inboxPane struct {
	win window
	at  task.PromptID
}

func (p *inboxPane) title(s *scene) string {
	asks := grouped(s.m.Inbox())
	title, kept := fmt.Sprintf("Inbox %d", waiting(asks)), 0
	for _, a := range asks {
		if a.State == model.Withdrawn && s.m.Draft(a.Prompt.ID) != nil {
			kept++
		}
	}
	if kept > 0 {
		title += " " + s.t.Glyphs.Dot + " " + count(kept, "draft kept", "drafts kept")
	}
	if words := s.floods(); words != "" {
		title += " " + s.t.Glyphs.Dot + " " + words
	}
	return title
}

// floods names the servers that ask faster than a person could read, and how many
// of their questions are not taken in yet, "" for none.
func (s *scene) floods() string {
	var all []string
	for _, l := range s.m.Links() {
		if l.Flood > 0 {
			all = append(all, fmt.Sprintf("%s floods: %d more wait", task.CleanLine(l.Name, 40).Line(), l.Flood))
		}
	}
	return strings.Join(all, ", ")
}

func (p *inboxPane) note(s *scene) string { return p.win.place(len(s.m.Inbox())) }

// waiting counts the questions that can be answered.
func waiting(asks []*model.Ask) int {
	n := 0
	for _, a := range asks {
		if a.State == model.Open {
			n++
		}
	}
	return n
}

// settle keeps the cursor on its question.
func (p *inboxPane) settle(m *model.Model) {
	asks := grouped(m.Inbox())
	for i, a := range asks {
		if a.Prompt.ID == p.at {
			p.win.cursor = i
		}
	}
	p.win.show(len(asks), max(p.win.height, 1))
	p.at = ""
	if len(asks) > 0 {
		p.at = asks[p.win.cursor].Prompt.ID
	}
}

// next goes on from a question that was just answered to the most urgent one
// that waits.
func (p *inboxPane) next(m *model.Model, answered task.PromptID) {
	for _, a := range grouped(m.Inbox()) {
		if a.State == model.Open && a.Prompt.ID != answered {
			p.at = a.Prompt.ID
			return
		}
	}
}

func (p *inboxPane) view(s *scene, w, h int, focused bool) []string {
	asks := grouped(s.m.Inbox())
	if len(asks) == 0 {
		return s.centred([]string{"Nothing waits for you.", "", "A question of a server rings, and stands here until it is answered. " + keyOf(s.k.Everywhere.Back) + " leads back to the tasks."}, w, h)
	}
	rows := max((h-1)/2, 1) // two lines a question
	p.win.show(len(asks), rows)
	head := "  STATE         "
	if w >= waitsFrom {
		head += "WAITS  "
	}
	head += "LEFT   "
	if w >= kindFrom {
		head += s.fit("KIND", kindWidth) + "  "
	}
	lines := []string{s.t.Header.Paint(s.cut(head+"WHO ASKS", w))}
	for i := p.win.offset; i < len(asks) && len(lines) < h; i++ {
		lines = append(lines, s.askLines(asks[i], w, i == p.win.cursor, focused)...)
	}
	return lines[:min(len(lines), h)]
}

// The column of the kind of a question, from which width on there is one, and one
// of how long it waits.
const kindWidth, kindFrom, waitsFrom = 8, 64, 48

// kind is the word for what a question wants of the person.
func kind(p *task.Prompt) string {
	switch p.Mode {
	case task.URLMode:
		return "visit"
	case task.SamplingMode:
		return "sampling"
	case task.FormMode:
	}
	return "form"
}

// askLines are the two lines of a question: what about it, and its words.
func (s *scene) askLines(a *model.Ask, w int, selected, focused bool) []string {
	st := s.askStatus(a)
	mark := "  "
	if selected {
		mark = s.t.Glyphs.Select + " "
	}
	dot := " " + s.t.Glyphs.Dot + " "
	lead, what := "", ""
	if p := placeOf(s.m, a); p.Of > 1 && a.State != model.Answered && a.State != model.Withdrawn {
		lead = fmt.Sprintf("%d of %d", p.Number, p.Of) + dot
	}
	switch {
	case w >= kindFrom:
		what = s.fit(kind(&a.Prompt), kindWidth) + "  "
	case a.Prompt.Mode != task.FormMode:
		lead = kind(&a.Prompt) + dot + lead
	}
	end, role := s.askLeft(a)
	waits := ""
	if w >= waitsFrom {
		waits = s.fit(age(s.since(a.Prompt.At)), 5) + "  "
	}
	first := mark + st.role.Paint(s.fit(st.glyph+" "+st.word, 12)) + "  " + waits + role.Paint(s.fit(end, 5)) + "  " + what
	first += s.t.Strong.Paint(lead + s.asker(a, w-width(first)-width(lead)))
	words := a.Prompt.Message.Line()
	if more := s.askMore(a); more != "" { // cut are the words, not what befell them
		words = s.cut(words, max(w-7-width(more), w/3)) + dot + more
	}
	second := mark + "  " + words
	lines := []string{s.fit(first, w), s.fit(second, w)}
	if selected {
		for i := range lines {
			if focused {
				lines[i] = s.t.Selected.Around(lines[i])
			} else {
				lines[i] = s.t.SelectedBlurred.Around(lines[i])
			}
		}
	}
	return lines
}

// askLeft says how long a question can still be answered, "" where that is not
// known or matters no more.
func (s *scene) askLeft(a *model.Ask) (string, *themes.Role) {
	end := s.m.Ends(a)
	if end.IsZero() || a.State == model.Answered || a.State == model.Withdrawn {
		return "", &s.t.Dim
	}
	d := end.Sub(s.now)
	if d < soon {
		return left(d), &s.t.Warning
	}
	return left(d), &s.t.Dim
}

// askMore is what befell a question, or who fetches its answer, "" for nothing.
func (s *scene) askMore(a *model.Ask) string {
	switch {
	case a.State == model.Withdrawn:
		return oneLine(a.Why)
	case a.State == model.Held:
		return heldWords(s.m, a)
	case a.Why != "":
		return oneLine(a.Why)
	case a.Sample.Running:
		return "your command writes a draft"
	case a.Sample.Err != "":
		return "your command wrote no draft: " + oneLine(a.Sample.Err)
	case a.State == model.Answered && a.Wish != nil:
		words, _ := s.wishWords(a.Wish)
		return words
	case a.Prompt.Polled && a.State == model.Open:
		return "the server fetches the answer"
	}
	return ""
}

// asker says who asks, in w cells where that can be: the server, the task, the
// tool.
func (s *scene) asker(a *model.Ask, w int) string {
	who := s.guard(a.Server) + task.CleanLine(a.Server, 100).Line()
	if row := s.m.Row(a.Row); row != nil {
		whole := who + " " + s.t.Glyphs.Dot + " " + s.rowName(row)
		if width(whole) <= w || a.Row.ID == "" {
			return whole
		}
		short := who + " " + s.t.Glyphs.Dot + " " + s.shortID(a.Row.ID.Text().Line(), 8)
		if !row.Tool.IsZero() {
			short += " (" + s.cut(row.Tool.Line(), 30) + ")"
		}
		return short
	}
	return who + " " + s.t.Glyphs.Dot + " for no task that it named"
}

// askStatus is how the state of a question looks.
func (s *scene) askStatus(a *model.Ask) status {
	g, t := &s.t.Glyphs, s.t
	switch a.State {
	case model.Answering:
		return status{g.Working, "sending", &t.Working}
	case model.Answered:
		return s.actStatus(a.Action())
	case model.Held:
		return status{g.Working, "held", &t.Working}
	case model.Withdrawn:
		if s.m.Draft(a.Prompt.ID) != nil {
			return status{g.Cancelled, "draft kept", &t.Warning}
		}
		return status{g.Cancelled, "withdrawn", &t.Cancelled}
	case model.Open:
	}
	switch {
	case a.Done:
		return status{g.Completed, "done", &t.OK}
	case !a.Opened.IsZero():
		return status{g.Working, "visiting", &t.Working}
	}
	return status{g.Asking, "asking", &t.Asking}
}

// actStatus is how it looks what a person did with a question.
func (s *scene) actStatus(act task.Action) status {
	g, t := &s.t.Glyphs, s.t
	switch act {
	case task.Decline:
		return status{g.Cancelled, "declined", &t.Cancelled}
	case task.Dismiss:
		return status{g.Cancelled, "dismissed", &t.Cancelled}
	case task.Accept:
	}
	return status{g.Completed, "answered", &t.OK}
}

// askState words the state of a question for the detail.
func (s *scene) askState(a *model.Ask) string {
	words := s.askStatus(a).word + " " + lasting(s.since(a.Prompt.At))
	switch a.Prompt.Mode {
	case task.URLMode:
		words += ", wants you to visit an address"
	case task.SamplingMode:
		words += ", wants a reply in the place of a model"
	case task.FormMode:
	}
	if end, _ := s.askLeft(a); end != "" && (!a.Prompt.Until.IsZero() || s.m.Ends(a).Sub(s.now) < soon) {
		words += ", time left: " + end // else it is that of the task
	}
	if a.Prompt.Polled && a.State == model.Open {
		words += "; the server fetches the answer"
	}
	switch {
	case a.State == model.Held:
		words += ": " + heldWords(s.m, a)
	case a.Why == "":
	case s.m.Row(a.Row) == nil || s.m.Row(a.Row).Wish != a.Wish: // else it stands with what the person did
		words += ": " + oneLine(a.Why)
	}
	return words
}

func (p *inboxPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	asks := grouped(r.m.Inbox())
	if p.win.key(&r.k.List, k, len(asks)) {
		if len(asks) > 0 {
			p.at = asks[p.win.cursor].Prompt.ID
		}
		return nil, true
	}
	if key.Matches(k, r.k.List.Open) {
		return p.open(r), true
	}
	return nil, false
}

// open opens the question under the cursor, or what came of its task where nothing
// can be done about it any more.
func (p *inboxPane) open(r *Root) tea.Cmd {
	if p.at == "" {
		r.say("Nothing waits for you.")
		return nil
	}
	if row := r.m.Row(p.row(r.m)); p.closed(r.m) && row != nil && hasResult(row) {
		return r.openResult(row.Key)
	}
	return r.openAsk(p.at)
}

func (p *inboxPane) hints(r *Root) []key.Binding {
	if p.at == "" {
		return []key.Binding{r.k.Everywhere.Back}
	}
	keys := []key.Binding{r.k.Everywhere.NextPane, r.k.Everywhere.Back}
	a, row := r.m.Ask(p.at), r.m.Row(p.row(r.m))
	switch {
	case p.closed(r.m) && row != nil && hasResult(row):
		return append([]key.Binding{named(r.k.List.Open, "result")}, keys...)
	case a != nil && a.State == model.Answered:
		return keys
	case a != nil && a.State == model.Withdrawn:
		return append([]key.Binding{named(r.k.List.Open, "read it")}, keys...)
	case a != nil && a.State == model.Held:
		return append([]key.Binding{named(r.k.List.Open, "change it")}, keys...)
	}
	return append([]key.Binding{r.k.Everywhere.Answer}, keys...)
}

// closed reports whether nothing can be done about the question under the
// cursor any more, nor anything read that was typed for it.
func (p *inboxPane) closed(m *model.Model) bool {
	a := m.Ask(p.at)
	return a != nil && (a.State == model.Answered || a.State == model.Withdrawn && m.Draft(a.Prompt.ID) == nil)
}

// row returns the row of the question under the cursor, zero where it is tied
// to none.
func (p *inboxPane) row(m *model.Model) task.Key {
	if a := m.Ask(p.at); a != nil {
		return a.Row
	}
	return task.Key{}
}
