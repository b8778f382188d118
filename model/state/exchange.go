package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"callboard/model/task"
)

// stale reports whether the file is another one than was read, or the Memory
// that used the session has ended.
func (m *Memory) stale(ctx context.Context) bool {
	if !m.take(ctx) {
		return false
	}
	defer func() { <-m.turn }()
	path := m.path()
	if path == "" || !m.read {
		return false
	}
	return differs(m.seen, stat(path)) || m.guest != "" && !m.writer().othersUse(m.last().sessions[m.guest])
}

// succeed claims the session whose user ended.
func (m *Memory) succeed(w writer, d *document) {
	if id, s, ok := d.newest(); m.guest != "" && ok && id == m.guest && !w.othersUse(s) {
		w.claim(d)
		m.guest = "" // even where that cannot be written
		poke(m.news)
	}
}

// last returns the document as it was read or written last.
func (m *Memory) last() document {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.doc
}

func (m *Memory) take(ctx context.Context) bool {
	select {
	case m.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// path returns the file's path, "" as long as the folder has no salt.
func (m *Memory) path() string {
	m.folder.mu.Lock()
	defer m.folder.mu.Unlock()
	if m.folder.salt == nil {
		return ""
	}
	name := fingerprint(m.folder.salt, "url "+m.url) + "-" + fingerprint(m.folder.salt, "account "+string(m.account)) + ".json"
	return filepath.Join(m.folder.servers(), name)
}

func (m *Memory) salt() []byte {
	m.folder.mu.Lock()
	defer m.folder.mu.Unlock()
	return m.folder.salt
}

func stat(path string) os.FileInfo {
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	return info
}

func differs(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a != b
	}
	return !os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime())
}

// exchange reads the file, makes the pending changes in what other processes
// wrote, then those of also, and writes it. What cannot be written is pending
// again.
func (m *Memory) exchange(ctx context.Context, also func(writer, *document)) error {
	if !m.take(ctx) {
		return fmt.Errorf("what changed was not written in time: %w", context.Cause(ctx))
	}
	defer func() { <-m.turn }()
	if m.done {
		return errClosed
	}
	m.mu.Lock()
	changes := m.pending
	m.pending = pending{}
	m.mu.Unlock()
	err := m.locked(ctx, changes, also)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.pending.back(changes)
		return err
	}
	m.mended()
	return nil
}

// locked is exchange under the file's lock.
func (m *Memory) locked(ctx context.Context, changes pending, also func(writer, *document)) error {
	note, err := m.folder.prepare(ctx)
	m.note(note)
	if err != nil {
		return err
	}
	path := m.path()
	lock, busy := hold(ctx, path+".lock", m.folder.wait)
	if busy == nil {
		defer release(lock, false)
	}
	before, err := m.load(path, busy == nil)
	if err != nil {
		return err
	}
	if busy != nil {
		return m.trouble(busy)
	}
	if m.use == nil && (changes.claims() || also != nil && len(before.sessions) > 0) {
		if m.use, err = hold(ctx, m.folder.usePath(m.by), m.folder.wait); err != nil {
			m.use = nil
			return m.trouble(err)
		}
	}
	after, w := before.clone(), m.writer()
	w.apply(&after, changes)
	if also != nil {
		also(w, &after)
	}
	was, err := before.encode()
	if err != nil {
		return m.trouble(err)
	}
	content, err := after.encode()
	if err != nil {
		return m.trouble(err)
	}
	if !bytes.Equal(was, content) {
		if err := m.folder.replace(path, content); err != nil {
			return m.trouble(err)
		}
		m.seen = stat(path)
	}
	m.publish(after)
	return nil
}

func (m *Memory) writer() writer {
	known := map[string]bool{}
	return writer{by: m.by, holds: m.use != nil, now: m.folder.now(), alive: func(owner string) bool {
		alive, ok := known[owner]
		if !ok {
			alive = m.folder.alive(owner)
			known[owner] = alive
		}
		return alive
	}}
}

