package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// What may be typed in place of an answer, each on a line of its own.
const (
	typeSkip    = ":skip"
	typeNull    = ":null"
	typeDecline = ":decline"
	typeCancel  = ":cancel"
	typeLater   = ":later"
	typeDraft   = ":draft" // of a reply in place of a model
)

// Ways out of a dialogue.
var (
	errLeft  = errors.New("left open")
	errTold  = errors.New("refused")
	errAgain = errors.New("from the beginning")
	errGone  = errors.New("withdrawn")
)

// dialogue is one prompt that is asked on a terminal, line by line.
type dialogue struct {
	d     *desk
	a     *model.Ask
	draft map[string]string
	no    task.Action // of errTold
}

// ask asks the person a prompt. The reply is nil where it is left open, or was
// withdrawn meanwhile.
func (d *desk) ask(a *model.Ask) (*task.Reply, error) {
	g := &dialogue{d: d, a: a}
	g.introduce()
	reply := &task.Reply{Prompt: a.Prompt.ID, Action: task.Accept}
	var err error
	for {
		if a.Prompt.Mode == task.URLMode {
			err = g.visit()
		} else {
			reply.Content, err = g.form()
		}
		if !errors.Is(err, errAgain) {
			break
		}
	}
	switch {
	case err == nil:
		return reply, nil
	case errors.Is(err, errTold):
		return &task.Reply{Prompt: a.Prompt.ID, Action: g.no}, nil
	case errors.Is(err, errGone):
		g.say("It can no longer be answered: %s.\n", a.Why)
		return nil, nil
	case errors.Is(err, errLeft), errors.Is(err, errNobody):
		return nil, nil
	}
	return nil, err
}

func (g *dialogue) say(format string, args ...any) {
	_, _ = fmt.Fprintf(g.d.env.Err, format, args...) // who does not see it does not answer
}

// quote says words of the server, line by line.
func (g *dialogue) quote(text string) {
	for l := range strings.Lines(text) {
		g.say("  %s\n", strings.TrimRight(l, "\n"))
	}
}

func (g *dialogue) introduce() {
	of := "without a task"
	if r := g.d.m.Row(g.a.Row); r != nil {
		of = "for " + strings.TrimSpace(name(r.Key)+" "+r.Tool.Line())
	}
	g.say("\n%s asks, %s:\n", g.a.Server, of)
	if g.a.Prompt.Mode == task.SamplingMode {
		g.converse()
	} else {
		g.quote(g.a.Prompt.Message.String())
	}
	for _, w := range g.a.Prompt.Form.Warnings {
		g.say("  (%s)\n", w.Line())
	}
	null := ""
	if slices.ContainsFunc(g.a.Prompt.Form.Fields, func(f task.Field) bool { return f.Nullable }) {
		null = typeNull + " says null where a field takes it, "
	}
	g.say("Enter takes what stands in [brackets]. %s leaves a field out, %s%s tells the server no, %s dismisses the question, %s leaves it open.\n",
		typeSkip, null, typeDecline, typeCancel, typeLater)
	if g.drafts() {
		g.say("%s has your command write a draft of the reply.\n", typeDraft)
	}
}

// read reads a line, in which one of the ways out may be typed.
func (g *dialogue) read(label string) (string, error) {
	g.say("%s: ", label)
	if g.d.lines == nil {
		g.d.lines = listen(g.d.ctx, g.d.env.In)
	}
	line, typed, err := g.d.await(func() bool { return g.a.State != model.Open }, g.d.lines)
	switch {
	case err != nil:
		g.say("\n")
		return "", err
	case !typed:
		g.say("\n")
		return "", errGone
	}
	switch strings.TrimSpace(line) {
	case typeDecline:
		g.no = task.Decline
		return "", errTold
	case typeCancel:
		g.no = task.Dismiss
		return "", errTold
	case typeLater:
		return "", errLeft
	}
	return line, nil
}

