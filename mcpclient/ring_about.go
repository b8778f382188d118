package mcpclient

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// subject is what a frame is about, as far as the frame does not say so itself. The
// frames of one call share it: that the call is a task becomes known later.
type subject struct {
	task  task.ID
	call  task.CallID
	token string // the progress token of the call
}

// maxSubjects is how many calls are remembered, the newest.
const maxSubjects = 4096

// callSubjects are the subjects of calls. ring.mu guards it.
type callSubjects struct {
	byCall  map[task.CallID]*subject
	byToken map[string]*subject
	order   []*subject // oldest first
}

// of returns the subject for a request: that of its call, where it has one.
func (c *callSubjects) of(about subject) *subject {
	switch {
	case about.call == "" && about.task == "":
		return nil
	case about.call == "":
		return &subject{task: about.task}
	}
	s := c.byCall[about.call]
	if s == nil {
		if c.byCall == nil {
			c.byCall, c.byToken = make(map[task.CallID]*subject), make(map[string]*subject)
		}
		s = &about
		c.byCall[s.call] = s
		if c.order = append(c.order, s); len(c.order) > maxSubjects {
			old := c.order[0]
			c.order = c.order[1:]
			delete(c.byCall, old.call)
			delete(c.byToken, old.token)
		}
	}
	if s.token == "" {
		s.token = about.token
	}
	if s.token != "" {
		c.byToken[s.token] = s
	}
	return s
}

// became notes that a call is a task now.
func (r *ring) became(call task.CallID, id task.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.calls.byCall[call]; s != nil {
		s.task = id
	}
}

// headers makes of the headers of a request what may be shown. Its fields are set
// before the first request, but for last.
type headers struct {
	url        string
	query      bool
	configured http.Header
	last       sharedWire
}

// openHeaders are those whose values are no secrets, unless the person set them.
var openHeaders = []string{
	"Accept", "Content-Type", "User-Agent", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Last-Event-Id",
}

// read returns how a message went out, without secrets. clean takes those of ours
// out of a text.
func (h *headers) read(f *transport.Frame, clean func(string) string) *task.Wire {
	w := &task.Wire{Method: f.Stream, URL: h.url, Query: h.query}
	for _, name := range slices.Sorted(maps.Keys(f.Head)) {
		for _, value := range f.Head[name] {
			w.Header = append(w.Header, h.shown(name, value, f.Data, clean))
		}
	}
	if h.configured.Get("Host") != "" { // net/http has it elsewhere
		w.Header = append(w.Header, task.Header{Name: "Host", Secret: true})
	}
	return h.last.share(w)
}

func (h *headers) shown(name, value string, body []byte, clean func(string) string) task.Header {
	out := task.Header{Name: name, Value: value}
	_, own := h.configured[name]
	switch {
	case own:
	case slices.Contains(openHeaders, name):
		out.Secret = clean(value) != value
	case strings.HasPrefix(name, paramHeader): // it repeats an argument
		rest, _ := strings.CutPrefix(name, paramHeader)
		out.Secret = secretKey([]byte(rest)) || clean(value) != value || mask(string(body), false) != ""
		if !out.Secret {
			return out
		}
	default:
		out.Secret = true
	}
	if own || out.Secret {
		out.Secret, out.Value = true, ""
		if scheme, _, ok := strings.Cut(value, " "); ok && name == "Authorization" && (scheme == "Bearer" || scheme == "Basic") {
			out.Value = scheme
		}
	}
	return out
}

// sharedWire is the last Wire: those in a row are mostly the same.
type sharedWire struct{ p atomic.Pointer[task.Wire] }

// share returns the Wire that is like w, w itself where the last one was another.
func (s *sharedWire) share(w *task.Wire) *task.Wire {
	if last := s.p.Load(); last != nil && last.Method == w.Method && slices.Equal(last.Header, w.Header) {
		return last
	}
	s.p.Store(w)
	return w
}

// canonical returns a header with its names as net/http writes them.
func canonical(in http.Header) http.Header {
	out := make(http.Header, len(in))
	for name, values := range in {
		out[http.CanonicalHeaderKey(name)] = values
	}
	return out
}
