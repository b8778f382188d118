// Package interop holds callboard against what others wrote. It is a module of its
// own, so that nobody who builds callboard downloads them.
//
//   - Servers: one in Go runs inside the tests, those from npm as child processes.
//   - The official conformance suite: its client scenarios drive callboard's own
//     commands (driver.mjs), its server scenarios judge the server of mcptest.
//   - The official client, of both generations, against that same server
//     (official.mjs).
//
// What is from npm is in the folder that CALLBOARD_NPM names: .ci/run says which
// packages in which versions, Node among them, and installs them. Without it their
// tests say that they skip.
package interop
