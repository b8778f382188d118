// Package mcpclient is the client side of MCP as callboard needs it: a session
// with one server, its tasks, its prompts and its log, behind the port that
// package model defines. It speaks two generations of the protocol over streamable
// HTTP: revision 2025-11-25, with its sessions and tasks, and revision 2026-07-28
// with the extension io.modelcontextprotocol/tasks. Which one a server speaks,
// [Endpoint.Dial] finds out.
//
// The generations share an engine (requests and their replies, calls, prompts,
// results, what is known of tasks) and the codec. What they do differently is
// behind the interface era, in files named *2025.go and *2026.go.
//
// It knows the nouns of model/task and nothing of the program above: neither
// package model nor a terminal. What a server writes is data here: decoded with
// tolerance, bounded, cleaned where a Text is made of it, and never trusted.
//
// The way in is [NewEndpoint]; [Endpoint.Dial] begins a [Session]. A session
// owns its goroutines; they end with [Session.Close].
package mcpclient
