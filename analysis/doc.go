// Package analysis is what can be said of a script, given what it can use: completion,
// hover, signature help, diagnostics, actions, lenses, hints, rename. Its features are
// functions of values (Script, View): no connection, no lock, usable by commands and
// tests as well as by an editor's session.
package analysis
