package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	tea "github.com/charmbracelet/bubbletea"
)

type savedMsg struct {
	path  string
	files int
	what  string // what is in it, "" for its size alone
	size  int    // of all together
	err   error
}

// save writes the selected row's result into a file, and reads it first where
// that was not done yet.
func (r *Root) save() tea.Cmd {
	if c := r.diffShown(); c != nil {
		return r.saveDiff(c)
	}
	row := r.selectedRow()
	switch {
	case row == nil:
		return nil
	case row.Outcome == nil && row.Live():
		r.say("It has not ended: there is no result to save.")
		return nil
	case row.Outcome != nil && row.Outcome.Result != nil:
		return r.write(row)
	}
	r.result.save = row.Key
	r.say("Reading the result.")
	return r.m.Update(model.ResultMsg{Key: row.Key})
}

// arrived saves a result that was asked for, and opens a question that the
// person waits for.
func (r *Root) arrived() tea.Cmd {
	var cmd tea.Cmd
	if row := r.m.Row(r.result.save); row != nil && row.Outcome != nil && !row.Outcome.Loading {
		r.result.save = task.Key{}
		if row.Outcome.Result != nil {
			cmd = r.write(row)
		} else if row.Outcome.Err != nil {
			r.fail("Not saved: " + row.Outcome.Err.Error())
		}
	}
	return tea.Batch(cmd, r.questionArrived())
}

// write returns the command that makes the files of a result, and writes them.
func (r *Root) write(row *model.Row) tea.Cmd {
	result, dir, stem := row.Outcome.Result, r.o.SaveDir, "callboard-"+fileWord(string(row.Key.ID))
	return func() tea.Msg {
		files := render.Files(result)
		if len(files) == 1 {
			path, err := writeNew(filepath.Join(dir, stem+files[0].Name), files[0].Data)
			return savedMsg{path: path, files: 1, size: len(files[0].Data), err: err}
		}
		path, size, err := writeAll(filepath.Join(dir, stem+"result"), files)
		return savedMsg{path: path, files: len(files), size: size, err: err}
	}
}

// writeAll writes files into a folder that was not there, mode 0700. It returns the
// folder's path, and how many bytes the files have.
func writeAll(path string, files []render.File) (string, int, error) {
	path, err := makeNew(path, "", func(path string) error { return os.Mkdir(path, 0o700) })
	if err != nil {
		return "", 0, err
	}
	size := 0
	for _, f := range files {
		if _, err := writeNew(filepath.Join(path, f.Name), f.Data); err != nil {
			return path, size, fmt.Errorf("%w (what was written before is in %s)", err, path)
		}
		size += len(f.Data)
	}
	return path, size, nil
}

// saved tells where the file is, and puts its path on the clipboard.
func (r *Root) saved(msg savedMsg) tea.Cmd {
	if msg.err != nil {
		r.fail("Not saved: " + task.CleanMax(unsaved(msg.err), 400).Line())
		return nil
	}
	what := size(msg.size)
	if msg.files > 1 {
		what += " in " + count(msg.files, "file", "files")
	}
	if msg.what != "" {
		what = msg.what + ", " + what + ","
	}
	r.say("Saved " + what + " to " + task.CleanLine(msg.path, 1000).Line())
	if r.o.Clipboard == nil {
		return nil
	}
	clipboard, path := r.o.Clipboard, msg.path
	return func() tea.Msg { _, _ = clipboard(path); return nil } // the path is shown: nothing is lost
}

// fileWord makes a part of a file name from an id of a server: of letters,
// digits, and - only, ended by one, at most 41 long, "" of nothing.
func fileWord(id string) string {
	word := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			return c
		}
		return '_'
	}, id)
	if word == "" {
		return ""
	}
	return word[:min(len(word), 40)] + "-"
}

// isText reports whether data are text that a clipboard takes.
func isText(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// maxNames is how many files of one name are counted up.
const maxNames = 1000

// writeNew writes a file that was not there, mode 0600, with a number in its
// name where others are. It returns the path as a person can use it. What cannot
// be written whole is taken away again.
func writeNew(path string, data []byte) (string, error) {
	var f *os.File
	path, err := makeNew(strings.TrimSuffix(path, filepath.Ext(path)), filepath.Ext(path), func(path string) (err error) {
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return path, err
}

// makeNew makes something that was not there: stem and ext, with a number between
// them where others are. It returns its whole path.
func makeNew(stem, ext string, makeAt func(path string) error) (string, error) {
	if abs, err := filepath.Abs(stem); err == nil {
		stem = abs
	}
	for i := 1; i < maxNames; i++ {
		path := stem + ext
		if i > 1 {
			path = fmt.Sprintf("%s-%d%s", stem, i, ext)
		}
		if err := makeAt(path); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
	return "", fmt.Errorf("%d files of the name %s are there", maxNames, filepath.Base(stem+ext))
}

// unsaved words why something was not written: the folder, what is wrong with it,
// and what helps.
func unsaved(err error) string {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return err.Error()
	}
	why := filepath.Dir(at.Path) + ": " + at.Err.Error()
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EROFS):
		return why + ". Results are saved into the folder in which callboard was started: start it in another."
	case errors.Is(err, syscall.ENOSPC):
		return why + ". Nothing was left behind: make room, and save it again."
	}
	return why
}
