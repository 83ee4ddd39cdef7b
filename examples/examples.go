// Package examples is the files that `codemode-ls init` starts a workspace with.
package examples

import _ "embed"

// Hello is a first script, on the demo server.
//
//go:embed hello.exec.ts
var Hello []byte

// Servers is a first .codemode/mcp.json.
//
//go:embed mcp.json
var Servers []byte
