// Package demo is a small MCP server inside this program: a few harmless tools
// with fixed answers, to try Code Mode out with before one has servers of one's
// own. It is a real server that speaks MCP over stdio; nothing else in the
// program treats its calls otherwise than those of any server.
//
// Its tools change nothing, read nothing of the machine and reach no network.
package demo
