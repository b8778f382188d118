package ui

import (
	"strings"
	"testing"

	"callboard/model/task"
)

// longResult is a result with a needle far down.
func longResult(srv *script) {
	text := strings.Repeat("hay and more hay\n", 60) + "a Needle in it\n" + strings.Repeat("hay\n", 60) + "another needle\n"
	srv.results["backup-2026-11-30-nightly"] = task.Result{
		Content: []task.Content{{Kind: task.TextContent, Text: text, Size: int64(len(text))}}, Raw: []byte(`{}`),
	}
}

func TestSearchInAResult(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		longResult(srv)
		s.goTo("backup-2026-11-30-nightly")
		s.press("enter", "ctrl+n")
		s.shows("Nothing is searched for")
		s.press("/", "n", "e", "e", "d")
		s.shows("a Needle in it", "1 of 2", " / need")
		s.press("ctrl+n")
		s.shows("another needle", "2 of 2")
		s.press("enter", "ctrl+p")
		s.shows("a Needle in it", "1 of 2", "w save")
		s.golden("search-80x24")
		s.press("esc")
		s.hides("1 of 2")
		s.shows("a Needle in it", "Result of") // the marks go first
		s.press("/", "z", "z")
		s.shows("no match")
		s.press("esc")
		s.shows("a Needle in it")
		s.hides("no match")
		s.press("/", "/", "(", "/")
		s.shows("Not a regular expression yet")
		s.press("esc", "/", "up")
		s.shows(" / need", "1 of 2")
	})
}

// A match in the detail is found though it was broken over two lines.
func TestSearchInTheDetail(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, srv *script) {
		s.press("tab", "/", "rollout to")
		s.shows("1 of ")
		if view := s.r.View(); !strings.Contains(view, "rollout\x1b[0m") && !strings.Contains(view, "rollout to\x1b[0m") {
			t.Errorf("not marked:\n%q", view)
		}
		s.press("esc")
		s.hides("1 of ")
	})
}

func TestSearchInTheHelpAndTheLog(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		s.press("?", "/", "no effect seen")
		s.shows("the server took it")
		s.hides("sampling")
		s.press("enter", "esc", "esc", "ctrl+n")
		s.shows("no text here that can be searched")
		s.press("l", "k", "enter", "/", "jsonrpc")
		s.shows("1 of 1")
	})
}
