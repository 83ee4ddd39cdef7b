package permission

import (
	"errors"
	"strings"
)

// A pattern is a parsed Match: three globs for the segments of a leaf, or the
// word Exec.
type pattern struct {
	exec     bool
	segments [3][]piece
}

// A piece of a glob: literal text, or (star) any run of characters.
type piece struct {
	text string
	star bool
}

var errMatch = errors.New(`a rule names Exec or mcp__server__tool, with * inside a segment (mcp__server__* for all of a server)`)

// Valid says whether match is a rule that can name something.
func Valid(match string) error {
	_, err := parse(match)
	return err
}

// Literal is the Match of exactly one leaf: a tool that a server has named `*`
// must not become a rule for all of its tools.
func Literal(leaf string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`).Replace(leaf)
}

func parse(match string) (pattern, error) {
	if match == Exec {
		return pattern{exec: true}, nil
	}
	segments, ok := split(match)
	if !ok {
		return pattern{}, errMatch
	}
	var p pattern
	for i, s := range segments {
		pieces, ok := pieces(s)
		if !ok {
			return pattern{}, errMatch
		}
		p.segments[i] = pieces
	}
	if segments[0] != "mcp" {
		return pattern{}, errMatch
	}
	return p, nil
}

// split cuts a full name into mcp, the server's key and the tool. The key is
// what stands between the first and the second `__` (POOL-2); a tool's own name
// may hold more of them. The key is empty for a server whose name begins with two
// characters that become "_": its tools, too, have to be named by rules.
func split(name string) (segments [3]string, ok bool) {
	prefix, rest, ok := strings.Cut(name, "__")
	if !ok {
		return segments, false
	}
	key, tool, ok := strings.Cut(rest, "__")
	if !ok || tool == "" {
		return segments, false
	}
	return [3]string{prefix, key, tool}, true
}

// pieces reads a glob; ok is false when a backslash stands before anything but a
// star or a backslash.
func pieces(s string) (list []piece, ok bool) {
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			list = append(list, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			if i == len(s) || s[i] != '*' && s[i] != '\\' {
				return nil, false
			}
			text.WriteByte(s[i])
		case '*':
			flush()
			if len(list) == 0 || !list[len(list)-1].star {
				list = append(list, piece{star: true})
			}
		default:
			text.WriteByte(s[i])
		}
	}
	flush()
	return list, true
}

// leaf is the only name that a pattern without wildcards matches.
func (p pattern) leaf() (string, bool) {
	if p.exec {
		return Exec, true
	}
	var names [3]string
	for i, pieces := range p.segments {
		for _, piece := range pieces {
			if piece.star {
				return "", false
			}
			names[i] += piece.text
		}
	}
	return strings.Join(names[:], "__"), true
}

func (p pattern) match(leaf string) bool {
	if p.exec {
		return leaf == Exec
	}
	names, ok := split(leaf)
	if !ok {
		return false
	}
	for i, pieces := range p.segments {
		if !matchPieces(pieces, names[i]) {
			return false
		}
	}
	return true
}

// matchPieces is linear in s for each piece: the leftmost place of a literal
// between two stars is always good enough.
func matchPieces(list []piece, s string) bool {
	for i, p := range list {
		last := i == len(list)-1
		afterStar := i > 0 && list[i-1].star
		switch {
		case p.star:
			if last {
				return true
			}
		case last && afterStar:
			return strings.HasSuffix(s, p.text)
		case afterStar:
			at := strings.Index(s, p.text)
			if at < 0 {
				return false
			}
			s = s[at+len(p.text):]
		default:
			rest, ok := strings.CutPrefix(s, p.text)
			if !ok {
				return false
			}
			s = rest
		}
	}
	return s == ""
}
