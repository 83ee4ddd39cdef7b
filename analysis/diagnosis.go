package analysis

import (
	"slices"
	"sort"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/script"
	"codemode-ls/typescript"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// A finding is one diagnostic of Code Mode's own.
type finding struct {
	at       script.Range // in UTF-16 units
	Code     string
	Severity protocol.DiagnosticSeverity
	Message  string
	tags     []protocol.DiagnosticTag
	data     FindingData
	promise  *typescript.Promise // of an unawaited call
	uncalled *script.Uncalled    // of a function that nobody calls
	until    int                 // where the name of an unknown tool ends, when it goes on behind at
	named    int                 // where the arguments begin of tools.call("tool", …), or 0
}

// FindingData is what a fix needs.
type FindingData struct {
	Tool    string   `json:"tool,omitzero"`
	Closest []string `json:"closest,omitzero"`
	Name    string   `json:"name,omitzero"`
}

func (f finding) diagnostic() protocol.Diagnostic {
	at := func(p script.Position) protocol.Position {
		return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
	}
	return protocol.Diagnostic{
		Range: protocol.Range{Start: at(f.at.Start), End: at(f.at.End)}, Severity: f.Severity,
		Code: protocol.String(f.Code), Source: Optional("codemode"), Message: protocol.String(f.Message),
		Tags: protocol.NewDiagnosticTags(f.tags...),
	}
}

// A Diagnosis is the work on one text.
type Diagnosis struct {
	Pool     *workspace.Snapshot
	Opened   bool // pool is what there really is
	text     string
	source   *script.Source
	language script.Language
	at       *Document // the text, for positions in UTF-16 units

	absent     bool                 // it uses tools that there are not
	Pending    bool                 // it uses tools of servers that have yet to tell what they have
	Checked    bool                 // types is what TypeScript found
	Unanswered bool                 // TypeScript was asked and did not answer
	promises   []typescript.Promise // that the script loses
	contract   *script.Contract     // nil when the script takes nothing, or nobody knows
	guessed    []protocol.Range     // marks of those that rest on results that no server declares
	unclear    *[]*catalog.Tool     // see undeclared; nil until asked for

	Types   []protocol.Diagnostic // in order of their beginnings; what a finding explains better is taken out
	changes []script.Position     // where tools are called of which the server says that they change things
	gone    []bool                // of types: those that the next sweep takes out
	Found   []finding
	closest map[string][]string // to tools that there are not
}

func NewDiagnosis(pool *workspace.Snapshot, opened bool, doc *Document) *Diagnosis {
	at := *doc
	at.Encoding = protocol.PositionEncodingKindUTF16
	return &Diagnosis{Pool: pool, Opened: opened, text: doc.Text, source: doc.Source, language: doc.Language, at: &at}
}

func (d *Diagnosis) Run() {
	d.Types = InOrder(d.Types)
	d.options()
	d.modules()
	d.uncalled()
	d.sweep()
	d.globals()
	uses := d.source.Uses()
	for _, u := range uses {
		if tool, known := d.Pool.Catalog.Find(u.Name); known && u.Called && (isDestructive(tool) || changesThings(tool)) {
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
	d.input()
}

// untyped takes out complaints that only ask for types. A tool that is named
// when the script runs (tools[found.name]) cannot have one; in JavaScript nothing
// must; and as long as a server has yet to tell what it has, what its tools
// return is unknown, and so is all that comes of it, or of a tool that there is not.
func (d *Diagnosis) untyped() {
	d.ofMissing()
	d.Types = slices.DeleteFunc(d.Types, func(t protocol.Diagnostic) bool {
		code, ok := t.Code.(protocol.Integer)
		switch {
		case !ok:
			return false
		case code == 7053 && strings.Contains(messageText(t.Message), "can't be used to index type 'Tools'"):
			return true
		case code == 7053, code == 2683:
			return d.language == script.JavaScript || d.Pending
		case d.absent && slices.Contains(untypedName, int32(code)):
			return true
		default:
			return d.Pending && (code >= 7000 && code < 8000 || code == 18046)
		}
	})
}

// ofMissing takes out complaints about parameters of functions that are given to a
// method that there is not: nothing says what they are.
func (d *Diagnosis) ofMissing() {
	if !slices.ContainsFunc(d.Types, isUntyped) {
		return
	}
	var within []script.Range
	for _, t := range d.Types {
		if t.Code == protocol.Integer(2339) || t.Code == protocol.Integer(2551) {
			if r, ok := d.source.ArgumentsBehind(d.at.OffsetUTF16(utf16Range(t.Range).End)); ok && len(within) < maxMissing {
				within = append(within, r)
			}
		}
	}
	d.Types = slices.DeleteFunc(d.Types, func(t protocol.Diagnostic) bool {
		return isUntyped(t) && slices.ContainsFunc(within, func(r script.Range) bool { return covers(r, utf16Range(t.Range)) })
	})
}

func (d *Diagnosis) add(f finding) {
	f.Message = Printable(f.Message)
	d.Found = append(d.Found, f)
}

// replace takes out what TypeScript says in a range under one of the codes (all
// when there are none), and reports whether there was any.
func (d *Diagnosis) replace(in script.Range, codes ...int32) (found bool) {
	if len(d.gone) != len(d.Types) {
		d.gone = make([]bool, len(d.Types))
	}
	for i := d.from(in.Start); i < len(d.Types) && !earlier(in.End, utf16Range(d.Types[i].Range).Start); i++ {
		t := &d.Types[i]
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
func (d *Diagnosis) from(at script.Position) int {
	return sort.Search(len(d.Types), func(i int) bool { return !earlier(utf16Range(d.Types[i].Range).Start, at) })
}

// sweep leaves out of types what was replaced.
func (d *Diagnosis) sweep() {
	if len(d.gone) != len(d.Types) {
		return
	}
	kept := d.Types[:0]
	for i, t := range d.Types {
		if !d.gone[i] {
			kept = append(kept, t)
		}
	}
	clear(d.Types[len(kept):])
	d.Types, d.gone = kept, nil
}

func (d *Diagnosis) slice(r script.Range) string {
	return d.text[d.at.OffsetUTF16(r.Start):d.at.OffsetUTF16(r.End)]
}

// Errors are the errors of a diagnosis as text, and the denied tools. A tool that
// is gone comes before what TypeScript makes of it.
func (d *Diagnosis) Errors() []string {
	var all []string
	for _, f := range d.Found {
		if f.Severity == protocol.DiagnosticSeverityError || f.Code == DiagnosticDeniedTool {
			all = append(all, f.Message)
		}
	}
	for _, t := range d.Types {
		if t.Severity == protocol.DiagnosticSeverityError {
			all = append(all, FirstLine(messageText(t.Message)))
		}
	}
	return all
}
