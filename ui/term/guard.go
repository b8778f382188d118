package term

import (
	"reflect"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// guard stands between Bubble Tea and the model: what panics in the model or in
// a command ends the program with the terminal given back, and the program ends
// as soon as it is told to.
type guard struct {
	t     *Terminal
	inner tea.Model
	size  tea.WindowSizeMsg
	drawn bool
}

// Init starts the model, which is told the size of the terminal at once, so that
// its first view is a whole one.
func (g *guard) Init() (cmd tea.Cmd) {
	defer g.t.catch()
	ended := func() tea.Msg { <-g.t.ctx.Done(); return tea.QuitMsg{} }
	cmd = ended // in case the model panics
	first := g.inner.Init()
	next, second := g.inner.Update(g.size)
	g.inner = next
	return tea.Batch(ended, g.t.watched(first), g.t.watched(second))
}

// Update hands the message on.
func (g *guard) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = g
	defer g.t.catch()
	next, cmd := g.inner.Update(msg)
	g.inner = next
	return g, tea.Batch(g.t.watched(cmd), g.t.mouseAgain())
}

// View draws the first frame by itself: the renderer would wait for its first
// tick. It then draws the same again, which nobody sees.
func (g *guard) View() (view string) {
	defer g.t.catch()
	view = g.inner.View()
	if !g.drawn {
		g.drawn = true
		_, _ = g.t.screen.Write([]byte("\x1b[H" + strings.ReplaceAll(view, "\n", "\r\n")))
	}
	return view
}

// catch ends the program if what it is deferred in panics.
func (t *Terminal) catch() {
	if r := recover(); r != nil {
		t.end(newPanic(r))
	}
}

var commands = reflect.TypeFor[[]tea.Cmd]()

// watched returns cmd with its panics caught, and those of the commands that it
// returns. Bubble Tea does not export the type of a sequence, hence reflect.
func (t *Terminal) watched(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer t.catch()
		msg = cmd()
		v := reflect.ValueOf(msg)
		if !v.IsValid() || v.Kind() != reflect.Slice || !v.CanConvert(commands) {
			return msg
		}
		several := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			several.Index(i).Set(reflect.ValueOf(t.watched(v.Index(i).Interface().(tea.Cmd))))
		}
		return several.Interface()
	}
}

// filter sees each message before Bubble Tea does.
func (t *Terminal) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	t.heedMouse(msg)
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if msg.Type == tea.KeyCtrlC {
			return tea.QuitMsg{}
		}
	case tea.WindowSizeMsg:
		return sized(msg)
	case tea.SuspendMsg:
		return t.suspend()
	}
	return msg
}
