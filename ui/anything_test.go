package ui

import (
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// poison is text of a server that no cell may hold as it is.
const poison = "\x1b]52;c;aGk=\x07\x9b31m\u202e\u200b\x1bPq\x1b\\\r\x08\u2066\ufeff|`*_[x](javascript:x)日本"

// poisoned is a server that writes poison wherever it can.
func poisoned(t *testing.T) *script {
	srv := opsServer()
	srv.about.Name, srv.about.ServerVersion, srv.about.Instructions = task.Clean(poison), task.Clean(poison), task.Clean(strings.Repeat(poison+" ", 50))
	refused := &task.Error{Kind: task.RPC, Code: -1, Message: task.Clean(poison), Advice: task.Clean(poison), Tried: task.Clean(poison)}
	srv.refuse = refused
	form := task.Form{Fields: []task.Field{
		{Name: poison, Label: task.Clean(poison), Description: task.Clean(poison), Kind: task.StringField, MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1},
	}}
	srv.tools = []task.Tool{
		{Name: poison, Title: task.Clean(poison), Description: task.Clean(strings.Repeat(poison, 30)), Input: form},
		{Name: "deploy", Title: task.Own("deploy")},
	}
	image := drawing(t, 30, 20)
	lying := image
	lying.MIME, lying.Name, lying.URI = poison, poison, poison
	truncated := image
	truncated.Base64 = truncated.Base64[:40]
	text := func(s string) task.Content { return task.Content{Kind: task.TextContent, Text: s, Size: int64(len(s))} }
	markdown := "# Head " + poison + "\n\n| a | b |\n|---|---|\n| " + poison + " | x |\n\n```sh\n" + poison + "\n```\n- [ ] " + poison + "\n> q\n\n" + strings.Repeat("word ", 400)
	for i := range 12 {
		id := task.ID(fmt.Sprint("evil ", i, poison))
		if i%3 == 0 {
			id = task.ID(strings.Repeat("x", 900) + string(id))
		}
		one := task.Task{ID: id, Status: task.Status(1 + i%5), Message: task.Clean(strings.Repeat(poison, 1+i*20)), Created: time.Now(), Updated: time.Now(), TTL: time.Duration(i) * time.Minute}
		srv.tasks = append(srv.tasks, one)
		srv.results[id] = task.Result{
			Content:    []task.Content{text(markdown), image, lying, truncated, text(poison)},
			Structured: []byte(`{"k\u001b":"v\u202e\u0007","n":[1,2,{"deep":[[]]}]}`),
			Raw:        []byte(`{"content":[],"k":"\u001b[31m\u202e"}`), IsError: i%2 == 0,
		}
	}
	for i := range 30 {
		srv.frames = append(srv.frames, task.Frame{
			Seq: uint64(100 + i), At: time.Now(), Dir: task.Dir(i % 3), Method: poison, ID: poison, Stream: "GET", Size: 10,
			Body: `{"jsonrpc":"2.0","method":"` + poison + `","params":{"taskId":"` + string(srv.tasks[i%len(srv.tasks)].ID) + `"}}` + strings.Repeat(poison, 50),
		})
	}
	return srv
}

// everyKey returns the keys of all bindings but those that end the program.
func everyKey() (keys []string) {
	m := keymap.Default()
	quit := map[string]bool{"q": true, "ctrl+c": true}
	for i := range reflect.ValueOf(*m).NumField() {
		scope := reflect.ValueOf(*m).Field(i)
		for j := range scope.NumField() {
			if b, ok := scope.Field(j).Interface().(key.Binding); ok {
				for _, k := range b.Keys() {
					if !quit[k] {
						keys = append(keys, k)
					}
				}
			}
		}
	}
	return keys
}

var specials = func() map[string]tea.KeyType {
	types := map[string]tea.KeyType{}
	for t := tea.KeyType(-128); t < 128; t++ {
		if name := (tea.Key{Type: t}).String(); name != "" {
			types[name] = t
		}
	}
	return types
}()

func anyKey(k string) tea.KeyMsg {
	name, alt := strings.CutPrefix(k, "alt+")
	if t, ok := specials[name]; ok && t != tea.KeyRunes {
		msg := tea.KeyMsg{Type: t, Alt: alt}
		if t == tea.KeySpace {
			msg.Runes = []rune(" ")
		}
		return msg
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name), Alt: alt}
}