// unescaped is text that was typed with two colons, for it begins with one.
func unescaped(line string) string {
	if rest, ok := strings.CutPrefix(line, "::"); ok {
		return ":" + rest
	}
	return line
}

// form asks field by field, shows the whole, and returns it when the person
// agrees.
func (g *dialogue) form() (json.RawMessage, error) {
	form := g.a.Prompt.Form
	if g.draft == nil {
		g.draft = task.Prefill(form)
	}
	if form.JSONOnly != "" {
		g.say("  (%s)\n", form.JSONOnly)
		if form.Skeleton != nil {
			g.say("  of this shape: %s\n", visible(string(form.Skeleton)))
		}
		typed, err := g.read("A JSON object on one line")
		if err != nil {
			return nil, err
		}
		g.draft = map[string]string{"": unescaped(typed)}
	}
	for i := range form.Fields {
		if err := g.field(&form.Fields[i]); err != nil {
			return nil, err
		}
	}
	content, problems := task.Assemble(form, g.draft)
	if problems != nil {
		for _, p := range problems {
			g.say("  ! %s\n", problemLine(form, p))
		}
		if form.JSONOnly == "" && len(form.Fields) == 0 {
			return nil, errLeft // nothing that could be typed helps
		}
		return nil, errAgain
	}
	g.say("  %s\n", visible(g.review(content)))
	return content, g.agree("Send it? [yes]/no")
}

// masked stands for what is typed into a secret field.
const masked = "********"

// review is the content as the person sees it before it is sent: without what
// secret fields hold, for a terminal remembers its lines.
func (g *dialogue) review(content json.RawMessage) string {
	form := g.a.Prompt.Form
	if !form.Secret {
		return string(content)
	}
	form.Fields, form.Check = slices.Clone(form.Fields), nil
	draft := maps.Clone(g.draft)
	for i := range form.Fields {
		f := &form.Fields[i]
		if typed, set := draft[f.Name]; set && f.Secret && typed != task.TypedNull {
			f.Kind, draft[f.Name] = task.StringField, masked
		}
	}
	if _, whole := draft[""]; whole {
		return "(as you typed it; it is not repeated, since it may hold a secret)"
	}
	shown, _ := task.Assemble(form, draft)
	return string(shown)
}

// agree lets the person say yes by enter.
func (g *dialogue) agree(label string) error {
	for {
		typed, err := g.read(label)
		if err != nil {
			return err
		}
		switch strings.ToLower(strings.TrimSpace(typed)) {
		case "", "y", "yes":
			return nil
		case "n", "no":
			return errAgain
		}
	}
}

// field asks for one field until what is typed fits.
func (g *dialogue) field(f *task.Field) error {
	g.describe(f)
	label := cmp.Or(f.Label.Line(), task.CleanLine(f.Name, 80).Line())
	if !f.Required {
		label += " (optional)"
	}
	for {
		now, set := g.draft[f.Name]
		offered := label
		if set {
			offered += " [" + g.shown(f, now) + "]"
		}
		typed, err := g.value(f, offered)
		if err != nil {
			return err
		}
		switch {
		case strings.TrimSpace(typed) == typeDraft && f.Name == task.SampledText && g.drafts():
			if err := g.sample(); err != nil {
				return err
			}
			continue
		case strings.TrimSpace(typed) == typeSkip:
			delete(g.draft, f.Name)
		case strings.TrimSpace(typed) == typeNull:
			g.draft[f.Name] = task.TypedNull
		case typed == "" && !set && f.Required && f.Nullable:
			g.say("  ! it is required: give a value, or null by typing %s\n", typeNull)
			continue
		case typed == "" && !set && f.Required:
			g.say("  ! it is required\n")
			continue
		case typed != "":
			g.draft[f.Name] = picked(f, unescaped(typed))
		}
		problem := g.problem(f)
		if problem == "" {
			g.settled(f)
			return nil
		}
		g.say("  ! %s\n", problem)
		delete(g.draft, f.Name)
	}
}

