package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// pid is the process that the audit trail names.
var pid = os.Getpid()

// rotateWait is how long another process may take to rotate the trail. Where it
// is stopped meanwhile the file grows beyond its size, and nothing is lost.
const rotateWait = 100 * time.Millisecond

// roomFor sees to it that the file at path can take n more bytes: one that is
// full becomes the first of the older ones, and one that is no plain file is set
// aside, which note says.
func (f *Folder) roomFor(ctx context.Context, path string, n int) (note, err error) {
	info := stat(path)
	switch {
	case info == nil:
		return nil, nil
	case !info.Mode().IsRegular():
		aside, err := setAside(path, f.now())
		if err != nil {
			return nil, err
		}
		return fmt.Errorf("the audit trail %s was no plain file, and is set aside as %s", path, aside), nil
	}
	if err := ours(path, info); err != nil {
		return nil, err
	}
	if info.Size() == 0 || info.Size()+int64(n) <= f.auditSize {
		return nil, nil
	}
	lock, err := hold(ctx, filepath.Join(f.dir, "audit.lock"), rotateWait)
	if errors.Is(err, errBusy) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer release(lock, false)
	if now := stat(path); now == nil || !os.SameFile(info, now) {
		return nil, nil // another process was faster
	}
	for i := auditOld; i > 0; i-- {
		if err := os.Rename(f.auditPath(i-1), f.auditPath(i)); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	return nil, nil
}

// extendFile appends whole lines to the file at path by one write, so that those
// of several processes do not run together, and returns how many bytes of them
// it wrote. A line that a write before left torn is ended first.
func extendFile(path string, lines []byte, sync bool) (n int, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if failed := file.Close(); err == nil {
			err = failed
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	ended := 0
	if size := info.Size(); size > 0 {
		var last [1]byte
		if _, err := file.ReadAt(last[:], size-1); err != nil {
			return 0, err
		}
		if last[0] != '\n' {
			ended = 1
			lines = append([]byte{'\n'}, lines...)
		}
	}
	n, err = file.Write(lines)
	if err == nil && sync {
		err = file.Sync()
	}
	return max(0, n-ended), err
}
