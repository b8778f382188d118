package mcptest

import (
	"container/heap"
	"encoding/json"
	"sort"
	"time"
)

// slot is a place in the list of tasks. Slots stay in order of seq when their task is gone, so that cursors hold.
type slot struct {
	seq uint64
	r   *record
}

// AddTask adds a task that no script runs, and gives its id. Nothing is notified; see [Server.Announce].
func (s *Server) AddTask(t Task) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(t).ID
}

// add makes the record of t. s.mu is held.
func (s *Server) add(t Task) *record {
	now := s.now()
	if t.ID == "" {
		t.ID = s.faults.Load().hostileID(s.cfg.newTaskID())
	}
	if t.Status == "" {
		t.Status = Working
	}
	if t.Created.IsZero() {
		t.Created = now
	}
	if t.Updated.IsZero() {
		t.Updated = now
	}
	if t.TTL == 0 {
		t.TTL = s.cfg.ttl
	}
	if t.Poll == 0 {
		t.Poll = s.cfg.poll
	}
	s.seq++
	r := &record{Task: t, seq: s.seq, queue: -1}
	s.tasks[t.ID] = r
	s.list = append(s.list, slot{s.seq, r})
	s.reschedule(r)
	s.log.changed()
	return r
}

// remove forgets r, ends its script and whatever waits for it. s.mu is held.
func (s *Server) remove(r *record) {
	if s.tasks[r.ID] != r {
		return
	}
	delete(s.tasks, r.ID)
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].seq >= r.seq })
	s.list[i].r = nil
	if s.gone++; s.gone > 64 && s.gone > len(s.list)/2 {
		kept := make([]slot, 0, len(s.list)-s.gone)
		for _, sl := range s.list {
			if sl.r != nil {
				kept = append(kept, sl)
			}
		}
		s.list, s.gone = kept, 0
	}
	if r.queue >= 0 {
		heap.Remove(&s.expiry, r.queue)
	}
	if r.script != nil {
		r.script()
	}
	s.withdraw(r, "the task is gone")
	s.settle(r, errorf(CodeInvalidParams, "Failed to retrieve task: Task has expired"))
}

// RemoveTask deletes a task, as a server may once its ttl has run out, and reports whether there was one.
func (s *Server) RemoveTask(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.tasks[id]
	if r == nil {
		return false
	}
	s.remove(r)
	s.log.changed()
	return true
}

// Task gives a task as it is now.
func (s *Server) Task(id string) (Task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.tasks[id]
	if r == nil {
		return Task{}, false
	}
	return r.Task, true
}

// Tasks gives all tasks, oldest first.
func (s *Server) Tasks() []Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Task, 0, len(s.tasks))
	for _, sl := range s.list {
		if sl.r != nil {
			out = append(out, sl.r.Task)
		}
	}
	return out
}

// SetStatus moves a task by hand, terminal ones too, and notifies as the server is configured. It reports whether there
// is such a task. A task moved to a terminal state gives its [Task.Outcome] as result.
func (s *Server) SetStatus(id string, to Status, message string) bool {
	return s.Update(id, func(t *Task) { t.Status, t.Message = to, message })
}

// Finish ends a task by hand with an outcome and reports whether there is such a task.
func (s *Server) Finish(id string, o Outcome) bool {
	return s.Update(id, func(t *Task) { t.Status, t.Message, t.Outcome = s.endStatus(o), o.message(), o })
}

// Update changes any field of a task but its ID, moves its Updated unless change did, and notifies as the server is
// configured. It reports whether there is such a task.
func (s *Server) Update(id string, change func(*Task)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.tasks[id]
	if r == nil {
		return false
	}
	before, t := r.Task, r.Task
	change(&t)
	t.ID = id
	if t.Updated.Equal(before.Updated) {
		t.Updated = s.now()
	}
	r.Task = t
	if t.TTL != before.TTL || !t.Created.Equal(before.Created) {
		s.reschedule(r)
	}
	s.moved(r, before.Status)
	return true
}

// endStatus is the state that an outcome leads to, given the faults.
func (s *Server) endStatus(o Outcome) Status {
	if o.Err == nil && o.IsError && s.faults.Load().ErrorDone {
		return Completed
	}
	return o.status()
}

func (o Outcome) message() string {
	if o.Message == "" && o.Err != nil {
		return o.Err.Message
	}
	return o.Message
}

// move sets status and message. s.mu is held.
func (s *Server) move(r *record, to Status, message string) {
	from := r.Status
	r.Status, r.Message, r.Updated = to, message, s.now()
	s.moved(r, from)
}

// moved does what follows from a change of r: prompts and the script of an ended task end, the change is notified,
// and tasks/result is answered. s.mu is held.
func (s *Server) moved(r *record, from Status) {
	if r.Status.Terminal() {
		if r.script != nil {
			r.script()
		}
		s.withdraw(r, "the task has ended")
	}
	if s.cfg.transitions(from, r.Status) {
		s.notifyStatus(r)
	}
	if r.Status.Terminal() {
		s.settle(r, nil)
	}
	s.log.changed()
}

// conclude is the end of a script.
func (s *Server) conclude(r *record, o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks[r.ID] != r || s.closed {
		return
	}
	if r.Status.Terminal() && !s.faults.Load().FlipTerminal {
		return
	}
	r.Outcome = o
	s.move(r, s.endStatus(o), o.message())
}

// settle answers every open tasks/result of r: with err, or with how the task ended. s.mu is held.
func (s *Server) settle(r *record, err *Error) {
	waits := r.waits
	r.waits = nil
	for _, w := range waits {
		delete(w.sess.inflight, string(w.id))
		w.st.finish(s.encodeReply("tasks/result", w.id, s.payload(r), err))
	}
}

// payload is what tasks/result gives for an ended task: a result, or an *Error.
func (s *Server) payload(r *record) any {
	switch o := r.Outcome; {
	case o.Err != nil:
		return o.Err
	case r.Status == Cancelled && o.Content == nil && o.Structured == nil:
		return errorf(CodeInternal, "Task was cancelled and has no result")
	default:
		return o.result(r.ID)
	}
}

// sees reports whether the session may see the task.
func (s *Server) sees(ss *session, r *record) bool {
	if r.Account != "" && r.Account != ss.account {
		return false
	}
	return s.cfg.shared || r.Session == "" || r.Session == ss.id
}

// find gives the task of taskId in params as far as the session may see it. s.mu is held.
func (s *Server) find(ss *session, params json.RawMessage, verb string) (*record, *Error) {
	var p struct {
		TaskID *string `json:"taskId"`
	}
	if json.Unmarshal(params, &p) != nil || p.TaskID == nil {
		return nil, errorf(CodeInvalidParams, "Failed to %s task: taskId is missing or not a string", verb)
	}
	r := s.tasks[*p.TaskID]
	if r == nil || !s.sees(ss, r) {
		return nil, errorf(CodeInvalidParams, "Failed to %s task: Task not found", verb)
	}
	return r, nil
}

// capTTL is the retention of a task for which the client asked; nil: it did not.
func (s *Server) capTTL(asked *float64) time.Duration {
	if asked == nil || *asked < 0 {
		return s.cfg.ttl
	}
	most := s.cfg.maxTTL
	if most < 0 {
		most = 1<<63 - 1
	}
	if *asked >= float64(most/time.Millisecond) {
		return s.cfg.maxTTL
	}
	return time.Duration(*asked) * time.Millisecond
}
