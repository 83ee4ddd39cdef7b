package permission

import (
	"bytes"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// salvage finds the denials of a file that cannot be parsed as a whole: every
// rule in what begins with "deny": (PERM-10). It reads words and brackets only;
// finding a denial too many asks for nothing that was not written there.
func salvage(text []byte, path string, layer Layer) []Rule {
	var rules []Rule
	at := &positions{text: text}
	denying, depth := false, 0 // within the value of "deny", and how deep
	named := false             // the last word was "deny", so far without a colon
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/' && bytes.HasPrefix(text[i:], []byte("//")):
			i += lengthTo(text[i:], "\n")
			continue
		case c == '/' && bytes.HasPrefix(text[i:], []byte("/*")):
			i += 2 + lengthTo(text[i+2:], "*/")
			continue
		case c == '"':
			end := i + stringLength(text[i:])
			word, err := jsontext.AppendUnquote(nil, text[i:end])
			named = err == nil && string(word) == string(Deny) && !denying
			if denying && err == nil && Valid(string(word)) == nil {
				place := script.Range{Start: at.at(i)}
				place.End = at.at(end)
				rules = append(rules, Rule{Effect: Deny, Layer: layer, Match: string(word), File: path, Range: place})
			}
			if denying && depth == 0 {
				denying = false // "deny": "one rule"
			}
			i = end
			continue
		case c == ':' && named:
			denying, depth, named = true, 0, false
		case denying && (c == '[' || c == '{'):
			depth++
		case denying && (c == ']' || c == '}'):
			depth--
			denying = depth > 0
		case denying && depth == 0 && c == ',':
			denying = false
		case denying && c == ':':
			denying = false // the next list began without the end of this one
		}
		i++
	}
	return rules
}

// lengthTo is how far it is behind the next end, or to the end of the text.
func lengthTo(text []byte, end string) int {
	if at := bytes.Index(text, []byte(end)); at >= 0 {
		return at + len(end)
	}
	return len(text)
}

// stringLength is the length of the string that text begins with; one without an
// end ends with its line.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}
