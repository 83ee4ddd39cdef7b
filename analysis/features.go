package analysis

import (
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// The features are one file each: what the pool knows is answered from the
// catalog, all else by TypeScript. Positions of the engine count UTF-16 units,
// whatever the client's encoding.

// toEngine is a position of the client as the engine counts.
func (d *Document) toEngine(p protocol.Position) protocol.Position {
	if IsUTF16(d.Encoding) {
		return p
	}
	u := d.UTF16(p)
	return protocol.Position{Line: uint32(u.Line), Character: uint32(u.Character)}
}

// rangeToEngine is toEngine of both ends.
func (d *Document) rangeToEngine(r protocol.Range) protocol.Range {
	return protocol.Range{Start: d.toEngine(r.Start), End: d.toEngine(r.End)}
}

// fromEngine is a range of the engine as the client counts.
func (d *Document) fromEngine(r protocol.Range) protocol.Range {
	if IsUTF16(d.Encoding) {
		return r
	}
	return d.FromUTF16Range(utf16Range(r))
}

// utf16Range is an engine's range in the words of package script.
func utf16Range(r protocol.Range) script.Range {
	return script.Range{
		Start: script.Position{Line: int(r.Start.Line), Character: int(r.Start.Character)},
		End:   script.Position{Line: int(r.End.Line), Character: int(r.End.Character)},
	}
}

// within reports whether a position lies in a range, its end included.
func within(r script.Range, p script.Position) bool {
	return !earlier(p, r.Start) && !earlier(r.End, p)
}

func earlier(a, b script.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// covers reports whether a range lies in another.
func covers(outer, inner script.Range) bool {
	return !earlier(inner.Start, outer.Start) && !earlier(outer.End, inner.End)
}

// useAt is the use of tools whose name a position is on.
func useAt(doc *Document, p protocol.Position) (u script.Use, onMember, ok bool) {
	at := doc.UTF16(p)
	for _, u := range doc.Source.Uses() {
		switch {
		case within(u.NameRange, at):
			return u, false, true
		case u.Member != "" && within(u.MemberRange, at):
			return u, true, true
		}
	}
	return u, false, false
}

// member is the function of tools["$codemode"] with that name.
func member(name string) (catalog.Member, bool) {
	for _, m := range catalog.Members() {
		if m.Name == name {
			return m, true
		}
	}
	return catalog.Member{}, false
}

// Optional is a present value.
func Optional[T any](v T) protocol.Optional[T] { return protocol.NewOptional(v) }

// FirstLine is a text up to its first line break.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