func (m *Memory) publish(d document) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doc = d
}

func (m *Memory) trouble(err error) error {
	return fmt.Errorf("what changed could not be written to %s (%s); callboard goes on without it", m.folder.servers(), cause(err))
}

// load returns what the file holds. What another process wrote since is news.
// One that cannot be read for good is set aside, where we may.
func (m *Memory) load(path string, mayWrite bool) (document, error) {
	info := stat(path)
	changed := m.read && differs(m.seen, info)
	if m.read && !changed {
		return m.last(), nil
	}
	d, err := readFile(path, info)
	d.url = m.url
	var newer errNewer
	switch {
	case err == nil:
	case errors.As(err, &newer):
		return d, fmt.Errorf("%s is left alone: %w; nothing is kept of this run", path, err)
	case errors.Is(err, errDamaged) && mayWrite:
		aside, failed := setAside(path, m.folder.now())
		if failed != nil {
			return d, fmt.Errorf("%s is damaged and cannot be set aside (%s); nothing is kept of this run", path, cause(failed))
		}
		m.note(fmt.Errorf("what was kept of this server could not be read: the file was damaged, and is set aside as %s", aside))
		info, d = nil, newDocument(m.url)
	default:
		return d, fmt.Errorf("%s cannot be read (%s); nothing is kept of this run", path, cause(err))
	}
	m.seen, m.read = info, true
	m.publish(d)
	if changed {
		poke(m.news)
	}
	return d, nil
}

// readFile reads a file that info was found for, nil for none.
func readFile(path string, info os.FileInfo) (document, error) {
	if info == nil {
		return newDocument(""), nil
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return newDocument(""), errDamaged // a link or a pipe is nothing of ours
	}
	if err := ours(path, info); err != nil {
		return newDocument(""), err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return newDocument(""), err
	}
	d, err := parse(content)
	if err != nil {
		return newDocument(""), err
	}
	return d, nil
}

// kept returns what is known now: what was read, with what is pending.
func (m *Memory) kept(fresh bool) task.Kept {
	m.turn <- struct{}{} // whoever has it is soon done
	defer func() { <-m.turn }()
	m.mu.Lock()
	d, open := m.doc.clone(), maps.Clone(m.pending)
	m.mu.Unlock()
	w := m.writer()
	w.apply(&d, open)
	m.lookAround(fresh, w.now)

	var k task.Kept
	guest := m.guest
	m.guest = ""
	if id, s, ok := d.newest(); ok {
		k.Resume = s.resume
		// A guest is one until it has taken the session itself.
		if k.Resume.PostOnly = w.othersUse(s) || guest == id && s.owner != m.by; k.Resume.PostOnly && !m.aside {
			m.guest = id
		}
		k.Resume.PostOnly = k.Resume.PostOnly || m.aside
	}
	if k.Resume.Era == task.AnyEra {
		k.Resume.Era = d.era
	}
	if k.Resume.Era == task.AnyEra {
		k.Resume.Era = m.others.era
	}
	for _, h := range d.handles {
		k.Handles = append(k.Handles, h.Handle)
	}
	sortHandles(k.Handles)
	for _, h := range m.others.handles {
		if _, ours := d.handles[h.Task.ID]; !ours {
			k.Foreign = append(k.Foreign, h)
		}
	}
	for _, s := range d.sent {
		if s.owner != w.by && !w.alive(s.owner) {
			k.Unsettled = append(k.Unsettled, s.Sent)
		}
	}
	sortSent(k.Unsettled)
	if !m.aside {
		k.Drafts = m.drafts.all(w.now)
	}
	return k
}

// prefix is what the names of this server's files begin with, of all accounts.
func (m *Memory) prefix() string {
	url, _, _ := strings.Cut(filepath.Base(m.path()), "-")
	return url + "-"
}
