package render

import (
	"fmt"
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
	if words := s.Wishes("\n"); words != "" {
		d.section("what the server would like")
		d.add(&textBlock{raw: words + "\n", role: &t.Text})
	}
	if !s.System.IsZero() {
		d.section("system prompt")
		d.barred(s.System.String())
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		d.section(fmt.Sprintf("message %d of %d, of the role %q", i+1, len(s.Messages), m.Role.Line()))
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
