// Package typescript is a client of the TypeScript engine: a supervised child
// process of the same binary that speaks LSP (package typescript/engine is what
// runs in it).
//
// A script is the body of a function; the engine sees it wrapped. This package
// wraps, and maps every position of every answer back, so that callers deal in
// the author's positions alone (UTF-16). The engine's death costs a restart
// with all documents replayed, not the session. It must not know the catalog:
// declarations are a text.
package typescript
