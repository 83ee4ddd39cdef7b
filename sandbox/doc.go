// Package sandbox runs one script in a process of its own: a JavaScript world
// with a deadline and no way out but the calls that its host answers.
//
// This is the host: Pool keeps processes ready, run drives one of them. It believes
// nothing that a process sends, and shares nothing with it but package frame. What
// runs in the process is package guest. Neither knows what a tool is beyond its
// name, nor MCP, nor permissions.
package sandbox
