package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"callboard/keymap"
	"callboard/themes"
)

// Config are the settings of the program. The fields are those of the table in
// settings.go, which says what they mean.
type Config struct {
	// Path is the file that was read, or would have been; "" for none at all.
	// Found says that it is there.
	Path  string
	Found bool

	Theme, Prompts, Sampling, SamplingCommand, Protocol, Images, Clipboard string
	ASCII, Mouse, ReadOnly, Audit, Title                                   bool
	Notify, Columns, LogHide, MCPJSON                                      []string
	TTLWarning                                                             time.Duration
	Filters                                                                map[string]string
	// Keys are the keys of actions by their names, as keymap.Override wants them.
	Keys    []keymap.Override
	Themes  map[string]themes.Own
	Servers []*Server // in their order; those of other clients' lists behind

	// Warnings are no mistakes, but worth a look.
	Warnings []Fault
	// Lists are what became of each of MCPJSON.
	Lists []List

	// lines tells where a setting was given, by its name in the table.
	lines     map[string]int
	themeFrom map[string]string
	// files are all that were read or looked for, for Watch.
	files []string
}

// Server is a server by name, as a configuration or another client's list has
// it: nothing is expanded yet.
type Server struct {
	Name string
	// File and Line tell where it stands.
	File string
	Line int
	// Foreign: another client's list has it.
	Foreign bool

	URL                                                       string
	Headers                                                   map[string]string
	TokenFile, SessionFile, CAFile, ClientCert, ClientKey     string
	Guard, Prompts, Protocol, Sampling, SamplingCommand       string
	ReadOnly, AllowInsecureToken, InsecureSkipVerify, Connect bool
	Columns                                                   []string

	given map[string]int // lines by the settings' names
}

// Has reports whether the server has a setting of its own.
func (s *Server) Has(name string) bool {
	_, given := s.given[name]
	return given
}

// Where is the place that a person can look up.
func (s *Server) Where() string { return place(s.File, s.Line) }

// Server returns the server of that name, nil where there is none.
func (c *Config) Server(name string) *Server {
	i := slices.IndexFunc(c.Servers, func(s *Server) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return c.Servers[i]
}

// Has reports whether a setting of the table was given.
func (c *Config) Has(name string) bool {
	_, given := c.lines[name]
	return given
}

// Where is the place of a setting that was given, "" for one that was not.
func (c *Config) Where(name string) string {
	if line, given := c.lines[name]; given {
		return place(c.Path, line)
	}
	return ""
}

// Default returns the settings where there is no configuration.
func Default() *Config {
	return &Config{
		Theme: "ansi", Mouse: true, Prompts: "eager", Audit: true, Sampling: "off", Protocol: "auto", Title: true,
		Images: "off", Clipboard: "auto", TTLWarning: time.Minute, Notify: []string{"prompt", "failed", "down"},
		lines: map[string]int{},
	}
}

// Fault is one thing that is wrong with a file.
type Fault struct {
	File string // its path
	Line int    // 0 for the whole of it
	// Words say what is wrong, with the setting's name, never with a value that
	// may be a secret.
	Words string
}

// String returns the fault with its place, as in "config.toml:12: ...".
func (f Fault) String() string { return place(f.File, f.Line) + ": " + f.Words }

// place names a line of a file by its last element, as a compiler does.
func place(file string, line int) string {
	name := filepath.Base(file)
	if line > 0 {
		return fmt.Sprintf("%s:%d", name, line)
	}
	return name
}

// Faults are all that is wrong, in the order of files and lines.
type Faults []Fault

// Error returns one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, each := range f {
		lines[i] = each.String()
	}
	return strings.Join(lines, "\n")
}

func (f Faults) sort() {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Words, b.Words))
	})
}
