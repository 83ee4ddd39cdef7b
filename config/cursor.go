package config

import (
	"slices"
	"strconv"
	"strings"
)

// A Cursor is what stands around a place of a configuration file that may be
// half written: what completion has to know.
type Cursor struct {
	// Path is the names and, in arrays, empty strings that lead to the object or
	// array which the place is in.
	Path []string
	// InName says that the name of a member is written there; else a value is, that
	// of the member Member unless it is in an array.
	InName bool
	Member string
	// Present are the names that the object has already, in order.
	Present []string
	// Word is what is replaced: a whole string with its quotes, or a bare word.
	Word   Span
	Quoted bool
	// Text is what the word has before the place, without its quote.
	Text string
}

// CursorAt reads a text up to a place and says what stands there. It takes any
// text.
func (k FileKind) CursorAt(text string, offset int) Cursor {
	offset = min(max(offset, 0), len(text))
	if k.TOML() {
		return tomlCursor(text, offset)
	}
	return jsonCursor(text, offset)
}

// frame is an object or array that is open.
type frame struct {
	array   bool
	name    string // of the member whose value is next or was last
	value   bool   // a value is next
	present []string
	path    string // the name that leads to it
}

// jsonCursor scans tokens as far as there are any; what is no token is passed over.
func jsonCursor(text string, offset int) Cursor {
	c := Cursor{Word: Span{offset, offset}}
	stack := []*frame{}
	var inside *frame // that the place is in
	depth := 0        // of inside
	found := false
	for i := 0; i <= len(text); {
		if !found && i >= offset {
			found = true
			if len(stack) > 0 {
				inside, depth = stack[len(stack)-1], len(stack)
				c.note(stack)
			} else {
				return c
			}
		}
		if found && len(stack) < depth || i == len(text) {
			break
		}
		var top *frame
		if len(stack) > 0 {
			top = stack[len(stack)-1]
		}
		switch b := text[i]; {
		case b == '/' && strings.HasPrefix(text[i:], "//"):
			i += lineLength(text[i:])
		case b == '/' && strings.HasPrefix(text[i:], "/*"):
			if end := strings.Index(text[i+2:], "*/"); end >= 0 {
				i += end + 4
			} else {
				i = len(text)
			}
		case b == '"':
			end, closed := stringEnd(text, i)
			if !found && i < offset && (offset < end || offset == end && !closed) {
				found = true
				if top == nil {
					return c
				}
				inside, depth = top, len(stack)
				c.note(stack)
				c.Word, c.Quoted, c.Text = Span{i, end}, true, unquote(text[i+1:offset])
				i = end
				if !c.InName {
					top.value = false
				}
				continue
			}
			if top != nil && !top.array && !top.value {
				top.name = unquote(strings.TrimSuffix(text[i+1:end], `"`))
				top.present = append(top.present, top.name)
			}
			i = end
		case b == '{', b == '[':
			path := ""
			if top != nil && !top.array {
				path = top.name
			}
			stack = append(stack, &frame{array: b == '[', path: path})
			i++
		case b == '}', b == ']':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
			i++
		case b == ':':
			if top != nil {
				top.value = true
			}
			i++
		case b == ',':
			if top != nil {
				top.value, top.name = false, ""
			}
			i++
		case isWordByte(b):
			end := i
			for end < len(text) && isWordByte(text[end]) {
				end++
			}
			if !found && i < offset && offset <= end {
				found = true
				if top == nil {
					return c
				}
				inside, depth = top, len(stack)
				c.note(stack)
				c.Word, c.Text = Span{i, end}, text[i:offset]
			}
			i = end
		default:
			i++
		}
	}
	if inside != nil {
		c.Present = inside.present
	}
	return c
}

func (c *Cursor) note(stack []*frame) {
	for _, f := range stack[1:] {
		c.Path = append(c.Path, f.path)
	}
	top := stack[len(stack)-1]
	c.InName = !top.array && !top.value
	if !top.array && top.value {
		c.Member = top.name
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b == '$' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}

// lineLength is how many bytes a line has, without its end.
func lineLength(text string) int {
	if n := strings.IndexAny(text, "\r\n"); n >= 0 {
		return n
	}
	return len(text)
}

// stringEnd is where the string that begins at i ends: behind its quote, or at the
// end of the line when it has none.
func stringEnd(text string, i int) (end int, closed bool) {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case text[i]:
			return j + 1, true
		case '\n', '\r':
			return j, false
		}
	}
	return len(text), false
}

func unquote(s string) string {
	if value, err := strconv.Unquote(`"` + s + `"`); err == nil {
		return value
	}
	return s
}

// tomlCursor goes by lines, which is how people write such files.
func tomlCursor(text string, offset int) Cursor {
	c := Cursor{Word: Span{offset, offset}, InName: true}
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	for line := range strings.Lines(text[:start]) {
		if path, ok := tomlHeader(line); ok {
			c.Path, c.Present = path, nil
		} else if name, _, ok := strings.Cut(line, "="); ok {
			c.Present = append(c.Present, strings.Trim(strings.TrimSpace(name), `"'`))
		}
	}
	for line := range strings.Lines(text[start+lineLength(text[start:]):]) {
		if _, ok := tomlHeader(line); ok {
			break
		}
		if name, _, ok := strings.Cut(line, "="); ok {
			c.Present = append(c.Present, strings.Trim(strings.TrimSpace(name), `"'`))
		}
	}
	line := text[start : start+lineLength(text[start:])]
	at := min(offset-start, len(line)) // a lone carriage return ends a line too
	if strings.HasPrefix(strings.TrimSpace(line), "[") {
		return Cursor{Word: c.Word}
	}
	name, _, ok := strings.Cut(line[:at], "=")
	if !ok {
		begin := at
		for begin > 0 && isWordByte(line[begin-1]) {
			begin--
		}
		end := at
		for end < len(line) && isWordByte(line[end]) {
			end++
		}
		c.Word, c.Text = Span{start + begin, start + end}, line[begin:at]
		return c
	}
	c.InName, c.Member = false, strings.Trim(strings.TrimSpace(name), `"'`)
	c.Present = slices.DeleteFunc(c.Present, func(s string) bool { return s == c.Member })
	for i := len(name) + 1; i < at; i++ {
		if line[i] != '"' && line[i] != '\'' {
			continue
		}
		end, _ := stringEnd(line, i)
		if at < end || end == len(line) && at == end && line[end-1] != line[i] {
			c.Word, c.Quoted, c.Text = Span{start + i, start + end}, true, line[i+1:at]
			return c
		}
		i = end - 1
	}
	begin := at
	for begin > len(name)+1 && isWordByte(line[begin-1]) {
		begin--
	}
	c.Word, c.Text = Span{start + begin, offset}, line[begin:at]
	return c
}

// tomlHeader is the path of a [header] line.
func tomlHeader(line string) (path []string, ok bool) {
	line = strings.TrimSpace(line)
	inner, ok := strings.CutPrefix(line, "[")
	if !ok || strings.Contains(line, "=") {
		return nil, false
	}
	for inner != "" && inner[0] != ']' {
		switch inner[0] {
		case '"', '\'':
			end, closed := stringEnd(inner, 0)
			name := inner[1:end]
			if closed {
				name = inner[1 : end-1]
			}
			path = append(path, name)
			inner = inner[end:]
		case '.', ' ', '\t', '[':
			inner = inner[1:]
		default:
			n := strings.IndexAny(inner, ".] \t")
			if n < 0 {
				n = len(inner)
			}
			path = append(path, inner[:n])
			inner = inner[n:]
		}
	}
	return path, true
}
