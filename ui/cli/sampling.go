package cli

import "slices"

// The values of --sampling.
const (
	samplingOff     = "off"
	samplingManual  = "manual"
	samplingCommand = "command"
)

// sampling settles --sampling and --sampling-command, of which one may say what
// the other means.
func (p *parsing) sampling(c *command) error {
	a := &p.a
	command := p.given["sampling-command"]
	switch {
	case command && a.SamplingCommand == "":
		return usage("--sampling-command needs a command, such as 'my-model --draft'")
	case c.is != Demo && c.suits("sampling") && !command && !p.given["sampling"]:
		a.Sampling = a.Config.Sampling
		if a.Sampling == samplingCommand {
			a.SamplingCommand = a.Config.SamplingCommand
		}
	case !command && a.Sampling == samplingCommand && a.Config.SamplingCommand != "":
		a.SamplingCommand = a.Config.SamplingCommand
	case command && !p.given["sampling"]:
		a.Sampling = samplingCommand
	case command && a.Sampling != samplingCommand:
		return usage("--sampling %s runs no command: leave out --sampling-command, or say --sampling command", a.Sampling)
	case !command && a.Sampling == samplingCommand:
		return usage("which command? --sampling-command COMMAND")
	case c.is == Demo && !p.given["sampling"]:
		a.Sampling = samplingManual
	}
	return nil
}

// declarable refuses --sampling where nobody could answer.
func (p *parsing) declarable(c *command) error {
	a := &p.a
	asked := p.given["sampling"] || p.given["sampling-command"]
	switch {
	case a.Sampling == samplingOff:
		return nil
	case !asked && (c.is == Watch && len(a.IDs) == 0 || a.ReadOnly):
		a.Sampling = samplingOff // the configuration's
		return nil
	case c.is == Watch && len(a.IDs) == 0:
		return usage("watch answers nothing for all tasks: --sampling needs the ID of one")
	case slices.Contains(c.takes, "read-only") && a.ReadOnly:
		return usage("--read-only answers nothing: --sampling does not apply")
	}
	return nil
}
