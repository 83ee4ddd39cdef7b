// Package catalog is the pool of MCP tools as immutable values, and every text
// and list made of it: the catalog as a model reads it, search, descriptions,
// the .d.ts, what changed between two pools.
//
// It is pure: no I/O, no goroutines, no context. It must not know how servers
// are reached. A *Catalog never changes; a changed server makes a new one that
// shares everything that stayed the same.
package catalog
