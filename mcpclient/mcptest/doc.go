// Package mcptest is a real MCP server, scripted: HTTP and server-sent events over net/http, tools that are Go
// functions, tasks that a test may move by hand, and faults that a test may switch on while it runs. Tests and
// benchmarks run against it, and `callboard demo` shows it.
//
// It imports the standard library only, and no other package of callboard. What it says therefore comes from the
// specification alone, so that it can contradict the client when the client is wrong.
//
// It speaks two generations of the protocol, either or both on one URL ([WithEra]), with the same tools, tasks and
// scripts. The legacy one is revision 2025-11-25 (sessions, `initialize`, tasks in the core protocol), with the two
// revisions before it, which have no tasks: files named legacy*.go. The modern one is revision 2026-07-28 with the
// extension io.modelcontextprotocol/tasks: files named modern*.go. Tools, tasks, prompts and scripts know nothing of
// HTTP. What a script asks of a person is a request of the server in the one, an entry of inputRequests in the other.
//
// All timers come from package time and all goroutines are started by [New], [Server.Start], [Server.DialContext] and
// requests: inside a testing/synctest bubble, with [Server.Transport] in place of TCP, it runs in virtual time.
package mcptest
