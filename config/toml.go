package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

// tomlReader makes the same tree of a TOML text that the other files have, with
// the offsets of the text, so that servers are read and places reported in one
// way.
type tomlReader struct {
	*document
	parser unstable.Parser
	root   *hujson.Object
	inline map[*hujson.Object]bool // tables that nothing may be added to
	index  map[*hujson.Object]map[string]int
	given  map[*hujson.Object]bool // tables that have had a header
	// servers is the path of the table of servers, header the path of the one that is
	// read, and spoiled the servers that have a fault; under "" all have.
	// line is the path of the line's name in that table.
	servers, header, line []string
	spoiled               map[string]bool
}

// parseTOML reads d.text. It reports what is wrong and returns the root, or nil.
func (d *document) parseTOML(servers []string) *hujson.Object {
	if rest, ok := bytes.CutPrefix(d.text, []byte("\ufeff")); ok {
		d.text = append([]byte("   "), rest...)
	}
	if at := tooDeepTOML(d.text); at >= 0 {
		d.report(at, at+1, "error", "syntax", fmt.Sprintf("nested deeper than %d levels", maxDepth))
		return nil
	}
	r := &tomlReader{
		document: d, root: &hujson.Object{}, inline: map[*hujson.Object]bool{}, index: map[*hujson.Object]map[string]int{},
		given: map[*hujson.Object]bool{}, servers: servers, spoiled: map[string]bool{},
	}
	r.parser.Reset(d.text)
	table := r.root
	for r.parser.NextExpression() {
		e := r.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			r.header, r.line = names(e), nil
			table = r.table(e)
		case unstable.KeyValue:
			if r.line = names(e); table != nil {
				r.keyValue(table, e)
			}
		}
	}
	if err := r.parser.Error(); err != nil {
		at, message := len(d.text), err.Error()
		if pe := (*unstable.ParserError)(nil); errors.As(err, &pe) && pe.Highlight != nil {
			at = int(r.parser.Range(pe.Highlight).Offset)
		}
		message = strings.TrimPrefix(message, "toml: ")
		if d.partial = true; len(d.within) == 0 || !r.spoilBehind(at) {
			d.report(at, at+1, "error", "syntax", message)
			return nil
		}
		d.report(at, at+1, "error", "syntax", message+"; only servers that are complete before this place are used")
	}
	if r.spoiled[""] {
		return nil
	}
	r.dropSpoiled()
	d.root = &hujson.Value{Value: r.root, EndOffset: len(d.text)}
	return r.root
}

// names are the parts of a header or of a line's name.
func names(e *unstable.Node) (path []string) {
	for keys := e.Key(); keys.Next(); {
		path = append(path, string(keys.Node().Data))
	}
	return path
}

// spoil notes that the table at a path has a fault: its server is not used. Of a table that
// has all servers, none is.
func (r *tomlReader) spoil(path []string) {
	for i, name := range path {
		switch {
		case i == len(r.servers):
			r.spoiled[name] = true
			return
		case name != r.servers[i]:
			return
		}
	}
	r.spoiled[""] = true
}

// spoilBehind notes what a fault that ends the reading costs: the server of the table that
// was read, and those with another table behind the fault. Nothing of the file can be used
// when that is unknown.
func (r *tomlReader) spoilBehind(at int) (usable bool) {
	r.spoil(r.header)
	for line := range strings.Lines(string(r.text[at:])) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "[") {
			continue
		}
		end := strings.IndexByte(line, ']')
		if end < 0 || strings.ContainsAny(line[:end], `"'`) {
			return false
		}
		if path, ok := tomlHeader(line[:end+1]); ok {
			r.spoil(path)
		}
	}
	return !r.spoiled[""]
}

// dropSpoiled takes servers with a fault out of the tree.
func (r *tomlReader) dropSpoiled() {
	v := section(r.root, r.servers)
	if v == nil {
		return
	}
	if object, ok := v.Value.(*hujson.Object); ok {
		object.Members = slices.DeleteFunc(object.Members, func(m hujson.ObjectMember) bool { return r.spoiled[key(&m)] })
	}
}

// tooDeepTOML is the offset of the first bracket that is nested too deep, or -1.
// Brackets in strings count too: nobody nests that deep.
func tooDeepTOML(text []byte) int {
	depth := 0
	for i, b := range text {
		switch b {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth = max(0, depth-1)
		}
	}
	return -1
}

// table is the object of a [header], made when it is new.
func (r *tomlReader) table(e *unstable.Node) *hujson.Object {
	keys := e.Key()
	object, depth := r.root, 0
	for keys.Next() {
		k := keys.Node()
		if depth++; depth > maxDepth {
			at := r.offset(k)
			r.report(at, at+1, "error", "syntax", fmt.Sprintf("nested deeper than %d levels", maxDepth))
			return nil
		}
		last := keys.IsLast()
		next := r.member(object, k)
		if next == nil {
			next = r.add(object, k, hujson.Value{StartOffset: r.offset(k), EndOffset: r.end(k)})
			if last && e.Kind == unstable.ArrayTable {
				next.Value.Value = &hujson.Array{}
			} else {
				next.Value.Value = &hujson.Object{}
			}
		}
		switch v := next.Value.Value.(type) {
		case *hujson.Object:
			if last && (e.Kind == unstable.ArrayTable || r.given[v]) || r.inline[v] {
				return r.conflict(k)
			}
			object = v
		case *hujson.Array:
			if last && e.Kind == unstable.ArrayTable {
				v.Elements = append(v.Elements, hujson.Value{Value: &hujson.Object{}, StartOffset: r.offset(k), EndOffset: r.end(k)})
			}
			if len(v.Elements) == 0 {
				return r.conflict(k)
			}
			inner, ok := v.Elements[len(v.Elements)-1].Value.(*hujson.Object)
			if !ok || r.inline[inner] {
				return r.conflict(k)
			}
			object = inner
		default:
			return r.conflict(k)
		}
	}
	r.given[object] = true
	return object
}

