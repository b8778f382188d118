package state

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"callboard/model/task"
)

// version is that of the file's form. It grows when an older callboard would
// misread what a newer one wrote; members that are only added leave it.
const version = 1

// maxFile is how much of a file is read; what is written stays below, by the
// limits of document.go.
const maxFile = 32 << 20

// What stands in a server's file, as JSON. Durations are milliseconds, times
// RFC 3339 in UTC.
type (
	fileJSON struct {
		Version  int           `json:"version"`
		URL      string        `json:"url"`
		Era      string        `json:"era,omitempty"`
		Sessions []sessionJSON `json:"sessions,omitempty"`
		Handles  []handleJSON  `json:"handles,omitempty"`
		Sent     []sentJSON    `json:"sent,omitempty"`
		Dropped  []droppedJSON `json:"dropped,omitempty"`
	}
	sessionJSON struct {
		ID        string    `json:"id"`
		Era       string    `json:"era,omitempty"`
		Joined    bool      `json:"joined,omitempty"`
		LastEvent string    `json:"lastEvent,omitempty"`
		Streams   []string  `json:"streams,omitempty"` // lines of task.Resume.Streams
		About     aboutJSON `json:"about"`
		Kept      stamp     `json:"kept"`
		Owner     string    `json:"owner,omitempty"` // the Memory that holds its GET stream
	}
	aboutJSON struct {
		Era           string `json:"era,omitempty"`
		Version       string `json:"version,omitempty"`
		Name          string `json:"name,omitempty"`
		ServerVersion string `json:"serverVersion,omitempty"`
		Instructions  string `json:"instructions,omitempty"`
		Note          string `json:"note,omitempty"`
		List          string `json:"list,omitempty"`
		Cancel        string `json:"cancel,omitempty"`
		TaskCalls     string `json:"taskCalls,omitempty"`
		Tools         string `json:"tools,omitempty"`
		Session       bool   `json:"session,omitempty"`
		Joined        bool   `json:"joined,omitempty"`
		ReadOnly      bool   `json:"readOnly,omitempty"`
		Sampling      bool   `json:"sampling,omitempty"`
	}
	handleJSON struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Created stamp  `json:"created"`
		Updated stamp  `json:"updated"`
		TTL     int64  `json:"ttl,omitempty"` // -1: no limit
		Poll    int64  `json:"poll,omitempty"`
		Tool    string `json:"tool,omitempty"`
		Digest  string `json:"digest,omitempty"`
		Session string `json:"session,omitempty"`
		Watched bool   `json:"watched,omitempty"`
		Since   stamp  `json:"since"`
		Seen    stamp  `json:"seen"`
		Ended   stamp  `json:"ended,omitzero"`
	}
	sentJSON struct {
		Call    string `json:"call"`
		Tool    string `json:"tool"`
		Digest  string `json:"digest,omitempty"`
		Session string `json:"session,omitempty"`
		At      stamp  `json:"at"`
		Owner   string `json:"owner"` // the Memory that sent it
	}
	droppedJSON struct {
		ID string `json:"id"`
		At stamp  `json:"at"`
		By string `json:"by"`
	}
)

// stamp is a time that is never more than odd: one that cannot be read is none.
type stamp struct{ time.Time }

// MarshalJSON writes "" for a time that RFC 3339 has no form for.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s.IsZero() || s.UTC().Year() < 1 || s.UTC().Year() > 9999 {
		return []byte(`""`), nil
	}
	return json.Marshal(s.UTC().Format(time.RFC3339Nano))
}

// UnmarshalJSON never fails.
func (s *stamp) UnmarshalJSON(value []byte) error {
	var text string
	_ = json.Unmarshal(value, &text)               // "" where it is no string
	s.Time, _ = time.Parse(time.RFC3339Nano, text) // zero where it is no time
	if year := s.UTC().Year(); year < 1 || year > 9999 {
		s.Time = time.Time{} // nor one that could be written again
	}
	return nil
}

// at makes a stamp of t without its monotonic reading, so that what was written
// and read again is equal to it.
func at(t time.Time) stamp { return stamp{t.Round(0).UTC()} }

// errNewer is a file that this callboard must not touch.
type errNewer int

func (e errNewer) Error() string {
	return fmt.Sprintf("a newer callboard wrote it, version %d", int(e))
}

// parse reads a file. Its error is errNewer, or says that it is damaged.
func parse(content []byte) (document, error) {
	var head struct{ Version *int }
	if err := json.Unmarshal(content, &head); err != nil || head.Version == nil || *head.Version < 1 {
		return document{}, errDamaged
	}
	if *head.Version > version {
		return document{}, errNewer(*head.Version)
	}
	var file fileJSON
	if err := json.Unmarshal(content, &file); err != nil {
		return document{}, errDamaged
	}
	d := newDocument(file.URL)
	d.era, _ = task.ParseEra(file.Era)
	for _, s := range file.Sessions {
		d.sessions[task.Secret(s.ID)] = s.session()
	}
	for _, h := range file.Handles {
		d.handles[task.ID(h.ID)] = h.handle()
	}
	for _, s := range file.Sent {
		d.sent[task.CallID(s.Call)] = sent{owner: s.Owner, Sent: task.Sent{
			Call: task.CallID(s.Call), Tool: s.Tool, Digest: s.Digest, Session: task.Secret(s.Session), At: s.At.Time,
		}}
	}
	for _, each := range file.Dropped {
		d.dropped[task.ID(each.ID)] = dropped{at: each.At.Time, by: each.By}
	}
	d.limit()
	return d, nil
}

