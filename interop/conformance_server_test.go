package interop

import (
	"testing"

	"callboard/mcpclient/mcptest"
)

// The scenarios of the tasks extension judge the server that callboard is tested
// with and that its demo shows: a client that agrees with a wrong server proves
// nothing. What they push, they cannot judge: tasks-status-notifications says so.
func TestConformanceServer(t *testing.T) {
	for _, sc := range []scenario{
		{name: "tasks-lifecycle", passes: 9},
		{name: "tasks-capability-negotiation", passes: 5},
		{name: "tasks-wire-fields", passes: 4},
		{name: "tasks-request-state-removal", passes: 3},
		{name: "tasks-mrtr-input", passes: 4},
		{name: "tasks-request-headers", passes: 5},
		{name: "tasks-dispatch-and-envelope", passes: 9},
		{name: "tasks-required-task-error", passes: 3},
		{name: "tasks-mrtr-composition", passes: 2},
		{name: "tasks-status-notifications", skips: []string{"TasksStatusNotificationsScenario"}},
	} {
		sc.suite = suiteTasks
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			sc.run(t, nil, "server", "--url", start(t, mcptest.Conformance()), "--force")
		})
	}
}

// start serves our own server until the end of the test, and gives its URL.
func start(t *testing.T, s *mcptest.Server) string {
	t.Helper()
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return url
}
