package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/model/task"
)

// drafts are those of one Memory: a file each, so that whoever types a long text
// writes that text and no other, in a folder of their own. They have a goroutine
// and a lock of their own, too: what is typed does not wait for handles.
type drafts struct {
	m *Memory

	turn  chan struct{} // held while the folder is touched; guards the fields up to mu
	files map[string]draftFile
	seen  os.FileInfo // the folder, as it was listed
	at    time.Time   // when
	read  bool        // it was listed at all
	done  bool        // Close has had its turn

	mu      sync.Mutex // never held while a file is touched
	kept    map[draftKey]task.KeptDraft
	pending map[draftKey]draftChange
	unfit   map[draftKey]draftChange // what cannot be written, whatever becomes of the disk
	trouble error                    // why something is not written now
	began   bool

	wake chan struct{}
}

// draftFile is a file as it was read.
type draftFile struct {
	info  os.FileInfo
	draft draft // without Fields
	size  int
	err   error // why it is left alone
}

// draftChange is a draft to be kept, or with drop one to be dropped at At.
type draftChange struct {
	task.KeptDraft
	drop bool
}

func newDrafts(m *Memory) *drafts {
	return &drafts{
		m: m, turn: make(chan struct{}, 1), files: map[string]draftFile{}, kept: map[draftKey]task.KeptDraft{},
		pending: map[draftKey]draftChange{}, unfit: map[draftKey]draftChange{}, wake: make(chan struct{}, 1),
	}
}

// take takes in a change that is about a draft, and reports whether it is one.
func (d *drafts) take(k task.Keep, now time.Time) bool {
	var c draftChange
	switch k := k.(type) {
	case task.KeepDraft:
		c.KeptDraft = k.Draft
		c.Fields = maps.Clone(k.Draft.Fields)
		if c.At.IsZero() {
			c.At = now
		}
	case task.DropDraft:
		c = draftChange{KeptDraft: task.KeptDraft{Asked: k.Asked, Task: k.Task, Tool: k.Tool, At: now}, drop: true}
	default:
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := keyOf(&c.KeptDraft)
	delete(d.unfit, key)
	d.pending[key] = c
	if len(d.pending) > 2*maxDrafts {
		delete(d.pending, oldest(d.pending))
	}
	if !d.began {
		d.began = true
		d.m.ended.Go(d.write)
	}
	poke(d.wake)
	return true
}

// oldest returns the key of the change that was made first.
func oldest(p map[draftKey]draftChange) draftKey {
	return slices.MinFunc(slices.Collect(maps.Keys(p)), func(a, b draftKey) int { return p[a].At.Compare(p[b].At) })
}

// write is the goroutine that writes what take took in.
func (d *drafts) write() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d.m.ended.Go(func() { <-d.m.over; cancel() })
	for wait := d.m.folder.retry; ; {
		select {
		case <-d.m.over:
			return
		case <-d.wake:
		}
		if !d.pause(d.gather()) {
			return
		}
		select {
		case <-d.wake: // the key presses of the pause are written now
		default:
		}
		if !d.waiting() {
			continue // they were written meanwhile
		}
		err := d.save(ctx)
		if ctx.Err() != nil {
			return // Close writes the rest
		}
		if err == nil {
			wait = d.m.folder.retry
			continue
		}
		if !d.pause(wait) {
			return
		}
		wait = min(2*wait, retryMax)
		poke(d.wake)
	}
}

// gather returns how long key presses are gathered: longer for a text of which
// each write costs more.
func (d *drafts) gather() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	size := 0
	for _, c := range d.pending {
		size += draftSize(&c.KeptDraft)
	}
	if size > largeDraft {
		return 2 * d.m.folder.gather
	}
	return d.m.folder.gather
}

func (d *drafts) pause(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-d.m.over:
		return false
	case <-timer.C:
		return true
	}
}

// waiting reports whether there is something to write.
func (d *drafts) waiting() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending) > 0
}

// all returns the drafts as they are known now, newest first.
func (d *drafts) all(now time.Time) []task.KeptDraft {
	d.mu.Lock()
	known := maps.Clone(d.kept)
	for _, changes := range []map[draftKey]draftChange{d.unfit, d.pending} {
		for key, c := range changes {
			switch old, ok := known[key]; {
			case c.drop:
				delete(known, key)
			case !ok || !old.At.After(c.At):
				known[key] = c.KeptDraft
			}
		}
	}
	d.mu.Unlock()
	var list []task.KeptDraft
	for _, each := range known {
		if now.Sub(each.At) <= draftStays {
			each.Fields = maps.Clone(each.Fields)
			list = append(list, each)
		}
	}
	slices.SortFunc(list, func(a, b task.KeptDraft) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Asked, b.Asked), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Tool, b.Tool))
	})
	return list
}

