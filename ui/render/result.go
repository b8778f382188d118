package render

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"callboard/model/task"
	"callboard/themes"
)

// maxSniffed is up to which size text is looked at whether it is JSON: the
// check reads all of it, and must not be felt.
const maxSniffed = 64 << 10

// JSON returns raw, which must be valid JSON, pretty printed.
func JSON(raw []byte, t *themes.Theme) *Document {
	return newDocument(t, &jsonBlock{raw: raw, theme: t})
}

// Text returns raw text, cleaned and wrapped.
func Text(raw string, t *themes.Theme) *Document { return newDocument(t, textOf(raw, t)) }

// Frame returns the body of a message of the wire: pretty printed where it is
// whole JSON, else as text.
func Frame(body string, t *themes.Theme) *Document { return newDocument(t, sniffed(body, t)) }

// Error returns an error of the link or of the server in full.
func Error(e *task.Error, t *themes.Theme) *Document {
	d := newDocument(t)
	d.addError(e)
	return d
}

// Result returns a task's or call's result: what is wrong first, then each
// piece of content by its kind, then the structured content. Text that is
// Markdown is rendered.
func Result(r *task.Result, t *themes.Theme) *Document {
	d := newDocument(t)
	d.renders = true
	return d.addResult(r)
}

// Source is Result with all text as it came.
func Source(r *task.Result, t *themes.Theme) *Document { return newDocument(t).addResult(r) }

func (d *Document) addResult(r *task.Result) *Document {
	t := d.theme
	if r.Err != nil {
		d.add(d.own(t.Glyphs.Failed+" The server answered with an error in the place of a result.", &t.Banner, true))
		d.addError(r.Err)
		return d
	}
	if r.IsError {
		d.add(d.own(t.Glyphs.Failed+" The tool failed (isError): what follows is its account of it.", &t.Banner, true))
		d.gap()
	}
	for i := range r.Content {
		d.addContent(&r.Content[i], i, len(r.Content))
	}
	if len(r.Structured) > 0 {
		d.gap()
		d.add(d.own("structured content", &t.Header, false), &jsonBlock{raw: r.Structured, theme: t})
	}
	if len(r.Content) == 0 && len(r.Structured) == 0 {
		d.add(d.own("The result has no content.", &t.Dim, false))
		if len(r.Raw) > 0 {
			d.gap()
			d.add(&jsonBlock{raw: r.Raw, theme: t})
		}
	}
	return d
}

func textOf(raw string, t *themes.Theme) *textBlock { return &textBlock{raw: raw, role: &t.Text} }

// own is a line of callboard's words, or of a server's on one line.
func (d *Document) own(line string, role *themes.Role, fill bool) *textBlock {
	return &textBlock{raw: line + "\n", role: role, fill: fill}
}

// gap adds an empty row, but not at the beginning.
func (d *Document) gap() {
	if len(d.blocks) > 0 {
		d.add(&textBlock{raw: "\n", role: &d.theme.Text})
	}
}

// sniffed shows text as JSON where it is a whole JSON object or array.
func sniffed(text string, t *themes.Theme) block {
	if looksJSON(text) {
		return &jsonBlock{raw: []byte(text), theme: t}
	}
	return textOf(text, t)
}

// said shows the text of content: JSON pretty printed, Markdown rendered where
// that is wanted.
func (d *Document) said(c *task.Content) block {
	if !d.renders || looksJSON(c.Text) || len(c.Text) > maxMarkdown || !isMarkdown(c.MIME) && !looksMarkdown(c.Text) {
		return sniffed(c.Text, d.theme)
	}
	d.rich = true
	return markdown(c.Text, d.theme)
}

func looksJSON(text string) bool {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && len(text) <= maxSniffed && json.Valid([]byte(text))
}

func (d *Document) addError(e *task.Error) {
	t := d.theme
	if e.Kind == task.RPC {
		d.add(d.own("code     "+strconv.Itoa(e.Code)+codeWords(e.Code), &t.Error, false))
		d.add(d.own("message  "+e.Message.String(), &t.Error, false))
	} else {
		d.add(d.own(e.Message.String(), &t.Error, false))
	}
	if e.Status != 0 {
		d.add(d.own("status   HTTP "+strconv.Itoa(e.Status), &t.Text, false))
	}
	if !e.Tried.IsZero() {
		d.add(d.own("tried    "+e.Tried.String(), &t.Dim, false))
	}
	if !e.Advice.IsZero() {
		d.gap()
		d.add(d.own(e.Advice.String(), &t.Text, false))
	}
	if len(e.Data) > 0 {
		d.gap()
		d.add(d.own("data", &t.Header, false), &jsonBlock{raw: e.Data, theme: t})
	}
}

