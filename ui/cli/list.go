package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// listDoc is what ls prints.
type listDoc struct {
	Server serverDoc  `json:"server"`
	Tasks  []*taskDoc `json:"tasks"`
}

type serverDoc struct {
	URL      string `json:"url"`
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Protocol string `json:"protocol"`
	Note     string `json:"note,omitempty"`
}

func (d *desk) serverDoc() serverDoc {
	about := d.link().About
	return serverDoc{
		URL: d.a.Servers[0].Shown, Name: about.Name.Line(), Version: about.ServerVersion.Line(),
		Protocol: cmp.Or(about.Version, about.Era.String()), Note: about.Note.Line(),
	}
}

// list prints the tasks that the server lists and those that are kept.
func (d *desk) list() error {
	if err := d.connected(); err != nil {
		return err
	}
	if err := d.until(d.listed); err != nil {
		return err
	}
	board := d.m.Board()
	var rows []*model.Row
	for i := range board.Len() {
		rows = append(rows, board.At(i))
	}
	slices.SortStableFunc(rows, func(a, b *model.Row) int {
		return cmp.Or(cmp.Compare(a.Began, b.Began), cmp.Compare(a.Key.ID, b.Key.ID))
	})
	d.listNotes(len(rows))
	if d.a.JSON {
		doc := listDoc{Server: d.serverDoc(), Tasks: []*taskDoc{}}
		for _, r := range rows {
			doc.Tasks = append(doc.Tasks, newTaskDoc(r))
		}
		return d.print(doc)
	}
	if len(rows) == 0 {
		return nil
	}
	var lines [][]string
	now := time.Now()
	for _, r := range rows {
		lines = append(lines, cells(r, now))
	}
	return d.columns([]string{"STATUS", "TASK", "TOOL", "AGE", "TTL", "MESSAGE"}, lines)
}

// listNotes says what a list may lack.
func (d *desk) listNotes(rows int) {
	l := d.link()
	if note := l.About.Note.Line(); note != "" {
		d.note("%s", note)
	}
	why, _, _ := strings.Cut(l.SweepErr, ";") // the rest speaks of the dashboard's keys
	switch {
	case why != "":
		d.note("only tasks whose handles are kept are listed: %s; callboard get %s ID adds another", why, d.a.Servers[0].Word())
	case rows == 0 && l.About.Session && !l.About.Joined:
		d.note("no tasks: most servers show a session only its own, and this session is new")
	case rows == 0:
		d.note("no tasks")
	}
}

// listed reports whether the list is whole: all pages came, or none can, and
// what is kept was asked for.
func (d *desk) listed() bool {
	l := d.link()
	if l.Swept.IsZero() && l.SweepErr == "" {
		return false
	}
	board := d.m.Board()
	for i := range board.Len() {
		r := board.At(i)
		if r.Key.ID != "" && r.Mark == model.NoMark && !fresh(r) && r.PollError == "" && (!r.Task.Status.Terminal() || d.m.Sought(d.server, r.Key.ID)) {
			return false
		}
	}
	return true
}

// cells is a row of ls.
func cells(r *model.Row, now time.Time) []string {
	status := word(r.Task.Status)
	if r.Asking() {
		status = word(task.InputRequired)
	}
	if r.ToolFailed() {
		status = "tool error"
	}
	if mark, _ := markWords(r.Mark); mark != "" && (!r.Task.Status.Terminal() || r.Mark == model.NotOurs) {
		status = mark
	}
	ttl := "-"
	switch end, ok := r.Expiry(); {
	case r.Task.TTL == task.NoTTL:
		ttl = "none"
	case ok:
		ttl = span(max(0, end.Sub(now)))
	}
	message := r.Task.Message.Line()
	if r.Mark == model.UnknownOutcome && r.Sent != nil {
		message = "sent " + r.Sent.At.Format(time.DateTime) + "; no reply was seen (:forget in the dashboard takes it away)"
	}
	return []string{status, name(r.Key), cmp.Or(r.Tool.Line(), "-"), span(now.Sub(r.Began.Time())), ttl, message}
}

// span is a duration in two units at most: 3m12s, 2h5m, 4d3h.
func span(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%dh", s/86400, s/3600%24)
}

// columns prints a table; the last column is as long as it likes.
func (d *desk) columns(head []string, lines [][]string) error {
	w := bufio.NewWriter(d.env.Out)
	if err := align(w, append([][]string{head}, lines...)); err != nil {
		return err
	}
	return w.Flush()
}

