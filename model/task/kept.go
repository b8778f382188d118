package task

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Handle is a task as it is kept beyond the program's life, of a server that it
// was started on or watched.
type Handle struct {
	// Task is what was last known of it, without its message.
	Task Task
	// Tool and Digest are those of the call of ours that it came from: the
	// tool's name, raw, and the digest of the arguments. "" for the tasks of
	// others.
	Tool, Digest string
	// Session is the session that it was seen in, "" where there are none.
	Session Secret
	// Watched marks a task that the person named by its id.
	Watched bool
	// Since is when it was first kept, Seen when it was last heard of; our clock.
	Since, Seen time.Time
}

// Sent is a tools/call that was on its way: until its reply comes nobody knows
// whether it started anything.
type Sent struct {
	Call         CallID
	Tool, Digest string // as in Handle
	Session      Secret
	At           time.Time // when it was sent, our clock
}

// Kept is what is kept of one server and one account on it.
type Kept struct {
	// Resume is the session to rejoin, and the era that was found. PostOnly is
	// set where another process uses the session.
	Resume  Resume
	Handles []Handle
	// Foreign are the handles that other credentials made on the same server.
	// They are not asked for: a task's id may be all that protects it.
	Foreign []Handle
	// Unsettled are calls that were on their way when the process that sent
	// them ended.
	Unsettled []Sent
	// Drafts are what was typed and not sent, by any process, newest first.
	Drafts []KeptDraft
}

// Keep is one change of what is kept: one of the types below, and those of draft.go.
type Keep interface{ keep() }

type (
	// KeepHandle adds a handle, or brings one up to date.
	KeepHandle struct{ Handle Handle }
	// DropHandle forgets one.
	DropHandle struct{ ID ID }
	// KeepResume keeps the session as it is now, and the era. Without a
	// session the era alone is kept, and Gone names the session that is over.
	// Was is what Resume.Streams were before: of what is kept, the lines that
	// went since leave and those that came are added, and the others, of other
	// processes, stay.
	KeepResume struct {
		Resume Resume
		Gone   Secret
		Was    Secret
	}
	// KeepSent notes that a call goes out; Settled that its outcome is known,
	// or that the person has seen that it is not.
	KeepSent struct{ Sent Sent }
	// Settled ends what KeepSent began.
	Settled struct{ Call CallID }
)

func (KeepHandle) keep() {}
func (DropHandle) keep() {}
func (KeepResume) keep() {}
func (KeepSent) keep()   {}
func (Settled) keep()    {}

// Digest returns 16 hexadecimal digits that stand for the arguments of a call,
// "" for none ({} and null are none). The order of an object's members and
// white space make no difference; how a number is written does. It tells calls
// apart, and it keeps nothing of what was sent.
func Digest(args json.RawMessage) string {
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		return ""
	}
	canonical := []byte(args)
	if v, ok := decode(args); ok {
		if members, is := v.(map[string]any); v == nil || is && len(members) == 0 {
			return ""
		}
		if sorted, err := json.Marshal(v); err == nil { // sorts the members
			canonical = sorted
		}
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:8])
}
