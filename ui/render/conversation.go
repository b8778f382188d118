package render

import (
	"fmt"
	"strconv"
	"strings"

	"callboard/model/task"
	"callboard/themes"
)

// Conversation returns all that a server wrote of a question: its message, and
// of a sampling request (client/sampling) what it wants of the model, the
// system prompt and each message. What the server wrote stands behind a bar;
// s may be nil.
func Conversation(message task.Text, s *task.Sampling, t *themes.Theme) *Document {
	d := newDocument(t)
	d.barred(message.String())
	if s == nil {
		return d
	}
	if words := SamplingWishes(s, "\n"); words != "" {
		d.section("what the server would like")
		d.add(&textBlock{raw: words + "\n", role: &t.Text})
	}
	if !s.System.IsZero() {
		d.section("system prompt")
		d.barred(s.System.String())
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		d.section(fmt.Sprintf("message %d of %d, of the role %s", i+1, len(s.Messages), quote(m.Role)))
		for j := range m.Content {
			c := &m.Content[j]
			if c.Kind != task.TextContent {
				d.barred(ContentWords(c, " "+t.Glyphs.Dot+" "))
			}
			d.barred(c.Text)
			if c.Kind == task.OtherContent && c.Text == "" {
				d.barred(string(c.Raw))
			}
		}
	}
	return d
}

// AddSaid adds words of a server behind the bar, below a title of ours; nothing
// where there are none.
func (d *Document) AddSaid(title, raw string) {
	if raw != "" {
		d.section(title)
		d.barred(raw)
	}
}

func (d *Document) section(title string) {
	d.gap()
	d.add(d.own(title, &d.theme.Header, false))
}

// barred adds words of a server behind the bar.
func (d *Document) barred(raw string) {
	if raw = strings.Trim(raw, "\n"); raw != "" {
		t := d.theme
		d.add(&textBlock{raw: raw + "\n", role: &t.Text, bar: t.Accent.Paint(t.Glyphs.Bar) + " "})
	}
}

// ContentWords says on one line what a piece of content is: its kind, its type
// and its size, joined by sep.
func ContentWords(c *task.Content, sep string) string {
	kind := ""
	switch c.Kind {
	case task.TextContent:
		kind = "text"
	case task.ImageContent:
		kind = "image"
	case task.AudioContent:
		kind = "audio"
	case task.ResourceLink:
		kind = "link to a resource"
	case task.EmbeddedResource:
		kind = "resource"
	case task.OtherContent:
		kind = "content of a type that callboard does not know"
	}
	parts := []string{kind}
	if c.MIME != "" {
		parts = append(parts, task.CleanLine(c.MIME, 128).Line())
	}
	size := c.Size
	if c.Kind == task.OtherContent && size < 0 {
		size = int64(len(c.Raw))
	}
	if size >= 0 {
		parts = append(parts, Size(size))
	}
	for _, name := range []string{c.Title, c.Name, c.URI} {
		if name != "" {
			parts = append(parts, task.CleanLine(name, 256).Line())
		}
	}
	return strings.Join(parts, sep)
}

// SamplingWishes says what a server would like of the model and of its reply
// (client/sampling, "Model Preferences"), joined by sep; "" for nothing. Names
// that the server gave stand in quotes of which they hold none.
func SamplingWishes(s *task.Sampling, sep string) string {
	var parts []string
	if s.MaxTokens >= 0 {
		parts = append(parts, "at most "+strconv.FormatInt(s.MaxTokens, 10)+" tokens")
	}
	if s.Temperature != "" {
		parts = append(parts, "temperature "+task.CleanLine(s.Temperature, 32).Line())
	}
	if len(s.Hints) > 0 {
		parts = append(parts, "a model like "+quotes(s.Hints))
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"cost", s.Cost}, {"speed", s.Speed}, {"intelligence", s.Intelligence}} {
		if p.value >= 0 {
			parts = append(parts, p.name+" "+strconv.FormatFloat(p.value, 'g', 3, 64)+" of 1")
		}
	}
	if len(s.Stop) > 0 {
		parts = append(parts, "stop at "+quotes(s.Stop))
	}
	if !s.Context.IsZero() && s.Context.Line() != "none" {
		parts = append(parts, "context "+quote(s.Context)+" (callboard adds none)")
	}
	if len(s.Tools) > 0 {
		parts = append(parts, "tools "+quotes(s.Tools)+" (your reply uses none)")
	}
	return strings.Join(parts, sep)
}

// maxQuoted is how many names one list of them shows.
const maxQuoted = 8

func quotes(names []task.Text) string {
	shown := make([]string, 0, maxQuoted)
	for _, n := range names[:min(len(names), maxQuoted)] {
		shown = append(shown, quote(n))
	}
	words := strings.Join(shown, ", ")
	if n := len(names) - maxQuoted; n > 0 {
		words += fmt.Sprintf(" and %d more", n)
	}
	return words
}

func quote(name task.Text) string {
	s := name.String()
	if strings.ContainsAny(s, "\n\t") {
		s = strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s)
	}
	return `"` + strings.ReplaceAll(task.CleanMax(s, 128).Line(), `"`, "'") + `"`
}
