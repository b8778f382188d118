package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/keymap"
	"callboard/model/task"
	"callboard/themes"

	"github.com/BurntSushi/toml"
)

// Checks say what is wrong with values whose meaning others know; nil for
// nothing to check. Their errors are one line and hold no secret.
type Checks struct {
	Column func(entry string) error
	Filter func(text string) error
}

// reading is a configuration as it is being read.
type reading struct {
	c      *Config
	file   string
	lines  map[string]int // of the document, see locate
	checks Checks
	faults Faults
}

// Load reads the file at path, what stands beside it, and the lists of servers
// that it names: more come before those. A file that is not there is one without
// settings, unless it must be there. The error is a Faults, with all that is
// wrong; the configuration then holds what could be read.
func Load(path string, must bool, more []string, checks Checks) (*Config, error) {
	c := Default()
	c.Path = path
	r := &reading{c: c, file: path, checks: checks}
	if path != "" {
		r.read(must)
	}
	for _, list := range c.MCPJSON {
		r.list(Home(list), false)
	}
	for _, list := range more {
		r.list(list, true)
	}
	if len(r.faults) > 0 {
		r.faults.sort()
		return c, r.faults
	}
	return c, nil
}

func (r *reading) read(must bool) {
	r.c.files = append(r.c.files, r.file)
	content, mode, err := file(r.file, tomlMost)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
	case err != nil:
		r.fault(0, "%s cannot be read: %s", r.file, err)
	default:
		r.c.Found = true
		if document := r.parse(content); document != nil {
			r.document(document)
			r.exposed(mode)
		}
	}
	r.themeFiles(filepath.Join(filepath.Dir(r.file), "themes"))
	if r.c.Found || must || len(r.c.Themes) > 0 {
		r.theme()
	}
}

// parse returns the document, nil where it is none.
func (r *reading) parse(content []byte) map[string]any {
	lines, err := locate(string(content))
	if err != nil {
		r.fault(0, "%s", err)
		return nil
	}
	r.lines = lines
	var document map[string]any
	_, err = toml.Decode(string(content), &document)
	var wrong toml.ParseError
	switch {
	case errors.As(err, &wrong):
		// Its message may hold a piece of the document, and so a secret.
		r.fault(wrong.Position.Line, "this is no TOML: %s", withoutValues(wrong.Message))
		return nil
	case err != nil:
		r.fault(0, "this is no TOML")
		return nil
	}
	return document
}

var literal = regexp.MustCompile("'[^']*'|\"(\\\\.|[^\"\\\\])*\"|`[^`]*`")

// withoutValues leaves out what a message quotes, but for single characters.
func withoutValues(message string) string {
	message = literal.ReplaceAllStringFunc(message, func(s string) string {
		if len([]rune(s)) <= 3 {
			return s
		}
		return "what stands there"
	})
	return task.CleanLine(message, 200).Line()
}

func (r *reading) fault(line int, format string, args ...any) {
	r.faults = append(r.faults, Fault{r.file, line, fmt.Sprintf(format, args...)})
}

func (r *reading) warn(line int, format string, args ...any) {
	r.c.Warnings = append(r.c.Warnings, Fault{r.file, line, fmt.Sprintf(format, args...)})
}

// line is where a value stands, or else what holds it.
func (r *reading) line(p path) int {
	for ; len(p) > 0; p = p[:len(p)-1] {
		if line, ok := r.lines[p.join()]; ok {
			return line
		}
	}
	return 0
}

// wrong tells of a value.
func (r *reading) wrong(p path, format string, args ...any) {
	r.fault(r.line(p), "%s: %s", shown(p), fmt.Sprintf(format, args...))
}

func shown(p path) string { return task.CleanLine(p.String(), 120).Line() }

