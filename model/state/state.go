// Package state is what outlives the program: the handles of tasks, the sessions
// that hold them, calls whose outcome nobody saw, the generation of each server,
// what was typed and not sent, and the audit trail. It knows files and locks, and of callboard the nouns alone; the
// thinking half is handed a Memory behind a port of its own (model.Memory).
//
// A folder holds, all of it for its owner alone (0700, 0600):
//
//	salt            32 random bytes: names of files are keyed digests with it,
//	                so that they tell neither an account nor a token
//	servers/        URL-ACCOUNT.json: what is kept of one server and one account
//	                on it (file.go); beside it the lock under which it is read,
//	                merged and written, and *.damaged-TIME, set aside unread
//	drafts/         URL-ACCOUNT/NAME.json: what was typed and not sent, a file for
//	                each draft (draft.go); beside the folder its lock
//	audit.jsonl     what happened and who did what, of all servers, a line each
//	                (trail.go); audit.1.jsonl and so on are older
//	live/           one lock file for each Memory in use. The kernel gives up the
//	                lock of a process that is killed, so that a lock that can be
//	                had is that of one that ended
//
// Nothing here keeps callboard from working: what cannot be read or written is
// said in a sentence, and everything goes on in memory.
package state

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/adrg/xdg"
)

// reload guards xdg's variables, which Reload sets.
var reload sync.Mutex

// Dir returns the folder of the person's state: callboard below
// $XDG_STATE_HOME, or below the system's own place for such files. Nothing is
// created yet.
func Dir() (string, error) {
	reload.Lock()
	defer reload.Unlock()
	xdg.Reload()
	if !filepath.IsAbs(xdg.StateHome) {
		return "", errors.New("there is no home for what callboard keeps: neither XDG_STATE_HOME nor HOME is set")
	}
	return filepath.Join(xdg.StateHome, "callboard"), nil
}

const (
	saltSize = 32
	lockWait = 2 * time.Second // for another process to write its file
)

// Folder is a folder of state. Its methods may be called by many goroutines.
type Folder struct {
	dir string
	// Tests have others: the clock, how a file gets its new content, or more of
	// it, how long changes gather, how often others' changes are looked for, how
	// long a lock is waited for, how long after a failure it is tried again, and
	// the bounds of the audit trail.
	now                       func() time.Time
	replace                   func(path string, content []byte) error
	extend                    func(path string, lines []byte, sync bool) (int, error)
	gather, look, wait, retry time.Duration
	auditSize                 int64 // bytes of audit.jsonl
	auditQueued               int   // entries that wait to be written

	mu     sync.Mutex
	salt   []byte
	tidied bool
}

// Open returns the folder dir, an absolute path. It is created when something is
// first kept or asked for; that it cannot be is told by a Memory.
func Open(dir string) (*Folder, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the state folder %q has no absolute path", dir)
	}
	return &Folder{
		dir: filepath.Clean(dir), now: time.Now, replace: replaceFile, extend: extendFile, gather: gather, look: lookStep, wait: lockWait, retry: retryMin,
		auditSize: auditSize, auditQueued: auditQueued,
	}, nil
}

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// prepare sees to it that the folder can be used. note is a sentence for the
// person all the same, nil for none.
func (f *Folder) prepare(ctx context.Context) (note, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, dir := range []string{f.dir, f.servers(), f.live()} {
		if err := private(dir); err != nil {
			return nil, fmt.Errorf("nothing is kept beyond this run: the folder %s cannot be used (%s)", dir, cause(err))
		}
	}
	salt, err := f.readSalt()
	if err != nil {
		if errors.Is(err, errDamaged) {
			note = fmt.Errorf("%s was damaged: what was kept before cannot be told apart by account any more, and is not shown", f.saltPath())
		}
		if salt, err = f.makeSalt(ctx); err != nil {
			return note, fmt.Errorf("nothing is kept beyond this run: %s cannot be used (%s)", f.saltPath(), cause(err))
		}
	}
	f.salt = salt
	if !f.tidied {
		f.tidied = true
		f.tidy(ctx)
	}
	return note, nil
}

// private makes dir a folder that its owner alone may enter.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // modes say nothing there; the home folder has its own protection
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// ours takes a file that others may read from them.
func ours(path string, info os.FileInfo) error {
	if runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return os.Chmod(path, 0o600)
}

func (f *Folder) servers() string  { return filepath.Join(f.dir, "servers") }
func (f *Folder) live() string     { return filepath.Join(f.dir, "live") }
func (f *Folder) saltPath() string { return filepath.Join(f.dir, "salt") }

func (f *Folder) readSalt() ([]byte, error) {
	info, err := os.Lstat(f.saltPath())
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() != saltSize {
		return nil, errDamaged
	}
	if err := ours(f.saltPath(), info); err != nil {
		return nil, err
	}
	return os.ReadFile(f.saltPath())
}

// makeSalt writes the salt, unless another process was faster. One that is no
// salt any more is replaced: the files named with it are lost, and leave by age.
func (f *Folder) makeSalt(ctx context.Context) ([]byte, error) {
	lock, err := hold(ctx, f.saltPath()+".lock", f.wait)
	if err != nil {
		return nil, err
	}
	defer release(lock, false)
	if salt, err := f.readSalt(); err == nil {
		return salt, nil
	}
	if _, err := os.Lstat(f.saltPath()); err == nil {
		if _, err := setAside(f.saltPath(), f.now()); err != nil {
			return nil, err
		}
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails
	return salt, f.replace(f.saltPath(), salt)
}

// fingerprint stands for a secret: nobody without the salt can try out guesses.
func fingerprint(salt []byte, of string) string {
	mac := hmac.New(sha256.New, salt)
	_, _ = mac.Write([]byte(of)) // never fails
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// random returns a name that was never used.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
