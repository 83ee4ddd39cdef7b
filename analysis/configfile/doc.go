// Package configfile is what can be said of a configuration file of MCP servers that is
// open in an editor: diagnostics, completion, hover, lenses, symbols, actions. Its
// features are functions of values, as those of package analysis.
package configfile
