package mcptest

import (
	"encoding/json"
	"strconv"
	"time"
)

const maxStreams = 256 // streams a session keeps for resumption, running ones apart

// session is what the server knows of one client. Its fields belong to Server.mu.
type session struct {
	id       string
	version  string
	form     bool // the client takes form elicitations
	url      bool // and URL ones
	sampling bool
	tasks    struct{ elicitation, sampling bool } // it receives tasks for these requests
	account  string                               // bearer token it was opened with
	ready    bool                                 // notifications/initialized has come
	level    int                                  // least severity of notifications/message it wants
	seen     time.Time
	get      *stream
	streams  map[string]*stream
	order    []string // keys of streams, oldest first
	made     int      // streams made so far
	asked    int      // requests sent so far
	pending  map[string]func(*incoming)
	inflight map[string]func()
}

func (s *Server) newSession(id string) *session {
	return &session{
		id: id, version: Revision, seen: s.now(), get: newStream("g", s.cfg.keep, s.cfg.maxPendingEvent),
		streams: map[string]*stream{}, pending: map[string]func(*incoming){}, inflight: map[string]func(){},
	}
}

// stream makes the stream that answers one POST. Server.mu is held.
func (ss *session) stream(s *Server) *stream {
	ss.made++
	st := newStream("p"+strconv.Itoa(ss.made), s.cfg.keep, s.cfg.maxPendingEvent)
	if s.cfg.keep == 0 {
		return st
	}
	ss.streams[st.key] = st
	ss.order = append(ss.order, st.key)
	if len(ss.order) > maxStreams {
		kept := ss.order[:0]
		excess := len(ss.order) - maxStreams
		for _, k := range ss.order {
			if ss.streams[k].over() && excess > 0 {
				delete(ss.streams, k)
				excess--
				continue
			}
			kept = append(kept, k)
		}
		ss.order = kept
	}
	return st
}

// requestID makes the id of the next request to the client. Server.mu is held.
func (s *Server) requestID(ss *session) json.RawMessage {
	n := ss.asked
	ss.asked++
	var id any = n + 1
	if f := s.faults.Load().RequestIDs; f != nil {
		id = f(n)
	}
	raw, err := json.Marshal(id)
	if err != nil {
		return json.RawMessage(strconv.Itoa(n + 1))
	}
	return raw
}

// takes reports whether the client declared the mode of e.
func (ss *session) takes(e Elicitation) bool {
	switch {
	case e.Sampling != nil:
		return ss.sampling
	case e.URL != "":
		return ss.url
	default:
		return ss.form
	}
}

// declare reads the capabilities in initialize: an empty `elicitation` means forms (2025-11-25, client/elicitation).
func (ss *session) declare(caps json.RawMessage) {
	var c clientCaps
	if json.Unmarshal(caps, &c) == nil {
		ss.form, ss.url, ss.sampling = c.modes()
		ss.tasks.elicitation = c.Tasks.Requests.Elicitation.Create != nil
		ss.tasks.sampling = c.Tasks.Requests.Sampling.CreateMessage != nil
	}
}

// clientCaps is what of schema type ClientCapabilities matters here, in both eras.
type clientCaps struct {
	Elicitation *struct {
		Form *struct{} `json:"form"`
		URL  *struct{} `json:"url"`
	} `json:"elicitation"`
	Sampling *struct{} `json:"sampling"`
	Tasks    struct {
		Requests struct {
			Elicitation struct {
				Create *struct{} `json:"create"`
			} `json:"elicitation"`
			Sampling struct {
				CreateMessage *struct{} `json:"createMessage"`
			} `json:"sampling"`
		} `json:"requests"`
	} `json:"tasks"` // of the legacy era
	Extensions map[string]json.RawMessage `json:"extensions"`
}

func (c clientCaps) modes() (form, url, sampling bool) {
	if c.Elicitation != nil {
		url = c.Elicitation.URL != nil
		form = c.Elicitation.Form != nil || !url
	}
	return form, url, c.Sampling != nil
}
