// Package mcptest is a real MCP server, scripted: HTTP and server-sent events over net/http, tools that are Go
// functions, tasks that a test may move by hand, and faults that a test may switch on while it runs. Tests and
// benchmarks run against it, and `callboard demo` shows it.
//
// It imports the standard library only, and no other package of callboard. What it says therefore comes from the
// specification alone, so that it can contradict the client when the client is wrong.
//
// It speaks protocol revision 2025-11-25 (sessions, `initialize`, tasks in the core protocol) and negotiates the two
// revisions before it, which have no tasks. Everything that belongs to that generation's HTTP face is in the files
// named legacy*.go; the tools, tasks, prompts and scripts know nothing of HTTP, so that another generation can stand
// beside it.
//
// All timers come from package time and all goroutines are started by [New], [Server.Start], [Server.DialContext] and
// requests: inside a testing/synctest bubble, with [Server.Transport] in place of TCP, it runs in virtual time.
package mcptest
