package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// format is how a client's file is written.
type format int

const (
	jsonFormat format = iota // with comments and trailing commas
	tomlFormat
	yamlFormat
)

// names are the servers in a file.
func (f format) names(text []byte, path []string) ([]string, error) {
	switch f {
	case tomlFormat:
		return tomlNames(text, path)
	case yamlFormat:
		return yamlNames(text, path)
	}
	return jsonNames(text, path)
}

// add puts the gateway into a file.
func (f format) add(text []byte, path []string, entry []pair) ([]splice, error) {
	switch f {
	case tomlFormat:
		return []splice{{At: len(text), New: tomlEntry(text, path, entry)}}, nil
	case yamlFormat:
		return yamlAdd(text, path, entry)
	}
	return jsonAdd(text, path, entry)
}

// replace puts the gateway in the place of all servers, and gives these as a file of
// their own.
func (f format) replace(text []byte, path []string, entry []pair) ([]splice, []byte, error) {
	if f == tomlFormat {
		return tomlReplace(text, path, entry)
	}
	return jsonReplace(text, path, entry)
}

// newline is how the file ends its lines.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// The mark that some editors begin a file with. hujson does not know it.
var byteOrderMark = []byte("\ufeff")

func parseJSON(text []byte) (*hujson.Value, error) {
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		text = append([]byte("   "), rest...) // offsets stay
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	// hujson wants a comment on the last line to have an end.
	v, err := hujson.Parse(append(slices.Clone(text), '\n'))
	if err != nil {
		return nil, err
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, errors.New("it is no JSON object")
	}
	return &v, nil
}

// member is the value of a name in an object.
func member(v *hujson.Value, name string) (*hujson.Value, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("what should have %q is no object", name)
	}
	var found *hujson.Value
	for i := range o.Members {
		if literal, ok := o.Members[i].Name.Value.(hujson.Literal); ok && literal.String() == name {
			if found != nil {
				return nil, fmt.Errorf("%q is there twice", name)
			}
			found = &o.Members[i].Value
		}
	}
	return found, nil
}

// within is the value at a path, and how much of the path there is.
func within(v *hujson.Value, path []string) (*hujson.Value, int, error) {
	for i, name := range path {
		next, err := member(v, name)
		if err != nil {
			return nil, 0, err
		}
		if next == nil {
			return v, i, nil
		}
		v = next
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, 0, fmt.Errorf("%s is no object", strings.Join(path, "."))
	}
	return v, len(path), nil
}

func jsonNames(text []byte, path []string) ([]string, error) {
	root, err := parseJSON(text)
	if err != nil || root == nil {
		return nil, err
	}
	v, depth, err := within(root, path)
	if err != nil || depth < len(path) {
		return nil, err
	}
	var names []string
	for _, m := range v.Value.(*hujson.Object).Members {
		names = append(names, m.Name.Value.(hujson.Literal).String())
	}
	return names, nil
}

// layout is how an object of the file is written.
type layout struct {
	newline string // "" for everything in one line
	outer   string // the indentation of the line with the brace
	unit    string
}

var indentation = regexp.MustCompile(`(?m)^([ \t]+)"`)

// layoutOf finds in the text how an object at that place should be written.
func layoutOf(text []byte, at int) layout {
	l := layout{newline: newline(text), unit: "  "}
	if m := indentation.FindSubmatch(text); m != nil {
		l.unit = string(m[1])
	} else if !bytes.ContainsAny(bytes.TrimSpace(text), "\n") && len(bytes.TrimSpace(text)) > 2 {
		l.newline, l.unit = "", ""
	}
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	l.outer = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	return l
}

func (l layout) indent(depth int) string {
	if l.newline == "" {
		return ""
	}
	return l.newline + l.outer + strings.Repeat(l.unit, depth)
}

// object is the definition as JSON, at a depth below the object that it goes into.
func (l layout) object(entry []pair, depth int) string {
	var b strings.Builder
	b.WriteString("{")
	for i, p := range entry {
		if i > 0 {
			b.WriteString(",")
			if l.newline == "" {
				b.WriteString(" ")
			}
		}
		fmt.Fprintf(&b, "%s%s: %s", l.indent(depth+1), quote(p.name), value(p.value))
	}
	b.WriteString(l.indent(depth) + "}")
	return b.String()
}

