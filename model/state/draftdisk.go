package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"callboard/model/task"
)

// look notices what other processes wrote; it waits for nobody.
func (d *drafts) look() {
	select {
	case d.turn <- struct{}{}:
	default:
		return // whoever has the turn looks as well
	}
	defer func() { <-d.turn }()
	dir := d.path()
	if dir == "" || !d.read || d.done {
		return
	}
	now := stat(dir)
	// The times of a file system are coarse: what was changed just before it was
	// listed may have been changed again since.
	if !differs(d.seen, now) && (now == nil || d.at.Sub(now.ModTime()) > 2*time.Second) {
		return
	}
	if now == nil {
		d.forget()
		return
	}
	_ = d.list(dir, false) // who wants to write is told
}

// forget takes in that there is no folder.
func (d *drafts) forget() {
	changed := len(d.files) > 0
	d.files, d.seen, d.read = map[string]draftFile{}, nil, true
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = map[draftKey]task.KeptDraft{}
	if changed {
		poke(d.m.news)
	}
}

// list reads what changed in the folder. What has had its time is removed, and
// what is damaged set aside, where we may.
func (d *drafts) list(dir string, mayWrite bool) error {
	now := d.m.folder.now()
	info := stat(dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	changed := false
	here := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, draftExtension) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it is gone
		}
		here[name] = true
		if old, ok := d.files[name]; ok && !differs(old.info, info) {
			if mayWrite && old.err == nil && old.draft.over(now) {
				d.remove(dir, name)
			}
			continue
		}
		changed = d.takeIn(dir, name, info, mayWrite) || changed
	}
	for name, f := range d.files {
		if !here[name] {
			delete(d.files, name)
			d.unkeep(keyOf(&f.draft.KeptDraft))
			changed = true
		}
	}
	if changed && d.read {
		poke(d.m.news)
	}
	d.seen, d.at, d.read = info, now, true
	return nil
}

// takeIn reads one file, and reports whether what is known changed.
func (d *drafts) takeIn(dir, name string, info fs.FileInfo, mayWrite bool) bool {
	path := filepath.Join(dir, name)
	read, err := readDraft(path, info, d.m.salt())
	var newer errNewer
	switch {
	case err == nil:
	case errors.Is(err, errDamaged):
		if mayWrite {
			if aside, err := setAside(path, d.m.folder.now()); err == nil {
				d.m.note(fmt.Errorf("something that was typed and not sent could not be read: its file was damaged, and is set aside as %s", aside))
			}
		}
		delete(d.files, name)
		return false
	case os.IsNotExist(err):
		return false
	case errors.As(err, &newer):
		d.files[name] = draftFile{info: info, err: err}
		return false
	default:
		d.m.note(fmt.Errorf("something that was typed and not sent cannot be read: %s (%s)", path, cause(err)))
		d.files[name] = draftFile{info: info, err: err}
		return false
	}
	d.keep(name, info, read)
	if read.over(d.m.folder.now()) && mayWrite {
		d.remove(dir, name)
	}
	return true
}

// keep takes in what a file holds.
func (d *drafts) keep(name string, info fs.FileInfo, read draft) {
	kept := read.KeptDraft
	read.Fields = nil
	d.files[name] = draftFile{info: info, draft: read, size: draftSize(&kept)}
	if read.dropped || draftSize(&kept) > maxDraft {
		d.unkeep(keyOf(&kept))
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[keyOf(&kept)] = kept
}

func (d *drafts) unkeep(key draftKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.kept, key)
}

func (d *drafts) remove(dir, name string) {
	_ = os.Remove(filepath.Join(dir, name)) // one that stays is over, and tried again
	f := d.files[name]
	d.unkeep(keyOf(&f.draft.KeptDraft))
	delete(d.files, name)
}

// apply makes one change, beside what other processes wrote: the newest draft
// holds, and one that was dropped comes back only by a newer key press, or by
// the Memory that dropped it.
func (d *drafts) apply(dir string, key draftKey, c draftChange) error {
	name := key.file(d.m.salt())
	old, exists := d.files[name]
	now := d.m.folder.now()
	theirs := exists && old.err == nil && old.draft.by != d.m.by && !old.draft.At.After(now.Add(draftAhead))
	switch {
	case c.drop && (!exists || old.err != nil || old.draft.dropped):
		return nil
	case c.drop && theirs && old.draft.At.After(c.At):
		return nil
	case c.drop:
		return d.drop(dir, name, c)
	case old.err != nil, !fits(&c.KeptDraft):
		d.mu.Lock()
		defer d.mu.Unlock()
		d.unfit[key] = c
		return nil
	case theirs && (old.draft.At.After(c.At) || old.draft.dropped && !c.At.After(old.draft.At)):
		return nil
	}
	return d.put(dir, name, draft{KeptDraft: c.KeptDraft, by: d.m.by, url: d.m.url})
}

func (d *drafts) put(dir, name string, is draft) error {
	content, err := is.encode()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	if err := d.m.folder.replace(path, content); err != nil {
		return err
	}
	d.keep(name, stat(path), is)
	return nil
}

// drop leaves of a draft that it was dropped; where there is no room even for
// that it is removed all the same.
func (d *drafts) drop(dir, name string, c draftChange) error {
	err := d.put(dir, name, draft{KeptDraft: c.KeptDraft, dropped: true, by: d.m.by, url: d.m.url})
	if err != nil && os.Remove(filepath.Join(dir, name)) == nil {
		d.unkeep(keyOf(&c.KeptDraft))
		delete(d.files, name)
		return nil
	}
	return err
}

// limit removes what is too much, the oldest first.
func (d *drafts) limit(dir string) {
	var typed, drops []string
	size := 0
	for name, f := range d.files {
		switch {
		case f.err != nil:
		case f.draft.dropped:
			drops = append(drops, name)
		default:
			typed = append(typed, name)
			size += f.size
		}
	}
	older := func(a, b string) int {
		return d.files[a].draft.At.Compare(d.files[b].draft.At)
	}
	slices.SortFunc(typed, older)
	slices.SortFunc(drops, older)
	for len(typed) > maxDrafts || size > maxDraftsSize {
		size -= d.files[typed[0]].size
		d.remove(dir, typed[0])
		typed = typed[1:]
	}
	for len(drops) > maxDropTraces {
		d.remove(dir, drops[0])
		drops = drops[1:]
	}
}
