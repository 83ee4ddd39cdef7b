// Package upstream is the MCP servers that we call: their processes, their
// sessions, what they offer and what they answer, byte for byte (MCP-7).
//
// One goroutine per server owns connect, refresh and close; a hanging server
// delays nobody (MCP-5). Only this package (with the demo server and the
// tests' own servers) knows the MCP library. It starts what it is configured
// to start: whether a definition may be started is decided before.
package upstream
