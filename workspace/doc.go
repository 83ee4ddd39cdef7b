// Package workspace puts one workspace together: its configuration, its MCP
// servers, the pool, the rules and the runner. The language server and
// every command open one and share its way of doing things.
//
// It is the only place where configuration flows into connections, connections
// into a pool, and pool and rules into runs.
package workspace
