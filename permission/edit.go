package permission

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Editing a rules file as a person would: what is there stays as it is written,
// comments, indent, line ends and all (PERM-10).

// edit returns text with the rule match moved to the list of effect, or removed
// from every list when effect is "". Comments and unknown fields stay. Text that
// is broken is an error and is never replaced.
func edit(text []byte, path string, layer Layer, effect Effect, match string, header string) ([]byte, error) {
	old := text
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(header + "{\n  \"permissions\": {\n    \"allow\": [],\n    \"ask\": [],\n    \"deny\": []\n  }\n}\n")
	}
	if f := parseFile(text, path, layer); f.broken {
		p := f.problems[0]
		return nil, fmt.Errorf("%s:%d:%d: %s; fix the file first", path, p.Range.Start.Line+1, p.Range.Start.Character+1, p.Message)
	}
	root, err := parseText(text)
	if err != nil {
		return nil, err
	}
	top := root.Value.(*hujson.Object)
	s := styleOf(top)
	s.flat = isFlat(top, false)
	section := s.ensure(top, "permissions", &hujson.Object{}, "\n"+s.unit)
	lists := section.Value.(*hujson.Object)
	s.flat = isFlat(lists, s.flat)
	for _, e := range effects {
		list, _ := member(lists, string(e))
		if list == nil {
			if e != effect {
				continue
			}
			list = s.ensure(lists, string(e), &hujson.Array{}, "\n"+s.unit+s.unit)
		}
		array := list.Value.(*hujson.Array)
		if e == effect {
			s.add(array, match, cmp.Or(indentOf(lists, string(e)), "\n"+s.unit+s.unit)+s.unit)
			continue
		}
		remove(array, match)
	}
	return likeLines(root.Pack(), old), nil
}