func (r *tomlReader) conflict(k *unstable.Node) *hujson.Object {
	r.report(r.offset(k), r.end(k), "error", "syntax", fmt.Sprintf("%q is given twice", string(k.Data)))
	r.spoil(slices.Concat(r.header, r.line))
	return nil
}

// keyValue adds a line to an object; a dotted key makes objects on the way.
func (r *tomlReader) keyValue(object *hujson.Object, e *unstable.Node) {
	keys := e.Key()
	for depth := 0; keys.Next(); depth++ {
		k := keys.Node()
		m := r.member(object, k)
		if keys.IsLast() {
			if m != nil {
				r.conflict(k)
				return
			}
			v, ok := r.value(e.Value(), 0)
			if !ok {
				return
			}
			r.add(object, k, v)
			return
		}
		if m == nil {
			m = r.add(object, k, hujson.Value{Value: &hujson.Object{}, StartOffset: r.offset(k), EndOffset: r.end(k)})
		}
		inner, ok := m.Value.Value.(*hujson.Object)
		if !ok || r.inline[inner] || depth > maxDepth {
			r.conflict(k)
			return
		}
		object = inner
	}
}

func (r *tomlReader) member(object *hujson.Object, k *unstable.Node) *hujson.ObjectMember {
	if i, ok := r.index[object][string(k.Data)]; ok {
		return &object.Members[i]
	}
	return nil
}

func (r *tomlReader) add(object *hujson.Object, k *unstable.Node, v hujson.Value) *hujson.ObjectMember {
	if r.index[object] == nil {
		r.index[object] = map[string]int{}
	}
	r.index[object][string(k.Data)] = len(object.Members)
	object.Members = append(object.Members, hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(string(k.Data)), StartOffset: r.offset(k), EndOffset: r.end(k)},
		Value: v,
	})
	return &object.Members[len(object.Members)-1]
}

// value is a value of the tree; ok is false, and said, when it cannot be one.
func (r *tomlReader) value(n *unstable.Node, depth int) (v hujson.Value, ok bool) {
	v.StartOffset, v.EndOffset = r.offset(n), r.end(n)
	switch n.Kind {
	case unstable.String:
		v.Value = hujson.String(string(n.Data))
	case unstable.Bool:
		v.Value = hujson.Literal(n.Data)
	case unstable.Integer:
		i, err := strconv.ParseInt(strings.ReplaceAll(string(n.Data), "_", ""), 0, 64)
		if err != nil {
			i = 0 // no field of ours is that large
		}
		v.Value = hujson.Int(i)
	case unstable.Float:
		v.Value = hujson.Literal("0.5") // no field of ours is one
		if f, err := strconv.ParseFloat(strings.ReplaceAll(string(n.Data), "_", ""), 64); err == nil && f-f == 0 {
			v.Value = hujson.Float(f)
		}
	case unstable.Array:
		array := &hujson.Array{}
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			element, ok := r.value(it.Node(), depth+1)
			if !ok {
				return v, false
			}
			array.Elements = append(array.Elements, element)
			v.EndOffset = max(v.EndOffset, element.EndOffset)
		}
		v.Value = array
	case unstable.InlineTable:
		object := &hujson.Object{}
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				r.keyValue(object, it.Node())
			}
		}
		r.inline[object] = true
		v.Value = object
	default: // dates and times
		v.Value = hujson.String(string(n.Data))
	}
	return v, true
}

// offset is where a node begins: its own place, or its first child's.
func (r *tomlReader) offset(n *unstable.Node) int {
	start, _ := r.place(n)
	return start
}

func (r *tomlReader) end(n *unstable.Node) int {
	_, end := r.place(n)
	return end
}

func (r *tomlReader) place(n *unstable.Node) (start, end int) {
	if n.Raw.Length > 0 {
		return int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)
	}
	if c := n.Child(); c.Valid() {
		if n.Kind == unstable.KeyValue {
			keys := n.Key()
			keys.Next()
			c = keys.Node()
		}
		return r.place(c)
	}
	// A value whose text stands in the file as it is.
	if i := r.within(n.Data); i >= 0 {
		return i, i + len(n.Data)
	}
	return 0, 0
}

// within is the offset of a part of the text, or -1 when it is none.
func (r *tomlReader) within(part []byte) (offset int) {
	defer func() {
		if recover() != nil { // of the parser, for bytes that are not its text's
			offset = -1
		}
	}()
	if len(part) == 0 {
		return -1
	}
	return int(r.parser.Range(part).Offset)
}
