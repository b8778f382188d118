package mcptest

import "testing"

// A server that was closed serves nobody who comes late, and leaves nothing behind.
func TestClosedServerTakesNoConnection(t *testing.T) {
	s := New()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if conn, err := s.DialContext(t.Context(), "", ""); err == nil {
		t.Error("connected")
		_ = conn.Close()
	}
}
