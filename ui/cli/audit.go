package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"callboard/model/task"
)

// Record is one line of the audit trail.
type Record struct {
	task.Entry
	By   string // the user of the operating system
	PID  int
	Line []byte // as it is on disk: a JSON object
}

// PrintAudit prints those of the records that a wants to see, oldest first: as
// aligned lines, or with --json as they are on disk.
func PrintAudit(out io.Writer, a *Args, records iter.Seq[Record]) error {
	w := bufio.NewWriter(out)
	var lines [][]string
	for r := range records {
		switch {
		case !a.wants(&r):
		case a.JSON:
			if _, err := w.WriteString(visible(string(r.Line)) + "\n"); err != nil {
				return err
			}
		default:
			lines = append(lines, r.cells())
			if len(lines) == auditScreen {
				if err := align(w, lines); err != nil {
					return err
				}
				lines = lines[:0]
			}
		}
	}
	if err := align(w, lines); err != nil {
		return err
	}
	return w.Flush()
}

// auditScreen is how many lines are aligned with each other: a trail may be long.
const auditScreen = 500

// wants reports whether r is one that was asked for.
func (a *Args) wants(r *Record) bool {
	switch {
	case r.At.Before(a.Since):
		return false
	case len(a.Tasks) > 0 && !slices.Contains(a.Tasks, r.Task):
		return false
	case len(a.Servers) > 0 && r.What != task.AuditGap:
		return r.Server == a.Servers[0].Shown
	}
	return true
}

// cells are a record as people read it: when, who, what, where, the tool, the
// task, and what there is to say.
func (r *Record) cells() []string {
	who := "-" // it happened by itself
	switch r.What {
	case task.PersonAnswered, task.PersonCanceled, task.PersonStarted:
		who = cmp.Or(r.By, "?")
	default:
	}
	clean := func(s string) string { return task.CleanLine(s, 200).Line() }
	of := clean(string(r.Task))
	if of == "" && r.Call != "" {
		of = "call " + clean(string(r.Call))
	}
	return []string{
		r.At.Local().Format("2006-01-02 15:04:05.000"), clean(who), cmp.Or(auditWords[r.What], clean(string(r.What))),
		cmp.Or(clean(r.Server), "-"), cmp.Or(of, "-"), cmp.Or(clean(r.Tool), "-"), r.words(clean),
	}
}

// auditWords are the kinds of entries as people read them.
var auditWords = map[task.What]string{
	task.TaskSeen: "first seen", task.StatusChanged: "status", task.TaskGone: "gone", task.PromptCame: "asks", task.PromptClosed: "withdrawn",
	task.PersonAnswered: "answered", task.PersonCanceled: "cancelled", task.PersonStarted: "started", task.ResultRead: "result read",
	task.AuditGap: "left out",
}

// words are what r says beside its columns.
func (r *Record) words(clean func(string) string) string {
	var parts []string
	add := func(format string, s string) {
		if s != "" {
			parts = append(parts, fmt.Sprintf(format, s))
		}
	}
	moved := word(r.To)
	switch {
	case r.To == task.Unknown:
		moved = ""
	case r.From != task.Unknown:
		moved = word(r.From) + " -> " + moved
	}
	if how := r.How.String(); how != "" {
		moved = strings.TrimSpace(moved + " (" + how + ")")
	}
	add("%s", moved)
	if r.Action == task.Dismiss {
		add("%s", "dismissed") // "cancel" would be taken for the task's
	} else {
		add("%s", r.Action.String())
	}
	add("%s", clean(r.Effect))
	add("question %s", clean(r.Prompt))
	add("%s", clean(r.Text))
	return strings.Join(parts, ", ")
}

// align writes lines in columns; the last one is as long as it likes.
func align(w *bufio.Writer, lines [][]string) error {
	var widths []int
	for _, l := range lines {
		for i, c := range l {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, l := range lines {
		var b strings.Builder
		for i, c := range l {
			b.WriteString(c)
			if i < len(l)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2))
			}
		}
		if _, err := w.WriteString(strings.TrimRight(b.String(), " ") + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// Audits reports whether the command adds to the audit trail: those that only
// look do not.
func (a *Args) Audits() bool {
	return !a.NoAudit && commandOf(a.Command).suits("no-audit")
}
