package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui"
	"callboard/ui/cli"
	"callboard/ui/cli/config"
	"callboard/ui/term"

	tea "github.com/charmbracelet/bubbletea"
)

// loadConfig reads a configuration, with the checks that need other rooms.
func loadConfig(path string, must bool, lists []string) (*config.Config, error) {
	return config.Load(path, must, lists, config.Checks{Column: ui.CheckColumn, Filter: model.CheckFilter})
}

// live is the configuration while the program runs: it may become another.
type live struct {
	a    *cli.Args
	t    *term.Terminal
	load cli.Loader
	cfg  atomic.Pointer[config.Config]
}

func newLive(a *cli.Args, t *term.Terminal) *live {
	l := &live{a: a, t: t, load: loadConfig}
	l.hold(a.Config)
	return l
}

// hold has a configuration hold from now on.
func (l *live) hold(cfg *config.Config) {
	l.t.SetClipboard(term.Clipboard(cfg.Clipboard))
	l.cfg.Store(cfg)
}

// themeNames are the themes that there are.
func themeNames(cfg *config.Config) []string {
	return slices.Concat(themes.Names(), slices.Sorted(maps.Keys(cfg.Themes)))
}

// serverNames are the servers of the configuration.
func serverNames(cfg *config.Config) []string {
	var names []string
	for _, s := range cfg.Servers {
		names = append(names, s.Name)
	}
	return names
}

// themeOf returns the theme of that name.
func themeOf(a *cli.Args, cfg *config.Config, name string) (*themes.Theme, error) {
	noColor := os.Getenv("NO_COLOR") != ""
	if own, ok := cfg.Themes[name]; ok {
		deep := slices.Contains([]string{"truecolor", "24bit"}, os.Getenv("COLORTERM"))
		return themes.NewOwn(name, own, a.ASCII, noColor, deep)
	}
	t, err := themes.New(name, a.ASCII, noColor)
	if err != nil && len(cfg.Themes) > 0 {
		err = fmt.Errorf("no theme %q: there are %s", name, strings.Join(themeNames(cfg), ", "))
	}
	return t, err
}

// settings are the screen's settings of a configuration, with the options of the
// command line, which are stronger.
func settings(a *cli.Args, cfg *config.Config) (ui.Settings, error) {
	theme, err := themeOf(a, cfg, a.Theme)
	if err != nil {
		return ui.Settings{}, &cli.Usage{Line: err.Error()}
	}
	keys, err := keysOf(cfg)
	if err != nil {
		return ui.Settings{}, err
	}
	set := ui.Settings{
		Theme:         theme,
		Keys:          keys,
		NoMouse:       a.NoMouse,
		Columns:       cfg.Columns,
		ServerColumns: map[string][]string{},
		Filters:       cfg.Filters,
		Notify:        cfg.Notify,
		NoTitle:       !cfg.Title,
		TTLWarning:    cfg.TTLWarning,
		Images:        cfg.Images,
		LogHide:       cfg.LogHide,
	}
	for _, s := range cfg.Servers {
		if s.Columns != nil {
			set.ServerColumns[s.Name] = s.Columns
		}
	}
	return set, nil
}

// watchEvery is how often the configuration's files are looked at.
const watchEvery = time.Second

// changes returns what waits for the configuration to become another. It ends
// with ctx.
func (l *live) changes(ctx context.Context) func() tea.Msg {
	stamp := l.cfg.Load().Stamp()
	return func() tea.Msg {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			if now := l.cfg.Load().Stamp(); now != stamp {
				was := *l.cfg.Load()
				msg := l.reread()
				if stamp = l.cfg.Load().Stamp(); was.Stamp() != now {
					stamp = "" // it became another while it was read: once more
				}
				if msg != nil {
					return msg
				}
			}
		}
	}
}

// reread reads the configuration again and says what is new, nil for nothing.
func (l *live) reread() tea.Msg {
	old := l.cfg.Load()
	cfg, err := l.a.Reload(l.load)
	if err != nil {
		old.Watch(cfg)
		line, rest, more := strings.Cut(err.Error(), "\n")
		if more {
			line += fmt.Sprintf(" (and %d more: callboard config check)", 1+strings.Count(rest, "\n"))
		}
		return stays(line)
	}
	a := l.a.With(cfg)
	s, err := settings(a, cfg)
	if err != nil {
		return stays(err.Error())
	}
	l.hold(cfg)
	note := changedNote(old, cfg)
	if note == "" {
		return nil
	}
	return ui.SettingsMsg{Settings: s, Note: note}
}

// stays says why the old settings hold.
func stays(why string) tea.Msg {
	end := "; the old settings hold."
	if strings.HasSuffix(why, "?") {
		end = " The old settings hold."
	}
	return ui.NoteMsg{Text: why + end, Bad: true}
}

// changedNote says in a sentence what is new in a configuration, "" for nothing.
func changedNote(old, cfg *config.Config) string {
	var parts []string
	if what := config.Changed(old, cfg); len(what) > 0 {
		parts = append(parts, strings.Join(what, ", "))
	}
	added, removed, changed := config.ServersChanged(old, cfg)
	for _, s := range []struct {
		names []string
		say   string
	}{
		{added, "new: %s (:connect attaches)"}, {removed, "gone: %s (:disconnect lets go)"}, {changed, "other: %s (:disconnect, then :connect)"},
	} {
		if len(s.names) > 0 {
			parts = append(parts, fmt.Sprintf(s.say, strings.Join(s.names, ", ")))
		}
	}
	if parts == nil {
		return ""
	}
	name := "config.toml"
	if cfg.Path != "" {
		name = filepath.Base(cfg.Path)
	}
	return name + " was read again: " + strings.Join(parts, "; ") + "."
}

// taste returns what the person chose before, and what keeps what they choose;
// nothing where nothing is kept.
func taste(at *attachment, stderr io.Writer) (ui.Taste, func(ui.Taste) error) {
	var chosen ui.Taste
	if at.folder == nil {
		return chosen, nil
	}
	kept := at.folder.Taste()
	raw, err := kept.Load()
	if err == nil && raw != nil {
		chosen, err = tasteOf(raw, at.folder.TastePath())
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "callboard: %s\n", err)
	}
	return chosen, func(t ui.Taste) error {
		raw, err := json.Marshal(t)
		if err != nil {
			return err
		}
		return kept.Save(context.Background(), raw)
	}
}

// tasteOf reads what is kept in the file of that path. What is wrong in one place
// is left out there, and told: the rest was chosen, too.
func tasteOf(raw []byte, path string) (chosen ui.Taste, err error) {
	err = json.Unmarshal(raw, &chosen)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		field := task.CleanLine(cmp.Or(wrong.Field, "all of it"), 60).Line()
		err = fmt.Errorf("%s is not what callboard writes (%s is %s), and is left out there", path, field, task.CleanLine(wrong.Value, 60).Line())
	case err != nil:
		err = fmt.Errorf("%s is not what callboard writes: %w", path, err)
	}
	return chosen, err
}

// configure carries out "callboard config".
func configure(a *cli.Args, stdout io.Writer) error {
	switch a.Show {
	case "template":
		_, err := io.WriteString(stdout, config.Template())
		return err
	case "check":
		return cli.PrintCheck(stdout, a)
	}
	if a.Faults != nil {
		return &cli.Usage{Line: "the configuration cannot be used\n" + a.Faults.Error()}
	}
	if _, err := themeOf(a, a.Config, cmp.Or(a.Theme, a.Config.Theme)); err != nil {
		return &cli.Usage{Line: err.Error()}
	}
	return cli.PrintConfig(stdout, a, os.Getenv)
}
