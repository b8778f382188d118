package mcptest

import (
	"context"
	"encoding/json"
	"net/http"
)

// listen is an open subscriptions/listen. Its fields belong to Server.mu.
type listen struct {
	id      json.RawMessage // of the request
	sub     any             // subscription id: the same, unless a fault says otherwise
	account string
	tools   bool
	tasks   map[string]bool
	st      *stream
}

// serveListen opens a stream of notifications (basic/patterns/subscriptions; extension tasks, task status
// notifications).
func (s *Server) serveListen(w http.ResponseWriter, r *http.Request, m *incoming, who *caller) {
	var p struct {
		Notifications *struct {
			Tools bool     `json:"toolsListChanged"`
			Tasks []string `json:"taskIds"`
		} `json:"notifications"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.Notifications == nil {
		s.refuseModern(w, m.ID, bad(CodeInvalidParams, "Invalid params: notifications is missing or not an object"))
		return
	}
	if p.Notifications.Tasks != nil && !who.tasks {
		s.refuseModern(w, m.ID, &refusal{http.StatusBadRequest, missingTasks()})
		return
	}
	f := s.faults.Load()
	l := &listen{id: m.ID, sub: m.ID, account: who.account, tasks: map[string]bool{}, st: s.modernStream()}
	if f.Listen == ListenOwnID {
		l.sub = "sub-" + randomID()
	}
	s.mu.Lock()
	agreed := map[string]any{}
	if p.Notifications.Tools && s.cfg.caps.ToolsListChanged {
		l.tools = true
		agreed["toolsListChanged"] = true
	}
	if p.Notifications.Tasks != nil && f.Listen != ListenNoTasks && s.extension() {
		agreed["taskIds"] = s.agree(l, who, p.Notifications.Tasks)
	}
	l.note(s, "notifications/subscriptions/acknowledged", map[string]any{"notifications": agreed})
	if f.Listen == ListenEnds {
		s.endListen(l)
	} else {
		s.listens = append(s.listens, l)
	}
	s.mu.Unlock()
	s.log.changed()
	defer s.unlisten(l)
	s.carry(w, r, l.st, 1, false, nil)
}

// agree subscribes to the tasks that the account knows, and names them. s.mu is held.
func (s *Server) agree(l *listen, who *caller, ids []string) []string {
	agreed := []string{}
	for _, id := range ids {
		params, err := json.Marshal(map[string]string{"taskId": id})
		if err != nil {
			continue
		}
		if _, no := s.findModern(who, params, "watch"); no == nil && !l.tasks[id] {
			l.tasks[id] = true
			agreed = append(agreed, id)
		}
	}
	return agreed
}

// note sends a notification under the subscription. s.mu is held.
func (l *listen) note(s *Server, method string, params map[string]any) {
	params["_meta"] = map[string]any{metaSubscription: l.sub}
	data := s.encodeNote(method, params)
	l.st.push(data)
	if s.faults.Load().Duplicate && method != "notifications/subscriptions/acknowledged" {
		l.st.push(data)
	}
}

func (s *Server) unlisten(l *listen) {
	s.mu.Lock()
	l.st.finish(nil)
	for i, o := range s.listens {
		if o == l {
			s.listens = append(s.listens[:i:i], s.listens[i+1:]...)
			break
		}
	}
	s.mu.Unlock()
	s.log.changed()
}

// notifyListens pushes a task to those who listen for it. s.mu is held.
func (s *Server) notifyListens(r *record) {
	var t map[string]any
	for _, l := range s.listens {
		if !l.tasks[r.ID] {
			continue
		}
		if t == nil {
			t = s.detail(r)
			if s.faults.Load().PushWithoutInput {
				delete(t, "inputRequests")
			}
		}
		l.note(s, "notifications/tasks", t)
	}
}

// notifyTools tells those who listen that the tools have changed. s.mu is held.
func (s *Server) notifyTools() {
	for _, l := range s.listens {
		if l.tools {
			l.note(s, "notifications/tools/list_changed", map[string]any{})
		}
	}
}

// endListen tells a listener that its subscription ends, and closes the stream behind that. s.mu is held.
func (s *Server) endListen(l *listen) {
	how := s.faults.Load().ListenEnd
	if how != EndResult {
		l.note(s, "notifications/cancelled", map[string]any{"requestId": l.id, "reason": "the server ends the subscription"})
	}
	var data []byte
	if how != EndCancelled {
		data = s.modernReply("subscriptions/listen", l.id, "complete", map[string]any{"_meta": map[string]any{metaSubscription: l.sub}}, nil)
	}
	l.st.finish(data)
}

// EndListens ends every open subscriptions/listen in good order ([Faults.ListenEnd]).
func (s *Server) EndListens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listens {
		s.endListen(l)
	}
	s.listens = nil
}

// Listening says how many open subscriptions/listen were agreed to carry this task; how many are open at all if taskID
// is empty.
func (s *Server) Listening(taskID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.listens {
		if taskID == "" || l.tasks[taskID] {
			n++
		}
	}
	return n
}

// WaitListening waits until a subscriptions/listen carries this task; any if taskID is empty.
func (s *Server) WaitListening(ctx context.Context, taskID string) error {
	return s.WaitUntil(ctx, func() bool { return s.Listening(taskID) > 0 })
}
