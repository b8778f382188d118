package form

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"
	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

const evil = "\x1b[2J\x1b]0;owned\x07a\u202eb\u200b\r\n╚═══╝\t日本👩‍👩‍👧‍👦e\u0301\u0301\u0301\u0301\u0301\u0301\x9b31m"

// hostileForm has nothing but what a server would write to get at the screen.
func hostileForm() Spec {
	long := task.Clean(strings.Repeat(evil, 8))
	value, _ := json.Marshal(evil)
	form := task.Form{Warnings: []task.Text{long}}
	for kind := task.StringField; kind <= task.JSONField; kind++ {
		for _, name := range []string{evil, "x"} {
			form.Fields = append(form.Fields, field(name+string(rune('a'+kind)), kind, func(f *task.Field) {
				f.Label, f.Description, f.Pattern, f.Format, f.Minimum = long, long, evil, evil, "1"
				f.Choices = []task.Choice{{Value: value, Label: long}, {Value: json.RawMessage("1"), Label: task.Text{}}}
				f.Default = value
			}))
		}
	}
	s := question(form)
	s.Name, s.Tool, s.Task, s.Message = long, long, long, long
	s.Warn = []string{"our own words"}
	return s
}

// hostileConversation has nothing but such text either.
func hostileConversation() Spec {
	long := task.Clean(strings.Repeat(evil, 8))
	s := conversation()
	s.Name, s.Tool, s.Task, s.Message = long, long, long, long
	s.ServerURL, s.NoRefusal, s.Ends = evil, "our own words", start.Add(30e9)
	c := s.Sampling
	c.System, c.Context, c.Temperature = long, long, evil
	c.Hints, c.Stop = []task.Text{long, long}, []task.Text{long}
	for kind := task.OtherContent; kind <= task.EmbeddedResource; kind++ {
		c.Messages = append(c.Messages, task.SamplingMessage{Role: long, Content: []task.Content{
			{Kind: kind, Text: strings.Repeat(evil, 100), MIME: evil, URI: evil, Name: evil, Title: evil, Description: evil, Size: -1, Raw: []byte(evil)},
		}})
	}
	return s
}

func sizes() [][2]int {
	return [][2]int{{0, 0}, {1, 1}, {7, 2}, {8, 3}, {12, 5}, {40, 10}, {80, 24}, {200, 60}}
}

func TestHostileFormStaysInItsFrame(t *testing.T) {
	specs := []Spec{hostileForm(), visit(evil), visit("https://" + strings.Repeat("日本", 300) + "/" + strings.Repeat("x", 2000))}
	asCall := hostileForm()
	asCall.Kind, asCall.Support = Call, task.Optional
	secretly := asksForASecret()
	secretly.Message, secretly.Draft = task.Clean(evil), model.Draft{"password": evil, "pin": evil, "user": evil}
	for _, spec := range append(specs, asCall, hostileConversation(), secretly) {
		f := open(t, spec)
		for i := range max(len(f.rows), 1) + 2 {
			for j := range 3 {
				size := sizes()[1+(i+3*j)%(len(sizes())-1)]
				w, h := size[0], size[1]
				view := look(t, f, w, h)
				if strings.ContainsAny(view, "\x1b\u202e\u200b\u009b\r\x07") {
					t.Fatalf("raw text on the screen: %q", view)
				}
				// The frame's sides stand whole: no line of the server's is outside.
				if lines := strings.Split(view, "\n"); w >= 8 && h >= 3 {
					for _, l := range lines[1 : len(lines)-1] {
						if f.spec.Kind == Question && (!strings.HasPrefix(l, "║ ") || !strings.HasSuffix(l, " ║")) {
							t.Fatalf("%dx%d: a line out of its frame: %q", w, h, l)
						}
					}
				}
			}
			switch {
			case i == 0:
				press(f, "ctrl+o", "m", "pgdown")
			case i == len(f.rows):
				press(f, "ctrl+o", "v")
			case i > len(f.rows):
				press(f, "ctrl+o", "j")
			case i == 1:
				press(f, "esc")
			default:
				press(f, "x", "right", "tab")
			}
		}
	}
}

