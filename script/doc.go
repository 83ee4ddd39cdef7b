// Package script knows the text of an Exec script: what is removed from it
// before it runs, its options line, how it becomes JavaScript, and where
// tools are used in it.
//
// It is pure. Compile runs esbuild, which a hostile text can crash: only the
// sandbox process calls it for scripts that run. Everything else here is safe on
// any text in any process.
package script