// document takes in what toml read.
func (r *reading) document(d map[string]any) {
	known := append(names(settings[:]), keysTable, themesTable, serversTable)
	for _, key := range slices.Sorted(maps.Keys(d)) {
		p, v := path{key}, d[key]
		switch key {
		case keysTable:
			r.keys(p, v)
		case themesTable:
			r.eachTable(p, v, func(p path, t map[string]any) { r.ownTheme(p, p[1], t) })
		case serversTable:
			r.eachTable(p, v, r.server)
		default:
			s := row(settings[:], key)
			if s == nil {
				r.unknown(p, known)
				continue
			}
			r.c.lines[key] = r.line(p)
			r.value(p, v, s.to(r.c), s.choices, s.kind)
		}
	}
	slices.SortFunc(r.c.Servers, func(a, b *Server) int { return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Name, b.Name)) })
	r.sampling(path{"sampling"}, r.c.Has("sampling"), r.c.Has("sampling-command"), &r.c.Sampling, r.c.SamplingCommand)
	for _, name := range slices.Sorted(maps.Keys(r.c.Filters)) {
		if err := ask(r.checks.Filter, r.c.Filters[name]); err != nil {
			r.wrong(path{"filters", name}, "%s", err)
		}
	}
	for _, f := range keymap.Default().Apply(r.c.Keys) {
		where := keysTable
		if strings.HasPrefix(f.Why, f.Name) {
			where += "."
		} else {
			where += ": "
		}
		r.fault(f.Line, "%s%s", where, f.Why)
	}
}

func ask(check func(string) error, text string) error {
	if check == nil {
		return nil
	}
	return check(text)
}