// encode writes a document, the same one always alike.
func (d document) encode() ([]byte, error) {
	file := fileJSON{Version: version, URL: d.url, Era: eraWord(d.era)}
	for id, s := range d.sessions {
		file.Sessions = append(file.Sessions, sessionOf(id, s))
	}
	for _, h := range d.handles {
		file.Handles = append(file.Handles, handleOf(h))
	}
	for _, s := range d.sent {
		file.Sent = append(file.Sent, sentJSON{
			Call: string(s.Call), Tool: s.Tool, Digest: s.Digest, Session: string(s.Session), At: at(s.At), Owner: s.owner,
		})
	}
	for id, each := range d.dropped {
		file.Dropped = append(file.Dropped, droppedJSON{ID: string(id), At: at(each.at), By: each.by})
	}
	slices.SortFunc(file.Sessions, func(a, b sessionJSON) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(file.Handles, func(a, b handleJSON) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(file.Sent, func(a, b sentJSON) int { return strings.Compare(a.Call, b.Call) })
	slices.SortFunc(file.Dropped, func(a, b droppedJSON) int { return strings.Compare(a.ID, b.ID) })
	content, err := json.MarshalIndent(file, "", " ")
	return append(ascii(content), '\n'), err
}

// ascii writes what else stands in a JSON text by its escapes: a terminal, or a
// person who looks at the file, is not to be led astray by a server's words.
func ascii(text []byte) []byte {
	if !slices.ContainsFunc(text, func(b byte) bool { return b >= 0x7f }) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/4)
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func (s sessionJSON) session() session {
	r := task.Resume{
		Session: task.Secret(s.ID), Joined: s.Joined, LastEvent: task.Secret(s.LastEvent), Streams: streams(s.Streams), About: s.About.about(),
	}
	r.Era, _ = task.ParseEra(s.Era)
	return session{resume: r, kept: s.Kept.Time, owner: s.Owner}
}

func sessionOf(id task.Secret, s session) sessionJSON {
	return sessionJSON{
		ID: string(id), Era: eraWord(s.resume.Era), Joined: s.resume.Joined, LastEvent: string(s.resume.LastEvent),
		Streams: lines(s.resume.Streams), About: aboutOf(s.resume.About), Kept: at(s.kept), Owner: s.owner,
	}
}

func (a aboutJSON) about() task.About {
	era, _ := task.ParseEra(a.Era)
	return task.About{
		Era: era, Version: a.Version,
		Name: text(a.Name), ServerVersion: text(a.ServerVersion), Instructions: text(a.Instructions), Note: text(a.Note),
		List: can(a.List), Cancel: can(a.Cancel), TaskCalls: can(a.TaskCalls), Tools: can(a.Tools),
		Session: a.Session, Joined: a.Joined, ReadOnly: a.ReadOnly, Sampling: a.Sampling,
	}
}

func aboutOf(a task.About) aboutJSON {
	return aboutJSON{
		Era: eraWord(a.Era), Version: a.Version,
		Name: a.Name.String(), ServerVersion: a.ServerVersion.String(), Instructions: a.Instructions.String(), Note: a.Note.String(),
		List: canWord(a.List), Cancel: canWord(a.Cancel), TaskCalls: canWord(a.TaskCalls), Tools: canWord(a.Tools),
		Session: a.Session, Joined: a.Joined, ReadOnly: a.ReadOnly, Sampling: a.Sampling,
	}
}

func (h handleJSON) handle() handle {
	return handle{ended: h.Ended.Time, Handle: task.Handle{
		Task: task.Task{
			ID: task.ID(h.ID), Status: task.ParseStatus(h.Status), Created: h.Created.Time, Updated: h.Updated.Time,
			TTL: duration(h.TTL), Poll: max(0, duration(h.Poll)),
		},
		Tool: h.Tool, Digest: h.Digest, Session: task.Secret(h.Session), Watched: h.Watched,
		Since: h.Since.Time, Seen: h.Seen.Time,
	}}
}

func handleOf(h handle) handleJSON {
	return handleJSON{
		ID: string(h.Task.ID), Status: h.Task.Status.String(), Created: at(h.Task.Created), Updated: at(h.Task.Updated),
		TTL: millis(h.Task.TTL), Poll: millis(h.Task.Poll),
		Tool: h.Tool, Digest: h.Digest, Session: string(h.Session), Watched: h.Watched,
		Since: at(h.Since), Seen: at(h.Seen), Ended: at(h.ended),
	}
}

// text cleans words of a server anew: somebody may have edited the file.
func text(s string) task.Text { return task.CleanMax(s, maxWords+len("…")) }

func eraWord(e task.Era) string {
	if e == task.AnyEra {
		return ""
	}
	return e.String()
}

func can(word string) task.Can {
	switch word {
	case "yes":
		return task.CanYes
	case "no":
		return task.CanNo
	}
	return task.CanUnknown
}

func canWord(c task.Can) string {
	switch c {
	case task.CanYes:
		return "yes"
	case task.CanNo:
		return "no"
	case task.CanUnknown:
	}
	return ""
}

// millis rounds up, so that a short time does not become none. NoTTL is -1.
func millis(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	ms := d.Milliseconds()
	if time.Duration(ms)*time.Millisecond < d {
		ms++
	}
	return ms
}

func duration(ms int64) time.Duration {
	if ms < 0 {
		return task.NoTTL
	}
	return time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}