// standing returns why something is not written now, nil mostly.
func (d *drafts) standing() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trouble
}

// path returns the folder of the drafts, "" as long as there is no salt.
func (d *drafts) path() string {
	server := d.m.path()
	if server == "" {
		return ""
	}
	return filepath.Join(d.m.folder.drafts(), strings.TrimSuffix(filepath.Base(server), ".json"))
}

func (f *Folder) drafts() string { return filepath.Join(f.dir, "drafts") }

// flush writes what is typed, and waits for what is being written: that is pending
// no more, but not on disk yet. Trouble stands.
func (d *drafts) flush(ctx context.Context) {
	select {
	case d.turn <- struct{}{}:
		<-d.turn
	case <-ctx.Done():
		return
	}
	if d.waiting() {
		_ = d.save(ctx)
	}
}

// save reads what other processes wrote and writes the changes. What cannot be
// written now is pending again. Its error is the trouble that stands then.
func (d *drafts) save(ctx context.Context) error {
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("what is typed was not written in time: %w", context.Cause(ctx))
	}
	defer func() { <-d.turn }()
	if d.done {
		return errClosed
	}
	d.mu.Lock()
	changes := d.pending
	d.pending = map[draftKey]draftChange{}
	d.mu.Unlock()
	err := d.locked(ctx, changes)
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, c := range changes { // those that are left
		if _, since := d.pending[key]; !since {
			d.pending[key] = c
		}
	}
	trouble := join(err, d.unfitting())
	if words(trouble) != words(d.trouble) {
		poke(d.m.news)
	}
	d.trouble = trouble
	return err
}

// unfitting says what is kept in memory alone, and why.
func (d *drafts) unfitting() error {
	large, newer := 0, 0
	for _, c := range d.unfit {
		if fits(&c.KeptDraft) {
			newer++
		} else {
			large++
		}
	}
	var errs []error
	if large > 0 {
		errs = append(errs, fmt.Errorf("what is typed is more than 1 MiB, and is kept in memory alone: drafts so large: %d", large))
	}
	if newer > 0 {
		errs = append(errs, fmt.Errorf("what is typed is kept in memory alone, since a newer callboard wrote the same draft in %s", d.path()))
	}
	return join(errs...)
}

func fits(c *task.KeptDraft) bool { return draftSize(c) <= maxDraft && len(c.Task) <= maxID }

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// locked is save under the folder's lock. What is written leaves changes.
func (d *drafts) locked(ctx context.Context, changes map[draftKey]draftChange) error {
	note, err := d.m.folder.prepare(ctx)
	d.m.note(note)
	if err != nil {
		return err
	}
	dir := d.path()
	if len(changes) == 0 && stat(dir) == nil {
		d.forget()
		return nil
	}
	if err := private(d.m.folder.drafts()); err != nil {
		return d.failed(err)
	}
	// Whoever is stopped while it holds the lock must not keep us from writing:
	// each file is whole anyway, the lock is for those who drop and write at once.
	lock, err := hold(ctx, dir+".lock", draftLockWait)
	switch {
	case err == nil:
		defer release(lock, false)
	case !errors.Is(err, errBusy):
		return d.failed(err)
	}
	if err := private(dir); err != nil { // under the lock: an empty one may be removed
		return d.failed(err)
	}
	if err := d.list(dir, lock != nil); err != nil {
		return d.failed(err)
	}
	var first error
	for key, c := range changes {
		if err := d.apply(dir, key, c); err != nil {
			first = cmp.Or(first, err)
			continue
		}
		delete(changes, key)
	}
	if lock != nil {
		d.limit(dir)
	}
	if first != nil {
		return d.failed(first)
	}
	return nil
}

func (d *drafts) failed(err error) error {
	return fmt.Errorf("what is typed could not be written to %s (%s), and is kept in memory alone", d.m.folder.drafts(), cause(err))
}

// close writes what is left.
func (d *drafts) close(ctx context.Context) error {
	var err error
	if d.waiting() {
		err = d.save(ctx)
	}
	d.turn <- struct{}{} // whoever has it is soon done
	d.done = true
	<-d.turn
	return err
}
