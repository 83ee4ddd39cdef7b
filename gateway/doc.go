// Package gateway offers Code Mode to agents as an MCP server: one tool, Exec,
// with the catalog, the permissions and the history of a workspace.
//
// A Gateway translates MCP to a Host, which runs what agents ask for. Serve speaks
// MCP on standard streams, Handler on streamable HTTP.
package gateway
