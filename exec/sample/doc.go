// Package sample makes values that a JSON Schema describes (DRY-1).
//
// Schemas are what servers sent: drafts 4 to 2020-12 mixed, contradictory,
// endless or huge. A sample is made in bounded time, is the same for the same
// schema, and is valid wherever a valid value is found; else it is the nearest
// that was.
package sample
