package mcptest

import (
	"encoding/json"
	"net/http"
)

// info is schema type Implementation of the server.
func (s *Server) info() map[string]any {
	return map[string]any{"name": s.cfg.name, "title": s.cfg.title, "version": s.cfg.build}
}

// modernResult completes a result of this method: its resultType, and who speaks.
func (s *Server) modernResult(method, resultType string, body map[string]any) map[string]any {
	res := make(map[string]any, len(body)+2)
	for k, v := range body {
		res[k] = v
	}
	if f := s.faults.Load(); f.ResultType != nil {
		resultType = f.ResultType(method, resultType)
	}
	if resultType != "" {
		res["resultType"] = resultType
	}
	meta := map[string]any{metaServer: s.info()}
	if own, ok := body["_meta"].(map[string]any); ok {
		for k, v := range own {
			meta[k] = v
		}
	}
	res["_meta"] = meta
	return res
}

// modernReply makes a response of a result, or of err if there is one.
func (s *Server) modernReply(method string, id json.RawMessage, resultType string, body map[string]any, err *Error) []byte {
	if err != nil {
		return s.encode(method, outgoing{ID: id, Error: err})
	}
	return s.encode(method, outgoing{ID: id, Result: s.modernResult(method, resultType, body)})
}

// modernStream makes the stream that answers one modern request.
func (s *Server) modernStream() *stream {
	st := newStream("m", 0, s.cfg.maxPendingEvent)
	st.modern = true
	return st
}

// modernNoise puts notifications on a stream that have nothing to do with its reply.
func (s *Server) modernNoise(st *stream) {
	if !s.faults.Load().Noise || st.plain {
		return
	}
	st.push(s.encodeNote("notifications/message", map[string]any{"level": "debug", "logger": "noise", "data": "unrelated"}))
	st.push(s.encodeNote("notifications/progress", map[string]any{"progressToken": "nobody's", "progress": 1}))
	st.push(s.encodeNote("notifications/x-unheard-of", map[string]any{"anything": []int{1, 2, 3}}))
}

// sendModern answers a request at once.
func (s *Server) sendModern(w http.ResponseWriter, r *http.Request, m *incoming, body map[string]any, err *Error) {
	data := s.modernReply(m.Method, m.ID, "complete", body, err)
	sse, _ := s.shape(r)
	if !sse {
		s.writeReply(w, data, true)
		return
	}
	st := s.modernStream()
	s.modernNoise(st)
	st.finish(data)
	s.carry(w, r, st, 1, false, nil)
}

// discover is schema type DiscoverResult.
func (s *Server) discover() map[string]any {
	caps := s.cfg.caps.common()
	if s.extension() {
		caps["extensions"] = map[string]any{extensionTasks: struct{}{}}
	}
	if s.faults.Load().BlockInDiscover {
		caps["tasks"] = s.cfg.caps.tasks()
	}
	res := map[string]any{
		"supportedVersions": s.versions(), "capabilities": caps,
		"ttlMs": s.cfg.discoverTTL.Milliseconds(), "cacheScope": s.cfg.cacheScope,
	}
	if s.cfg.instructions != "" {
		res["instructions"] = s.cfg.instructions
	}
	return res
}
