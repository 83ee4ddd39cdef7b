package analysis

import (
	"errors"
	"fmt"
	"sync"

	"codemode-ls/config"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// A Document is one version of an open document. It never changes: an edit
// makes the next Document.
//
// Lines end at \n, \r\n and a lone \r, as LSP counts them. Characters of a
// protocol.Position count in the encoding that was negotiated at initialize
// (LSP-2); those of a script.Position in UTF-16 units.
type Document struct {
	URI      string // as the client wrote it, in canonical form
	Version  int32
	Language script.Language
	// Script says that it is an Exec script; other documents (MCP configuration)
	// are kept for their text alone.
	Script bool
	Text   string
	Source *script.Source // of Text
	// Unreadable says why Text may not be what the editor shows: a change could not
	// be read. Nothing is answered from it until a whole text has come (LSP-5).
	Unreadable string

	Encoding protocol.PositionEncodingKind
	index    func() *textIndex // made on first use
}

// NewDocument makes a document whose positions count in encoding; "" is UTF-16.
func NewDocument(uri string, version int32, language script.Language, text string, encoding protocol.PositionEncodingKind) *Document {
	return documentOf(script.Read(text), uri, version, language, encoding)
}

func documentOf(source *script.Source, uri string, version int32, language script.Language, encoding protocol.PositionEncodingKind) *Document {
	text := source.Text()
	return &Document{
		URI: uri, Version: version, Language: language, Text: text, Source: source, Encoding: encoding,
		index: sync.OnceValue(func() *textIndex { return newTextIndex(text) }),
	}
}

// Lines are the byte offsets of the lines' starts.
func (d *Document) Lines() []int { return d.index().starts }

// Offset is the byte offset of a position. A character behind the end of its
// line is the line's end, a line behind the last is the end of the text, and a
// character inside of a code point is that code point's start.
func (d *Document) Offset(p protocol.Position) int {
	return d.offset(uint64(p.Line), uint64(p.Character), d.Encoding)
}

// Position is where a byte offset lies; an offset outside of the text is the
// nearest end of it.
func (d *Document) Position(offset int) protocol.Position {
	line, character := d.position(offset, d.Encoding)
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}

// Range of the bytes from start to end.
func (d *Document) Range(start, end int) protocol.Range {
	return protocol.Range{Start: d.Position(start), End: d.Position(end)}
}

// Offsets are the byte offsets of a range, start first.
func (d *Document) Offsets(r protocol.Range) (start, end int) {
	start, end = d.Offset(r.Start), d.Offset(r.End)
	return min(start, end), max(start, end)
}

// UTF16 turns a position on the wire into one that counts UTF-16 units.
func (d *Document) UTF16(p protocol.Position) script.Position {
	if IsUTF16(d.Encoding) {
		return script.Position{Line: int(p.Line), Character: int(p.Character)}
	}
	line, character := d.position(d.Offset(p), protocol.PositionEncodingKindUTF16)
	return script.Position{Line: line, Character: character}
}

// FromUTF16 turns a position that counts UTF-16 units into one for the wire.
func (d *Document) FromUTF16(p script.Position) protocol.Position {
	if IsUTF16(d.Encoding) {
		return protocol.Position{Line: uint32(max(p.Line, 0)), Character: uint32(max(p.Character, 0))}
	}
	return d.Position(d.OffsetUTF16(p))
}

// UTF16Range is UTF16 of both ends.
func (d *Document) UTF16Range(r protocol.Range) script.Range {
	return script.Range{Start: d.UTF16(r.Start), End: d.UTF16(r.End)}
}

// FromUTF16Range is FromUTF16 of both ends.
func (d *Document) FromUTF16Range(r script.Range) protocol.Range {
	return protocol.Range{Start: d.FromUTF16(r.Start), End: d.FromUTF16(r.End)}
}

// OffsetUTF16 is the byte offset of a position that counts UTF-16 units.
func (d *Document) OffsetUTF16(p script.Position) int {
	return d.offset(uint64(max(p.Line, 0)), uint64(max(p.Character, 0)), protocol.PositionEncodingKindUTF16)
}

// PositionUTF16 is where a byte offset lies, in UTF-16 units.
func (d *Document) PositionUTF16(offset int) script.Position {
	line, character := d.position(offset, protocol.PositionEncodingKindUTF16)
	return script.Position{Line: line, Character: character}
}

func IsUTF16(e protocol.PositionEncodingKind) bool {
	return e == "" || e == protocol.PositionEncodingKindUTF16
}

func (d *Document) offset(line, character uint64, encoding protocol.PositionEncodingKind) int {
	return d.index().offset(line, character, encoding)
}

func (d *Document) position(offset int, encoding protocol.PositionEncodingKind) (line, character int) {
	return d.index().position(offset, encoding)
}

// Edited is the next version of d with the client's changes applied in order.
func (d *Document) Edited(version int32, changes []protocol.TextDocumentContentChangeEvent) (*Document, error) {
	next := *d
	next.Version = version
	if d.Unreadable != "" {
		whole := -1
		for i, change := range changes {
			if _, ok := change.(*protocol.TextDocumentContentChangeWholeDocument); ok {
				whole = i
			}
		}
		if whole < 0 {
			return nil, errors.New(d.Unreadable)
		}
		changes = changes[whole:]
	}
	for _, change := range changes {
		switch c := change.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			next = *next.with(c.Text)
		case *protocol.TextDocumentContentChangePartial:
			start, end := next.Offsets(c.Range)
			next = *next.with(next.Text[:start] + c.Text + next.Text[end:])
		default:
			return nil, fmt.Errorf("%s: a content change of unknown form %T", d.URI, change)
		}
	}
	return &next, nil
}

// with is d with another text.
func (d *Document) with(text string) *Document {
	next := NewDocument(d.URI, d.Version, d.Language, text, d.Encoding)
	next.Script = d.Script
	return next
}

// Span is a place of a configuration file as the client counts.
func (d *Document) Span(s config.Span) protocol.Range { return d.Range(s.Start, s.End) }
