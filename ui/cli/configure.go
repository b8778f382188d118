package cli

import (
	"fmt"
	"io"
	"strings"

	"callboard/model/task"
	"callboard/ui/cli/config"
)

// PrintCheck prints all that is wrong with the configuration, or that nothing is.
// The error is an *Exit where something is.
func PrintCheck(out io.Writer, a *Args) error {
	var b strings.Builder
	cfg := a.Config
	if a.Faults != nil {
		b.WriteString(a.Faults.Error() + "\n")
	}
	for _, w := range cfg.Warnings {
		b.WriteString(w.String() + "\n")
	}
	switch {
	case a.Faults != nil:
	case cfg.Path == "" || !cfg.Found:
		b.WriteString("fine: there is no configuration, the defaults hold\n")
	default:
		b.WriteString("fine: " + clean(cfg.Path) + "\n")
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return err
	}
	if a.Faults != nil {
		return exit(exitUsage, "the configuration cannot be used")
	}
	return nil
}

func clean(s string) string { return task.CleanLine(s, 1024).Line() }

// PrintConfig prints every setting with where it comes from, and the servers.
// Secrets are masked.
func PrintConfig(out io.Writer, a *Args, getenv func(string) string) error {
	cfg := a.Config
	rows := cfg.Rows(a.Over(getenv))
	var servers []config.Row
	for _, s := range cfg.Servers {
		servers = append(servers, s.Rows()...)
	}
	if a.JSON {
		doc := struct {
			Path     string       `json:"path"`
			Found    bool         `json:"found"`
			Settings []config.Row `json:"settings"`
			Servers  []config.Row `json:"servers"`
			Lists    []foreignDoc `json:"lists"`
		}{cfg.Path, cfg.Found, rows, append([]config.Row{}, servers...), newForeignDocs(cfg)}
		return writeJSON(out, doc, "  ")
	}
	var b strings.Builder
	head := clean(cfg.Path)
	switch {
	case cfg.Path == "":
		head = "no configuration is read"
	case !cfg.Found:
		head += " is not there: the defaults hold"
	}
	fmt.Fprintf(&b, "# %s\n", head)
	width := 0
	all := append(rows[:len(rows):len(rows)], servers...)
	for _, r := range all {
		width = max(width, len([]rune(r.Name+" = "+r.Value)))
	}
	width = min(width, 70)
	for i, r := range all {
		if i == len(rows) {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%-*s  # %s\n", width, r.Name+" = "+r.Value, clean(r.From))
	}
	for _, l := range cfg.Lists {
		fmt.Fprintf(&b, "\n# %s", clean(l.Path))
		if l.Why != "" {
			b.WriteString(": " + l.Why)
		}
		b.WriteString("\n")
		for _, p := range l.Passed {
			fmt.Fprintf(&b, "#   %s: %s\n", p.Name, p.Why)
		}
	}
	for _, w := range cfg.Warnings {
		fmt.Fprintf(&b, "\n# %s\n", w)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// foreignDoc is a list of servers of another client.
type foreignDoc struct {
	Path   string      `json:"path"`
	Why    string      `json:"why,omitempty"`
	Passed []passedDoc `json:"passed"`
}

type passedDoc struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func newForeignDocs(cfg *config.Config) []foreignDoc {
	docs := []foreignDoc{}
	for _, l := range cfg.Lists {
		doc := foreignDoc{Path: l.Path, Why: l.Why, Passed: []passedDoc{}}
		for _, p := range l.Passed {
			doc.Passed = append(doc.Passed, passedDoc(p))
		}
		docs = append(docs, doc)
	}
	return docs
}
