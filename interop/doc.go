// Package interop holds callboard against MCP servers that others wrote. It is a
// module of its own, so that nobody who builds callboard downloads them.
//
// The servers in Go run inside the tests. Those from npm are started as child
// processes from the folder that CALLBOARD_NPM names, in which
// "npm install @modelcontextprotocol/server-everything @modelcontextprotocol/sdk"
// was run; without it their tests say that they skip.
package interop
