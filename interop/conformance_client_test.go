package interop

import (
	"fmt"
	"path/filepath"
	"testing"
)

// callboard's own commands, driven by the suite against servers of its own.
func TestConformanceClient(t *testing.T) {
	driver, err := filepath.Abs("driver.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range []scenario{
		{suite: suiteSessions, name: "initialize", passes: 1},
		{suite: suiteSessions, name: "tools_call", passes: 1},
		{suite: suiteSessions, name: "elicitation-sep1034-client-defaults", passes: 5},
		{suite: suiteSessions, name: "sse-retry", passes: 3},
		{suite: suiteTasks, name: "request-metadata", passes: 7, skips: []string{
			"ClientDeclaresRootsCapability", // callboard declares none
		}},
		{suite: suiteTasks, name: "http-standard-headers", passes: 3, skips: []string{
			// What callboard has no use for, and what the revision has no more.
			"ClientMcpMethodHeader_initialize", "ClientMcpMethodHeader_notifications_initialized",
			"ClientMcpMethodHeader_resources_list", "ClientMcpMethodHeader_resources_read", "ClientMcpNameHeader_resources_read",
			"ClientMcpMethodHeader_prompts_list", "ClientMcpMethodHeader_prompts_get", "ClientMcpNameHeader_prompts_get",
		}},
		{suite: suiteTasks, name: "http-custom-headers", passes: 18},
		{suite: suiteTasks, name: "http-invalid-tool-headers", passes: 12},
		{suite: suiteTasks, name: "sep-2322-client-request-state", passes: 5},
		{suite: suiteTasks, name: "json-schema-ref-no-deref", passes: 1},
		{suite: suiteTasks, name: "json-schema-2020-12-preservation", passes: 9},
	} {
		t.Run(sc.name, func(t *testing.T) {
			sc.run(t, newProgram(t).env, "client", "--command", fmt.Sprintf("%q %q", node(t.Context(), t, driver).Path, driver))
		})
	}
}
