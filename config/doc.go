// Package config turns configuration files, editor settings and command-line
// flags into one Config, with findings that have a place in their file.
//
// It reads files when asked to, starts nothing and talks to nobody. Workspace
// files are untrusted: Trust reports whether a person has approved a server that
// such a file names (TRUST-1).
package config