// Whatever is pressed, whatever the server writes and does, at any size, in any
// theme: no panic, no line too many or too wide, nothing of the server's raw, and
// no view out of a cache that would be drawn otherwise.
func TestAnything(t *testing.T) {
	seeds := uint64(3)
	if n, err := strconv.Atoi(os.Getenv("FUZZ_SEEDS")); err == nil {
		seeds = uint64(n)
	}
	first, _ := strconv.Atoi(os.Getenv("FUZZ_FIRST"))
	keys := everyKey()
	texts := []string{"is:failed", "/(/", "!evil", "status:", "age>5m", "servers", "theme ", "connect x", "disconnect ops", "prod", "ops", "lab", poison, "write", "evil", "marked:yes", "sort ", "filter "}
	for seed := uint64(first); seed < uint64(first)+seeds; seed++ {
		random := rand.New(rand.NewPCG(seed, 7))
		pick := func(of []string) string { return of[random.IntN(len(of))] }
		var evil, lab *script
		play(t, 80, 24, func() map[string]*script {
			evil, lab = poisoned(t), opsServer()
			lab.guard = "prod"
			return map[string]*script{"ops": evil, "lab": lab}
		}, func(s *stage) {
			if seed%3 == 1 { // the file was written by somebody else
				s.r.taste = Taste{
					Commands: []string{poison, "columns x"}, Filters: []string{poison}, Named: map[string]string{poison: poison, "": "/(/"}, Side: -1 << 40,
					Columns: map[string][]string{"": {"message:99999", poison, "status:-5", "task", "task"}, "ops": {"nope"}, poison: nil},
				}
			}
			names := themes.Names()
			var did []string
			defer func() {
				if t.Failed() {
					t.Logf("seed %d: %q", seed, did[max(0, len(did)-60):])
				}
			}()
			s.r.o.Theme = func(name string) (*themes.Theme, error) { return themes.New(name, random.IntN(2) == 0, false) }
			s.r.o.Themes = func() []string { return names }
			s.r.o.ShowImage = func(_ string, _ image.Image, x, y, w, h int) error {
				if x < 0 || y < 0 || w < 1 || h < 1 {
					t.Errorf("an image of %dx%d at %d,%d", w, h, x, y)
				}
				return nil
			}
			s.r.o.HideImage = func(string) {}
			read := func(text, name string, done func(error) tea.Msg) tea.Cmd {
				if strings.ContainsFunc(name, func(c rune) bool { return c == '/' || unicode.IsControl(c) }) {
					t.Errorf("a file is called %q", name)
				}
				return func() tea.Msg { return done(nil) }
			}
			s.r.o.Viewer, s.r.o.Pager = read, read
			s.r.o.Editor = func(text, name string, done func(string, error) tea.Msg) tea.Cmd {
				return func() tea.Msg { return done(text+poison, nil) }
			}
			s.r.o.Suspend = func() tea.Msg { return tea.ResumeMsg{} }
			s.r.o.Keep = func(Taste) error { return nil }
			s.r.o.Servers = func() []string { return []string{"ops", "lab", poison} }
			s.r.o.Connect = func(word string) (model.Target, error) {
				switch word {
				case "ops", "lab":
					srv := evil
					if word == "lab" {
						srv = lab
					}
					return model.Target{Name: word, URL: "https://" + word + ".example.com/mcp", Endpoint: srv, Guard: srv.guard}, nil
				}
				return model.Target{}, errors.New("no such server")
			}
			evil.ask("p1", evil.tasks[0].ID, strings.Repeat(poison, 40))
			evil.ask("p2", evil.tasks[1].ID, poison)
			lab.ask("p3", lab.tasks[0].ID, "fine?")
			s.settle()
			asks := 10
			for step := range 400 {
				switch what := random.IntN(20); what {
				case 0:
					w, h := 1+random.IntN(300), 1+random.IntN(100)
					if random.IntN(3) > 0 {
						w, h = 38+random.IntN(100), 8+random.IntN(30)
					}
					did = append(did, fmt.Sprintf("%dx%d", w, h))
					s.take(tea.WindowSizeMsg{Width: w, Height: h})
				case 1:
					s.wait(time.Duration(random.IntN(9000)) * time.Millisecond)
					did = append(did, "wait")
				case 2:
					text := pick(texts)
					did = append(did, "typed "+text)
					s.take(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.Map(func(c rune) rune {
						if unicode.IsControl(c) {
							return -1
						}
						return c
					}, text)), Paste: random.IntN(2) == 0})
				case 3:
					did = append(did, "focus")
					s.take([]tea.Msg{tea.FocusMsg{}, tea.BlurMsg{}, tea.ResumeMsg{}}[random.IntN(3)])
				case 4:
					theme, err := themes.New(pick(names), random.IntN(2) == 0, random.IntN(2) == 0)
					if err != nil {
						t.Fatal(err)
					}
					set := Settings{Theme: theme, Keys: keymap.Default(), NoMouse: random.IntN(5) == 0, Images: pick([]string{"", "kitty", "sixel"}), Notify: Events}
					if random.IntN(2) == 0 {
						set.Columns = []string{"message:10", "status", "tool"}
						set.Filters = map[string]string{"mine": "is:failed", poison: poison}
						set.LogHide = []string{"tasks/list"}
					}
					did = append(did, "settings")
					s.take(changed{SettingsMsg{Settings: set, Note: "The configuration was read again."}})
				case 5, 6:
					srv := []*script{evil, lab}[random.IntN(2)]
					i := random.IntN(len(srv.tasks))
					switch random.IntN(4) {
					case 0:
						asks++
						srv.ask(task.PromptID(fmt.Sprint("p", asks)), srv.tasks[i].ID, poison)
					case 1:
						srv.events <- task.Withdrawn{Prompt: task.PromptID(fmt.Sprint("p", asks)), Why: task.Clean(poison)}
					default:
						one := srv.tasks[i]
						one.Status, one.Updated, one.Message = task.Status(1+random.IntN(5)), time.Now(), task.Clean(fmt.Sprint(step, poison))
						select {
						case <-srv.closed:
						default:
							if len(srv.events) < 900 {
								srv.push(one)
							}
						}
					}
					did = append(did, "event")
				case 7, 8, 9:
					b := []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown, tea.MouseButtonWheelLeft, tea.MouseButtonRight, tea.MouseButtonMiddle}[random.IntN(7)]
					a := []tea.MouseAction{tea.MouseActionPress, tea.MouseActionPress, tea.MouseActionMotion, tea.MouseActionRelease}[random.IntN(4)]
					m := tea.MouseMsg{X: random.IntN(s.r.width + 2), Y: random.IntN(s.r.height + 2), Button: b, Action: a}
					did = append(did, fmt.Sprint(m))
					s.take(m)
				default:
					k := pick(keys)
					did = append(did, k)
					s.take(anyKey(k))
				}
				if random.IntN(2) == 0 {
					s.settle()
				}
				if s.r.quitting {
					return // by the command line
				}
				s.fitsScreen()
				view := s.r.View()
				for line := range strings.SplitSeq(escapes.ReplaceAllString(view, ""), "\n") {
					for _, c := range line {
						if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
							t.Fatalf("the screen holds %U: %q", c, line)
						}
					}
				}
				s.r.viewOf, s.r.tasks.linesOf = viewKey{}, tableKey{}
				if fresh := s.r.View(); fresh != view {
					t.Fatalf("step %d: cached\n%s\nfresh\n%s", step, view, fresh)
				}
				for _, said := range append(s.notes, s.titles...) {
					for _, c := range said {
						if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
							t.Fatalf("told outside of the screen: %q", said)
						}
					}
				}
				s.notes, s.titles = nil, nil
				if t.Failed() {
					return
				}
			}
			s.settle()
		})
		if t.Failed() {
			return
		}
	}
}
