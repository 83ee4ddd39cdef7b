package sample

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formats of JSON Schema, each with one text of it.
var formats = map[string]string{
	"date-time": "2024-01-01T00:00:00Z", "date": "2024-01-01", "time": "00:00:00Z", "duration": "P1D",
	"email": "user@example.com", "idn-email": "user@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "url": "https://example.com/",
	"uri-reference": "/", "iri": "https://example.com/", "iri-reference": "/", "uri-template": "/{id}",
	"uuid": "00000000-0000-4000-8000-000000000000", "json-pointer": "/a", "relative-json-pointer": "0/a", "regex": "a",
	"byte": "c2FtcGxl", "color": "#000000",
}

// text makes a string; n makes several differ, attempt makes repetitions longer.
func text(s object, n, attempt int) any {
	v := "sample"
	if n > 0 {
		v += strconv.Itoa(n)
	}
	least, most := int(length(s["minLength"], 0)), int(length(s["maxLength"], maxChars))
	format, hasFormat := s["format"].(string)
	known, hasFormat := formats[format], hasFormat && formats[format] != ""
	pattern, hasPattern := s["pattern"].(string)
	switch {
	case hasFormat && n > 0 && strings.HasSuffix(known, "/"):
		v = known + strconv.Itoa(n)
	case hasFormat:
		v = known
	case hasPattern:
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			// What looks around most often forbids the shortest texts.
			if re, err = syntax.Parse(withoutLookaround(pattern), syntax.Perl); err != nil {
				break
			}
			attempt++
		}
		for repeat := n + attempt; repeat < maxChars; repeat = repeat*2 + 1 {
			var b strings.Builder
			sp := speller{b: &b, repeat: repeat}
			sp.spell(re)
			v = b.String()
			if more := v + strconv.Itoa(n); n > 0 && utf8.RuneCountInString(more) <= most && matches(pattern, more) {
				v = more
			}
			if utf8.RuneCountInString(v) >= least {
				return v
			}
		}
	}
	if size := utf8.RuneCountInString(v); size < least {
		v += strings.Repeat("x", least-size)
	} else if size > most {
		v = string([]rune(v)[:most])
		if n > 0 && !hasFormat { // what makes them differ is at the end
			digits := strconv.Itoa(n)
			if len(digits) <= most {
				v = v[:most-len(digits)] + digits
			}
		}
	}
	return v
}

func length(v any, otherwise float64) float64 {
	f, ok := v.(float64)
	if !ok || f < 0 {
		return otherwise
	}
	return min(f, maxChars)
}

// A speller writes a short text that a regular expression matches.
type speller struct {
	b      *strings.Builder
	repeat int // how often what may be repeated is, beyond what it must
}

func (p speller) spell(re *syntax.Regexp) {
	if p.b.Len() > maxChars {
		return
	}
	times := func(n int) {
		for range min(n, maxChars) {
			if p.b.Len() > maxChars {
				return
			}
			p.spell(re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		p.b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		p.b.WriteRune(friendly(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		p.b.WriteByte('x')
	case syntax.OpCapture:
		times(1)
	case syntax.OpPlus:
		times(1 + p.repeat)
	case syntax.OpStar:
		times(p.repeat)
	case syntax.OpRepeat:
		n := re.Min + p.repeat
		if re.Max >= 0 {
			n = min(n, re.Max)
		}
		times(n)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			p.spell(sub)
		}
	case syntax.OpAlternate:
		p.spell(re.Sub[0])
	}
}

// friendly is a printable member of a class, if it has one.
func friendly(ranges []rune) rune {
	for _, want := range "a0A_-x" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1] >= ' ' && ranges[i+1] != 0x7f {
			return max(ranges[i], ' ')
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}

// matches reports whether a pattern is found in a text; what Go has no words for is
// not looked at.
func matches(pattern, s string) bool {
	re := compile(pattern)
	return re == nil || re.MatchString(s)
}

// compile reads a pattern as far as Go can; nil is not at all.
func compile(pattern string) *regexp.Regexp {
	if len(pattern) > maxChars {
		return nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		re, err = regexp.Compile(withoutLookaround(pattern))
	}
	if err != nil {
		return nil
	}
	return re
}

// withoutLookaround leaves out the groups of a pattern (ECMA-262, 22.2.1) that
// only look at what is before or behind them, which Go does not have.
func withoutLookaround(pattern string) string {
	var b strings.Builder
	class := false
	skipped := 0 // open groups within one that is left out, itself included
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		end := i + 1
		switch {
		case c == '\\' && end < len(pattern):
			end++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(' && (skipped > 0 || looksAround(pattern[i:])):
			skipped++
		case c == ')' && skipped > 0:
			if skipped--; skipped == 0 {
				continue
			}
		}
		if skipped == 0 {
			b.WriteString(pattern[i:end])
		}
		i = end - 1
	}
	return b.String()
}

func looksAround(group string) bool {
	for _, start := range [...]string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(group, start) {
			return true
		}
	}
	return false
}
