package permission

import (
	"strings"
	"unicode"
	"unicode/utf8"
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

// Valid reports whether match is a rule that can name something, and if not, why and
// which rule would do what it seems to say.
func Valid(match string) error {
	_, err := parse(match)
	return err
}

// Canonical is the one spelling of rules that mean the same: `mcp__git` is
// `mcp__git__*`, `*` is every tool.
func Canonical(match string) string {
	switch trimmed := strings.TrimLeft(match, "*"); {
	case trimmed == "" && match != "", strings.HasPrefix(match, "mcp__*") && strings.Trim(match[len("mcp__"):], "*") == "":
		return everyTool
	}
	if key, ok := strings.CutPrefix(match, "mcp__"); ok && key != "" && !strings.Contains(key, "__") && isKey(key) {
		return match + "__*"
	}
	return match
}

const everyTool = "mcp__*__*"

// isKey reports whether a text can be a server's part of a full name, or a pattern of it.
func isKey(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isKeyRune(r) && r != '*' })
}

func isKeyRune(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// isPlain reports whether a character of a tool's name is written as it is. The others
// need a backslash: a rule that has one without is in another program's notation.
func isPlain(r rune) bool {
	return unicode.IsPrint(r) && r != ' ' && !strings.ContainsRune("*\\()[]{}?!^$|<>&;\"'`", r)
}

// Literal is the Match of exactly one leaf: a tool that a server has named `*`
// must not become a rule for all of its tools.
func Literal(leaf string) string {
	var b strings.Builder
	for i := 0; i < len(leaf); {
		r, size := utf8.DecodeRuneInString(leaf[i:])
		if !isPlain(r) && (r != utf8.RuneError || size > 1) {
			b.WriteByte('\\')
		}
		b.WriteString(leaf[i : i+size])
		i += size
	}
	return b.String()
}

func parse(match string) (pattern, error) {
	if match == Exec {
		return pattern{exec: true}, nil
	}
	segments, ok := split(Canonical(match))
	if !ok || segments[0] != "mcp" || !isKey(segments[1]) ||
		strings.HasPrefix(segments[2], ".*") || strings.HasSuffix(segments[2], ":*") { // a regular expression; arguments as others write them
		return pattern{}, explain(match)
	}
	var p pattern
	for i, s := range segments {
		pieces, ok := pieces(s)
		if !ok {
			return pattern{}, explain(match)
		}
		p.segments[i] = pieces
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

// pieces reads a glob; ok is false for a character that needs a backslash and has
// none, and for a backslash that none needs.
func pieces(s string) (list []piece, ok bool) {
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			list = append(list, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\':
			next, n := utf8.DecodeRuneInString(s[i+size:])
			if n == 0 || isKeyRune(next) {
				return nil, false
			}
			text.WriteString(s[i+size : i+size+n])
			size += n
		case r == utf8.RuneError && size == 1: // not UTF-8: a byte of a name
			text.WriteByte(s[i])
		case r == '*':
			flush()
			if len(list) == 0 || !list[len(list)-1].star {
				list = append(list, piece{star: true})
			}
		case !isPlain(r):
			return nil, false
		default:
			text.WriteString(s[i : i+size])
		}
		i += size
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
