// Package exec is one run of a script and the one funnel that every MCP call
// goes through: look up, permission, queue, deadline, call, record (spec 05).
//
// It knows scripts, pools and decisions; it reaches MCP servers, the sandbox and
// people through the small interfaces below. What a script's author did wrong
// is a Result; only a malformed request is an error.
package exec
