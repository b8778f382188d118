package mcptest

import (
	"encoding/json"
	"net/http"
)

// Era is a set of generations of the protocol.
type Era uint8

// The generations. A server of both answers on one URL and has one set of tasks.
const (
	LegacyEra Era = 1 << iota // 2025-11-25 and before: `initialize`, sessions, tasks in the core protocol
	ModernEra                 // 2026-07-28 with the extension io.modelcontextprotocol/tasks
)

// ModernRevision is the protocol revision of [ModernEra].
const ModernRevision = "2026-07-28"

const extensionTasks = "io.modelcontextprotocol/tasks"

// WithEra sets the generations that the server speaks: [LegacyEra], the default, [ModernEra], or both.
func WithEra(eras Era) Option { return func(c *config) { c.eras = eras } }

// versions are the revisions that the server speaks, newest first.
func (s *Server) versions() []string {
	var vs []string
	if s.cfg.eras&ModernEra != 0 {
		vs = append(vs, ModernRevision)
	}
	switch {
	case s.cfg.eras&LegacyEra == 0:
	case s.cfg.version != "":
		vs = append(vs, s.cfg.version)
	default:
		vs = append(vs, revisions...)
	}
	return vs
}

// isModern reports whether a POST belongs to the modern half. Of a server of both eras those do that carry the
// per-request `_meta`, or the headers that go with it (2026-07-28, basic/versioning).
func (s *Server) isModern(r *http.Request, m *incoming) bool {
	switch {
	case s.cfg.eras&ModernEra == 0:
		return false
	case s.cfg.eras&LegacyEra == 0:
		return true
	case m.Method == "initialize" || m.kind() == KindResponse || r.Header.Get(headerSession) != "":
		return false
	case r.Header.Get(headerMethod) != "":
		return true
	}
	if v := r.Header.Get(headerVersion); v != "" && !known(v) {
		return true
	}
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	return json.Unmarshal(m.Params, &p) == nil && p.Meta[metaVersion] != nil
}

// StopListening closes all listeners and connections, as a process that is restarted does. Tasks, sessions and scripts
// stay, as they do where they are kept in durable storage; requests under way are lost. [Server.ListenAgain] undoes it.
func (s *Server) StopListening() error {
	s.serving.Lock()
	defer s.serving.Unlock()
	s.down = true
	return s.closeHosts()
}

// ListenAgain serves again where the server did before [Server.StopListening]; [Server.Start] and [Server.StartOn]
// choose another address.
func (s *Server) ListenAgain() error {
	s.serving.Lock()
	s.down = false
	addr := s.addr
	s.serving.Unlock()
	if addr == "" {
		return nil // it is reached in memory
	}
	_, err := s.StartOn(addr)
	return err
}