// value reads what is typed into a field; of a secret one nothing shows.
func (g *dialogue) value(f *task.Field, label string) (string, error) {
	if f.Secret && g.d.env.Quiet != nil {
		defer g.say("\n")
		defer g.d.env.Quiet()()
	}
	return g.read(label)
}

// settled says what is sent for a date that was typed in another way.
func (g *dialogue) settled(f *task.Field) {
	typed, set := g.draft[f.Name]
	now := time.Now()
	if sent, differs := f.Settle(typed, now); set && differs {
		g.say("  = %s\n", strings.TrimSpace(sent+"  "+f.SettleNote(typed, now)))
		g.draft[f.Name] = sent // as it was seen, however long the review takes
	}
}

// problem is what is wrong with a field by itself, "" for nothing.
func (g *dialogue) problem(f *task.Field) string {
	_, problems := task.Assemble(g.a.Prompt.Form, g.draft)
	for _, p := range problems {
		if p.Field == f.Name {
			return problemLine(g.a.Prompt.Form, p)
		}
	}
	return ""
}

// describe says what a field is, and lists its choices.
func (g *dialogue) describe(f *task.Field) {
	words, wants := f.Description.Line(), f.Constraint().Line()
	if words != "" && wants != "" {
		wants = "(" + wants + ")"
	}
	if words = strings.TrimSpace(words + " " + wants); words != "" {
		g.say("  %s\n", words)
	}
	for i, c := range f.Choices {
		value := task.CleanLine(string(c.Value), 200).Line()
		if l := c.Label.Line(); l != "" && l != strings.Trim(value, `"`) {
			value = l + "  " + value
		}
		g.say("  %3d  %s\n", i+1, value)
	}
	if f.Kind == task.ChoicesField {
		g.say("  (several: numbers or values with commas between)\n")
	}
}

// shown is what stands in brackets for a typed value.
func (g *dialogue) shown(f *task.Field, typed string) string {
	switch {
	case typed == task.TypedNull:
		return "null"
	case f.Secret:
		return masked
	}
	if f.Kind == task.ChoiceField {
		if i := f.ChoiceIndex(json.RawMessage(typed)); i >= 0 {
			return strconv.Itoa(i + 1)
		}
	}
	return task.CleanLine(typed, 200).Line()
}

// picked is what was typed, with numbers of choices replaced by their values.
func picked(f *task.Field, typed string) string {
	one := func(v string) string {
		v = strings.TrimSpace(v)
		if n, err := strconv.Atoi(v); err == nil && n >= 1 && n <= len(f.Choices) && f.ChoiceIndex(json.RawMessage(v)) < 0 {
			return string(f.Choices[n-1].Value)
		}
		return choice(f, v)
	}
	switch {
	case f.Kind == task.ChoiceField:
		return one(typed)
	case f.Kind == task.ChoicesField && !strings.HasPrefix(strings.TrimSpace(typed), "["):
		return array(slices.Collect(strings.SplitSeq(typed, ",")), one)
	}
	return typed
}

// visit asks for consent to a page (client/elicitation, "URL Mode"). It is
// never fetched by callboard.
func (g *dialogue) visit() error {
	page := g.a.Prompt.URL
	g.say("  It wants you to visit: %s\n", task.CleanLine(page, 4096).Line())
	if u, err := url.Parse(page); err == nil {
		g.say("  on the host %s\n", task.CleanLine(u.Hostname(), 255).Line())
	}
	for {
		typed, err := g.read("Open it in a browser (open), or consent and open it yourself (yes)")
		if err != nil {
			return err
		}
		switch strings.ToLower(strings.TrimSpace(typed)) {
		case "y", "yes":
			return nil
		case "o", "open":
			if g.d.env.OpenURL == nil {
				g.say("  ! there is no browser here\n")
				continue
			}
			if err := g.d.env.OpenURL(page); err != nil {
				g.say("  ! %s\n", task.CleanLine(err.Error(), 300).Line())
				continue
			}
			return nil
		}
	}
}
