package ui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// saving has a server with a result of that content, whose task has that id, and
// saves it.
func saving(t *testing.T, id task.ID, content []task.Content, f func(s *stage, dir string)) {
	t.Helper()
	onOps(t, 200, 30, func(s *stage, srv *script) {
		srv.results[id] = task.Result{Content: content, Raw: []byte(`{"content":[]}`)}
		done := srv.tasks[3]
		done.ID = id
		srv.push(done)
		s.settle()
		s.goTo(id)
		s.press("w")
		f(s, s.r.o.SaveDir)
	})
}

var (
	picture = task.Content{Kind: task.ImageContent, MIME: "image/png", Base64: base64.StdEncoding.EncodeToString([]byte("\x89PNG"))}
	spoken  = task.Content{Kind: task.TextContent, Text: "hello"}
	table   = task.Content{Kind: task.EmbeddedResource, MIME: "text/csv", URI: "file:///../../etc/cron.d/evil", Name: "../../CON", Text: "a,b"}
	blob    = task.Content{Kind: task.EmbeddedResource, MIME: "application/x-evil; name=../x.sh", URI: "file:///-rf", Base64: "AQID"}
	linked  = task.Content{Kind: task.ResourceLink, URI: "https://example.com/x"}
)

func TestEachPartOfAResultIsSaved(t *testing.T) {
	saving(t, "done", []task.Content{spoken, picture, table, blob, linked}, func(s *stage, dir string) {
		at := filepath.Join(dir, "callboard-done-result")
		s.shows("Saved ", "in 5 files to", "callboard-done-result")
		for name, want := range map[string]string{
			"result.json": `{"content":[]}`, "1-text.txt": "hello", "2-image.png": "\x89PNG", "3-resource.csv": "a,b", "4-resource.bin": "\x01\x02\x03",
		} {
			got, err := os.ReadFile(filepath.Join(at, name))
			if err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			if info, err := os.Stat(filepath.Join(at, name)); err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: mode %s", name, info.Mode())
			}
		}
		if info, err := os.Stat(at); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("the folder: %v, %v", info, err)
		}
		if len(s.copies) != 1 || s.copies[0] != at {
			t.Errorf("copied %q", s.copies)
		}
		s.press("w")
		s.shows("callboard-done-result-2")
	})
}

// Names are callboard's own, whatever the server calls its task.
func TestNoServerNamesAFile(t *testing.T) {
	fine := regexp.MustCompile(`^callboard-[a-zA-Z0-9_-]+-image(-2)?\.png$`)
	for _, id := range []task.ID{
		"../../etc/passwd", "..", "CON", "nul.txt", "-rf", ".hidden", "trailing...", "a b", "\x00\x1b[31m", "c:\\x", "日本語",
		task.ID(strings.Repeat("long", 200)), "lpt1", "a/../b", "~", "$HOME", "x\u202egnp.exe",
	} {
		saving(t, id, []task.Content{picture}, func(s *stage, dir string) {
			s.shows("Saved 4 B to")
			all, err := os.ReadDir(dir)
			if err != nil || len(all) != 1 || !fine.MatchString(all[0].Name()) || len(all[0].Name()) > 80 {
				t.Errorf("%q: %v, %v", id, all, err)
			}
		})
	}
}

func TestNothingIsOverwrittenNorFollowed(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	if err := os.Symlink(mine, filepath.Join(dir, "x.txt")); err != nil {
		t.Skip(err)
	}
	path, err := writeNew(filepath.Join(dir, "x.txt"), []byte("new"))
	if err != nil || path != filepath.Join(dir, "x-2.txt") {
		t.Errorf("%s, %v", path, err)
	}
	if _, err := os.Stat(mine); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was written through a link: %v", err)
	}
}

func TestWhyNothingWasSaved(t *testing.T) {
	saving(t, "done", []task.Content{picture}, func(s *stage, dir string) {
		s.r.o.SaveDir = filepath.Join(dir, "nowhere")
		s.press("w")
		s.shows("Not saved: ", "nowhere: no such file or directory. Results are saved into the folder", "start it in another")
	})
	for errno, want := range map[error]string{
		syscall.EROFS: "/data: read-only file system. Results are saved", syscall.ENOSPC: "/data: no space left on device. Nothing was left behind",
		syscall.EACCES: "start it in another", syscall.EIO: "input/output error",
	} {
		err := fmt.Errorf("around: %w", &fs.PathError{Op: "open", Path: "/data/callboard-x-result.txt", Err: errno})
		if got := unsaved(err); !strings.Contains(got, want) {
			t.Errorf("%v: %q", errno, got)
		}
	}
}

// A result may be long: its files, and the text for the clipboard and for a pager,
// are made in a command, so that no key waits for them.
func TestNoKeyMakesAFileOfAResult(t *testing.T) {
	long := task.Content{Kind: task.ImageContent, MIME: "image/png", Base64: strings.Repeat("/wAA", 4<<20)}
	saving(t, "done", []task.Content{long}, func(s *stage, _ string) {
		read := func(string, string, func(error) tea.Msg) tea.Cmd {
			t.Error("it is read as text")
			return tea.ClearScreen
		}
		s.r.o.Viewer, s.r.o.Pager = read, read
		s.press("enter")
		for key, words := range map[string]string{
			"w": "Saved 12.0 MiB to", "y": "The result is no text: w saves it.", "e": "The result is no text: w saves it.", "o": "The result is no text: w saves it.",
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, cmd := s.r.Update(keyMsg(key))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
				t.Errorf("%s: the key itself takes %d bytes of memory", key, took)
			}
			s.run(cmd)
			s.settle()
			s.shows(words)
		}
	})
}
