package config

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A file with a fault of syntax is read as far as that is safe: what is complete before
// the fault counts, what is cut by it does not. Brackets that do not match make it
// uncertain where a definition ends: it may have lost a part to the text around it, or
// have taken some from there.
//
//   - more brackets are closed than opened: nothing is used, since any definition may
//     end too early;
//   - more are opened than closed: the last definition is not used, since its end may be
//     that of the object around it. Where the fault is inside of a definition, it is that
//     one: those before it are all closed.

// readableParts is the tree of the parts of a text that can be read in spite of a fault at
// an offset, or nil. within are the paths of objects that may be left open.
func readableParts(text []byte, fault int, within [][]string) *hujson.Value {
	s := jsonScanner{text: string(text)}
	s.scan(fault)
	kept, inDefinition := s.kept(within)
	if kept == nil {
		return nil
	}
	if s.scan(len(text)); s.closed > s.opened {
		return nil
	}
	root, err := hujson.Parse(kept)
	if err != nil {
		return nil
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	if s.opened > s.closed && !inDefinition {
		dropLastDefinition(object)
		for _, path := range within {
			if v := section(object, path); v != nil {
				if servers, ok := v.Value.(*hujson.Object); ok {
					dropLastDefinition(servers)
				}
			}
		}
	}
	return &root
}

// dropLastDefinition takes out the last member that looks like a server's definition, and
// what stands behind it. What is no definition was meant to be outside of the object.
func dropLastDefinition(object *hujson.Object) {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if looksLikeDefinition(&object.Members[i].Value) {
			object.Members = object.Members[:i]
			return
		}
	}
}

func looksLikeDefinition(v *hujson.Value) bool {
	definition, ok := v.Value.(*hujson.Object)
	return ok && slices.ContainsFunc(definition.Members, func(m hujson.ObjectMember) bool { return tellsDefinition(key(&m)) })
}

// tellsDefinition reports whether a name is one that only definitions of servers have.
func tellsDefinition(name string) bool {
	return slices.Contains([]string{"command", "url", "serverUrl", "httpUrl", "transport"}, name)
}

// A jsonScanner goes through a text by its tokens, whether or not they make sense.
type jsonScanner struct {
	text           string
	at             int
	stack          []openObject
	root           int // where the root object ends; 0 while it does not
	opened, closed int // brackets
}

// An openObject is an object or array that is not closed yet.
type openObject struct {
	array bool
	name  string // of the member whose value is read or comes next
	value bool   // a value comes next
	whole int    // where the last complete member ends
	is    bool   // it has a name that only definitions have
}

// scan goes on to an offset.
func (s *jsonScanner) scan(end int) {
	for s.at < end {
		rest := s.text[s.at:]
		switch b := s.text[s.at]; {
		case strings.HasPrefix(rest, "//"):
			s.at += lineLength(rest)
		case strings.HasPrefix(rest, "/*"):
			if i := strings.Index(rest[2:], "*/"); i >= 0 {
				s.at += i + 4
			} else {
				s.at = len(s.text)
			}
		case b == '"':
			to, closed := stringEnd(s.text, s.at)
			word := s.text[s.at:to]
			s.at = to
			if top := s.top(); top != nil && !top.array && !top.value {
				top.name = unquote(strings.TrimSuffix(word[1:], `"`))
				top.is = top.is || tellsDefinition(top.name)
			} else if closed && to <= end {
				s.complete()
			}
		case b == '{', b == '[':
			s.opened++
			s.at++
			s.stack = append(s.stack, openObject{array: b == '[', whole: s.at})
		case b == '}', b == ']':
			s.closed++
			s.at++
			if top := s.top(); top != nil && top.array == (b == ']') {
				s.stack = s.stack[:len(s.stack)-1]
				s.complete()
			}
		case b == ':':
			s.at++
			if top := s.top(); top != nil {
				top.value = true
			}
		case b == ',':
			s.at++
			if top := s.top(); top != nil {
				top.value, top.name = false, ""
			}
		case isWordByte(b) || b == '+':
			for s.at < len(s.text) && (isWordByte(s.text[s.at]) || s.text[s.at] == '+') {
				s.at++
			}
			if s.at < end { // else it may be cut
				s.complete()
			}
		default:
			s.at++
		}
	}
}

func (s *jsonScanner) top() *openObject {
	if len(s.stack) == 0 {
		return nil
	}
	return &s.stack[len(s.stack)-1]
}

// complete notes that a value ends here.
func (s *jsonScanner) complete() {
	if top := s.top(); top != nil && top.value {
		top.whole, top.value = s.at, false
	} else if top == nil && s.root == 0 {
		s.root = s.at
	}
}

// kept is the text up to the last complete member of the innermost object that may be left
// open, with all objects closed, and whether a definition in it is open; nil when the text
// does not begin with an object.
func (s *jsonScanner) kept(within [][]string) (kept []byte, inDefinition bool) {
	if s.root > 0 {
		return []byte(s.text[:s.root]), false
	}
	if len(s.stack) == 0 || s.stack[0].array {
		return nil, false
	}
	depth := 1
	for depth < len(s.stack) && !s.stack[depth].array && s.leads(depth, within) {
		depth++
	}
	kept = []byte(s.text[:s.stack[depth-1].whole])
	for range depth {
		kept = append(kept, '}')
	}
	return kept, depth < len(s.stack) && s.stack[depth].is
}

// leads reports whether the names of the first open objects lead to one of the paths.
func (s *jsonScanner) leads(depth int, paths [][]string) bool {
	return slices.ContainsFunc(paths, func(path []string) bool {
		if len(path) < depth {
			return false
		}
		for i := range depth {
			if s.stack[i].name != path[i] && !(i > 0 && len(path) > 1 && sameFolder(s.stack[i].name, path[i])) {
				return false
			}
		}
		return true
	})
}
