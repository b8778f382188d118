package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	tea "github.com/charmbracelet/bubbletea"
)

type savedMsg struct {
	path string
	size int
	err  error
}

// save writes the selected row's result into a file, and reads it first where
// that was not done yet.
func (r *Root) save() tea.Cmd {
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

// write returns the command that writes the file.
func (r *Root) write(row *model.Row) tea.Cmd {
	name, data := render.Save(row.Outcome.Result)
	path := filepath.Join(r.o.SaveDir, "callboard-"+fileWord(string(row.Key.ID))+name)
	return func() tea.Msg {
		path, err := writeNew(path, data)
		return savedMsg{path, len(data), err}
	}
}

// saved tells where the file is, and puts its path on the clipboard.
func (r *Root) saved(msg savedMsg) tea.Cmd {
	if msg.err != nil {
		r.fail("Not saved: " + task.CleanMax(msg.err.Error(), 400).Line())
		return nil
	}
	r.say("Saved " + size(msg.size) + " to " + task.CleanLine(msg.path, 1000).Line())
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

// isText reports whether a file that render.Save names holds text.
func isText(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".txt" || ext == ".json"
}

// maxNames is how many files of one name are counted up.
const maxNames = 1000

// writeNew writes a file that was not there, mode 0600, with a number in its
// name where others are. It returns the path as a person can use it.
func writeNew(path string, data []byte) (string, error) {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	for i := 1; i < maxNames; i++ {
		if i > 1 {
			path = fmt.Sprintf("%s-%d%s", stem, i, ext)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
		if abs, absErr := filepath.Abs(path); absErr == nil {
			path = abs
		}
		return path, err
	}
	return "", fmt.Errorf("%d files of the name %s are there", maxNames, filepath.Base(path))
}
