package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A name is no identity: a repository can call its server like one of the user's, or
// almost so. Such a server is reported as that, and inherits nothing (TRUST-1).

// Key is the part of a server's tools' names that rules know it by: its name with
// `_` for what a tool's full name cannot have, up to the first `__` of the full name.
func Key(name string) string {
	key := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	key, _, _ = strings.Cut(key+"__", "__")
	return key
}

// resembling notes for each server of a workspace whose name it has, or almost has,
// and reports it.
func (l *loader) resembling() {
	var first, last []Server // the tools of the user's own servers keep their names
	for _, s := range l.config.Servers {
		var falls bool
		if s.Layer == Workspace {
			s.Resembles, falls = l.resembles(s)
		}
		// Of the same name there is a finding already, where the user's own is defined.
		if s.Resembles != "" && !l.shadows(s.Name) {
			l.config.Findings = append(l.config.Findings, Finding{
				File: s.File, StartLine: s.Line, EndLine: s.Line + 1, Severity: "warning", Code: "name-of-another",
				Message: fmt.Sprintf("server %q: %s; no permission of that one counts for it", s.Name, s.Resembles),
			})
		}
		if falls {
			last = append(last, s)
		} else {
			first = append(first, s)
		}
	}
	l.config.Servers = append(first, last...)
}

// shadows reports whether a server of the user's own has that name, too.
func (l *loader) shadows(name string) bool {
	return slices.ContainsFunc(l.config.Shadowed, func(s Server) bool { return s.Name == name && s.Layer != Workspace })
}

// resembles explains which other name a workspace's server has or looks like;
// falls, that it has another name and the same rules.
func (l *loader) resembles(s Server) (words string, falls bool) {
	looks := ""
	for _, list := range [][]Server{l.config.Servers, l.config.Shadowed} {
		for _, other := range list {
			if other.Layer == Workspace {
				continue
			}
			whose := fmt.Sprintf("your own server %q (%s)", clip(other.Name), Origin(other))
			if other.Layer == Demo {
				whose = "the built-in demo server"
			}
			switch {
			case other.Name == s.Name:
				return "it has the name of " + whose + " and takes its place once you approve it", false
			case Key(other.Name) == Key(s.Name):
				return "its name falls into the rules of " + whose, true
			case looks == "" && lookAlike(other.Name, s.Name):
				looks = "its name looks like that of " + whose
			}
		}
	}
	return looks, false
}

// lookAlike reports whether a person may take one name for the other.
func lookAlike(a, b string) bool {
	if a, b = visible(a), visible(b); a == "" || b == "" {
		return false
	}
	if strings.EqualFold(a, b) || outline(a) == outline(b) {
		return true
	}
	return similar([]rune(outline(a)), []rune(outline(b)))
}

// visible is a name without white space, separators and what cannot be seen.
func visible(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.M, unicode.P, unicode.Z) {
			return -1
		}
		return r
	}, name)
}

// outlines are letters with the shape of others; what is not listed is left to
// similar.
var outlines = strings.NewReplacer(
	"0", "o", "O", "o", "1", "l", "I", "l", "|", "l", "5", "s", "rn", "m", "vv", "w", "cl", "d",
	"а", "a", "в", "b", "е", "e", "ё", "e", "һ", "h", "і", "i", "ј", "j", "к", "k", "ӏ", "l", "м", "m", "н", "h", "о", "o", "р", "p",
	"ԛ", "q", "г", "r", "с", "c", "ѕ", "s", "т", "t", "у", "y", "ѵ", "v", "ԝ", "w", "х", "x", "ԁ", "d", "ɡ", "g", "ı", "i",
	"α", "a", "β", "b", "ε", "e", "η", "n", "ι", "i", "κ", "k", "μ", "u", "ν", "v", "ο", "o", "ρ", "p", "τ", "t", "υ", "u", "χ", "x", "γ", "y", "ω", "w",
)

// outline is a name with one letter for those that look the same.
func outline(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case '！' <= r && r <= '～': // full width
			r -= '！' - '!'
		case 'А' <= r && r <= 'Я', 'Α' <= r && r <= 'Ω':
			r = unicode.ToLower(r)
		}
		return r
	}, name)
	return strings.ReplaceAll(strings.ToLower(outlines.Replace(outlines.Replace(name))), "i", "l")
}

// similar reports whether the names differ in nothing but letters that are not ASCII,
// fewer than half of one.
func similar(a, b []rune) bool {
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if a[i] <= unicode.MaxASCII && b[i] <= unicode.MaxASCII {
			return false
		}
		differ++
	}
	return 2*differ < len(a)
}
