package cli

import (
	"strings"

	"callboard/model"
	"callboard/model/task"
)

// converse says what a sampling request asks: the conversation so far, which the
// person goes on with in the place of a model.
func (g *dialogue) converse() {
	s := g.a.Prompt.Sampling
	g.say("  It wants a reply in place of a model.\n")
	if wishes := s.Wishes(", "); wishes != "" {
		g.say("  It would like: %s\n", wishes)
	}
	if !s.System.IsZero() {
		g.say("  system prompt:\n")
		g.quote(indented(s.System.String()))
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		g.say("  %s:\n", task.CleanLine(m.Role.Line(), 40).Line())
		for _, c := range m.Content {
			switch c.Kind {
			case task.TextContent:
				g.quote(indented(task.Clean(c.Text).String()))
			case task.ImageContent:
				g.quote(indented(block("image", c)))
			case task.AudioContent:
				g.quote(indented(block("audio", c)))
			case task.EmbeddedResource, task.ResourceLink, task.OtherContent:
				g.quote(indented(task.CleanMax(visible(string(c.Raw)), 2000).String()))
			}
		}
	}
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// drafts reports whether a command of the person can write a draft.
func (g *dialogue) drafts() bool {
	return g.a.Prompt.Mode == task.SamplingMode && g.d.m.HasSampler(g.a.Server)
}

// sample has the command write a draft and offers it. Why there is none is said.
func (g *dialogue) sample() error {
	g.say("  (the command is at it)\n")
	g.d.send(model.SampleMsg{Prompt: g.a.Prompt.ID})
	if err := g.d.until(func() bool { return !g.a.Sample.Running || g.a.State != model.Open }); err != nil {
		return err
	}
	switch text := g.d.m.Draft(g.a.Prompt.ID)[task.SampledText]; {
	case g.a.State != model.Open:
		return errGone
	case g.a.Sample.Err != "":
		g.say("  ! %s\n", g.a.Sample.Err)
	case text == "":
		g.say("  ! there is no draft\n")
	default:
		g.draft[task.SampledText] = text
		g.quote(indented(task.Clean(text).String()))
		g.say("  (enter sends this; what you type instead takes its place)\n")
	}
	return nil
}
