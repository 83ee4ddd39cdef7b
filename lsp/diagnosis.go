package lsp

import (
	"slices"
	"sort"
	"strings"

	"codemode-ls/script"
	"codemode-ls/typescript"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// A finding is one diagnostic of Code Mode's own.
type finding struct {
	at       script.Range // in UTF-16 units
	code     string
	severity protocol.DiagnosticSeverity
	message  string
	tags     []protocol.DiagnosticTag
	data     findingData
	promise  *typescript.Promise // of an unawaited call
	uncalled *script.Uncalled    // of a function that nobody calls
	until    int                 // where the name of an unknown tool ends, when it goes on behind at
	named    int                 // where the arguments begin of tools.call("tool", …), or 0
}

// findingData is what a fix needs.
type findingData struct {
	Tool    string   `json:"tool,omitzero"`
	Closest []string `json:"closest,omitzero"`
	Name    string   `json:"name,omitzero"`
}

func (f finding) diagnostic() protocol.Diagnostic {
	at := func(p script.Position) protocol.Position {
		return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
	}
	return protocol.Diagnostic{
		Range: protocol.Range{Start: at(f.at.Start), End: at(f.at.End)}, Severity: f.severity,
		Code: protocol.String(f.code), Source: optional("codemode"), Message: protocol.String(f.message),
		Tags: protocol.NewDiagnosticTags(f.tags...),
	}
}

// A diagnosis is the work on one text.
type diagnosis struct {
	pool     *workspace.Snapshot
	opened   bool // pool is what there really is
	text     string
	language script.Language
	at       *Document // the text, for positions in UTF-16 units

	absent   bool                 // it uses tools that there are not
	pending  bool                 // it uses tools of servers that have yet to tell what they have
	checked  bool                 // types is what TypeScript found
	promises []typescript.Promise // that the script loses

	types   []protocol.Diagnostic // in order of their beginnings; what a finding explains better is taken out
	changes []script.Position     // where tools are called of which the server says that they change things
	gone    []bool                // of types: those that the next sweep takes out
	found   []finding
	closest map[string][]string // to tools that there are not
}

func newDiagnosis(pool *workspace.Snapshot, opened bool, text string, l script.Language) *diagnosis {
	return &diagnosis{pool: pool, opened: opened, text: text, language: l, at: newDocument("", 0, "", text, protocol.PositionEncodingKindUTF16)}
}

func (d *diagnosis) run() {
	d.types = inOrder(d.types)
	d.options()
	d.modules()
	d.uncalled()
	d.sweep()
	d.globals()
	uses := script.Uses(d.text)
	for _, u := range uses {
		if tool, known := d.pool.Catalog.Find(u.Name); known && u.Called && (isDestructive(tool) || changesThings(tool)) {
			d.changes = append(d.changes, u.NameRange.Start)
		}
	}
	for _, u := range uses {
		d.use(u)
	}
	d.sweep()
	d.missing()
	d.unawaited()
	d.untyped()
}

// untyped takes out complaints that only ask for types. A tool that is named
// when the script runs (tools[found.name]) cannot have one; in JavaScript nothing
// must; and as long as a server has yet to tell what it has, what its tools
// return is unknown, and so is all that comes of it, or of a tool that there is not.
func (d *diagnosis) untyped() {
	d.ofMissing()
	d.types = slices.DeleteFunc(d.types, func(t protocol.Diagnostic) bool {
		code, ok := t.Code.(protocol.Integer)
		switch {
		case !ok:
			return false
		case code == 7053 && strings.Contains(messageText(t.Message), "can't be used to index type 'Tools'"):
			return true
		case code == 7053, code == 2683:
			return d.language == script.JavaScript || d.pending
		case d.absent && slices.Contains(untypedName, int32(code)):
			return true
		default:
			return d.pending && (code >= 7000 && code < 8000 || code == 18046)
		}
	})
}

// ofMissing takes out complaints about parameters of functions that are given to a
// method that there is not: nothing says what they are.
func (d *diagnosis) ofMissing() {
	isUntyped := func(t protocol.Diagnostic) bool {
		code, ok := t.Code.(protocol.Integer)
		return ok && slices.Contains(untypedName, int32(code))
	}
	if !slices.ContainsFunc(d.types, isUntyped) {
		return
	}
	var within []script.Range
	for _, t := range d.types {
		if t.Code == protocol.Integer(2339) || t.Code == protocol.Integer(2551) {
			if r, ok := script.ArgumentsBehind(d.text, d.at.OffsetUTF16(utf16Range(t.Range).End)); ok && len(within) < maxMissing {
				within = append(within, r)
			}
		}
	}
	d.types = slices.DeleteFunc(d.types, func(t protocol.Diagnostic) bool {
		return isUntyped(t) && slices.ContainsFunc(within, func(r script.Range) bool { return covers(r, utf16Range(t.Range)) })
	})
}

func (d *diagnosis) add(f finding) {
	f.message = printable(f.message)
	d.found = append(d.found, f)
}

// replace takes out what TypeScript says in a range under one of the codes (all
// when there are none), and says whether there was any.
func (d *diagnosis) replace(in script.Range, codes ...int32) (found bool) {
	if len(d.gone) != len(d.types) {
		d.gone = make([]bool, len(d.types))
	}
	for i := d.from(in.Start); i < len(d.types) && !earlier(in.End, utf16Range(d.types[i].Range).Start); i++ {
		t := &d.types[i]
		if d.gone[i] || !covers(in, utf16Range(t.Range)) {
			continue
		}
		if code, ok := t.Code.(protocol.Integer); len(codes) == 0 || ok && slices.Contains(codes, int32(code)) {
			d.gone[i], found = true, true
		}
	}
	return found
}

// from is the index of the first of types that begins at a place or behind it.
func (d *diagnosis) from(at script.Position) int {
	return sort.Search(len(d.types), func(i int) bool { return !earlier(utf16Range(d.types[i].Range).Start, at) })
}

// sweep leaves out of types what was replaced.
func (d *diagnosis) sweep() {
	if len(d.gone) != len(d.types) {
		return
	}
	kept := d.types[:0]
	for i, t := range d.types {
		if !d.gone[i] {
			kept = append(kept, t)
		}
	}
	clear(d.types[len(kept):])
	d.types, d.gone = kept, nil
}

func (d *diagnosis) slice(r script.Range) string {
	return d.text[d.at.OffsetUTF16(r.Start):d.at.OffsetUTF16(r.End)]
}
