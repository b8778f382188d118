package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"
)

// TypedNull is what stands in a draft for a field that is null, which is
// neither empty nor left out. No person can type it.
const TypedNull = "\x00null"

// Asked returns 32 hexadecimal digits that stand for what a prompt asks, its
// message and schema or URL or conversation: the same in every process, and
// for whichever task asks.
func (p *Prompt) Asked() string {
	h := sha256.New()
	part := func(s string) {
		_, _ = io.WriteString(h, s) // a hash takes anything
		_, _ = h.Write([]byte{0})
	}
	part(string('0' + rune(p.Mode)))
	part(p.Message.String())
	part(string(p.Form.Schema))
	part(p.URL)
	if p.Sampling != nil {
		part(string(p.Sampling.asked()))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// asked is Raw without what tells apart two requests that ask the same: the
// members _meta and task.
func (s *Sampling) asked() []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(s.Raw, &members) != nil {
		return s.Raw
	}
	delete(members, "_meta")
	delete(members, "task")
	same, err := json.Marshal(members) // sorts the members
	if err != nil {
		return s.Raw
	}
	return same
}

// KeptDraft is what was typed into a form and not sent. It is named by Asked,
// Task and Tool together.
type KeptDraft struct {
	// Asked is Prompt.Asked of the question, or of the arguments of a call the
	// Digest of those that it began with, "" for none.
	Asked string
	Task  ID     // the task that asks, "" for none
	Tool  string // the raw name of the tool, of the arguments of a call; else ""
	// Fields are the texts by the fields' names, as model.Draft. What was typed
	// into secret fields is not among them.
	Fields map[string]string
	At     time.Time // of the last key press, our clock
}

type (
	// KeepDraft keeps a draft in place of the one with the same names.
	KeepDraft struct{ Draft KeptDraft }
	// DropDraft forgets the draft with these names.
	DropDraft struct {
		Asked string
		Task  ID
		Tool  string
	}
)

func (KeepDraft) keep() {}
func (DropDraft) keep() {}
