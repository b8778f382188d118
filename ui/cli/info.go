package cli

import (
	"fmt"
	"io"
	"strings"

	"callboard/model/task"
)

// Facts are what info prints.
type Facts struct {
	Version   string   `json:"version"`
	Go        string   `json:"go"`
	Protocols []string `json:"protocols"`
	// State is the folder of what outlives the program; Problem says why there
	// is none, or why it cannot be read.
	State string `json:"state,omitempty"`
	Audit string `json:"audit,omitempty"` // the audit trail's file
	// Config is the configuration's file, whether it is there or not, Themes the
	// folder beside it with themes, Taste the file of what was chosen on the screen.
	Config  string      `json:"config,omitempty"`
	Themes  string      `json:"themes,omitempty"`
	Taste   string      `json:"taste,omitempty"`
	Problem string      `json:"problem,omitempty"`
	Files   []FactsFile `json:"files"`
}

// FactsFile is one file of the state folder.
type FactsFile struct {
	Path     string `json:"path"`
	Size     int64  `json:"size"` // bytes; of a folder of drafts, all of them
	URL      string `json:"url,omitempty"`
	Handles  int    `json:"handles"`
	Sessions int    `json:"sessions"`
	Sent     int    `json:"unsettled"`
	Drafts   int    `json:"drafts"`
	Folder   bool   `json:"-"` // it is a folder of drafts
	Problem  string `json:"problem,omitempty"`
}

// bytesWords is a size in the largest unit that it fills.
func bytesWords(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// Write writes f as text, or as one JSON document.
func (f *Facts) Write(out io.Writer, asJSON bool) error {
	f.Protocols = []string{task.Legacy.String(), task.Modern.String()}
	if asJSON {
		if f.Files == nil {
			f.Files = []FactsFile{}
		}
		return writeJSON(out, f, "  ")
	}
	var b strings.Builder
	item := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, value)
		}
	}
	item("version", f.Version)
	item("go", f.Go)
	item("protocols", strings.Join(f.Protocols, ", "))
	item("config", f.Config)
	item("themes", f.Themes)
	item("state", f.State)
	item("audit", f.Audit)
	item("taste", f.Taste)
	item("problem", f.Problem)
	for _, file := range f.Files {
		what := task.CleanLine(file.Problem, 300).Line()
		url := task.CleanLine(file.URL, 512).Line()
		switch {
		case file.Folder:
			what = strings.TrimSpace(fmt.Sprintf("%s; drafts: %d  %s", url, file.Drafts, what))
		case file.URL != "":
			what = fmt.Sprintf("%s; handles: %d, sessions: %d, calls of unknown outcome: %d", url, file.Handles, file.Sessions, file.Sent)
		}
		item("file", strings.TrimSpace(fmt.Sprintf("%s  %s  %s", task.CleanLine(file.Path, 1024).Line(), bytesWords(file.Size), what)))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