// get prints the state of a task.
func (d *desk) get() error {
	r, err := d.row(d.a.IDs[0])
	if err != nil {
		return err
	}
	d.inline(r)
	end := unknown(r)
	if d.a.JSON {
		doc := reportDoc{Task: newTaskDoc(r), Prompts: newPromptDocs(open(r))}
		if end != nil {
			doc.Error = errorDoc(end).Error
		}
		if err := d.print(doc); err != nil || end == nil {
			return err
		}
		return end
	}
	var lines [][]string
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, []string{name, value})
		}
	}
	status := r.Task.Status.String()
	if r.ToolFailed() {
		status += " (the tool says that it failed)"
	}
	if mark, why := markWords(r.Mark); mark != "" {
		status += " (" + mark + ": " + why + ")"
	}
	add("task", name(r.Key))
	add("status", status)
	add("tool", r.Tool.Line())
	add("message", r.Task.Message.Line())
	if !r.Task.Created.IsZero() {
		add("created", r.Began.Time().Format(time.RFC3339))
	}
	switch end, ok := r.Expiry(); {
	case r.Task.TTL == task.NoTTL:
		add("ttl", "no limit")
	case ok:
		add("ttl", fmt.Sprintf("%s, until %s", r.Task.TTL, end.Format(time.RFC3339)))
	}
	if p := r.Progress; p != nil {
		add("progress", strings.TrimSpace(amount(*p)+" "+p.Message.Line()))
	}
	if r.Later != task.Unknown {
		add("later", "reported as "+r.Later.String()+" after its end")
	}
	asks := open(r)
	for i, a := range asks {
		add("asks", fmt.Sprintf("%s  %s  (--prompt %s)", a.Prompt.Message.Line(), question(a.Prompt), task.CleanLine(promptKey(asks, i), 80).Line()))
	}
	if err := d.columns(lines[0], lines[1:]); err != nil || end == nil {
		return err
	}
	return end
}

// unknown says that the state of a task is only what was remembered of it, since
// nobody can be asked for it any more; nil where the server knows it.
func unknown(r *model.Row) *Exit {
	if r.Task.Status.Terminal() || r.Mark == model.PushOnly {
		return nil
	}
	return verdict(r, nil, nil)
}

// toolsDoc is what tools prints.
type toolsDoc struct {
	Server serverDoc `json:"server"`
	Tools  []toolDoc `json:"tools"`
}

type toolDoc struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Task        string `json:"task"`
	ReadOnly    bool   `json:"readOnly,omitempty"`
	Destructive bool   `json:"destructive,omitempty"`
	Schema      any    `json:"inputSchema,omitempty"`
}

// toolList waits for the server's tools.
func (d *desk) toolList() ([]task.Tool, error) {
	if err := d.connected(); err != nil {
		return nil, err
	}
	d.send(model.ToolsMsg{Server: d.server})
	if err := d.until(func() bool { t := d.m.Tools(d.server); return t.Err != nil || !t.At.IsZero() }); err != nil {
		return nil, err
	}
	t := d.m.Tools(d.server)
	if t.Err != nil {
		return nil, failure("the tools cannot be listed", t.Err)
	}
	return t.Tools, nil
}

// tools prints the server's tools.
func (d *desk) tools() error {
	list, err := d.toolList()
	if err != nil {
		return err
	}
	if d.a.JSON {
		doc := toolsDoc{Server: d.serverDoc(), Tools: []toolDoc{}}
		for _, t := range list {
			each := toolDoc{
				Name: t.Name, Title: t.Title.Line(), Description: t.Description.String(), Task: t.Support.String(),
				ReadOnly: t.ReadOnly, Destructive: t.Destructive,
			}
			if len(t.Input.Schema) > 0 {
				each.Schema = t.Input.Schema
			}
			doc.Tools = append(doc.Tools, each)
		}
		return d.print(doc)
	}
	var lines [][]string
	for _, t := range list {
		first, _, _ := strings.Cut(t.Description.String(), "\n")
		lines = append(lines, []string{task.CleanLine(t.Name, 256).Line(), t.Support.String(), arguments(t.Input), task.CleanLine(first, 200).Line()})
	}
	return d.columns([]string{"TOOL", "TASK", "ARGUMENTS", ""}, lines)
}

// arguments names the fields of a form, the optional ones in brackets.
func arguments(form task.Form) string {
	var names []string
	for _, f := range form.Fields {
		n := task.CleanLine(f.Name, 80).Line()
		if !f.Required {
			n = "[" + n + "]"
		}
		names = append(names, n)
	}
	switch {
	case form.JSONOnly != "":
		return "(JSON)"
	case names == nil:
		return "-"
	}
	return strings.Join(names, " ")
}
