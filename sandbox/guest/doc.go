// Package guest is the child process of a sandbox: it gives up its rights, makes a
// JavaScript world of goja, runs one script in it and exits. Values cross by copy,
// calls leave as frames. The compiler of scripts is a child too, see CompilerMain.
//
// A program that starts sandboxes with itself as the child must import this package:
// the child lives in its init.
package guest
