package state

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"callboard/model/task"
)

// Limits of the drafts of one server and account. What is beyond them leaves,
// the oldest first.
const (
	maxDrafts     = 200
	maxDraftsSize = 8 << 20 // bytes of all of them
	maxDraft      = 1 << 20 // bytes of the names and texts of one; a larger one lives in memory alone
	maxDraftFile  = 8 << 20 // bytes of a file that are read: the largest draft, with each byte escaped

	draftStays     = 7 * 24 * time.Hour // after the last key press
	dropStays      = 24 * time.Hour     // what is left of a draft that was dropped
	maxDropTraces  = 500                // of those
	draftLockWait  = 500 * time.Millisecond
	largeDraft     = 64 << 10    // bytes; one of more is written half as often
	draftAhead     = time.Minute // a time that is further ahead of our clock is not believed
	draftExtension = ".json"
)

// draftVersion is that of a draft's file, as version is of a server's.
const draftVersion = 1

// draftKey is the name of a draft.
type draftKey struct {
	asked string
	task  task.ID
	tool  string
}

func keyOf(d *task.KeptDraft) draftKey { return draftKey{d.Asked, d.Task, d.Tool} }

// file returns the name of the draft's file: a digest with the salt, so that it
// tells nothing of what was asked.
func (k draftKey) file(salt []byte) string {
	var b strings.Builder
	b.WriteString("draft")
	for _, part := range []string{k.asked, string(k.task), k.tool} {
		b.WriteString(" " + strconv.Itoa(len(part)) + " " + part) // lengths: no two run together alike
	}
	return fingerprint(salt, b.String()) + draftExtension
}

// draft is what a draft's file holds: a draft, or that it was dropped.
type draft struct {
	task.KeptDraft
	dropped bool   // At is when
	by      string // the Memory that wrote it
	url     string
}

// draftSize returns how many bytes of d are a person's or a server's.
func draftSize(d *task.KeptDraft) int {
	n := len(d.Asked) + len(d.Task) + len(d.Tool)
	for name, text := range d.Fields {
		n += len(name) + len(text)
	}
	return n
}

// draftJSON is a draft's file. Of one that was dropped the names alone stand
// there, so that a process that has it in memory does not write it again.
type draftJSON struct {
	Version int               `json:"version"`
	URL     string            `json:"url"`
	Asked   string            `json:"asked,omitempty"`
	Task    string            `json:"task,omitempty"`
	Tool    string            `json:"tool,omitempty"`
	At      stamp             `json:"at"` // of the last key press, or of the drop
	By      string            `json:"by"`
	Dropped bool              `json:"dropped,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
}

func (d *draft) encode() ([]byte, error) {
	file := draftJSON{
		Version: draftVersion, URL: d.url, Asked: d.Asked, Task: string(d.Task), Tool: d.Tool, At: at(d.At), By: d.by, Dropped: d.dropped,
	}
	if !d.dropped {
		file.Fields = d.Fields
	}
	content, err := json.Marshal(file)
	return append(ascii(content), '\n'), err
}

// parseDraft reads a draft's file. Its error is errNewer, or says that it is
// damaged.
func parseDraft(content []byte) (draft, error) {
	var file draftJSON
	err := json.Unmarshal(content, &file)
	if err != nil { // one of another form has its version all the same
		var head struct{ Version int }
		if json.Unmarshal(content, &head) != nil || head.Version <= draftVersion {
			return draft{}, errDamaged
		}
		file.Version = head.Version
	}
	switch {
	case file.Version > draftVersion:
		return draft{}, errNewer(file.Version)
	case file.Version < 1 || file.At.IsZero():
		return draft{}, errDamaged
	}
	return draft{by: file.By, url: file.URL, dropped: file.Dropped, KeptDraft: task.KeptDraft{
		Asked: file.Asked, Task: task.ID(file.Task), Tool: file.Tool, At: file.At.Time, Fields: file.Fields,
	}}, nil
}

// readDraft reads the file at path, which info was found for. A name that is not
// that of its content is damage.
func readDraft(path string, info os.FileInfo, salt []byte) (draft, error) {
	if !info.Mode().IsRegular() || info.Size() > maxDraftFile {
		return draft{}, errDamaged // a link or a pipe is nothing of ours
	}
	if err := ours(path, info); err != nil {
		return draft{}, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return draft{}, err
	}
	d, err := parseDraft(content)
	if err == nil && salt != nil && keyOf(&d.KeptDraft).file(salt) != filepath.Base(path) {
		err = errDamaged
	}
	return d, err
}

// over reports whether d has had its time.
func (d *draft) over(now time.Time) bool {
	if d.dropped {
		return now.Sub(d.At) > dropStays
	}
	return now.Sub(d.At) > draftStays
}
