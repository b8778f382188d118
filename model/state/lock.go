package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

var (
	errBusy   = errors.New("another callboard holds its lock")
	errNoLock = errors.New("its lock is no plain file")
)

// hold takes the lock that path names; errBusy says that it was not free within
// wait. Whoever has a lock may remove its file; the one who waited for it then
// has the lock of nothing, and starts again.
func hold(ctx context.Context, path string, wait time.Duration) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		if !plain(path) {
			return nil, errNoLock
		}
		lock := flock.New(path)
		ok, err := lock.TryLockContext(ctx, 10*time.Millisecond)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, errBusy
		case !ok:
			return nil, err
		case names(path, lock):
			return lock, nil
		}
		release(lock, false)
	}
}

// plain reports whether path is a file of its own, or nothing at all. To open a
// pipe would hold us up until somebody writes to it, and a link would have a file
// made wherever it points.
func plain(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode().IsRegular()
}

// names reports whether path is still the file that lock is held on.
func names(path string, lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(held, now)
}

// release gives a lock up; with remove its file goes too, while nobody else can
// have it.
func release(lock *flock.Flock, remove bool) {
	if remove {
		_ = os.Remove(lock.Path()) // one that stays is empty, and is tidied away
	}
	_ = lock.Unlock() // closing the file gives it up in any case
	if remove && runtime.GOOS == "windows" {
		_ = os.Remove(lock.Path()) // there not before it is closed
	}
}

// usePath names the lock that a Memory holds as long as it uses something.
func (f *Folder) usePath(name string) string { return filepath.Join(f.live(), name+".lock") }

// alive reports whether the Memory of that name is in use. Those who ask share
// the lock, so that they do not take each other for its owner.
func (f *Folder) alive(name string) bool {
	if name == "" || name != filepath.Base(name) {
		return false
	}
	path := f.usePath(name)
	if !plain(path) {
		return false // nor was it made by one
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	got, err := lock.TryRLock()
	if got {
		_ = lock.Unlock() // closing the file gives it up in any case
	}
	return !got && err == nil
}
