// Package catalog is the pool of MCP tools as immutable values, and every text
// and list made of it: the catalog as a model reads it, search, descriptions,
// the .d.ts, what changed between two pools, what is declared and announced to
// an agent.
//
// A Tool is what one element of a tools/list answer says, a Server the tools of
// one MCP server, a Catalog the pool. None of them ever changes; a changed
// server makes a new Catalog that shares every Tool that stayed the same, and
// with it everything that was computed of that Tool, so that one changed tool
// costs the rendering of one tool.
//
// It is pure: no I/O, no goroutines, no context. It must not know how servers
// are reached, nor who may call what. What is in a tool comes from a server and
// is not trusted: a broken tool costs itself, and no text of it can leave its
// place in the texts made here.
package catalog