// likeLines is text with the byte order mark and the line ends of old.
func likeLines(text, old []byte) []byte {
	if n := bytes.Count(old, []byte("\n")); n > 0 && n == bytes.Count(old, []byte("\r\n")) {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	if bytes.HasPrefix(old, byteOrderMark) {
		text = append(bytes.Clone(byteOrderMark), text...)
	}
	return text
}

// style is how a file is laid out.
type style struct {
	unit string // the indent of one level
	flat bool   // the object that is edited stands in one line
}

func styleOf(top *hujson.Object) style {
	s := style{unit: "  "}
	if len(top.Members) > 0 {
		s.unit = cmp.Or(strings.TrimPrefix(indentBefore(top.Members[0].Name.BeforeExtra), "\n"), s.unit)
	}
	return s
}

// isFlat reports whether an object stands in one line; an empty one does when what
// it is in does.
func isFlat(o *hujson.Object, around bool) bool {
	if len(o.Members) == 0 {
		return around && len(o.AfterExtra) == 0
	}
	v := hujson.Value{Value: o}
	return !bytes.Contains(v.Pack(), []byte("\n"))
}

// ensure returns the member with a name, added at the end when missing. indent is
// the line break and white space before it when no other member shows one.
func (s style) ensure(o *hujson.Object, name string, value hujson.ValueTrimmed, indent string) *hujson.Value {
	if v, _ := member(o, name); v != nil {
		return v
	}
	end := ""
	switch {
	case s.flat && len(o.Members) == 0:
		indent = ""
	case s.flat:
		indent, end = " ", closing(o.AfterExtra)
	case len(o.Members) > 0:
		indent = cmp.Or(indentBefore(o.Members[0].Name.BeforeExtra), indent)
		fallthrough
	default:
		end = s.outer(indent)
	}
	if len(o.Members) > 0 {
		// No trailing comma, or one that becomes the separator.
		last := &o.Members[len(o.Members)-1].Value
		if last.AfterExtra != nil {
			o.AfterExtra, last.AfterExtra = append(last.AfterExtra[:len(last.AfterExtra):len(last.AfterExtra)], o.AfterExtra...), nil
		}
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: joinExtra(o.AfterExtra, indent), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	}
	o.AfterExtra = hujson.Extra(end)
	o.Members = append(o.Members, m)
	return &o.Members[len(o.Members)-1].Value
}

// add appends a rule to a list unless it is there. indent is the line break and
// white space before an element of a list that has none yet.
func (s style) add(a *hujson.Array, match, indent string) {
	for _, e := range a.Elements {
		if isRule(e, match) {
			return
		}
	}
	e := hujson.Value{BeforeExtra: hujson.Extra(indent), Value: hujson.String(match)}
	n := len(a.Elements)
	switch {
	case n == 0 && s.flat:
		e.BeforeExtra, a.AfterExtra = joinExtra(a.AfterExtra, ""), nil
	case n == 0:
		// What stood between the brackets can only be white space and comments.
		e.BeforeExtra = joinExtra(a.AfterExtra, indent)
		a.AfterExtra = hujson.Extra(s.outer(indent))
	case a.Elements[n-1].AfterExtra != nil: // a trailing comma: keep the habit
		e.BeforeExtra = joinExtra(a.AfterExtra, like(a.Elements[0]))
		a.AfterExtra = hujson.Extra(closing(a.AfterExtra))
		e.AfterExtra = hujson.Extra{}
	default:
		e.BeforeExtra = hujson.Extra(like(a.Elements[0]))
		if comments(a.AfterExtra) != "" {
			// A comment behind the last element stays behind it.
			e.BeforeExtra = joinExtra(a.AfterExtra, like(a.Elements[0]))
			a.AfterExtra = hujson.Extra(closing(a.AfterExtra))
		}
	}
	a.Elements = append(a.Elements, e)
}

// remove takes a rule out of a list. Comments beside it stay in the list: they
// may be about its neighbours.
func remove(a *hujson.Array, match string) {
	for i := 0; i < len(a.Elements); i++ {
		e := a.Elements[i]
		if !isRule(e, match) {
			continue
		}
		kept := comments(e.BeforeExtra) + comments(e.AfterExtra)
		a.Elements = append(a.Elements[:i:i], a.Elements[i+1:]...)
		switch {
		case kept == "":
		case i < len(a.Elements):
			next := string(a.Elements[i].BeforeExtra)
			if strings.HasSuffix(kept, "\n") {
				next = strings.TrimPrefix(next, "\n")
			}
			a.Elements[i].BeforeExtra = hujson.Extra(kept + next)
		default:
			a.AfterExtra = hujson.Extra(kept + cmp.Or(string(a.AfterExtra), "\n"))
		}
		i--
	}
}

// isRule reports whether v is the rule match, which is canonical.
func isRule(v hujson.Value, match string) bool {
	lit, ok := v.Value.(hujson.Literal)
	return ok && lit.Kind() == '"' && Canonical(lit.String()) == match
}

// like is the white space before an element like e: its line break and indent.
func like(e hujson.Value) string {
	return cmp.Or(indentBefore(e.BeforeExtra), " ")
}

// comments is extra without the white space at its end, or "" when it is only
// white space. A line comment keeps its line break.
func comments(extra hujson.Extra) string {
	if extra.IsStandard() {
		return ""
	}
	s := strings.TrimRight(string(extra), " \t\r\n")
	last := s[strings.LastIndexByte(s, '\n')+1:]
	if strings.Contains(last, "//") {
		s += "\n"
	}
	return s
}

// joinExtra is the comments of extra followed by the white space before the next
// element.
func joinExtra(extra hujson.Extra, indent string) hujson.Extra {
	c := comments(extra)
	if strings.HasSuffix(c, "\n") {
		indent = strings.TrimPrefix(indent, "\n")
	}
	return hujson.Extra(c + indent)
}

// closing is the white space at the end of extra.
func closing(extra hujson.Extra) string {
	s := string(extra)
	return s[len(strings.TrimRight(s, " \t\r\n")):]
}

// indentBefore is the last line break of extra with the indent behind it.
func indentBefore(extra hujson.Extra) string {
	s := string(extra)
	at := strings.LastIndexByte(s, '\n')
	if at < 0 {
		return ""
	}
	line := s[at+1:]
	return "\n" + line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// outer is a line break and indent one level less deep.
func (s style) outer(indent string) string {
	if less, ok := strings.CutSuffix(indent, s.unit); ok {
		return less
	}
	return indent[:max(len(indent)-len(s.unit), 1)]
}

// indentOf is the line break and indent before the member with a name, "" when
// there is none.
func indentOf(o *hujson.Object, name string) string {
	for _, m := range o.Members {
		if nameOf(m) == name {
			return indentBefore(m.Name.BeforeExtra)
		}
	}
	return ""
}
