// Package hook runs the commands that a person has put around tool calls
// (spec 05, HOOK-1…4): before a call, to deny it, ask for it, spare the
// question or replace its input; after it, to see the result and say something
// about it.
//
// A command is not trusted to behave: it has a clean environment, a process
// group of its own, a time limit and bounded output. Whatever goes wrong with it
// is logged and counts for nothing; least of all does it allow anything. Which
// hooks may run at all is decided elsewhere: config reads them, workspace leaves
// out those of a workspace that nobody has approved.
package hook
