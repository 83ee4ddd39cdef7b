package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

// NewServer reads a server's tools, each the bytes of one element of a
// tools/list answer. It is tolerant: a broken tool costs only itself (POOL-5).
// The bytes are kept, so they must not change afterwards.
func NewServer(name string, tools []jsontext.Value, instructions string, cached bool) *Server {
	return (&Server{Name: name}).With(tools, instructions, cached)
}

// AsGone is the server after it has failed.
func (s *Server) AsGone() *Server {
	return &Server{Name: s.Name, Namespace: s.Namespace, Gone: true, Tools: s.Tools}
}

// With is the same server after another answer. It shares every Tool whose
// bytes did not change, and with it what was rendered of it.
func (s *Server) With(tools []jsontext.Value, instructions string, cached bool) *Server {
	next := &Server{
		Name:         s.Name,
		Namespace:    Namespace(s.Name),
		Instructions: instructions,
		Cached:       cached,
		sent:         make([]*Tool, len(tools)),
	}
	known := knownTools{server: s}
	var r reader
	for i, raw := range tools {
		if t := known.at(i, raw); t != nil {
			next.sent[i] = t
			continue
		}
		t, err := r.tool(s.Name, raw)
		if err != nil {
			next.Problems = append(next.Problems, fmt.Sprintf("tool %d is left out: %v", i+1, err))
			continue
		}
		next.sent[i] = known.moved(i, t)
	}
	next.Tools = slices.DeleteFunc(slices.Clone(next.sent), func(t *Tool) bool { return t == nil })
	byName := func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(next.Tools, byName) {
		slices.SortStableFunc(next.Tools, byName) // stable: the first of one name stays first
	}
	next.Tools = slices.CompactFunc(next.Tools, func(dropped, kept *Tool) bool {
		if dropped.Name != kept.Name {
			return false
		}
		next.Problems = append(next.Problems, fmt.Sprintf("tool %q is listed more than once: the first one counts", dropped.MCPName))
		if dropped != kept {
			next.sent[slices.Index(next.sent, dropped)] = nil // not to be found in place of the kept one
		}
		return true
	})
	return next
}

// knownTools finds the tools of an earlier answer whose bytes are the same.
// Nearly always they are at the same place, or all moved by as much, so bytes
// are compared and nothing is hashed.
type knownTools struct {
	server *Server
	shift  int           // from a place in this answer to that in the earlier one
	places map[*Tool]int // in the earlier answer; made when the first one has moved
}

// at looks where the tool was, or should have moved to.
func (k *knownTools) at(place int, raw jsontext.Value) *Tool {
	for _, p := range [...]int{place, place + k.shift} {
		if p < 0 || p >= len(k.server.sent) {
			continue
		}
		if t := k.server.sent[p]; t != nil && bytes.Equal(t.raw, raw) {
			return t
		}
	}
	return nil
}

// moved returns the earlier tool that t, just read, is equal to, or t itself.
func (k *knownTools) moved(place int, t *Tool) *Tool {
	i, ok := slices.BinarySearchFunc(k.server.Tools, t.Name, func(t *Tool, name string) int {
		return strings.Compare(t.Name, name)
	})
	if !ok || !bytes.Equal(k.server.Tools[i].raw, t.raw) {
		return t
	}
	if k.places == nil {
		k.places = make(map[*Tool]int, len(k.server.sent))
		for p, t := range k.server.sent {
			k.places[t] = p
		}
	}
	known := k.server.Tools[i]
	k.shift = k.places[known] - place
	return known
}

// reader reads tools; it keeps a decoder between them.
type reader struct {
	buffer  bytes.Buffer
	decoder *jsontext.Decoder
}

