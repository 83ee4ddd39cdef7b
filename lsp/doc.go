// Package lsp is the wire and the editor: a request is decoded, pinned to a
// snapshot, and answered by a function that can be read without knowing the
// wire. One file per feature; methods.go has the table of everything that is
// answered.
package lsp
