package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"callboard/model/task"
)

// errClosed is what a Memory says after Close.
var errClosed = fmt.Errorf("nothing is kept any more: %w", os.ErrClosed)

// How often; a folder for tests is quicker.
const (
	gather   = 250 * time.Millisecond // changes that come together are written together
	lookStep = time.Second            // between looks at what other processes wrote
	retryMin = time.Second            // between attempts to write
	retryMax = 30 * time.Second
)

// Memory is what is kept of one server and one account on it: a model.Memory.
type Memory struct {
	folder  *Folder
	by      string // its own name, in the file and of its lock
	url     string
	account task.Secret
	aside   bool

	// turn is held, by one value in it, while the file is read and written; it
	// guards the fields up to mu.
	turn   chan struct{}
	use    *flock.Flock // of the name by; nil until something is in use
	done   bool         // Close has had its turn
	seen   os.FileInfo  // the file as doc was read from it, nil for none
	read   bool         // whether it was read at all
	others foreign
	guest  task.Secret // the session that another Memory was seen to use, "" for none

	mu      sync.Mutex // never held while a file is touched
	doc     document   // as it was read or written last
	pending pending
	notes   []error // not told yet
	told    error   // the trouble that was told last, until something is written
	began   bool    // the writing goroutine runs
	closed  bool

	wake   chan struct{} // something is pending
	urgent chan struct{} // it must not wait for more
	news   chan struct{} // for News
	over   chan struct{} // closed by Close
	ended  sync.WaitGroup

	drafts *drafts
}

// Server returns what is kept of the server at that address, for the account
// that the credentials are of. Nothing is read yet. It is to be closed.
func (f *Folder) Server(address string, credentials Credentials) *Memory {
	url, parsed := normalised(address)
	account := credentials.account(parsed)
	if parsed == nil {
		account += "\n" + address
	}
	m := &Memory{
		folder: f, by: random(), url: url, account: task.Secret(account), doc: newDocument(url), pending: pending{},
		turn: make(chan struct{}, 1), wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1),
		news: make(chan struct{}, 1), over: make(chan struct{}),
	}
	m.drafts = newDrafts(m)
	return m
}

// Aside makes m one that leaves a kept session to others: it is told to use it
// for POST only, and does not keep a process that comes later from having the
// whole of it. It is for a look of a moment, which has no use for drafts, and is
// said before Recall.
func (m *Memory) Aside() *Memory {
	m.aside = true
	return m
}

// Recall reads what is kept and takes the newest session for this Memory, or
// says by Resume.PostOnly that another one uses it.
func (m *Memory) Recall(ctx context.Context) (task.Kept, error) {
	also := (writer).claim
	if m.aside {
		also = nil
	}
	err := m.exchange(ctx, also)
	if err != nil {
		m.tell(err)
	}
	if !m.aside {
		_ = m.drafts.save(ctx) // it stands as trouble
	}
	return m.kept(true), m.said(err)
}

// Keep takes in changes; they are written a moment later.
func (m *Memory) Keep(changes ...task.Keep) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || len(changes) == 0 {
		return
	}
	now := m.folder.now()
	mine := 0
	for _, k := range changes {
		if m.drafts.take(k, now) {
			continue
		}
		mine++
		m.pending.add(k, now)
		if urgent(k) {
			poke(m.urgent)
		}
	}
	if mine == 0 {
		return
	}
	if !m.began {
		m.began = true
		m.ended.Go(m.write)
	}
	poke(m.wake)
}

// urgent reports whether k does not wait for changes to come: what a process
// that is killed in this moment must not take with it.
func urgent(k task.Keep) bool {
	switch k := k.(type) {
	case task.KeepSent:
		return true
	case task.KeepResume:
		return k.Resume.Streams != k.Was
	}
	return false
}

// Flush writes what is pending now.
func (m *Memory) Flush(ctx context.Context) error {
	m.drafts.flush(ctx)
	err := m.exchange(ctx, nil)
	if err != nil {
		m.tell(err)
	}
	return m.said(err)
}

