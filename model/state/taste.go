package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
)

// tasteMost is how long taste.json may be, in bytes.
const tasteMost = 1 << 20

// Taste is what the person chose on the screen, an object of JSON whose members
// belong to the screen. Several callboards share it: what each changed is merged
// member by member, and of one member the last that was written holds. Its
// methods may be called by many goroutines.
type Taste struct {
	folder *Folder

	mu    sync.Mutex
	known members // what was read or written last
}

type members map[string]json.RawMessage

// Taste returns what is kept of the person's taste.
func (f *Folder) Taste() *Taste { return &Taste{folder: f} }

// TastePath is the file in which it is kept.
func (f *Folder) TastePath() string { return filepath.Join(f.dir, "taste.json") }

// Load returns what is kept, nil where there is nothing. A file that is damaged
// is set aside, and the error says so.
func (t *Taste) Load() (json.RawMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, err := t.folder.readTaste()
	if errors.Is(err, errDamaged) {
		aside, renameErr := setAside(t.folder.TastePath(), t.folder.now())
		if renameErr != nil {
			return nil, fmt.Errorf("%s is damaged and cannot be moved (%s)", t.folder.TastePath(), cause(renameErr))
		}
		return nil, fmt.Errorf("%s was damaged; it is %s now", t.folder.TastePath(), filepath.Base(aside))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%s)", t.folder.TastePath(), cause(err))
	}
	if t.known = kept; kept == nil {
		return nil, nil
	}
	return json.Marshal(kept)
}

// Save keeps an object: the members of it that are others than when it was loaded
// or saved last, or are gone.
func (t *Taste) Save(ctx context.Context, object json.RawMessage) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var wanted members
	if err := json.Unmarshal(object, &wanted); err != nil {
		return err
	}
	f := t.folder
	if err := private(f.dir); err != nil {
		return fmt.Errorf("%s cannot be used (%s)", f.dir, cause(err))
	}
	lock, err := hold(ctx, f.TastePath()+".lock", f.wait)
	if err != nil {
		return err
	}
	defer release(lock, false)
	kept, err := f.readTaste()
	if err != nil && !errors.Is(err, errDamaged) {
		return fmt.Errorf("%s cannot be read (%s)", f.TastePath(), cause(err))
	}
	merged := maps.Clone(kept)
	if merged == nil {
		merged = members{}
	}
	for name, value := range wanted {
		if !bytes.Equal(value, t.known[name]) {
			merged[name] = value
		}
	}
	for name := range t.known {
		if _, stays := wanted[name]; !stays {
			delete(merged, name)
		}
	}
	content, err := json.MarshalIndent(merged, "", "  ")
	if err != nil {
		return err
	}
	if len(content) > tasteMost {
		return errors.New("it is longer than 1 MiB")
	}
	if err := f.replace(f.TastePath(), append(content, '\n')); err != nil {
		return fmt.Errorf("%s cannot be written (%s)", f.TastePath(), cause(err))
	}
	t.known = wanted
	return nil
}

// readTaste reads the file; nil for none.
func (f *Folder) readTaste() (members, error) { return f.lookTaste(ours) }

// lookTaste reads it, and lets ready see to it before.
func (f *Folder) lookTaste(ready func(string, os.FileInfo) error) (members, error) {
	info, err := os.Lstat(f.TastePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > tasteMost:
		return nil, errDamaged
	}
	if ready != nil {
		if err := ready(f.TastePath(), info); err != nil {
			return nil, err
		}
	}
	file, err := os.Open(f.TastePath())
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(file, tasteMost))
	if err != nil {
		return nil, err
	}
	var kept members
	if err := json.Unmarshal(content, &kept); err != nil || kept == nil {
		return nil, errDamaged
	}
	for name, value := range kept { // as Save is given them
		var tight bytes.Buffer
		if json.Compact(&tight, value) == nil {
			kept[name] = tight.Bytes()
		}
	}
	return kept, nil
}
