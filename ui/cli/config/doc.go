// Package config is the file config.toml, and what stands beside it: themes, and
// lists of servers that other MCP clients keep. All settings stand in one table
// (settings.go), from which come what is checked, what "callboard config show"
// and "template" print, and docs/CONFIGURATION.md.
//
// It reads files and says what is wrong with them, all of it at once, each with
// its line; it never prints a secret. It knows neither the screen nor the wire.
package config