// FuzzKeys presses any keys on any kind of form at any size.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("abc\x01\x02\x03"), uint8(0))
	f.Add([]byte{3, 3, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}, uint8(1))
	f.Add([]byte{14, 'j', 'x', 3, 14, 'j', 15, 14, 'e'}, uint8(2))
	f.Add([]byte{'a', 202, 'b', 203, 14, 'u', 24, 25, 202, 203, 14, 'v', 17, 3}, uint8(5))
	f.Add([]byte{0, 's', 14, 'r', 14, 'j', 202, 14, 'r', 203, 14, 'n', 24}, uint8(6))
	f.Add([]byte{'+', '2', 'h', 0, 14, 'v', 8, 14, 'm', 203}, uint8(7))
	f.Fuzz(func(t *testing.T, keys []byte, kind uint8) {
		keys = keys[:min(len(keys), 40)] // each draws a whole form
		now := start
		specs := []Spec{
			question(everyField()), call(task.Optional), visit("https://example.com/"), hostileForm(), question(task.Form{}),
			hostileConversation(), asksForASecret(), calendar(&now), manyFields(),
		}
		fm := New(uitest.Mono(t, kind%2 == 0), keymap.Default(), specs[int(kind)%len(specs)])
		types := []tea.KeyType{
			tea.KeyTab, tea.KeyShiftTab, tea.KeyEnter, tea.KeyEsc, tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight,
			tea.KeyCtrlS, tea.KeyCtrlO, tea.KeyCtrlX, tea.KeyPgUp, tea.KeyPgDown, tea.KeyBackspace, tea.KeyDelete,
			tea.KeyCtrlK, tea.KeyCtrlU, tea.KeyCtrlW, tea.KeyHome, tea.KeyEnd, tea.KeyCtrlHome, tea.KeyCtrlT,
			tea.KeyCtrlN, tea.KeyCtrlP, tea.KeyCtrlG, tea.KeyCtrlR,
		}
		for i, k := range keys {
			msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{rune(k)}, Alt: k > 250, Paste: k > 245}
			switch {
			case int(k) < len(types):
				msg = tea.KeyMsg{Type: types[k]}
			case k == ' ':
				msg = tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
			case k > 240:
				msg.Runes = []rune(evil)
			case k == 200:
				fm.SetState(State{Phase: Phase(i % 8), Why: "why"})
				fm.SetPlace(Place{Number: 1, Of: i % 3, Others: i % 2})
				continue
			case k == 201:
				fm.Edited(evil)
				continue
			case k == 202:
				fm.SetSample(i%2 == 0, start, evil)
				continue
			case k == 203:
				fm.SetDraft([]model.Draft{{"text": evil, "name": task.TypedNull}, {"": evil}, {"password": evil, "at": "+2h"}}[i%3])
				continue
			}
			e, _ := fm.Update(msg)
			if (e.Kind == Submit || e.Kind == Hold || e.Kind == Start) && !json.Valid(e.Content) {
				t.Fatalf("sent %q", e.Content)
			}
			size := sizes()[(i+int(k))%len(sizes())]
			view := fm.View(size[0], size[1])
			for _, l := range strings.Split(view, "\n") {
				if render.Width(l) != size[0] {
					t.Fatalf("a line of %d cells at %v: %q", render.Width(l), size, ansi.Strip(l))
				}
			}
		}
		_ = fm.Draft()
	})
}

func BenchmarkKeyInLongText(b *testing.B) {
	spec := question(everyField())
	spec.Draft = model.Draft{"notes": strings.Repeat("0123456 ", 1000), "name": "Ada"}
	spec.Message = task.CleanMax(strings.Repeat("many words ", 400), 4096)
	f := open(b, spec)
	f.move(8)
	for b.Loop() {
		press(f, "x", "backspace", "up")
		f.View(120, 40)
	}
}
