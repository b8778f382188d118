package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

var errDamaged = errors.New("it is damaged")

const (
	temporary = ".tmp-"
	damaged   = ".damaged-"
	// What nobody touched for so long is removed.
	oldTemporary = time.Hour
	oldDamaged   = 30 * 24 * time.Hour
	oldFile      = 60 * 24 * time.Hour
	maxDamaged   = 20
)

// replaceFile gives the file at path a new content, all of it or nothing,
// whatever happens meanwhile. It is for its owner alone (os.CreateTemp: 0600).
func replaceFile(path string, content []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+temporary)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = temp.Close()           // closed before, mostly
			_ = os.Remove(temp.Name()) // one that stays is tidied away
		}
	}()
	if _, err = temp.Write(content); err != nil {
		return err
	}
	if err = temp.Sync(); err != nil {
		return err
	}
	if err = temp.Close(); err != nil {
		return err
	}
	if err = os.Rename(temp.Name(), path); err != nil {
		return err
	}
	syncDir(filepath.Dir(path))
	return nil
}

// syncDir makes a rename last where the system has a way to; the file is whole
// in any case.
func syncDir(dir string) {
	if runtime.GOOS == "windows" {
		return
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// setAside renames what cannot be read, and returns its new path.
func setAside(path string, now time.Time) (string, error) {
	aside := path + damaged + now.UTC().Format("20060102T150405.000Z")
	return aside, os.Rename(path, aside)
}

// cause returns what the system said, without the path: the sentence names it.
func cause(err error) string {
	var (
		path *fs.PathError
		link *os.LinkError
	)
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	}
	return err.Error()
}

// tidy removes what processes that were killed left behind, and what nobody
// used for long. What it cannot remove stays.
func (f *Folder) tidy(ctx context.Context) {
	now := f.now()
	older := func(e fs.DirEntry, age time.Duration) bool {
		info, err := e.Info()
		return err == nil && now.Sub(info.ModTime()) > age
	}
	entries, _ := os.ReadDir(f.servers()) // none: nothing to tidy
	var aside []string
	for _, e := range entries {
		path := filepath.Join(f.servers(), e.Name())
		switch name := e.Name(); {
		case strings.Contains(name, temporary):
			if older(e, oldTemporary) {
				_ = os.Remove(path)
			}
		case strings.Contains(name, damaged):
			if older(e, oldDamaged) {
				_ = os.RemoveAll(path)
				continue
			}
			aside = append(aside, name)
		case strings.HasSuffix(name, ".json") && older(e, oldFile):
			f.removeServer(ctx, path)
		}
	}
	slices.SortFunc(aside, func(a, b string) int { return strings.Compare(since(a), since(b)) })
	for len(aside) > maxDamaged {
		_ = os.RemoveAll(filepath.Join(f.servers(), aside[0]))
		aside = aside[1:]
	}
	f.tidyDrafts(ctx, now)
	entries, _ = os.ReadDir(f.live()) // none: nothing to tidy
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".lock"); ok && older(e, time.Minute) && !f.alive(name) {
			_ = os.Remove(filepath.Join(f.live(), e.Name()))
		}
	}
}

// since returns when a file was set aside, in a form that sorts.
func since(name string) string {
	_, at, _ := strings.Cut(name, damaged)
	return at
}

// tidyDrafts removes drafts that have had their time, of whatever server: who
// typed them is told that they go. What was set aside goes with them.
func (f *Folder) tidyDrafts(ctx context.Context, now time.Time) {
	folders, _ := os.ReadDir(f.drafts()) // none: nothing to tidy
	for _, folder := range folders {
		dir := filepath.Join(f.drafts(), folder.Name())
		entries, err := os.ReadDir(dir)
		if err != nil || !folder.IsDir() {
			continue // a lock
		}
		left := len(entries)
		for _, e := range entries {
			age := draftStays
			if strings.Contains(e.Name(), temporary) {
				age = oldTemporary
			}
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > age && os.RemoveAll(filepath.Join(dir, e.Name())) == nil {
				left--
			}
		}
		if left > 0 {
			continue
		}
		if lock, err := hold(ctx, dir+".lock", draftLockWait); err == nil {
			gone := os.Remove(dir) == nil // one that is not empty any more stays
			release(lock, gone)
		}
	}
}

func (f *Folder) removeServer(ctx context.Context, path string) {
	lock, err := hold(ctx, path+".lock", f.wait)
	if err != nil {
		return // it is in use after all
	}
	_ = os.Remove(path) // tried again by the next process
	release(lock, true)
}
