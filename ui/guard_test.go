package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// onProd plays with a guarded server.
func onProd(t *testing.T, w, h int, f func(*stage, *script)) {
	t.Helper()
	onGuarded(t, w, h, task.CanYes, f)
}

func onGuarded(t *testing.T, w, h int, cancel task.Can, f func(*stage, *script)) {
	t.Helper()
	var srv *script
	play(t, w, h, func() map[string]*script {
		srv = opsServer()
		srv.about.Cancel = cancel
		srv.tools = []task.Tool{{Name: "deploy", Title: task.Own("deploy")}}
		srv.guard = "prod"
		return map[string]*script{"ops": srv}
	}, func(s *stage) { f(s, srv) })
}

// written is how much was written to a server.
func (s *script) written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.cancels) + len(s.calls) + len(s.replies)
}

// Each way to write to a guarded server wants its name: without it nothing is
// written, with it what was wanted.
func TestAGuardIsNotGotAround(t *testing.T) {
	ask := func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
	}
	for name, c := range map[string]struct {
		before func(*stage, *script)
		keys   []string
	}{
		"cancel":            {nil, []string{"c", "y"}},
		"cancel by command": {nil, []string{":", "task.cancel", "enter", "y"}},
		"cancel by force":   {nil, []string{"g", ":", "force", "enter", "c", "y"}},
		"answer":            {ask, []string{"a", "because", "ctrl+s"}},
		"decline":           {ask, []string{"a", "ctrl+o", "d"}},
		"dismiss":           {ask, []string{"a", "ctrl+o", "c"}},
		"hold": {func(s *stage, srv *script) {
			ask(s, srv)
			srv.ask("p2", srv.tasks[0].ID, "And why?")
			s.settle()
		}, []string{"a", "because", "ctrl+t"}},
		"start": {nil, []string{"n", "enter", "ctrl+s"}},
		"sampling": {func(s *stage, srv *script) {
			srv.samples("p1", srv.tasks[0].ID, "Say it in a word")
			s.settle()
		}, []string{"a", "word", "ctrl+s"}},
		"visit": {func(s *stage, srv *script) {
			srv.events <- task.Prompted{Prompt: task.Prompt{
				ID: "u1", Task: srv.tasks[0].ID, At: time.Now(), Mode: task.URLMode, Message: task.Own("Sign here"), URL: "https://sign.example.com/x",
			}}
			s.settle()
		}, []string{"a", "o"}},
		"copy of an address": {func(s *stage, srv *script) {
			srv.events <- task.Prompted{Prompt: task.Prompt{
				ID: "u1", Task: srv.tasks[0].ID, At: time.Now(), Mode: task.URLMode, Message: task.Own("Sign here"), URL: "https://sign.example.com/x",
			}}
			s.settle()
		}, []string{"a", "y"}},
		"run again": {func(s *stage, srv *script) {
			s.run(s.r.start("ops", task.Call{Tool: "deploy", Args: json.RawMessage(`{}`)}))
			s.press("ops", "enter")
			srv.mu.Lock()
			srv.calls = nil
			srv.mu.Unlock()
		}, []string{"X", "y"}},
		"retry": {func(s *stage, srv *script) {
			srv.fail = errors.New("no")
			s.press("c", "y", "ops", "enter")
			srv.mu.Lock()
			srv.fail, srv.cancels = nil, nil
			srv.mu.Unlock()
			s.settle()
		}, []string{"R"}},
		"many":            {nil, []string{"g", "space", "space", "c", "y"}},
		"many by command": {nil, []string{"g", "space", "space", ":", "task.cancel", "enter", "y"}},
		"retry of many": {func(s *stage, srv *script) {
			srv.fail = errors.New("no")
			s.press("g", "space", "space", "c", "y", "ops", "enter")
			srv.mu.Lock()
			srv.fail, srv.cancels = nil, nil
			srv.mu.Unlock()
			s.settle()
		}, []string{"b", "R"}},
	} {
		t.Run(name, func(t *testing.T) {
			can := task.CanYes
			if strings.Contains(name, "force") {
				can = task.CanNo
			}
			onGuarded(t, 100, 30, can, func(s *stage, srv *script) {
				if c.before != nil {
					c.before(s, srv)
				}
				s.press(c.keys...)
				if _, ok := s.r.over.(*guardOverlay); !ok {
					t.Fatalf("no guard:\n%s", s.see())
				}
				s.shows("PROD ops is guarded")
				s.press("enter", "prod", "enter")
				s.shows("prod is not its name")
				if n := srv.written(); n != 0 {
					t.Fatalf("%d writes without the name", n)
				}
				s.press("esc")
				if len(s.pages)+len(s.copies) > 0 {
					t.Fatal("the address went out without the name")
				}
				s.wait(time.Minute)
				if n := srv.written(); n != 0 {
					t.Fatalf("%d writes after esc", n)
				}
			})
			onGuarded(t, 100, 30, can, func(s *stage, srv *script) {
				if c.before != nil {
					c.before(s, srv)
				}
				s.press(c.keys...)
				s.press("ops", "enter")
				s.wait(time.Second)
				if srv.written() == 0 && name != "hold" {
					t.Errorf("nothing was written after the name:\n%s", s.see())
				}
				if _, ok := s.r.over.(*guardOverlay); ok {
					t.Errorf("the guard stays:\n%s", s.see())
				}
			})
		})
	}
}