// member is the gateway's member, inside of as many new objects as are missing.
func (l layout) member(missing []string, entry []pair) string {
	var b strings.Builder
	for i, name := range missing {
		fmt.Fprintf(&b, "%s: {%s", quote(name), l.indent(i+2))
	}
	fmt.Fprintf(&b, "%s: %s", quote(ServerName), l.object(entry, len(missing)+1))
	for i := range missing {
		b.WriteString(l.indent(len(missing)-i) + "}")
	}
	return b.String()
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSpace(b.String())
}

func value(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case []string:
		var parts []string
		for _, s := range v {
			parts = append(parts, quote(s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

func jsonAdd(text []byte, path []string, entry []pair) ([]splice, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if root == nil { // nothing, or only white space
		l := layout{newline: newline(text), unit: "  "}
		return []splice{{At: len(text), New: "{" + l.indent(1) + l.member(path, entry) + l.indent(0) + "}" + l.newline}}, nil
	}
	v, depth, err := within(root, path)
	if err != nil {
		return nil, err
	}
	o := v.Value.(*hujson.Object)
	l := layoutOf(text, v.StartOffset)
	new := l.indent(1) + l.member(path[depth:], entry)
	if len(o.Members) == 0 {
		// Before the brace, behind comments if there are any.
		end := v.EndOffset - 1
		at := v.StartOffset + 1 + len(bytes.TrimRight(text[v.StartOffset+1:end], " \t\r\n"))
		return []splice{{At: at, Old: string(text[at:end]), New: new + l.indent(0)}}, nil
	}
	last := o.Members[len(o.Members)-1].Value
	end := v.EndOffset - 1
	at := last.EndOffset + len(bytes.TrimRight(text[last.EndOffset:end], " \t\r\n")) // behind comments
	if comma := last.EndOffset + len(last.AfterExtra); text[comma] == ',' {          // which stays one
		return []splice{{At: at, New: new + ","}}, nil
	}
	if l.newline == "" {
		new = " " + new
	}
	if at == last.EndOffset {
		return []splice{{At: at, New: "," + new}}, nil
	}
	return []splice{{At: last.EndOffset, New: ","}, {At: at, New: new}}, nil
}

func jsonReplace(text []byte, path []string, entry []pair) ([]splice, []byte, error) {
	root, err := parseJSON(text)
	if err != nil || root == nil {
		return nil, nil, errors.Join(err, errors.New("there are no servers"))
	}
	v, depth, err := within(root, path)
	if err != nil || depth < len(path) {
		return nil, nil, errors.Join(err, errors.New("there are no servers"))
	}
	inner := text[v.StartOffset+1 : v.EndOffset-1]
	l := layoutOf(text, v.StartOffset)
	moved := "{"
	for _, name := range path {
		moved += quote(name) + ": {"
	}
	moved += string(inner) + strings.Repeat("}", len(path)) + "}\n"
	return []splice{{At: v.StartOffset + 1, Old: string(inner), New: l.indent(1) + l.member(nil, entry) + l.indent(0)}}, []byte(moved), nil
}

func tomlTable(text []byte, path []string) (map[string]any, error) {
	var root map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &root); err != nil {
		return nil, err
	}
	table := root
	for _, name := range path {
		next, ok := table[name]
		if !ok {
			return nil, nil
		}
		if table, ok = next.(map[string]any); !ok {
			return nil, fmt.Errorf("%s is no table", name)
		}
	}
	return table, nil
}

func tomlNames(text []byte, path []string) ([]string, error) {
	table, err := tomlTable(text, path)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// tomlEntry is the gateway's table at the end of a file.
func tomlEntry(text []byte, path []string, entry []pair) string {
	end := newline(text)
	var b strings.Builder
	if len(text) > 0 {
		if !bytes.HasSuffix(text, []byte("\n")) {
			b.WriteString(end)
		}
		b.WriteString(end)
	}
	fmt.Fprintf(&b, "[%s.%s]%s", strings.Join(path, "."), ServerName, end)
	for _, p := range entry {
		fmt.Fprintf(&b, "%s = %s%s", p.name, value(p.value), end)
	}
	return b.String()
}

var tomlHeader = regexp.MustCompile(`^[ \t]*\[\[?[ \t]*([^\]]*?)[ \t]*\]\]?[ \t]*(#.*)?$`)

// tomlReplace takes out every table below the one of servers. A file that writes them in
// another way is refused by the check of what is left.
func tomlReplace(text []byte, path []string, entry []pair) ([]splice, []byte, error) {
	prefix := strings.Join(path, ".")
	var edits []splice
	var moved bytes.Buffer
	begin, quoted := -1, ""
	at := 0
	close := func(end int) {
		if begin >= 0 {
			edits = append(edits, splice{At: begin, Old: string(text[begin:end])})
			moved.Write(text[begin:end])
			begin = -1
		}
	}
	for line := range bytes.Lines(text) {
		start := at
		at += len(line)
		if inString := quoted != ""; inString || bytes.Contains(line, []byte(`"""`)) || bytes.Contains(line, []byte(`'''`)) {
			// A line of a text of several lines is no header.
			for _, mark := range []string{`"""`, `'''`} {
				if (quoted == "" || quoted == mark) && bytes.Count(line, []byte(mark))%2 == 1 {
					if quoted == "" {
						quoted = mark
					} else {
						quoted = ""
					}
					break
				}
			}
			if inString {
				continue
			}
		}
		m := tomlHeader.FindSubmatch(bytes.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		close(start)
		if name := string(m[1]); name == prefix || strings.HasPrefix(strings.ReplaceAll(name, " ", ""), prefix+".") {
			begin = start
		}
	}
	close(len(text))
	if len(edits) == 0 {
		return nil, nil, errors.New("its servers are not tables of their own")
	}
	rest := apply(text, edits)
	last := &edits[len(edits)-1]
	entryText := tomlEntry(rest, path, entry)
	if last.At+len(last.Old) == len(text) {
		last.New = strings.TrimPrefix(entryText, newline(text))
		if last.At == 0 {
			last.New = tomlEntry(nil, path, entry)
		}
	} else {
		edits = append(edits, splice{At: len(text), New: entryText})
	}
	return edits, moved.Bytes(), nil
}

// The YAML that is understood is what Continue documents: a list of servers in a member
// of the file's own, in block form. Everything else is refused.
var (
	yamlName  = regexp.MustCompile(`^[ ]*-?[ ]*name:[ ]*["']?([^"'#\r\n]*?)["']?[ ]*(#.*)?\r?\n?$`)
	yamlItem  = regexp.MustCompile(`^([ ]*)-[ ]`)
	yamlTop   = regexp.MustCompile(`^[^ \t#\r\n-]`)
	yamlEmpty = regexp.MustCompile(`^[ \t]*(#.*)?\r?\n?$`)
)

// yamlBlock is where the list of servers is: the offsets of its first line's end and of
// the end of its last line with something in it. found is false when there is none.
func yamlBlock(text []byte, name string) (head, end int, lines []string, found bool, err error) {
	at := 0
	inside := false
	for raw := range bytes.Lines(text) {
		line := string(raw)
		at += len(line)
		switch {
		case strings.HasPrefix(line, name+":"):
			if found {
				return 0, 0, nil, false, fmt.Errorf("%s is there twice", name)
			}
			if rest := strings.TrimPrefix(line, name+":"); !yamlEmpty.MatchString(rest) {
				return 0, 0, nil, false, fmt.Errorf("%s is not a list in block form", name)
			}
			inside, found, head, end = true, true, at, at
		case inside && yamlTop.MatchString(line):
			inside = false
		case inside && !yamlEmpty.MatchString(line):
			lines, end = append(lines, line), at
		}
	}
	return head, end, lines, found, nil
}

func yamlNames(text []byte, path []string) ([]string, error) {
	if bytes.Contains(text, []byte("\t")) && bytes.Contains(text, []byte("\n\t")) {
		return nil, errors.New("it is indented by tabs")
	}
	_, _, lines, _, err := yamlBlock(text, path[0])
	if err != nil {
		return nil, err
	}
	var names []string
	for _, line := range lines {
		if m := yamlName.FindStringSubmatch(line); m != nil {
			names = append(names, m[1])
		}
	}
	return names, nil
}

func yamlAdd(text []byte, path []string, entry []pair) ([]splice, error) {
	head, end, lines, found, err := yamlBlock(text, path[0])
	if err != nil {
		return nil, err
	}
	eol := newline(text)
	indent := "  "
	for _, line := range lines {
		if m := yamlItem.FindStringSubmatch(line); m != nil {
			indent = m[1]
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s- name: %s%s", indent, ServerName, eol)
	for _, p := range entry {
		fmt.Fprintf(&b, "%s  %s: %s%s", indent, p.name, value(p.value), eol) // JSON is YAML
	}
	at, before := end, ""
	switch {
	case !found:
		at = len(text)
		if at > 0 && text[at-1] != '\n' {
			before = eol
		}
		before += path[0] + ":" + eol
	case len(lines) == 0:
		at = head
	}
	if found && at > 0 && text[at-1] != '\n' {
		before = eol
	}
	return []splice{{At: at, New: before + b.String()}}, nil
}
