// Package sandbox runs one script in a process of its own: a JavaScript world
// with a deadline and no doors but the calls that its host answers.
//
// The host side (Pool, Run) believes nothing that the child sends. The child
// side (child.go, and compiler.go for the process that makes JavaScript of a
// script first) hardens itself before it reads any script. Only this package
// knows goja. It must not know what a tool is beyond a name, nor MCP, nor
// permissions.
package sandbox