// tool reads one element of a tools/list answer. Whatever is odd in it becomes
// a problem of the tool; an error is what leaves nothing to call.
func (r *reader) tool(server string, raw jsontext.Value) (*Tool, error) {
	t := &Tool{Server: server, raw: raw}
	named := false
	err := r.members(raw, func(key string, value jsontext.Value) error {
		switch key {
		case "name":
			name, ok := text(value)
			if !ok {
				return errors.New("its name is not a string of valid Unicode")
			}
			t.MCPName, named = name, true
		case "title":
			t.Title = t.text("/title", value)
		case "description":
			t.Description = t.text("/description", value)
		case "inputSchema":
			t.InputSchema = value
		case "outputSchema":
			t.OutputSchema = value
		case "annotations":
			t.RawAnnotations = value
		case "deprecated":
			t.Deprecated = value.Kind() == 't'
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !named || t.MCPName == "" {
		return nil, errors.New("it has no name")
	}
	t.Name = fullName(server, t.MCPName)
	t.Namespace = namespaceOf(t.Name)
	r.annotations(t)
	r.schemas(t)
	t.Deprecated = t.Deprecated || saysDeprecated(t.Description) || titleSaysDeprecated(t.Title)
	return t, nil
}

// annotations reads the hints. A hint that is no boolean is "not said".
func (r *reader) annotations(t *Tool) {
	switch {
	case t.RawAnnotations == nil:
		return
	case t.RawAnnotations.Kind() == 'n':
		t.RawAnnotations = nil
		return
	case t.RawAnnotations.Kind() != '{':
		t.problem("/annotations", "is not an object")
		t.RawAnnotations = nil
		return
	}
	hint := func(key string, value jsontext.Value) *bool {
		switch value.Kind() {
		case 't', 'f':
			said := value.Kind() == 't'
			return &said
		case 'n':
		default:
			t.problem("/annotations/"+key, "is not a boolean")
		}
		return nil
	}
	// The bytes were read once as part of the tool: no error is possible.
	_ = r.members(t.RawAnnotations, func(key string, value jsontext.Value) error {
		switch key {
		case "readOnlyHint":
			t.Annotations.ReadOnly = hint(key, value)
		case "destructiveHint":
			t.Annotations.Destructive = hint(key, value)
		case "idempotentHint":
			t.Annotations.Idempotent = hint(key, value)
		case "openWorldHint":
			t.Annotations.OpenWorld = hint(key, value)
		case "title":
			if t.Title == "" {
				t.Title = t.text("/annotations/title", value)
			}
		case "deprecated":
			t.Deprecated = t.Deprecated || value.Kind() == 't'
		}
		return nil
	})
}

// schemas notes what is missing. What is wrong inside a schema is found when it
// is rendered.
func (r *reader) schemas(t *Tool) {
	if t.InputSchema == nil {
		t.problem("/inputSchema", "is missing")
	}
	if t.OutputSchema.Kind() == 'n' {
		t.OutputSchema = nil
	}
}

func (t *Tool) problem(path, message string) {
	t.Problems = append(t.Problems, typegen.Problem{Path: path, Message: message})
}

// text is a member that should be a string; null is as good as missing.
func (t *Tool) text(path string, value jsontext.Value) string {
	if value.Kind() == 'n' {
		return ""
	}
	if value.Kind() != '"' {
		t.problem(path, "is not a string")
		return ""
	}
	s, ok := text(value)
	if !ok {
		t.problem(path, "has characters that are not valid Unicode")
	}
	return s
}

// text is the value of a JSON string. What is not valid Unicode in it is
// replaced by U+FFFD, and ok is false.
func text(value jsontext.Value) (s string, ok bool) {
	if value.Kind() != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, value)
	return string(b), err == nil
}

// members calls visit for each member of an object, in order, with the member's
// own bytes. Of members with one name the last one counts, as in JSON.parse, so
// visit may be called twice with a key.
func (r *reader) members(object jsontext.Value, visit func(key string, value jsontext.Value) error) error {
	r.buffer = *bytes.NewBuffer(object)
	if r.decoder == nil {
		r.decoder = jsontext.NewDecoder(&r.buffer, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	} else {
		r.decoder.Reset(&r.buffer, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	}
	if r.decoder.PeekKind() != '{' {
		if _, err := r.decoder.ReadValue(); err != nil {
			return fmt.Errorf("it is not valid JSON: %w", err)
		}
		return errors.New("it is not an object")
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return fmt.Errorf("it is not valid JSON: %w", err)
	}
	for r.decoder.PeekKind() != '}' {
		key, err := r.decoder.ReadToken()
		if err != nil {
			return fmt.Errorf("it is not valid JSON: %w", err)
		}
		name := key.String()
		value, err := r.decoder.ReadValue()
		if err != nil {
			return fmt.Errorf("it is not valid JSON: %w", err)
		}
		// The decoder's slice may be reused; the same bytes of object are ours.
		end := r.decoder.InputOffset()
		if err := visit(name, object[end-int64(len(value)):end:end]); err != nil {
			return err
		}
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return fmt.Errorf("it is not valid JSON: %w", err)
	}
	return nil
}

// titleSaysDeprecated reports whether a title ends in the word, in brackets: "Read
// File (Deprecated)".
func titleSaysDeprecated(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	return strings.HasSuffix(title, "(deprecated)") || strings.HasSuffix(title, "[deprecated]")
}

// saysDeprecated reports whether a description begins with the word that people
// put there for want of a field: "DEPRECATED: use …", "[Deprecated] …".
func saysDeprecated(description string) bool {
	rest := strings.TrimLeftFunc(description, func(r rune) bool { return !unicode.IsLetter(r) && r != '`' })
	const word = "deprecated"
	if len(rest) <= len(word) || !strings.EqualFold(rest[:len(word)], word) {
		return false
	}
	return strings.ContainsRune(":.,;!)]*-—：", []rune(rest[len(word):])[0])
}
