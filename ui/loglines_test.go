package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// longLog has two servers with 3,000 messages each, the first of them long ago.
func longLog(t *testing.T, f func(*stage, map[string]*script)) {
	t.Helper()
	var servers map[string]*script
	play(t, 120, 24, func() map[string]*script {
		servers = map[string]*script{"ops": opsServer(), "lab": opsServer()}
		for name, srv := range servers {
			srv.frames = nil
			for i := range 3000 {
				f := task.Frame{Seq: uint64(i + 1), At: time.Now().Add(time.Duration(i-3000) * time.Second), Dir: task.In, Method: "m",
					Body: fmt.Sprintf(`{"params":"%s %d"}`, name, i)}
				if i == 1500 {
					f.Method, f.Body = "needle", `{"params":"needle of `+name+`"}`
				}
				if i%2 == 1 {
					f.Method = "odd"
				}
				srv.frames = append(srv.frames, f)
			}
		}
		return servers
	}, func(s *stage) { f(s, servers) })
}

// A key takes in the newest lines of a long log; those before them come after it,
// and what is in sight stays.
func TestALongLogIsReadAfterTheKey(t *testing.T) {
	longLog(t, func(s *stage, _ map[string]*script) {
		s.press("l")
		before := s.see()
		s.take(keyMsg("k"))
		p := s.r.log
		if n := len(p.lines.all); n != firstLines || !p.lines.unread {
			t.Errorf("%d lines are read by the key", n)
		}
		at := p.lines.all[p.win.cursor]
		s.settle()
		if n := len(p.lines.all); n != maxShownFrames || p.lines.unread || p.lines.all[p.win.cursor] != at {
			t.Errorf("%d lines are read, the cursor is at %d", n, p.win.cursor)
		}
		s.shows("3999 of 4000 lines")
		if line := strings.Split(before, "\n")[5]; !strings.Contains(s.see(), strings.TrimLeft(line, "│ ▌")[:60]) {
			t.Errorf("what was in sight is not:\n%s\n%s", before, s.see())
		}
		for i, e := range p.lines.all[1:] {
			if e.At.Before(p.lines.all[i].At) {
				t.Fatalf("line %d is older than the one before it", i+1)
			}
		}
		s.press("g")
		s.shows("1 of 4000 lines", `"lab 1000"`)
		s.press("G") // nothing is held any more
		s.take(keyMsg("k"))
		s.take(keyMsg("G"))
		s.settle() // what was read meanwhile is nobody's
		s.shows("following")
		if n := len(p.lines.all); n != 0 {
			t.Errorf("%d lines are held", n)
		}
	})
}

// What is looked for is found in the lines that come after the key, too.
func TestALongLogIsSearchedAsItIsRead(t *testing.T) {
	longLog(t, func(s *stage, _ map[string]*script) {
		s.press("l", "/")
		s.take(keyMsg("needle of"))
		s.shows("searching")
		s.settle()
		s.shows("2 of 2", "needle of lab")
		s.press("enter", "ctrl+p", "k", "H") // another method is hidden: what is left is searched anew
		s.shows("2 matches", "1 method hidden, 2000 lines")
	})
}

// More than a message can take in begins the log anew, and no line of it is lost.
func TestALogThatRanOnIsReadAnew(t *testing.T) {
	longLog(t, func(s *stage, servers map[string]*script) {
		s.press("l", "k", "H", "G", "l")
		srv := servers["ops"]
		srv.mu.Lock()
		for range newLines + 100 {
			f := srv.frames[len(srv.frames)-2]
			f.Seq, f.At, f.Method = f.Seq+2, time.Now(), "m"
			srv.frames = append(srv.frames, f)
			srv.frames[len(srv.frames)-1].Seq = uint64(len(srv.frames))
		}
		srv.mu.Unlock()
		s.press("l")
		p := &s.r.log.lines
		if n := len(p.all); n != maxShownFrames || p.all[n-newLines-100].Server != "ops" || p.all[n-newLines-100].Seq != 3001 {
			t.Errorf("%d lines are read", n)
		}
	})
}

// What is saved is all to which one can scroll, read already or not.
func TestALongLogIsExportedWhole(t *testing.T) {
	longLog(t, func(s *stage, _ map[string]*script) {
		s.press("l", "w")
		s.shows("Saved 4000 lines")
		s.take(keyMsg("H"))
		s.take(keyMsg("w")) // the rest is not read yet
		s.settle()
		s.shows("Saved 2000 lines")
		paths, _ := filepath.Glob(filepath.Join(s.r.o.SaveDir, "*.jsonl"))
		for i, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil || strings.Count(string(data), "\n") != 2000*(i+1) || strings.Contains(string(data), "ops 2999") != (i == 1) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
}
