package permission

import "strings"

// Reach is which tools a rule is about, without regard to what it says of them.
type Reach struct{ pattern pattern }

// ReachOf reads a rule; ok is false for Exec and for what is no rule.
func ReachOf(match string) (r Reach, ok bool) {
	p, err := parse(match)
	return Reach{p}, err == nil && !p.exec
}

// Tool reports whether the rule is about the tool with a full name.
func (r Reach) Tool(leaf string) bool { return r.pattern.match(leaf) }

// Server reports whether the rule is about tools of servers with a key.
func (r Reach) Server(key string) bool { return matchPieces(r.pattern.segments[1], key) }

// Parts are the server's key and the tool that the rule names; "" for one that has a
// wildcard.
func (r Reach) Parts() (key, tool string) {
	return literal(r.pattern.segments[1]), literal(r.pattern.segments[2])
}

func literal(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.star {
			return ""
		}
		b.WriteString(p.text)
	}
	return b.String()
}
