package analysis

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codemode-ls/script"
	"codemode-ls/typescript"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// cannot is an error that the client shows to a person as it is.
func cannot(format string, args ...any) error {
	return jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), format, args...)
}

// PrepareRename answers textDocument/prepareRename (NAV-1): the name at a
// position, or why it cannot be renamed.
func (s *Script) PrepareRename(ctx context.Context, p *protocol.PrepareRenameParams) (*protocol.PrepareRenamePlaceholder, error) {
	doc := s.Doc
	if s.Engine == nil {
		return nil, nil
	}
	at, err := s.renameable(ctx, p.Position)
	if err != nil || at == nil {
		return nil, err
	}
	// Only the rename itself knows all that it reaches.
	if _, err := s.renamed(ctx, *at, p.Position, "renamed"); err != nil {
		return nil, err
	}
	r := doc.FromUTF16Range(*at)
	start, end := doc.Offsets(r)
	return &protocol.PrepareRenamePlaceholder{Range: r, Placeholder: doc.Text[start:end]}, nil
}

// Rename answers textDocument/rename (NAV-1).
func (s *Script) Rename(ctx context.Context, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	doc := s.Doc
	if s.Engine == nil {
		return nil, nil
	}
	at, err := s.renameable(ctx, p.Position)
	if err != nil || at == nil {
		return nil, err
	}
	if err := doc.nameFits(*at, p.NewName); err != nil {
		return nil, err
	}
	found, err := s.renamed(ctx, *at, p.Position, p.NewName)
	if err != nil {
		return nil, err
	}
	return s.workspaceEdit(found), nil
}

// renamed are the engine's edits, when they rename all that there is of what
// stands at a range. A member of what has no type, and a text of a type that is
// not the script's own, are not declared where a rename could reach.
func (s *Script) renamed(ctx context.Context, at script.Range, p protocol.Position, name string) (map[string][]protocol.TextEdit, error) {
	doc := s.Doc
	found, err := s.Engine.Rename(ctx, doc.URI, doc.toEngine(p), name)
	if err != nil {
		return nil, s.notRenamed(ctx, at, err)
	}
	edits := found[doc.URI]
	if len(edits) == 0 || !slices.ContainsFunc(edits, func(e protocol.TextEdit) bool { return !doc.isValue(utf16Range(e.Range)) }) {
		return nil, cannot("%s is not declared in this script and cannot be renamed", Plain(doc.utf16Text(at), 200))
	}
	return found, nil
}

// isValue says that a range is what stands in a literal text which names nothing:
// no property, and no part of a type.
func (d *Document) isValue(r script.Range) bool {
	before, after := d.Text[:d.OffsetUTF16(r.Start)], d.Text[d.OffsetUTF16(r.End):]
	if before == "" || after == "" || !strings.ContainsRune("\"'`", rune(before[len(before)-1])) {
		return false
	}
	before, after = strings.TrimRight(before[:len(before)-1], " \t\r\n"), strings.TrimLeft(after[1:], " \t\r\n")
	if object, ok := strings.CutSuffix(before, "["); ok && strings.HasPrefix(after, "]") {
		last, _ := utf8.DecodeLastRuneInString(object)
		return !strings.ContainsRune(")].>", last) && !identifierName.MatchString(string(last)) && !unicode.IsDigit(last)
	}
	return !strings.HasPrefix(after, ":") && !strings.HasPrefix(after, "|") && !strings.HasSuffix(before, "|") &&
		!strings.HasSuffix(before, "<") && !strings.HasPrefix(after, ">") && !strings.HasPrefix(after, "in ")
}

// renameable is the range of the name at a position, in UTF-16 units; nil for
// none.
func (s *Script) renameable(ctx context.Context, p protocol.Position) (*script.Range, error) {
	doc := s.Doc
	if u, onMember, ok := useAt(doc, p); ok {
		switch {
		case onMember && u.Name == script.ReservedNamespace, u.Name == script.ReservedNamespace:
			return nil, cannot("%s is a name of the server's own and cannot be renamed", u.Name)
		case !onMember:
			return nil, cannot("%s is the name of a tool, which its MCP server gives; it cannot be renamed here", Plain(u.Name, 200))
		}
	}
	found, err := s.Engine.PrepareRename(ctx, doc.URI, doc.toEngine(p))
	var refused *typescript.RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, cannot("%s", refused.Message)
	case err != nil:
		return nil, s.unanswered(ctx, "rename", err)
	case found == nil:
		return nil, nil
	}
	at := utf16Range(*found)
	if word := doc.utf16Text(at); word == "this" || word == "super" {
		return nil, cannot("%s is a word of the language and cannot be renamed", word)
	}
	return &at, nil
}