// What is written goes through the guard, whoever adds it.
func TestAllWritesGoThroughTheGuard(t *testing.T) {
	writes := []string{"AnswerMsg", "OpenedMsg", "CancelMsg", "StartMsg", "RetryMsg", "CancelManyMsg", "RetryBulkMsg"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var inside []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "guarded" {
					inside = append(inside, call.Args[2])
				}
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			sel, ok := lit.Type.(*ast.SelectorExpr)
			if !ok || !slices.Contains(writes, sel.Sel.Name) {
				return true
			}
			found[sel.Sel.Name]++
			if !slices.ContainsFunc(inside, func(g ast.Node) bool { return g.Pos() <= n.Pos() && n.End() <= g.End() }) {
				t.Errorf("%s: model.%s is sent beside the guard", fset.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
	for _, w := range writes {
		if found[w] == 0 {
			t.Errorf("model.%s is sent nowhere: is it named otherwise?", w)
		}
	}
}

func TestAGuardIsShown(t *testing.T) {
	onProd(t, 120, 40, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.shows("PROD ops · https")
		s.press("g", "c")
		s.shows("on PROD ops")
		s.press("n", "i")
		s.shows("PROD ops · task")
		s.press("a")
		s.shows("PROD ops asks")
	})
}

// What was typed into a form is there when the guard is left, and a question that
// was withdrawn meanwhile is not answered.
func TestAGuardLeadsBackToTheForm(t *testing.T) {
	onProd(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "ctrl+s", "esc")
		s.shows("because", "Nothing was sent")
		s.press("ctrl+s")
		srv.events <- task.Withdrawn{Prompt: "p1", Why: task.Own("nobody waits")}
		s.settle()
		s.press("ops", "enter")
		if srv.written() != 0 {
			t.Error("a question that was withdrawn is answered")
		}
		s.shows("can no longer be answered")
	})
}

// Where several servers are written to, each guarded one is named; pasting is
// typing.
func TestEachGuardedServerIsNamed(t *testing.T) {
	srvs := map[string]*script{}
	play(t, 100, 30, func() map[string]*script {
		for _, name := range []string{"ops", "lab", "dev"} {
			srvs[name] = opsServer()
		}
		srvs["ops"].guard, srvs["lab"].guard = "prod", "live"
		return srvs
	}, func(s *stage) {
		s.shows("PROD ops LIVE lab")
		s.press("*", "c")
		s.shows("PROD ops", "LIVE lab")
		s.press("y")
		s.shows("1 of 2: PROD ops is guarded")
		paste := keyMsg("ops")
		paste.Paste = true
		s.send(paste)
		s.press("enter")
		s.shows("2 of 2: LIVE lab is guarded")
		total := 0
		for _, srv := range srvs {
			total += srv.written()
		}
		if total != 0 {
			t.Errorf("%d writes after one name of two", total)
		}
		s.press("lab", "enter")
		s.wait(time.Second)
		for name, srv := range srvs {
			if srv.written() == 0 {
				t.Errorf("nothing was written to %s", name)
			}
		}
	})
}

func TestGoldenGuard(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 12}} {
		onProd(t, size[0], size[1], func(s *stage, _ *script) {
			s.press("g", "c", "y", "lab", "enter")
			s.golden(fmt.Sprintf("guard-%dx%d", size[0], size[1]))
		})
	}
}
