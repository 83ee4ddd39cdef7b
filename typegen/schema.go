package typegen

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A node is one JSON value of a schema document. Nodes of a document form a
// tree with parent links, so that each of them has a pointer.
type node struct {
	kind jsontext.Kind // '{', '[', '"', '0', 't', 'f' or 'n'
	// text is a string's value, or a number as it was written. Strings are
	// WTF-8: an unpaired surrogate keeps its value in three bytes.
	text  string
	names []string // of an object's members, beside kids; no duplicates
	kids  []*node

	parent *node
	slot   int32 // index in parent.kids
	id     int32 // in order of appearance, for keys that are stable

	// What the builder knows of this node as a schema; see build.
	state    buildState
	built    union
	expanded bool // building it looked through a $ref
	named    bool // recursive or shared; see findShared
	walked   walkState
	uses     int32

	byName map[string]*node // members of a large object, when one was looked for
}

// member returns the value of an object's member, or nil.
func (n *node) member(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	if len(n.names) <= 24 {
		for i, s := range n.names {
			if s == name {
				return n.kids[i]
			}
		}
		return nil
	}
	if n.byName == nil {
		n.byName = make(map[string]*node, len(n.names))
		for i, s := range n.names {
			n.byName[s] = n.kids[i]
		}
	}
	return n.byName[name]
}

// pointer is the JSON Pointer (RFC 6901) of a node in its document.
func (n *node) pointer() string {
	var segments []string
	for ; n.parent != nil; n = n.parent {
		segments = append(segments, n.name())
	}
	var b strings.Builder
	for i := len(segments) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(segments[i]))
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// name is the member name or the index under which a node's parent has it.
func (n *node) name() string {
	if n.parent.kind == '{' {
		return n.parent.names[n.slot]
	}
	return strconv.Itoa(int(n.slot))
}

// A document is one parsed schema.
type document struct {
	root *node
	size int // in bytes
	// hasRef and hasID spare the common schema the search for them.
	hasRef, hasID bool
	// legacy is draft 7 and older, where siblings of $ref are ignored.
	legacy bool
	ids    *identifiers
}

// parse reads any JSON text. The last of several members with the same name
// counts, as in JavaScript.
func parse(raw jsontext.Value) (*document, error) {
	p := parser{
		src: string(raw),
		dec: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		doc: &document{size: len(raw)},
	}
	root, err := p.value(nil)
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	p.doc.root = root
	if s := root.member("$schema"); s != nil && s.kind == '"' {
		for _, old := range []string{"draft-03", "draft-04", "draft-05", "draft-06", "draft-07"} {
			p.doc.legacy = p.doc.legacy || strings.Contains(s.text, old)
		}
	}
	return p.doc, nil
}

type parser struct {
	src   string // one copy; most strings are parts of it
	dec   *jsontext.Decoder
	doc   *document
	chunk []node   // nodes are allocated in chunks
	kids  []*node  // stack of the children that are being read
	names []string // likewise
	next  int32
}

func (p *parser) new() *node {
	if len(p.chunk) == 0 {
		// About one value in 20 bytes of a schema; the rest is documentation.
		p.chunk = make([]node, min(max(4, (len(p.src)-int(p.dec.InputOffset()))/20), 1024))
	}
	n := &p.chunk[0]
	p.chunk = p.chunk[1:]
	n.id = p.next
	p.next++
	return n
}

func (p *parser) value(parent *node) (*node, error) {
	n := p.new()
	n.parent = parent
	n.kind = p.dec.PeekKind()
	switch n.kind {
	case '{', '[':
		return n, p.children(n)
	default:
		raw, err := p.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(p.dec.InputOffset())
		n.text = p.src[end-len(raw) : end]
		if n.kind == '"' {
			n.text = unquote(n.text)
		}
		return n, nil
	}
}

func (p *parser) children(n *node) error {
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	kidsFrom, namesFrom := len(p.kids), len(p.names)
	var seen map[string]int // of large objects
	for {
		switch p.dec.PeekKind() {
		case '}', ']':
			if _, err := p.dec.ReadToken(); err != nil {
				return err
			}
			n.kids = append([]*node(nil), p.kids[kidsFrom:]...)
			n.names = append([]string(nil), p.names[namesFrom:]...)
			for i, kid := range n.kids {
				kid.slot = int32(i)
			}
			p.kids, p.names = p.kids[:kidsFrom], p.names[:namesFrom]
			return nil
		}
		at := -1
		if n.kind == '{' {
			raw, err := p.dec.ReadValue()
			if err != nil {
				return err
			}
			end := int(p.dec.InputOffset())
			name := unquote(p.src[end-len(raw) : end])
			count := len(p.names) - namesFrom
			if seen == nil && count >= 24 {
				seen = make(map[string]int, 2*count)
				for i, s := range p.names[namesFrom:] {
					seen[s] = i
				}
			}
			if seen != nil {
				if i, ok := seen[name]; ok {
					at = i
				} else {
					seen[name] = count
				}
			} else {
				for i, s := range p.names[namesFrom:] {
					if s == name {
						at = i
					}
				}
			}
			if at < 0 {
				p.names = append(p.names, name)
			}
			switch name {
			case "$ref", "$dynamicRef", "$recursiveRef":
				p.doc.hasRef = true
			case "$id", "id", "$anchor", "$dynamicAnchor":
				p.doc.hasID = true
			}
		}
		kid, err := p.value(n)
		if err != nil {
			return err
		}
		if at >= 0 {
			p.kids[kidsFrom+at] = kid
		} else {
			p.kids = append(p.kids, kid)
		}
	}
}

// unquote decodes a JSON string into WTF-8: unlike other decoders it keeps
// unpaired surrogates, since JavaScript has them too.
func unquote(quoted string) string {
	s := quoted[1 : len(quoted)-1]
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for {
		b = append(b, s[:i]...)
		s = s[i:]
		switch c := s[1]; c {
		case 'u':
			r := hex4(s[2:6])
			s = s[6:]
			if r >= 0xD800 && r < 0xDC00 && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
				if low := hex4(s[2:6]); low >= 0xDC00 && low < 0xE000 {
					r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
					s = s[6:]
				}
			}
			b = appendWTF8(b, r)
		default:
			if k := strings.IndexByte("bfnrt", c); k >= 0 {
				c = "\b\f\n\r\t"[k]
			}
			b = append(b, c)
			s = s[2:]
		}
		if i = strings.IndexByte(s, '\\'); i < 0 {
			return string(append(b, s...))
		}
	}
}

func hex4(s string) rune {
	v, _ := strconv.ParseUint(s, 16, 16) // the decoder has checked the digits
	return rune(v)
}
