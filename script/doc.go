// Package script knows the text of an Exec script: what is removed from it
// before it runs, its options line, how it becomes JavaScript, and where
// tools are used in it.
//
// It is pure. What Compile is given to transform code, esbuild, can be crashed by
// a hostile text: only package sandbox's compilers call it, which are processes
// of their own. Everything else here is safe on any text in any process.
package script
