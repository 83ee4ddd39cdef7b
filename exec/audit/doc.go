// Package audit keeps the log of decisions on tool calls (PERM-11): who or what
// allowed or denied which call, and when. It is append-only, one JSON object a
// line, readable by its user alone, and rotated by size. Arguments are never in
// it, only their hash and size, by which a person who has the arguments can find
// the decision on them.
package audit
