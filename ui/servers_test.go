package ui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/x/ansi"
)

func TestTwelveServers(t *testing.T) {
	play(t, 80, 24, func() map[string]*script {
		all := map[string]*script{}
		for i := range 12 {
			s := opsServer()
			if i == 7 { // the fifth: they stand in the reverse order
				s.fail = &task.Error{
					Kind: task.Unreachable, Message: task.Own("the connection was refused"), Tried: task.Own("POST initialize"),
				}
			}
			all[fmt.Sprintf("host-%02d.example", i)] = s
		}
		return all
	}, func(s *stage) {
		s.press("s")
		s.golden("servers-twelve-80x24")
		s.press("j", "j", "j", "j", "enter")
		s.shows("retry in", "came back", "the connection was refused", "enter fold")
		s.golden("servers-unfolded-80x24")
		s.press("G")
		s.shows("▌ ◑ quiet       host-00")
		s.press("enter")
		s.shows("▌ ◑ quiet       host-00", "session")
		s.press("g")
		s.shows("▌ ◑ quiet       host-11")
		for _, size := range [][2]int{{40, 10}, {60, 12}, {200, 50}, {1, 1}} {
			s.size(size[0], size[1])
			s.fitsScreen()
		}
	})
}

func TestTheListOfServersSaysWhichAreReadOnly(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		l := model.LinkView{State: model.Live, Pushed: true, About: task.About{ReadOnly: true}}
		if got := ansi.Strip(linkNote(s.r.scene(), &l)); got != "pushed, read only" {
			t.Error(got)
		}
	})
}

func TestConnectAndDisconnect(t *testing.T) {
	play(t, 100, 30, func() map[string]*script { return map[string]*script{"ops": opsServer()} }, func(s *stage) {
		other := opsServer()
		s.press("s", "o")
		s.shows("not possible here")
		s.r.o.Connect = func(word string) (model.Target, error) {
			if word == "nonsense" {
				return model.Target{}, errors.New("\"nonsense\" is neither a URL nor a server of the configuration")
			}
			return model.Target{Name: "lab", URL: "http://lab/" + word, Endpoint: other, Guard: "prod"}, nil
		}
		s.press("o")
		s.press("nonsense", "enter")
		s.shows("Not connected", "neither a URL")
		s.press("o")
		s.press("mcp", "enter")
		s.wait(time.Second)
		s.shows("Servers 2", "▌ ◑ quiet       PROD lab ")
		s.press("enter")
		s.shows("guard     prod: the name is to be typed")
		s.press("o")
		s.press("mcp", "enter")
		s.shows("attached to already")
		s.press("r")
		s.shows("Asking lab now")
		s.press("d")
		s.shows("Disconnect lab?", "nothing is cancelled")
		s.press("n")
		s.shows("Servers 2")
		s.press("d", "y")
		s.wait(time.Second)
		s.shows("Servers 1", "Disconnected from lab. The session is left open")
		s.press(":")
		s.press("disconnect ops", "enter")
		s.wait(time.Second)
		s.shows("Servers 0", "No server is attached to.", "o attaches")
		s.press("d")
		s.shows("No server is attached to")
		s.press("esc")
		s.shows("No server is attached to.", ":connect URL")
		s.press(":")
		s.press("disconnect lab", "enter")
		s.shows("There is no server named lab")
	})
}

func TestDisconnectingAsksWhereSomethingTypedIsLost(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve rollout to production?")
		s.wait(time.Second)
		s.press("a")
		s.m.SaveDraft("p1", model.Draft{"x": "typed"})
		s.press("esc", ":")
		s.press("disconnect ops", "enter")
		s.shows("Disconnect ops?", "1 form holds something that was typed and not sent")
		s.press("y")
		s.wait(time.Second)
		if s.m.Ask("p1") != nil || len(s.m.Links()) != 0 {
			t.Error("it is still there")
		}
	})
}

// A form that is open on a question of a server that goes says so.
func TestAFormOfAServerThatWent(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve rollout to production?")
		s.wait(time.Second)
		s.press("a")
		s.send(model.DisconnectMsg{Name: "ops"})
		s.wait(time.Second)
		s.shows("The prompt is no longer here")
		s.press("ctrl+s", "ctrl+o", "esc", "esc", "i", "esc", "tab", "c", "a", "X", "y", "R", "enter", "w")
		s.fitsScreen()
	})
}

// Two servers of the configuration may share an address, since each has credentials
// of its own; what is typed as a URL is the server that is there.
func TestOneAddressUnderTwoNames(t *testing.T) {
	play(t, 100, 30, func() map[string]*script { return map[string]*script{"ops": opsServer()} }, func(s *stage) {
		other := opsServer()
		s.r.o.Servers = func() []string { return []string{"ops", "bob"} }
		s.r.o.Connect = func(word string) (model.Target, error) {
			return model.Target{Name: word, URL: "https://ops.example.com/mcp", Endpoint: other}, nil
		}
		s.press(":", "connect ops.example.com", "enter")
		s.shows("https://ops.example.com/mcp is attached to already, as ops.")
		s.press(":", "connect bob", "enter")
		s.press("s")
		s.shows("Servers 2", "bob")
	})
}