func row[T any](rows []setting[T], name string) *setting[T] {
	i := slices.IndexFunc(rows, func(s setting[T]) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// unknown tells of a key that is none.
func (r *reading) unknown(p path, known []string) {
	r.wrong(p, "no such setting%s", meant(p[len(p)-1], known))
}

// eachTable takes in a table of tables.
func (r *reading) eachTable(p path, v any, each func(p path, t map[string]any)) {
	all, ok := v.(map[string]any)
	if !ok {
		r.wrong(p, "it should be tables, such as [%s.NAME]", p)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		q := p.with(name)
		if t, ok := all[name].(map[string]any); ok {
			each(q, t)
		} else {
			r.wrong(q, "it should be a table: [%s]", shown(q))
		}
	}
}

func (r *reading) keys(p path, v any) {
	t, ok := v.(map[string]any)
	if !ok {
		r.wrong(p, "it should be a table of actions and keys, such as task.cancel = \"x\"")
		return
	}
	var walk func(p path, t map[string]any)
	walk = func(p path, t map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(t)) {
			q := p.with(name)
			o := keymap.Override{Name: strings.Join(q[1:], "."), Line: r.line(q)}
			switch v := t[name].(type) {
			case map[string]any:
				walk(q, v)
				continue
			case string:
				if v != "" {
					o.Keys = []string{v}
				}
			case []any:
				if !r.value(q, v, &o.Keys, nil, plain) {
					continue
				}
			default:
				r.wrong(q, "it should be a key, such as \"x\", or a list of keys; not %s", typeOf(v))
				continue
			}
			r.c.Keys = append(r.c.Keys, o)
		}
	}
	walk(p, t)
	slices.SortStableFunc(r.c.Keys, func(a, b keymap.Override) int { return cmp.Compare(a.Line, b.Line) })
}

// sampling makes a command mean that there is one.
func (r *reading) sampling(p path, who, commanded bool, sampling *string, command string) {
	switch {
	case commanded && command == "":
		r.wrong(append(p[:len(p)-1:len(p)-1], "sampling-command"), "it should be a command")
	case commanded && !who:
		*sampling = "command"
	case who && *sampling == "command" && command == "":
		r.wrong(p, "which command? Give sampling-command, too")
	}
}

func (r *reading) server(p path, t map[string]any) {
	s := newServer(p[1], r.file, r.line(p))
	if why := badName(s.Name); why != "" {
		r.wrong(p, "%s", why)
	}
	for _, key := range slices.Sorted(maps.Keys(t)) {
		q := p.with(key)
		row := row(serverSettings[:], key)
		if row == nil {
			r.unknown(q, names(serverSettings[:]))
			continue
		}
		s.given[key] = r.line(q)
		if !r.value(q, t[key], row.to(s), row.choices, row.kind) {
			delete(s.given, key)
		}
	}
	r.c.Servers = append(r.c.Servers, s)
	_, written := t["url"]
	switch {
	case !written:
		r.wrong(p, "url is missing")
	case s.Has("url"):
		if err := s.checkURL(); err != nil {
			r.wrong(p.with("url"), "%s", err)
		}
	}
	if s.Has("client-cert") != s.Has("client-key") {
		r.wrong(p, "client-cert and client-key belong together")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if err := checkHeader(name, s.Headers[name]); err != nil {
			r.wrong(p.with("headers", name), "%s", err)
		}
	}
	r.sampling(p.with("sampling"), s.Has("sampling"), s.Has("sampling-command"), &s.Sampling, cmp.Or(s.SamplingCommand, r.c.SamplingCommand))
	for _, file := range []*string{&s.TokenFile, &s.SessionFile, &s.CAFile, &s.ClientCert, &s.ClientKey} {
		*file = within(filepath.Dir(r.file), *file)
	}
}

func newServer(name, file string, line int) *Server {
	return &Server{Name: name, File: file, Line: line, Connect: true, given: map[string]int{}}
}

// badName says why a server cannot have a name, "" where it can.
func badName(name string) string {
	switch {
	case name == "" || len(name) > 60 || task.CleanLine(name, 60).Line() != name || strings.ContainsAny(name, " /?#@"):
		return "a server's name is one word without / ? # and @"
	case strings.HasPrefix(name, "-"):
		return "a server's name does not begin with -"
	}
	return ""
}

// exposed warns of a file with secrets that others may read.
func (r *reading) exposed(mode fs.FileMode) {
	if mode.Perm()&0o077 == 0 || runtime.GOOS == "windows" {
		return
	}
	for _, s := range r.c.Servers {
		for _, setting := range s.literalSecrets() {
			r.warn(r.line(append(path{serversTable, s.Name}, setting...)), "%s holds a secret, and others may read the file: chmod 600 %s",
				shown(append(path{serversTable, s.Name}, setting...)), r.file)
		}
	}
}

// value takes in one value, and reports whether it is one of the field's.
func (r *reading) value(p path, v, to any, choices []string, k kind) bool {
	before := len(r.faults)
	switch to := to.(type) {
	case *string:
		text, ok := v.(string)
		if !ok {
			r.wrongType(p, v, to)
			return false
		}
		r.choice(p, text, choices)
		*to = text
	case *bool:
		b, ok := v.(bool)
		if !ok {
			r.wrongType(p, v, to)
			return false
		}
		*to = b
	case *time.Duration:
		text, ok := v.(string)
		d, err := time.ParseDuration(text)
		switch {
		case !ok:
			r.wrongType(p, v, to)
		case err != nil:
			r.wrong(p, "it should be %s", typeWords(to))
		case d <= 0:
			r.wrong(p, "a duration must be more than nothing")
		default:
			*to = d
		}
	case *[]string:
		list, ok := v.([]any)
		if !ok {
			r.wrongType(p, v, to)
			return false
		}
		all := make([]string, 0, len(list))
		for i, each := range list {
			q := p.with(strconv.Itoa(i))
			text, ok := each.(string)
			if !ok {
				r.wrong(q[:len(p)], "element %d should be text, not %s", i+1, typeOf(each))
				continue
			}
			if !r.element(q, text, choices, k) {
				continue
			}
			all = append(all, text)
		}
		*to = all
	case *map[string]string:
		t, ok := v.(map[string]any)
		if !ok {
			r.wrongType(p, v, to)
			return false
		}
		*to = map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(t)) {
			text, ok := t[name].(string)
			if !ok {
				r.wrong(p.with(name), "it should be text, not %s", typeOf(t[name]))
				continue
			}
			(*to)[name] = text
		}
	}
	return len(r.faults) == before
}