// News blocks until another process changed the file or something could not be
// written. Where the process that used the session ended, it is this Memory's
// from then on, which Resume.PostOnly says. As long as something cannot be written
// the error says so, and News returns once more when it can. After Close the error
// is os.ErrClosed.
func (m *Memory) News(ctx context.Context) (task.Kept, error) {
	look := time.NewTicker(m.folder.look)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return task.Kept{}, ctx.Err()
		case <-m.over:
			return task.Kept{}, errClosed
		case <-m.news:
			return m.kept(false), m.said(nil)
		case <-look.C:
			if !m.aside {
				m.drafts.look()
			}
			if m.stale(ctx) {
				m.report(m.exchange(ctx, m.succeed))
			}
		}
	}
}

// Close writes what is left and gives up the session: with its lock gone, others
// may use it. A second one does nothing.
func (m *Memory) Close(ctx context.Context) error {
	m.mu.Lock()
	again := m.closed
	m.closed = true
	m.mu.Unlock()
	if again {
		return nil
	}
	close(m.over)
	m.ended.Wait()
	err := m.drafts.close(ctx)
	if m.waiting() {
		err = join(err, m.exchange(ctx, nil))
	}
	m.turn <- struct{}{} // not by ctx: whoever has it is soon done
	defer func() { <-m.turn }()
	m.done = true
	if m.use != nil {
		release(m.use, true)
		m.use = nil
	}
	return err
}

// waiting reports whether there is something to write.
func (m *Memory) waiting() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pending) > 0
}

// write is the goroutine that writes what Keep took in.
func (m *Memory) write() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m.ended.Go(func() { <-m.over; cancel() })
	for wait := m.folder.retry; ; {
		select {
		case <-m.over:
			return
		case <-m.wake:
		}
		select {
		case <-m.over:
			return
		case <-m.urgent:
		case <-time.After(m.folder.gather):
		}
		err := m.exchange(ctx, nil)
		if ctx.Err() != nil {
			return // Close writes the rest
		}
		m.report(err)
		if err == nil {
			wait = m.folder.retry
			continue
		}
		select {
		case <-m.over:
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, retryMax)
		poke(m.wake)
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it knows already
	}
}

// report leaves err for News, once until something is written again.
func (m *Memory) report(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	if m.tell(err) {
		m.note(err)
	}
}

// tell notes that err is told, and reports whether it is another one than last.
func (m *Memory) tell(err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := words(err) != words(m.told)
	m.told = err
	return fresh
}

// mended notes that something was written.
func (m *Memory) mended() {
	if m.told != nil {
		m.told = nil
		poke(m.news)
	}
}

// said returns what nobody was told yet, the trouble that stands, and err.
func (m *Memory) said(err error) error {
	m.mu.Lock()
	errs := m.notes
	m.notes = nil
	if slices.ContainsFunc(errs, func(e error) bool { return words(e) != words(m.told) }) {
		poke(m.news) // what happened once does not stand
	}
	errs = append(slices.Clip(errs), m.told)
	m.mu.Unlock()
	if !m.aside {
		errs = append(errs, m.drafts.standing())
	}
	return join(append(errs, err)...)
}

// note leaves a sentence for whoever asks next.
func (m *Memory) note(err error) {
	if err == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = append(m.notes, err)
	poke(m.news)
}

// sentences are errors that are told on one line.
type sentences []error

func (s sentences) Error() string {
	var words []string
	for _, err := range s {
		words = append(words, err.Error())
	}
	return strings.Join(words, "; ")
}

func (s sentences) Unwrap() []error { return s }

// join returns one error for all that are not nil, nil for none. What several say in
// the same words is said once.
func join(errs ...error) error {
	var s sentences
	for _, err := range errs {
		if err != nil && !slices.ContainsFunc(s, func(said error) bool { return words(said) == words(err) }) {
			s = append(s, err)
		}
	}
	switch len(s) {
	case 0:
		return nil
	case 1:
		return s[0]
	}
	return s
}
