package state

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File is one file of the folder, for the person who asks what is kept.
type File struct {
	Path    string
	Size    int64
	Changed time.Time
	// Of a server's file: its address, without user and query, and how much it
	// holds. All zero for other files, and for one that cannot be read.
	URL                     string
	Handles, Sessions, Sent int
	// Folder says that Path is a folder of drafts, Size that of all its files, URL
	// as above, and Drafts how many there are.
	Folder bool
	Drafts int
	// Problem says why a server's file, or that of the taste, is not read; "" mostly.
	Problem string
}

// Files lists what the folder holds, locks apart, by path. It changes nothing; a
// folder that is not there holds nothing. ctx ends it early, between files.
func (f *Folder) Files(ctx context.Context) ([]File, error) {
	var files []File
	for _, dir := range []string{f.dir, f.servers()} {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return files, err
		}
		for _, e := range entries {
			if ctx.Err() != nil {
				return files, ctx.Err()
			}
			if e.IsDir() || strings.HasSuffix(e.Name(), ".lock") || strings.Contains(e.Name(), temporary) {
				continue
			}
			if file, ok := f.describe(filepath.Join(dir, e.Name())); ok {
				files = append(files, file)
			}
		}
	}
	folders, err := os.ReadDir(f.drafts())
	if err != nil && !os.IsNotExist(err) {
		return files, err
	}
	for _, e := range folders {
		if ctx.Err() != nil {
			return files, ctx.Err()
		}
		if e.IsDir() {
			if file := f.draftsIn(filepath.Join(f.drafts(), e.Name())); file.Size > 0 {
				files = append(files, file)
			}
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// draftsIn describes a folder of drafts.
func (f *Folder) draftsIn(dir string) File {
	all := File{Path: dir, Folder: true}
	entries, err := os.ReadDir(dir)
	if err != nil {
		all.Problem = cause(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.Contains(e.Name(), temporary) {
			continue
		}
		all.Size += info.Size()
		if info.ModTime().After(all.Changed) {
			all.Changed = info.ModTime()
		}
		if filepath.Ext(e.Name()) != draftExtension {
			continue
		}
		if d, err := readDraft(filepath.Join(dir, e.Name()), info, nil); err == nil {
			all.URL = text(d.url).Line()
			if !d.dropped && !d.over(f.now()) {
				all.Drafts++
			}
		}
	}
	return all
}

func (f *Folder) describe(path string) (File, bool) {
	info := stat(path)
	if info == nil {
		return File{}, false
	}
	file := File{Path: path, Size: info.Size(), Changed: info.ModTime()}
	switch {
	case strings.Contains(filepath.Base(path), damaged):
		file.Problem = "set aside, since it was damaged"
	case path == f.TastePath():
		if _, err := f.lookTaste(nil); err != nil {
			file.Problem = cause(err)
		}
	case filepath.Ext(path) == ".json":
		d, err := readFile(path, info)
		if err != nil {
			file.Problem = cause(err)
			break
		}
		file.URL, file.Handles, file.Sessions, file.Sent = text(d.url).Line(), len(d.handles), len(d.sessions), len(d.sent)
	}
	return file, true
}
