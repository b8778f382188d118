package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/adrg/xdg"
)

// How long a file may be, in bytes. Lists of servers of other clients hold other
// things as well.
const (
	tomlMost   = 256 << 10
	jsonMost   = 16 << 20
	secretMost = 64 << 10
)

// reload guards xdg's variables, which Reload sets.
var reload sync.Mutex

// Dir returns the folder of the person's configuration: callboard below
// $XDG_CONFIG_HOME, or below the system's own place for such files; "" where
// there is no home.
func Dir() string {
	reload.Lock()
	defer reload.Unlock()
	xdg.Reload()
	if !filepath.IsAbs(xdg.ConfigHome) {
		return ""
	}
	return filepath.Join(xdg.ConfigHome, "callboard")
}

// file reads a regular file of at most most bytes. Its errors do not name it.
func file(name string, most int64) (content []byte, mode fs.FileMode, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, 0, bare(err)
	}
	switch {
	case info.IsDir():
		return nil, 0, errors.New("it is a folder")
	case !info.Mode().IsRegular(): // a pipe might never end, or never begin
		return nil, 0, errors.New("it is no regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, bare(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	content, err = io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, 0, bare(err)
	case int64(len(content)) > most:
		return nil, 0, fmt.Errorf("it is longer than %d KiB", most>>10)
	}
	return content, info.Mode(), nil
}

// bare returns what the system said, without the path.
func bare(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Home returns p with ~ in place: the home folder.
func Home(p string) string {
	rest, ok := strings.CutPrefix(p, "~")
	if !ok || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
		return p
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return p
	}
	return filepath.Join(home, rest)
}

// within returns p where it is absolute, else as a path below dir.
func within(dir, p string) string {
	if p = Home(p); p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}