// notRenamed is why the name at a range stays.
func (s *Script) notRenamed(ctx context.Context, at script.Range, err error) error {
	doc := s.Doc
	var refused *typescript.RefusedError
	switch {
	case errors.As(err, &refused):
		return cannot("%s", refused.Message)
	case errors.Is(err, typescript.ErrGenerated):
		return cannot("%s is declared in the generated tools.d.ts and cannot be renamed", Plain(doc.utf16Text(at), 200))
	}
	return s.unanswered(ctx, "rename", err)
}

// utf16Text is what stands in a range.
func (d *Document) utf16Text(r script.Range) string {
	return d.Text[d.OffsetUTF16(r.Start):max(d.OffsetUTF16(r.Start), d.OffsetUTF16(r.End))]
}

var (
	identifierName = regexp.MustCompile(`^[\p{L}\p{Nl}_$][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$\x{200c}\x{200d}]*$`)
	// reserved words cannot name what a script declares (ECMA-262, 12.7.2, and await
	// inside of an async function).
	reserved = strings.Fields(`await break case catch class const continue debugger default delete do else enum export extends
		false finally for function if import in instanceof new null return super switch this throw true try typeof var void
		while with yield let static implements interface package private protected public`)
)

// nameFits says what is wrong with a new name for what stands at a range.
func (d *Document) nameFits(at script.Range, name string) error {
	start, end := d.OffsetUTF16(at.Start), d.OffsetUTF16(at.End)
	before, after := d.Text[:start], d.Text[end:]
	if strings.HasSuffix(before, `"`) || strings.HasSuffix(before, "'") || strings.HasSuffix(before, "`") {
		if strings.ContainsAny(name, "\"'`\\\r\n") || name == "" {
			return cannot("%q cannot stand between quotes as it is", Plain(name, 100))
		}
		return nil
	}
	bare := name
	if strings.HasPrefix(d.Text[start:end], "#") {
		var private bool
		if bare, private = strings.CutPrefix(name, "#"); !private {
			return cannot("the name of a private member begins with #: %q does not", Plain(name, 100))
		}
	}
	if !identifierName.MatchString(bare) {
		return cannot("%q is not a name: letters, digits, _ and $ can be in one, and it does not begin with a digit", Plain(name, 100))
	}
	isProperty := strings.HasSuffix(strings.TrimRight(before, " \t\r\n"), ".") ||
		strings.HasPrefix(strings.TrimLeft(after, " \t?"), ":")
	if !isProperty && slices.Contains(reserved, bare) {
		return cannot("%s is a word of the language and cannot name anything", bare)
	}
	return nil
}

// workspaceEdit is the engine's edits for the client, by document and in order.
func (s *View) workspaceEdit(found map[string][]protocol.TextEdit) *protocol.WorkspaceEdit {
	edit := &protocol.WorkspaceEdit{}
	for u, edits := range found {
		doc, ok := s.Docs[u]
		if !ok {
			continue
		}
		edits = doc.fromEngineEdits(edits)
		if !s.Client.DocumentChanges {
			if edit.Changes == nil {
				edit.Changes = map[uri.URI][]protocol.TextEdit{}
			}
			edit.Changes[uri.URI(u)] = edits
			continue
		}
		version := doc.Version
		change := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri.URI(u)}, Version: &version,
		}}
		for i := range edits {
			change.Edits = append(change.Edits, &edits[i])
		}
		edit.DocumentChanges = append(edit.DocumentChanges, change)
	}
	return edit
}

// fromEngineEdits are the engine's edits as the client counts, in the order of
// their places.
func (d *Document) fromEngineEdits(found []protocol.TextEdit) []protocol.TextEdit {
	edits := make([]protocol.TextEdit, 0, len(found))
	for _, e := range found {
		edits = append(edits, protocol.TextEdit{Range: d.fromEngine(e.Range), NewText: e.NewText})
	}
	slices.SortStableFunc(edits, func(a, b protocol.TextEdit) int { return ComparePositions(a.Range.Start, b.Range.Start) })
	return edits
}

func ComparePositions(a, b protocol.Position) int {
	switch {
	case a.Line != b.Line:
		return int(int64(a.Line) - int64(b.Line))
	default:
		return int(int64(a.Character) - int64(b.Character))
	}
}

// RenameProvider reports whether names can be looked at before they are renamed:
// only to clients that know of it (LSP 3.17).
func RenameProvider(c *Client) protocol.RenameProvider {
	if !c.PrepareRename {
		return protocol.Boolean(true)
	}
	yes := true
	return &protocol.RenameOptions{PrepareProvider: &yes}
}
