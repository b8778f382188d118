package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/model/task"
)

// Row is one setting as it is now. A value is as TOML has it; From is "default",
// a place such as "config.toml:12", or what else it came from.
type Row struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Over is a value that does not come from the configuration.
type Over struct{ Value, From string }

// Rows returns all settings of the program; over are those that options or the
// environment replaced.
func (c *Config) Rows(over map[string]Over) []Row {
	var all []Row
	for _, s := range settings {
		v := Row{Name: s.name, Value: literalOf(s.to(c)), From: "default"}
		if c.Has(s.name) {
			v.From = c.Where(s.name)
		}
		if o, ok := over[s.name]; ok {
			v.Value, v.From = o.Value, o.From
		}
		all = append(all, v)
	}
	for _, k := range c.Keys {
		all = append(all, Row{keysTable + "." + k.Name, literalOf(&k.Keys), place(c.Path, k.Line)})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Themes)) {
		t := c.Themes[name]
		colours := map[string]string{"base": t.Base}
		maps.Copy(colours, t.Colours)
		if t.Base == "" {
			delete(colours, "base")
		}
		all = append(all, Row{themesTable + "." + name, literalOf(&colours), c.themeFrom[name]})
	}
	return all
}

// Rows returns what is set of a server. Values that may be secrets are masked.
func (s *Server) Rows() []Row {
	var all []Row
	for _, row := range serverSettings {
		if !s.Has(row.name) && row.name != "url" && row.name != "connect" {
			continue
		}
		v := Row{serversTable + "." + s.Name + "." + row.name, literalOf(row.to(s)), s.Where()}
		switch line := s.given[row.name]; {
		case !s.Has(row.name):
			v.From = "default"
		case line > 0:
			v.From = place(s.File, line)
		}
		if s.Foreign && row.name == "connect" {
			v.From = s.Where()
		}
		switch row.name {
		case "url":
			v.Value = strconv.Quote(s.Shown())
		case "headers":
			if len(s.Headers) == 0 {
				continue
			}
			masked := map[string]string{}
			for name, value := range s.Headers {
				masked[name] = mask(value)
			}
			v.Value = literalOf(&masked)
		}
		all = append(all, v)
	}
	return all
}

// mask leaves of a value the names of what is replaced in it, and no more of
// the rest than a scheme such as Bearer.
func mask(value string) string {
	var out strings.Builder
	if scheme, rest, ok := strings.Cut(value, " "); ok && slices.Contains([]string{"bearer", "basic", "token"}, strings.ToLower(scheme)) {
		out.WriteString(scheme + " ")
		value = rest
	}
	for value != "" {
		before, rest, found := strings.Cut(value, "${")
		if before != "" {
			out.WriteString("***")
		}
		if !found {
			break
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			out.WriteString("***")
			break
		}
		name, _, _ := strings.Cut(inner, ":-") // what stands in for it may be a secret
		out.WriteString("${" + task.CleanLine(name, 200).Line() + "}")
		value = after
	}
	return out.String()
}

// literalOf is the value of a field, as TOML has it.
func literalOf(p any) string {
	quote := func(s string) string { return strconv.Quote(task.CleanLine(s, 500).Line()) }
	switch p := p.(type) {
	case *string:
		return quote(*p)
	case *bool:
		return strconv.FormatBool(*p)
	case *time.Duration:
		return strconv.Quote(shortly(*p))
	case *[]string:
		all := make([]string, len(*p))
		for i, s := range *p {
			all[i] = quote(s)
		}
		return "[" + strings.Join(all, ", ") + "]"
	case *map[string]string:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(*p)) {
			all = append(all, task.CleanLine(path{name}.String(), 80).Line()+" = "+quote((*p)[name]))
		}
		if all == nil {
			return "{}"
		}
		return "{ " + strings.Join(all, ", ") + " }"
	}
	panic(fmt.Sprintf("no setting is a %T", p))
}

// shortly is a duration without the parts that are zero.
func shortly(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-len("0s")]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-len("0m")]
	}
	return s
}

// Changed returns the names of the settings that differ between two
// configurations: those of the table, keys and themes.
func Changed(a, b *Config) []string {
	var all []string
	for _, s := range settings {
		if literalOf(s.to(a)) != literalOf(s.to(b)) {
			all = append(all, s.name)
		}
	}
	keys := func(c *Config) (all []string) {
		for _, o := range c.Keys {
			all = append(all, o.Name+"\x00"+strings.Join(o.Keys, "\x00"))
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(keys(a), keys(b)) {
		all = append(all, keysTable)
	}
	same := func(name string) bool {
		x, y := a.Themes[name], b.Themes[name]
		return x.Base == y.Base && maps.Equal(x.Colours, y.Colours) && slices.Equal(x.Selected, y.Selected)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Themes)) {
		if _, had := a.Themes[name]; !had || !same(name) {
			all = append(all, themesTable+"."+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Themes)) {
		if _, has := b.Themes[name]; !has {
			all = append(all, themesTable+"."+name)
		}
	}
	return all
}

// ServersChanged returns the names of servers that are in b alone, in a alone,
// and in both but not the same.
func ServersChanged(a, b *Config) (added, removed, changed []string) {
	for _, s := range b.Servers {
		switch was := a.Server(s.Name); {
		case was == nil:
			added = append(added, s.Name)
		case !s.same(was):
			changed = append(changed, s.Name)
		}
	}
	for _, s := range a.Servers {
		if b.Server(s.Name) == nil {
			removed = append(removed, s.Name)
		}
	}
	return added, removed, changed
}

func (s *Server) same(o *Server) bool {
	for _, row := range serverSettings {
		p, q := row.to(s), row.to(o)
		if headers, ok := p.(*map[string]string); ok {
			if !maps.Equal(*headers, *q.(*map[string]string)) {
				return false
			}
			continue
		}
		if text, ok := p.(*string); ok {
			if *text != *q.(*string) {
				return false
			}
			continue
		}
		if literalOf(p) != literalOf(q) || s.Has(row.name) != o.Has(row.name) {
			return false
		}
	}
	return true
}