// codeWords says what a code of JSON-RPC or MCP means, "" for one that means
// nothing in particular.
func codeWords(code int) string {
	switch code {
	case -32700:
		return " (parse error)"
	case -32600:
		return " (invalid request)"
	case -32601:
		return " (method not found)"
	case -32602:
		return " (invalid params)"
	case -32603:
		return " (internal error)"
	case -32042:
		return " (URL elicitation required)"
	}
	return ""
}

// maxName is how much of a name of a server's stands in a line about it.
const maxName = 512

// addContent adds content block i of n.
func (d *Document) addContent(c *task.Content, i, n int) {
	t := d.theme
	if i > 0 {
		d.gap()
	}
	head := func(parts ...string) {
		if n > 1 {
			parts[0] = strconv.Itoa(i+1) + "/" + strconv.Itoa(n) + "  " + parts[0]
		}
		if len(c.Audience) > 0 {
			parts = append(parts, "for "+task.CleanLine(strings.Join(c.Audience, ", "), 64).Line())
		}
		d.add(d.own(d.joined(parts), &t.Header, false))
	}
	mime := task.CleanLine(c.MIME, 128).Line()
	size := ""
	if c.Size >= 0 {
		size = Size(c.Size)
	}
	switch c.Kind {
	case task.TextContent:
		if n > 1 || len(c.Audience) > 0 {
			head("text", size)
		}
		d.add(d.said(c))
	case task.ImageContent:
		head("image", mime, measured(c), size, "can be saved, or shown")
	case task.AudioContent:
		head("audio", mime, size, "not shown here; save it to see it")
	case task.ResourceLink:
		head("link to a resource", mime, size)
		d.addResource(c)
	case task.EmbeddedResource:
		head("resource", mime, size)
		d.addResource(c)
		switch {
		case c.Text != "":
			d.add(d.said(c))
		case c.Base64 != "":
			d.add(d.own("binary, not shown here; save it to see it", &t.Dim, false))
		}
	case task.OtherContent:
		head("content of a type that callboard does not know")
		if len(c.Raw) > 0 {
			d.add(&jsonBlock{raw: c.Raw, theme: t})
		}
	}
}

// addResource adds the names of a resource and where it is.
func (d *Document) addResource(c *task.Content) {
	t := d.theme
	title, name := task.CleanLine(c.Title, maxName).Line(), task.CleanLine(c.Name, maxName).Line()
	switch {
	case title != "" && name != "" && title != name:
		d.add(d.own(title+" ("+name+")", &t.Strong, false))
	case title+name != "":
		d.add(d.own(max(title, name), &t.Strong, false))
	}
	if c.URI != "" {
		d.add(d.own(task.CleanLine(c.URI, 4*maxName).Line(), &t.Link, false))
	}
	if c.Description != "" {
		d.add(&textBlock{raw: strings.TrimRight(c.Description, "\n") + "\n", role: &t.Dim})
	}
}

// joined puts the parts that are not empty on one line.
func (d *Document) joined(parts []string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, " "+d.theme.Glyphs.Dot+" ")
}

// Size writes a number of bytes for a person: "512 B", "3.2 KiB".
func Size(bytes int64) string {
	if bytes < 1024 {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	v, unit := float64(bytes)/1024, 0
	for v >= 1023.95 && unit < len("KMGTPE")-1 {
		v /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", v, "KMGTPE"[unit])
}

// Blank returns an empty document, to which parts are added one below the
// other before it is first shown.
func Blank(t *themes.Theme) *Document { return newDocument(t) }

// AddText adds raw text in a role of the theme; it is cleaned when shown. An
// empty text is an empty row.
func (d *Document) AddText(raw string, role *themes.Role) {
	d.add(&textBlock{raw: strings.TrimRight(raw, "\n") + "\n", role: role})
}

// AddIndented adds text of which all rows begin indent cells to the right.
func (d *Document) AddIndented(raw string, indent int, role *themes.Role) {
	d.add(&textBlock{raw: strings.TrimRight(raw, "\n") + "\n", role: role, indent: indent})
}

// AddJSON adds a JSON value, pretty printed.
func (d *Document) AddJSON(raw []byte) { d.add(&jsonBlock{raw: raw, theme: d.theme}) }
