package state

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
)

// Trail reads the audit trail.
type Trail struct {
	folder *Folder
	// Damaged is how many lines were left out, since they are none of ours.
	Damaged int
	err     error
}

// Trail returns the audit trail of the folder, to be read once.
func (f *Folder) Trail() *Trail { return &Trail{folder: f} }

// Err returns why reading ended early, nil where it did not.
func (t *Trail) Err() error { return t.err }

// All returns the records in the order in which they were written, those of the
// older files first. Lines that are damaged are left out, and counted. ctx ends
// it early, between lines.
func (t *Trail) All(ctx context.Context) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		files, err := t.open()
		defer func() {
			for _, f := range files {
				_ = f.Close() // it was only read
			}
		}()
		if err != nil {
			t.err = err
			return
		}
		for i := len(files) - 1; i >= 0; i-- {
			if !t.read(ctx, files[i], yield) {
				return
			}
		}
	}
}

// open opens the files, the newest first: one that becomes an older one
// meanwhile is then found twice, and not missed.
func (t *Trail) open() (files []*os.File, err error) {
	var infos []os.FileInfo
	for i := range auditOld + 1 {
		path := t.folder.auditPath(i)
		info := stat(path)
		if info == nil || !info.Mode().IsRegular() {
			continue
		}
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return files, err
		}
		files = append(files, f)
		if info, err = f.Stat(); err != nil {
			return files, err
		}
		for _, each := range infos {
			if os.SameFile(each, info) {
				_ = f.Close()
				files = files[:len(files)-1]
				break
			}
		}
		infos = append(infos, info)
	}
	return files, nil
}

// read reads one file, and reports whether to go on.
func (t *Trail) read(ctx context.Context, f *os.File, yield func(Record) bool) bool {
	r := bufio.NewReaderSize(f, auditLine)
	whole := true // what comes next is the beginning of a line
	for ctx.Err() == nil {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			whole = false
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			t.err = err
			return false
		}
		line = bytes.TrimSpace(line)
		switch rec, ok := parseLine(bytes.Clone(line)); {
		case whole && ok:
			if !yield(rec) {
				return false
			}
		case !whole, len(line) > 0:
			t.Damaged++
		}
		if err != nil {
			return true
		}
		whole = true
	}
	t.err = context.Cause(ctx)
	return false
}
