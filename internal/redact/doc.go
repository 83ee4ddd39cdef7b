// Package redact takes secrets out of what this program says: logs, errors,
// what servers wrote to standard error, results, events, artifacts (OBS-4). One
// Redactor knows what is configured; what passes between a script and a server
// is not touched.
package redact
