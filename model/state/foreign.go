package state

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"callboard/model/task"
)

const (
	maxAccounts = 20          // of one server that are looked at, the last used ones
	lookAround  = time.Minute // between looks, where nobody asks anew
)

// foreign is what other accounts keep of the same server.
type foreign struct {
	at      time.Time
	handles []task.Handle
	era     task.Era
}

// lookAround reads the files of other accounts. One that cannot be read says
// nothing: it is not ours to set aside.
func (m *Memory) lookAround(fresh bool, now time.Time) {
	path := m.path()
	if path == "" || !fresh && now.Sub(m.others.at) < lookAround {
		return
	}
	m.others = foreign{at: now}
	type file struct {
		path string
		info os.FileInfo
	}
	var files []file
	entries, _ := os.ReadDir(m.folder.servers()) // none: nothing foreign
	for _, e := range entries {
		each := filepath.Join(m.folder.servers(), e.Name())
		if strings.HasPrefix(e.Name(), m.prefix()) && strings.HasSuffix(e.Name(), ".json") && each != path {
			if info := stat(each); info != nil {
				files = append(files, file{each, info})
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), cmp.Compare(a.path, b.path))
	})
	known := map[task.ID]bool{}
	for _, each := range files[:min(len(files), maxAccounts)] {
		d, err := readFile(each.path, each.info)
		if err != nil {
			continue
		}
		d.prune(now)
		if m.others.era == task.AnyEra {
			m.others.era = d.era
		}
		for id, h := range d.handles {
			if !known[id] {
				known[id] = true
				m.others.handles = append(m.others.handles, h.Handle)
			}
		}
	}
	slices.SortFunc(m.others.handles, func(a, b task.Handle) int {
		return cmp.Or(b.Seen.Compare(a.Seen), cmp.Compare(a.Task.ID, b.Task.ID))
	})
	m.others.handles = m.others.handles[:min(len(m.others.handles), maxForeign)]
}

// sortHandles puts the oldest first, as they were kept.
func sortHandles(hs []task.Handle) {
	slices.SortFunc(hs, func(a, b task.Handle) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Task.ID, b.Task.ID))
	})
}

func sortSent(s []task.Sent) {
	slices.SortFunc(s, func(a, b task.Sent) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Call, b.Call)) })
}