// element checks an element of a list of texts.
func (r *reading) element(p path, text string, choices []string, k kind) bool {
	whole := p[:len(p)-1]
	if choices != nil && !slices.Contains(choices, text) {
		r.fault(r.line(p), "%s: %s", shown(whole), notOne(text, choices))
		return false
	}
	if k == columns {
		if err := ask(r.checks.Column, text); err != nil {
			r.fault(r.line(p), "%s: %s", shown(whole), err)
			return false
		}
	}
	return true
}

func (r *reading) choice(p path, text string, choices []string) {
	if choices != nil && !slices.Contains(choices, text) {
		r.wrong(p, "%s", notOne(text, choices))
	}
}

// notOne says that a text is none of the choices. It is not shown: it may have
// come there by mistake.
func notOne(text string, choices []string) string {
	return "it is one of " + strings.Join(choices, ", ") + meant(text, choices)
}

// meant is the end of a sentence about a word that is none of names, "" where it
// is like none of them.
func meant(word string, names []string) string {
	if near := Nearest(word, names); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}

// Nearest returns that of names which a misspelt word means most likely, "" for
// none. Of several that are as near it is the first.
func Nearest(word string, names []string) string {
	if near := keymap.Nearest(word, names); len(near) > 0 {
		return near[0]
	}
	return ""
}

func (r *reading) wrongType(p path, v, to any) {
	r.wrong(p, "it should be %s, not %s", typeWords(to), typeOf(v))
}

// typeOf names the type of a value of TOML, or JSON.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a time"
}

// ownTheme takes in a theme, and reports whether it can be painted.
func (r *reading) ownTheme(p path, name string, t map[string]any) {
	if slices.Contains(themes.Names(), name) {
		r.wrong(p, "%s is built in: give yours another name, with base = %q", name, name)
		return
	}
	own := themes.Own{Colours: map[string]string{}}
	var tokens []string
	for _, token := range themes.Tokens() {
		tokens = append(tokens, token.Name)
	}
	before := len(r.faults)
	for _, key := range slices.Sorted(maps.Keys(t)) {
		q := p.with(key)
		switch {
		case key == "base":
			r.value(q, t[key], &own.Base, themes.Names(), plain)
		case key == "selected-attributes":
			r.value(q, t[key], &own.Selected, themes.Attributes(), plain)
		case slices.Contains(tokens, key):
			var colour string
			if n, ok := t[key].(int64); ok {
				colour = strconv.FormatInt(n, 10)
			} else if !r.value(q, t[key], &colour, nil, plain) {
				continue
			}
			if err := themes.CheckColour(colour); err != nil {
				r.wrong(q, "%s", err)
			}
			own.Colours[key] = colour
		default:
			r.unknown(q, append(tokens, "base", "selected-attributes"))
		}
	}
	if len(r.faults) == before {
		if r.c.Themes == nil {
			r.c.Themes, r.c.themeFrom = map[string]themes.Own{}, map[string]string{}
		}
		r.c.themeFrom[name] = place(r.file, r.line(p))
		r.c.Themes[name] = own
	}
}

// themeFiles takes in the themes that have files of their own.
func (r *reading) themeFiles(dir string) {
	r.c.files = append(r.c.files, dir)
	entries, _ := os.ReadDir(dir) // none: no themes
	main, lines := r.file, r.lines
	defer func() { r.file, r.lines = main, lines }()
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".toml")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		r.file, r.lines = filepath.Join(dir, e.Name()), nil
		r.c.files = append(r.c.files, r.file)
		content, _, err := file(r.file, tomlMost)
		if err != nil {
			r.fault(0, "it cannot be read: %s", err)
			continue
		}
		if _, twice := r.c.Themes[name]; twice {
			r.fault(0, "%s has a theme of that name, too", filepath.Base(main))
			continue
		}
		if t := r.parse(content); t != nil {
			r.ownTheme(nil, name, t)
		}
	}
}

// theme checks the name of the theme.
func (r *reading) theme() {
	all := slices.Concat(themes.Names(), slices.Sorted(maps.Keys(r.c.Themes)))
	if !slices.Contains(all, r.c.Theme) {
		r.wrong(path{"theme"}, "%s", notOne(r.c.Theme, all))
	}
}
