// Package mcpclient is the client side of MCP as callboard needs it: a session
// with one server, its tasks, its prompts and its log, behind the port that
// package model defines. It speaks revision 2025-11-25 over streamable HTTP.
//
// It knows the nouns of model/task and nothing of the program above: neither
// package model nor a terminal. What a server writes is data here: decoded with
// tolerance, bounded, cleaned where a Text is made of it, and never trusted.
//
// The way in is [NewEndpoint]; [Endpoint.Dial] begins a [Session]. A session
// owns its goroutines; they end with [Session.Close].
package mcpclient
