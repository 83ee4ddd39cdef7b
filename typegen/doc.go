// Package typegen turns JSON Schema into TypeScript: one renderer for catalog,
// search, hover and the .d.ts (TYPE-1).
//
// It is pure: schemas in, text out, no I/O and no goroutines. It must not know
// where tools come from or who reads the text. It accepts any bytes that a
// server can send; what it cannot understand is `unknown`, with a Problem.
package typegen
