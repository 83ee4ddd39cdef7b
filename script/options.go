package script

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var optionsLine = lazily(`^[ \t\x{feff}]*//[ \t]*@options\b[ \t]*:?`)

// readOptions reads the options line (EXEC-15). It may be the first line, or the
// first that is left when a fence was removed, which begins at offset first.
func readOptions(text string, first int) (o Options, found []Finding) {
	for _, c := range commentLines(text) {
		head := optionsLine().FindString(text[c.start:c.end])
		if head == "" {
			continue
		}
		whole := Range{positionAt(text, c.start), positionAt(text, c.end)}
		if c.start != 0 && c.start != first {
			found = append(found, Finding{whole, CodeOptionsMisplaced,
				fmt.Sprintf("line %d: the options line must be the first line of the script", whole.Start.Line+1)})
			continue
		}
		found = append(found, parseOptions(text, c.start+len(head), c.end, whole, &o)...)
	}
	return o, found
}

// parseOptions reads the JSON object between two offsets.
func parseOptions(text string, from, to int, whole Range, o *Options) (found []Finding) {
	line := whole.Start.Line + 1
	invalid := func(why string) []Finding {
		return append(found, Finding{whole, CodeOptionsInvalid,
			fmt.Sprintf(`line %d: the options must be one JSON object, such as {"timeout_ms": 5000}: %s`, line, why)})
	}
	raw := text[from:to]
	d := jsontext.NewDecoder(bytes.NewReader([]byte(raw)))
	if d.PeekKind() != '{' {
		return invalid("no object follows @options")
	}
	d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return invalid(err.Error())
		}
		field := name.String()
		end := from + int(d.InputOffset())
		nameRange := Range{positionAt(text, end-quotedLen(raw, int(d.InputOffset()))), positionAt(text, end)}
		value, err := d.ReadValue()
		if err != nil {
			return invalid("the value of " + field + " is not JSON")
		}
		end = from + int(d.InputOffset())
		valueRange := Range{positionAt(text, end-len(value)), positionAt(text, end)}
		var target **int
		switch field {
		case "timeout_ms":
			target = &o.TimeoutMs
		case "max_tool_calls":
			target = &o.MaxToolCalls
		case "max_output_tokens":
			target = &o.MaxOutputTokens
		default:
			found = append(found, Finding{nameRange, CodeOptionsField, fmt.Sprintf(
				"line %d: unknown option %q; there are timeout_ms, max_tool_calls and max_output_tokens", line, field)})
			continue
		}
		n, err := strconv.ParseInt(string(value), 10, 32)
		if err != nil || n < 1 {
			found = append(found, Finding{valueRange, CodeOptionsType, fmt.Sprintf(
				"line %d: option %s must be a whole number of at least 1, not %s", line, field, short(string(value)))})
			continue
		}
		i := int(n)
		*target = &i
		o.Given = append(o.Given, GivenOption{field, i, valueRange})
	}
	if _, err := d.ReadToken(); err != nil {
		return invalid("it is not valid JSON")
	}
	if rest := strings.TrimSpace(raw[d.InputOffset():]); rest != "" {
		return invalid("something follows the object")
	}
	return found
}

// quotedLen is the length of the JSON string that ends at end.
func quotedLen(s string, end int) int {
	for i := end - 2; i >= 0; i-- {
		if s[i] == '"' && (i == 0 || s[i-1] != '\\') {
			return end - i
		}
	}
	return 0
}

func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

type span struct{ start, end int }

// commentLines are the lines that begin with a `//` comment outside of strings,
// templates and block comments. A regular expression that holds a quote or a
// backtick may hide later ones: an options line that is missed is harmless, one
// that is made up would stop a script.
func commentLines(text string) (lines []span) {
	var templates []int // brace depth at each open `${`
	depth, inTemplate, lineStart := 0, false, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\n' || c == '\r' {
			lineStart = i + 1
			continue
		}
		if inTemplate {
			switch {
			case c == '\\':
				i++
			case c == '`':
				inTemplate = false
			case c == '$' && i+1 < len(text) && text[i+1] == '{':
				templates = append(templates, depth)
				depth++
				inTemplate = false
				i++
			}
			continue
		}
		switch c {
		case '"', '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i < len(text) && text[i] == '\n' {
				lineStart = i + 1
			}
		case '`':
			inTemplate = true
		case '{':
			depth++
		case '}':
			depth--
			if n := len(templates); n > 0 && templates[n-1] == depth {
				templates = templates[:n-1]
				inTemplate = true
			}
		case '/':
			if i+1 >= len(text) {
				break
			}
			switch text[i+1] {
			case '/':
				end := i + strings.IndexAny(text[i:]+"\n", "\r\n")
				if isBlank(text[lineStart:i]) {
					lines = append(lines, span{lineStart, end})
				}
				i = end - 1
			case '*':
				n := strings.Index(text[i+2:], "*/")
				if n < 0 {
					return lines
				}
				if j := strings.LastIndexByte(text[i:i+2+n], '\n'); j >= 0 {
					lineStart = i + j + 1
				}
				i += 2 + n + 1
			}
		}
	}
	return lines
}
