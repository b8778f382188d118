package mcptest

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

func TestBothErasOnOneURL(t *testing.T) {
	gateTool, end := gate(Optional)
	s, old := serve(t, WithEra(LegacyEra|ModernEra), WithTools(gateTool, pairTool))
	c := modern(t, s.URL(), &http.Transport{})
	made := c.start("gate", nil)
	var d struct{ SupportedVersions []string }
	c.call("server/discover", nil).bind(t, &d)
	if strings.Join(d.SupportedVersions, " ") != "2026-07-28 2025-11-25 2025-06-18 2025-03-26" {
		t.Errorf("versions: %v", d.SupportedVersions)
	}
	// One store: what the modern half made is listed by the legacy one; the legacy task is bound to its session.
	if task, err := old.task(made.TaskID); err != nil || task.Status != Working {
		t.Errorf("seen by the other half: %+v, %v", task, err)
	}
	mine := old.start("gate", "").TaskID
	if e := c.errs("tasks/get", map[string]any{"taskId": mine}); e.Code != CodeInvalidParams {
		t.Errorf("a session's task: %v", e)
	}
	end <- Answered("x")
	end <- Answered("y")
	s.waitStatus(t, made.TaskID, Completed)
	if got := c.get(made.TaskID); got.Status != Completed {
		t.Errorf("%+v", got)
	}
	get := old.get()
	id := old.start("ask", "").TaskID
	st, _ := old.post("tasks/result", idParams(id))
	// Both questions are asked of the legacy client too.
	first, second := st.until("elicitation/create"), st.until("elicitation/create")
	old.answer(second, `{"action":"decline"}`)
	old.answer(first, `{"action":"accept","content":{}}`)
	if m := st.until(""); !strings.Contains(string(m.Result), "decline") {
		t.Errorf("%s", m.Raw)
	}
	get.close()
}

func TestOneEraRefusesTheOther(t *testing.T) {
	s, _ := serve(t)
	c := modern(t, s.URL(), &http.Transport{})
	st, _ := c.post("server/discover", nil)
	if m := st.must(); st.res.StatusCode != http.StatusBadRequest || m.Error == nil || m.Error.Code != -32000 {
		t.Errorf("a legacy server: %d %s", st.res.StatusCode, m.Raw)
	}
	m, _ := serveModernly(t)
	old := raw(t, m.URL(), &http.Transport{})
	if got := old.initialize2(); got.Error == nil || got.Error.Code != CodeVersion {
		t.Errorf("a modern server: %s", got.Raw)
	}
}

func (c *client) initialize2() msg {
	return c.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"0"}}`)
}

func TestMixedServers(t *testing.T) {
	s, c := serve(t, WithFaults(Faults{ExtensionInInitialize: true, ModernPush: true}), WithTools(pairTool))
	other := raw(t, s.URL(), &http.Transport{})
	if m := other.initialize2(); !strings.Contains(string(m.Result), `"extensions":{"io.modelcontextprotocol/tasks":{}}`) || !strings.Contains(string(m.Result), `"tasks":{`) {
		t.Errorf("%s", m.Raw)
	}
	get := c.get()
	if err := s.WaitStream(within(t), c.session); err != nil {
		t.Fatal(err)
	}
	id := s.AddTask(Task{})
	s.Finish(id, Answered("x"))
	if m := get.must(); m.Method != "notifications/tasks" || !strings.Contains(string(m.Raw), `"ttlMs"`) {
		t.Errorf("%s", m.Raw)
	}
}

func TestTasksOutliveTheListener(t *testing.T) {
	s, c := serveModernly(t, WithTools(pairTool))
	id := c.start("ask", nil).TaskID
	s.waitStatus(t, id, InputRequired)
	st, _ := c.listen(map[string]any{"taskIds": []string{id}})
	if err := s.StopListening(); err != nil {
		t.Fatal(err)
	}
	if _, err := st.next(); err == nil {
		t.Error("the stream outlived the listener")
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := c.http.Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("somebody listens")
	}
	if err := s.ListenAgain(); err != nil {
		t.Fatal(err)
	}
	c.update(id, map[string]any{"a": accept(nil), "b": accept(nil)})
	m, _ := modernly(t)
	if err := m.StopListening(); err != nil {
		t.Fatal(err)
	}
	if conn, err := m.DialContext(t.Context(), "", ""); err == nil {
		_ = conn.Close()
		t.Error("somebody listens in memory")
	}
	if err := m.ListenAgain(); err != nil {
		t.Fatal(err)
	}
	if conn, err := m.DialContext(t.Context(), "", ""); err != nil {
		t.Error(err)
	} else {
		_ = conn.Close()
	}
	s.waitStatus(t, id, Completed)
	if got := c.get(id); got.Status != Completed {
		t.Errorf("%+v", got)
	}
}
