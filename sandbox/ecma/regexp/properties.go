package regexp

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strconv"
	"strings"
	"sync"
)

//go:generate node properties.mjs

//go:embed properties.txt.gz
var propertyData []byte

// propertyLines are names of properties and the ranges that they stand for.
var propertyLines = sync.OnceValue(func() map[string]string {
	lines := map[string]string{}
	z, err := gzip.NewReader(bytes.NewReader(propertyData))
	if err != nil {
		return lines
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return lines
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		names, ranges, _ := strings.Cut(line, " ")
		for name := range strings.SplitSeq(names, ",") {
			lines[name] = ranges
		}
	}
	return lines
})

var properties sync.Map // the line's key → []span

// property gives the characters of \p{name}.
func property(name string) ([]span, bool) {
	switch name {
	case "Any":
		return []span{{0, maxRune}}, true
	case "ASCII":
		return []span{{0, 127}}, true
	case "Assigned":
		s, ok := property("gc=Cn")
		return complement(s), ok
	}
	key := name
	if k, v, ok := strings.Cut(name, "="); ok {
		switch k {
		case "General_Category", "gc":
			key = "gc=" + v
		case "Script", "sc":
			key = "sc=" + v
		case "Script_Extensions", "scx":
			key = "scx=" + v
		default:
			return nil, false
		}
	} else if _, ok := propertyLines()["gc="+name]; ok {
		key = "gc=" + name
	}
	if s, ok := properties.Load(key); ok {
		return s.([]span), true
	}
	line, ok := propertyLines()[key]
	if !ok || key == "" || strings.HasPrefix(key, "version=") {
		return nil, false
	}
	var s []span
	at := rune(0)
	for i, word := range strings.Fields(line) {
		n, _ := strconv.ParseInt(word, 36, 32)
		at += rune(n)
		if i%2 == 0 {
			s = append(s, span{from: at, to: maxRune})
		} else {
			s[len(s)-1].to = at - 1
		}
	}
	properties.Store(key, s)
	return s, true
}

// stringProperty gives the strings of the properties of strings that the v flag
// adds. Those of emoji sequences that no rule makes are not known here.
func stringProperty(name string) (*class, bool) {
	switch name {
	case "Emoji_Keycap_Sequence":
		c := &class{}
		for _, r := range "0123456789#*" {
			c.strings = append(c.strings, string(r)+"\ufe0f\u20e3")
		}
		return c, true
	case "RGI_Modifier_Sequence", "RGI_Emoji_Modifier_Sequence":
		c := &class{}
		bases, _ := property("Emoji_Modifier_Base")
		for _, s := range bases {
			for r := s.from; r <= s.to; r++ {
				for m := rune(0x1f3fb); m <= 0x1f3ff; m++ {
					c.strings = append(c.strings, string(r)+string(m))
				}
			}
		}
		return c, true
	case "Basic_Emoji":
		c := &class{}
		shown, _ := property("Emoji_Presentation")
		indicators, _ := property("Regional_Indicator")
		modifiers, _ := property("Emoji_Modifier")
		c.addSpans(intersect(shown, complement(indicators)))
		all, _ := property("Emoji")
		for _, s := range intersect(intersect(all, complement(shown)), complement(append([]span{{0, 0x7f}}, modifiers...))) {
			for r := s.from; r <= s.to; r++ {
				c.strings = append(c.strings, string(r)+"\ufe0f")
			}
		}
		return c, true
	}
	return nil, false
}
