package mcptest

import "fmt"

// poseInTask opens prompts of a task. s.mu is held.
func (s *Server) poseInTask(r *record, ps []*prompt, f *Faults) {
	for _, p := range ps {
		p.before = r.Message
		if n := len(r.prompts); n > 0 {
			p.before = r.prompts[0].before
		}
		p.key = r.newKey(p.key, f)
		s.asking = append(s.asking, p)
		r.prompts = append(r.prompts, p)
	}
	if !f.AskWorking {
		s.move(r, InputRequired, ps[0].e.Message)
	}
	for _, p := range ps {
		if s.cfg.promptRoute == ByGET {
			s.eachSession("", func(ss *session) {
				if s.sees(ss, r) {
					s.offer(p, ss, nil)
				}
			})
			continue
		}
		for _, w := range r.waits {
			s.offer(p, w.sess, w.st)
		}
	}
}

// newKey is a key of inputRequests that this task has not used (extension tasks, task update requests). s.mu is held.
func (r *record) newKey(wish string, f *Faults) string {
	if r.keys == nil {
		r.keys = map[string]bool{}
	}
	base := wish
	if base == "" {
		base = "input"
	}
	key := base
	for n := 2; r.keys[key] && !f.ReuseKeys || r.open(key) != nil; n++ {
		key = fmt.Sprintf("%s-%d", base, n)
	}
	r.keys[key] = true
	return key
}

// open is the open prompt of this key, or nil. s.mu is held.
func (r *record) open(key string) *prompt {
	for _, p := range r.prompts {
		if p.key == key {
			return p
		}
	}
	return nil
}
