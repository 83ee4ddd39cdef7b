package lsp

import (
	"context"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/script"
	"codemode-ls/typegen"
	"codemode-ls/typescript"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
)

// Codes of Code Mode's own diagnostics (DIAG-1). They are stable, and each has
// a page in docs/diagnostics. Those of the options line are package script's.
const (
	DiagnosticUnknownTool       = "unknown-tool"
	DiagnosticDeniedTool        = "denied-tool"
	DiagnosticUnawaitedCall     = "unawaited-call"
	DiagnosticArgumentForm      = "argument-form"
	DiagnosticNotAvailable      = "not-available"
	DiagnosticNoModules         = "no-modules"
	DiagnosticDeprecatedTool    = "deprecated-tool"
	DiagnosticBrokenSchema      = "broken-schema"
	DiagnosticDestructiveInLoop = "destructive-in-loop"
	DiagnosticSequentialAwaits  = "sequential-awaits"
)

// documentDiagnostic answers textDocument/diagnostic, the pull side of DIAG-1.
func (s *Server) documentDiagnostic(ctx context.Context, snap *Snapshot, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	doc, err := snap.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	items := []protocol.Diagnostic{}
	if doc.Script {
		items = append(items, s.diagnose(ctx, snap, doc)...)
		items = append(items, s.runDiagnostics(snap, doc)...)
	} else if found, ok := s.configDiagnostics(snap, doc); ok {
		items = append(items, found...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id := resultID(items)
	if p.PreviousResultID != nil && *p.PreviousResultID == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
		}, nil
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: items},
	}, nil
}

func resultID(items []protocol.Diagnostic) string {
	h := fnv.New64a()
	for i := range items {
		raw, err := protocol.Marshal(&items[i])
		if err != nil {
			continue // cannot be sent either
		}
		h.Write(raw)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// diagnose is everything that is wrong with a script: what TypeScript finds,
// and what only Code Mode can know, in the client's encoding.
func (s *Server) diagnose(ctx context.Context, snap *Snapshot, doc *Document) []protocol.Diagnostic {
	if !doc.Script {
		return nil
	}
	d, err := s.diagnosisOf(ctx, snap, doc)
	if err != nil {
		return nil
	}
	// An answer of the engine to a newer text or pool says nothing of this one.
	if now := s.session.Snapshot(); ctx.Err() == nil && now.Docs[doc.URI] == doc && now.Workspace.Catalog == snap.Workspace.Catalog {
		s.breakage.note(doc, d)
	}
	return s.forClient(snap, doc, d)
}

// diagnosisOf is the diagnosis of a script, with what TypeScript finds if it
// answers; an error only when ctx has ended.
func (s *Server) diagnosisOf(ctx context.Context, snap *Snapshot, doc *Document) (*diagnosis, error) {
	d := newDiagnosis(snap.Workspace, snap.Opened, doc.Text, doc.Language)
	if s.engine != nil {
		failed := s.recheck()
		found, promises, err := s.engine.Inspect(ctx, doc.URI, doc.Text, d.promises.Suspects)
		if err != nil {
			failed()
			if err := s.unanswered(ctx, "diagnostics", err); err != nil {
				return nil, err
			}
		} else {
			d.checked, d.types, d.promising = true, found, promises
		}
	}
	d.run()
	return d, nil
}

// recheck has open scripts diagnosed anew when an engine that failed is back.
// It must be called before the engine is asked; failed says that it did fail.
func (s *Server) recheck() (failed func()) {
	var due atomic.Bool
	s.engine.OnChange(func() {
		if s.engine.Status().Running && due.CompareAndSwap(true, false) {
			s.session.wake()
			s.refresh(s.session.Snapshot())
		}
	})
	return func() { due.Store(true) }
}

// Check is what diagnose finds in a text that is no document: for commands.
// engine has the declarations of the pool, or is nil.
func Check(ctx context.Context, engine *typescript.Engine, w *workspace.Snapshot, text string, l script.Language) ([]exec.Diagnostic, error) {
	d := newDiagnosis(w, true, text, l)
	if engine != nil {
		found, promises, err := engine.Check(ctx, text, l, d.promises.Suspects)
		if err != nil {
			return nil, err
		}
		d.checked, d.types, d.promising = true, found, promises
	}
	d.run()
	all := d.types
	for _, f := range d.found {
		all = append(all, f.diagnostic())
	}
	return withoutProtocol(inOrder(all)), nil
}

// A finding is one diagnostic of Code Mode's own.
type finding struct {
	at       script.Range // in UTF-16 units
	code     string
	severity protocol.DiagnosticSeverity
	message  string
	tags     []protocol.DiagnosticTag
	data     findingData
	promise  *script.Unawaited // of an unawaited call
	until    int               // where the name of an unknown tool ends, when it goes on behind at
	named    int               // where the arguments begin of tools.call("tool", …), or 0
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
	promises script.Promises

	absent  bool // it uses tools that there are not
	pending bool // it uses tools of servers that have yet to tell what they have
	checked bool // types is what TypeScript found
	// promising is what TypeScript says of each suspect among promises.
	promising []script.Promising

	types   []protocol.Diagnostic // in order of their beginnings; what a finding explains better is taken out
	changes []script.Position     // where tools are called of which the server says that they change things
	gone    []bool                // of types: those that the next sweep takes out
	found   []finding
	closest map[string][]string // to tools that there are not
}

func newDiagnosis(pool *workspace.Snapshot, opened bool, text string, l script.Language) *diagnosis {
	return &diagnosis{pool: pool, opened: opened, text: text, language: l, promises: script.FindPromises(text), at: newDocument("", 0, "", text, protocol.PositionEncodingKindUTF16)}
}

func (d *diagnosis) run() {
	d.types = inOrder(d.types)
	d.options()
	d.modules()
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

// maxMissing bounds the methods that there are not that are looked behind.
const maxMissing = 50

// untypedName are TypeScript's codes for variables and parameters of which it
// does not know what they are.
var untypedName = []int32{7005, 7006, 7019, 7031, 7034}

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

// options reports a wrong options line (EXEC-15). An empty script is none: it is
// about to be written.
func (d *diagnosis) options() {
	for _, e := range script.Prepare(d.text).Errors {
		if e.Code == script.CodeBlank {
			continue
		}
		d.add(finding{at: e.Range, code: e.Code, severity: protocol.DiagnosticSeverityError, message: e.Message})
	}
}

// modules reports what imports or exports (EXEC-13).
func (d *diagnosis) modules() {
	for _, r := range script.Reaches(d.text) {
		message := moduleMessage(r)
		if message == "" {
			continue
		}
		d.replace(r.Whole)
		at := r.Whole
		if r.Kind == "export" || at.End.Line > at.Start.Line {
			at = r.Range
		}
		d.add(finding{
			at: at, code: DiagnosticNoModules, severity: protocol.DiagnosticSeverityError, message: message,
			data: findingData{Name: r.Kind},
		})
	}
}

// Codes of TypeScript for a name that nobody declares; the later ones would
// have people install packages.
var missingName = []int32{2304, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2867, 2868, 18004}

// globals reports what other hosts have and a script does not.
func (d *diagnosis) globals() {
	reported := map[script.Range]bool{}
	report := func(at script.Range, name, instead string) {
		if reported[at] {
			return
		}
		reported[at] = true
		d.add(finding{
			at: at, code: DiagnosticNotAvailable, severity: protocol.DiagnosticSeverityError,
			message: fmt.Sprintf("%s is not available in Exec scripts. %s", name, instead),
			data:    findingData{Name: name},
		})
	}
	kept := d.types[:0:0]
	for _, t := range d.types {
		code, _ := t.Code.(protocol.Integer)
		at := utf16Range(t.Range)
		name := d.slice(at)
		before := strings.TrimRight(d.text[:d.at.OffsetUTF16(at.Start)], " \t\r\n")
		switch {
		case slices.Contains(missingName, int32(code)) && lacking[name] != "":
			if !strings.HasSuffix(before, "typeof") {
				report(at, name, lacking[name])
			}
		case slices.Contains(missingName, int32(code)) && libraries[name] != "" && d.usedAsLibrary(at):
			report(at, name, libraries[name])
		case (code == 7017 || code == 2339) && lacking[name] != "" && strings.HasSuffix(before, "globalThis."):
			// GlobalMembers has it
		case d.ofGlobal(t):
			// TypeScript keeps const and class out of globalThis, the sandbox does not.
		case slices.Contains(missingName, int32(code)) && d.isTool(name):
			t.Message = protocol.String("Cannot find name '" + plain(name, 80) + "'. Tools are members of tools: write " + typegen.CallForm(name) + ".")
			kept = append(kept, t)
		case code == 17004:
			t.Message = protocol.String("There is no JSX in Exec scripts; type parameters and assertions, <T>, need a file named *.exec.ts.")
			kept = append(kept, t)
		case code == 2693 && name == "Tools":
			t.Message = protocol.String("Cannot find name 'Tools'. Did you mean 'tools'?")
			kept = append(kept, t)
		case code == 1235:
			t.Message = protocol.String("Namespaces are not available in Exec scripts: a script is the body of a function. Use an object or plain functions.")
			kept = append(kept, t)
		case code == 2550: // which would have people change a setting that they do not have
			text, _, _ := strings.Cut(messageText(t.Message), " Do you need to change your target library?")
			t.Message = protocol.String(text)
			kept = append(kept, t)
		case slices.Contains(missingName, int32(code)) && code >= 2580 && code <= 2868:
			t.Message = protocol.String("Cannot find name '" + plain(name, 80) + "'.")
			kept = append(kept, t)
		default:
			kept = append(kept, t)
		}
	}
	d.types = kept
	for _, at := range script.GlobalMembers(d.text, func(name string) bool { return lacking[name] != "" }) {
		d.types = slices.DeleteFunc(d.types, func(t protocol.Diagnostic) bool { // rare
			return t.Code == protocol.Integer(7053) && covers(utf16Range(t.Range), at)
		})
		report(at, d.slice(at), lacking[d.slice(at)]) // which TypeScript does not say of JavaScript
	}
	for _, at := range script.Mentions(d.text, func(name string) bool {
		return lacking[name] != "" && name != "require" && (notChecked[name] || !d.checked)
	}) {
		name := d.slice(at)
		after := strings.TrimLeft(d.text[d.at.OffsetUTF16(at.End):], " \t")
		if strings.HasPrefix(after, "(") || strings.HasPrefix(after, ")(") || name != "Function" && name != "eval" && strings.HasPrefix(after, ".") {
			report(at, name, lacking[name])
		}
	}
}

// usedAsLibrary says whether a name stands there as that of a module does: it is
// called, or a member of it is.
func (d *diagnosis) usedAsLibrary(at script.Range) bool {
	after := strings.TrimLeft(d.text[d.at.OffsetUTF16(at.End):], " \t")
	return strings.HasPrefix(after, "(") || strings.HasPrefix(after, ".")
}

// missingGlobal is how TypeScript says that globalThis has no such member.
var missingGlobal = regexp.MustCompile(`^Property '([^']+)' does not exist on type 'typeof globalThis'\.`)

// ofGlobal says whether a complaint is about a member of globalThis that every
// script has.
func (d *diagnosis) ofGlobal(t protocol.Diagnostic) bool {
	switch t.Code {
	case protocol.Integer(2339), protocol.Integer(7017), protocol.Integer(7053):
	default:
		return false
	}
	if m := missingGlobal.FindStringSubmatch(messageText(t.Message)); m != nil {
		return d.declared(m[1])
	}
	if !strings.Contains(messageText(t.Message), "'typeof globalThis' has no index signature") {
		return false
	}
	name := d.slice(utf16Range(t.Range))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "globalThis"), "?.")
	return d.declared(strings.Trim(name, "[]. \"'`"))
}

// declared says that every script has a global of that name.
func (d *diagnosis) declared(name string) bool {
	text := d.pool.Catalog.Declarations().Text
	return strings.Contains(text, "\ndeclare const "+name+":") || strings.Contains(text, "\ndeclare class "+name+" ") ||
		strings.Contains(text, "\ndeclare function "+name+"(") || strings.Contains(text, "\ndeclare function "+name+"<")
}

// Codes of TypeScript for a member that does not exist.
var missingMember = []int32{2339, 2551, 7053, 7015, 18046, 18048}

// use reports what is wrong with one use of tools.
func (d *diagnosis) use(u script.Use) {
	if u.Name == script.ReservedNamespace {
		d.argument(u)
		d.outcome(u, nil)
		return
	}
	tool, known := d.pool.Catalog.Find(u.Name)
	if !known {
		if !u.Alias { // which is reported where it gets its other name
			d.unknown(u)
		}
		return
	}
	if tool.Deprecated && !u.Alias {
		d.replace(u.Whole, 6385, 6387)
		d.add(finding{
			at: u.NameRange, code: DiagnosticDeprecatedTool, severity: protocol.DiagnosticSeverityHint,
			message: u.Name + " is deprecated by its server.", tags: []protocol.DiagnosticTag{protocol.DiagnosticTagDeprecated},
			data: findingData{Tool: u.Name},
		})
	}
	if broken := tool.Broken(); len(broken) > 0 {
		d.add(finding{
			at: u.NameRange, code: DiagnosticBrokenSchema, severity: protocol.DiagnosticSeverityInformation,
			message: fmt.Sprintf("The server describes %s wrongly: %s. That part is not checked.", u.Name, brokenWords(broken)),
			data:    findingData{Tool: u.Name},
		})
	}
	d.argument(u)
	d.outcome(u, tool)
}

// brokenWords are the first of the parts of a tool that are broken, and how many
// more there are (POOL-5).
func brokenWords(broken []typegen.Problem) string {
	words := problemWords(broken[0])
	if n := len(broken) - 1; n > 0 {
		words += fmt.Sprintf(" (and %d more)", n)
	}
	return words
}

// problemWords is what is wrong with one part of a tool, and where.
func problemWords(p typegen.Problem) string {
	if p.Path == "" {
		return plain(p.Message, 200)
	}
	return plain(p.Path, 120) + ": " + plain(p.Message, 200)
}

// unknown is for a tool that is not in the pool.
func (d *diagnosis) unknown(u script.Use) {
	if !u.Untyped && d.replace(u.Whole, 18046, 2571) {
		return // the script has asked before: "name" in tools makes it something unknown
	}
	missing := d.replace(u.Whole, missingMember...)
	if !d.opened || waiting(d.pool, u.Name) {
		d.pending = true
		return // nobody knows yet
	}
	if d.checked && !missing && !u.Unasked || !d.checked && (!strings.HasPrefix(u.Name, "mcp__") || u.Untyped && !u.Unasked) {
		return // another tools than the global one, or what every object has
	}
	d.unknownTool(u)
}

// missingTool is how TypeScript says that tools has no such member.
var missingTool = regexp.MustCompile(`^Property '([^']+)' does not exist on type 'Tools'\.`)

// ownTools is a type of the script's own that is called as that of tools.
var ownTools = regexp.MustCompile(`\b(?:interface|type|class|enum|namespace)\s+Tools\b`)

// missing reports what TypeScript has found where tools goes by a name that only
// a type checker can follow, such as a function's parameter.
func (d *diagnosis) missing() {
	if ownTools.MatchString(d.text) {
		return
	}
	kept := d.types[:0:0]
	for _, t := range d.types {
		m := missingTool.FindStringSubmatch(messageText(t.Message))
		if m == nil || t.Code != protocol.Integer(2339) && t.Code != protocol.Integer(2551) {
			kept = append(kept, t)
			continue
		}
		at := utf16Range(t.Range)
		if waiting(d.pool, m[1]) || !d.opened {
			d.pending = true
			continue
		}
		d.unknownTool(script.Use{Name: m[1], NameRange: at})
	}
	d.types = kept
}

// argument reports what is not one plain object (ISO-6).
func (d *diagnosis) argument(u script.Use) {
	if !u.Called {
		return
	}
	if u.ArgumentCount > 1 {
		extra := script.Range{Start: u.ArgumentRanges[1].Start, End: u.ArgumentRanges[u.ArgumentCount-1].End}
		d.replace(extra, 2554, 2555, 2345, 7006, 7031)
		d.add(finding{
			at: extra, code: DiagnosticArgumentForm, severity: protocol.DiagnosticSeverityError,
			message: "A tool takes one argument, an object with its fields by name.", data: findingData{Tool: u.Name},
		})
	}
	if u.ArgumentCount == 0 {
		return
	}
	first := u.ArgumentRanges[0]
	what := u.FirstArgument
	switch what {
	case "array", "object":
		what = "an " + what
	case "", "null":
	default:
		what = "a " + what
	}
	if u.FirstArgument == "" {
		what = d.form(first)
	}
	if what == "" || u.FirstArgument == "object" {
		return
	}
	d.replace(first, 2345, 2322, 2353, 2556, 2559, 2739, 2740, 2741)
	d.add(finding{
		at: first, code: DiagnosticArgumentForm, severity: protocol.DiagnosticSeverityError,
		message: "A tool takes an object with its fields by name, not " + what + ".", data: findingData{Tool: u.Name},
	})
}

// argumentType is how TypeScript says what an argument is.
var argumentType = regexp.MustCompile(`^Argument of type '(.*)' is not assignable to parameter of type `)

// form is what a first argument is that is no object by the word of TypeScript,
// with its article; "" when it may be one.
func (d *diagnosis) form(at script.Range) string {
	for i := d.from(at.Start); i < len(d.types) && utf16Range(d.types[i].Range).Start == at.Start; i++ {
		t := &d.types[i]
		if utf16Range(t.Range) != at || len(d.gone) == len(d.types) && d.gone[i] {
			continue
		}
		switch t.Code {
		case protocol.Integer(2556):
			return "a spread"
		case protocol.Integer(2345):
			m := argumentType.FindStringSubmatch(firstLine(messageText(t.Message)))
			if m == nil {
				continue
			}
			switch named := m[1]; {
			case named == "string", named == "number", named == "boolean", named == "bigint", named == "symbol":
				return "a " + named
			case named == "null", named == "undefined":
				return named
			case strings.HasPrefix(named, `"`) && strings.HasSuffix(named, `"`) && !strings.Contains(named, "|"):
				return "a string"
			case strings.HasSuffix(named, "[]"):
				return "an array"
			}
		}
	}
	return ""
}

// outcome reports loops that call what they should not, or slower than they
// could. tool is nil for $codemode.
func (d *diagnosis) outcome(u script.Use, tool *catalog.Tool) {
	if tool == nil || !u.InLoop {
		return
	}
	switch {
	case isDestructive(tool):
		d.add(finding{
			at: u.NameRange, code: DiagnosticDestructiveInLoop, severity: protocol.DiagnosticSeverityInformation,
			message: u.Name + " is destructive and called in a loop.", data: findingData{Tool: u.Name},
		})
	case u.Together && !slices.ContainsFunc(d.changes, func(at script.Position) bool { return covers(u.Loop, script.Range{Start: at, End: at}) }):
		d.add(finding{
			at: u.NameRange, code: DiagnosticSequentialAwaits, severity: protocol.DiagnosticSeverityHint,
			message: "These calls run one after another; with Promise.all they could run together.", data: findingData{Tool: u.Name},
		})
	}
}

// changesThings says that the server itself says so: the order of changes may
// matter. A server's silence is not taken for it.
func changesThings(tool *catalog.Tool) bool {
	return tool.Annotations.ReadOnly != nil && !*tool.Annotations.ReadOnly
}

// owner is the status of the server that a tool's name belongs to.
func owner(w *workspace.Snapshot, name string) (upstream.Status, bool) {
	for _, v := range w.Servers {
		if strings.HasPrefix(name, catalog.Namespace(v.Server.Name)+"__") {
			return v, true
		}
	}
	return upstream.Status{}, false
}

// waiting says that a tool's server has yet to tell what it has.
func waiting(w *workspace.Snapshot, name string) bool {
	v, ok := owner(w, name)
	return ok && v.State == upstream.Connecting
}

// absence says why a tool is not there, when its server is the reason.
func absence(snap *Snapshot, name string) string { return absenceOf(snap.Workspace, name) }

func absenceOf(w *workspace.Snapshot, name string) string {
	v, ok := owner(w, name)
	if !ok {
		return ""
	}
	server := plain(v.Server.Name, 80)
	switch v.State {
	case upstream.Connecting:
		return "Server " + server + " is still connecting."
	case upstream.Failed:
		return "Server " + server + " has failed: " + plain(v.Error, 200)
	case upstream.Stopped:
		return "Server " + server + " is stopped."
	case upstream.Untrusted:
		if v.Refused {
			return "Server " + server + " was refused by you."
		}
		return "Server " + server + " waits for your approval."
	default:
		return ""
	}
}

// forClient makes diagnostics of a diagnosis, in the client's encoding and with
// what it can show.
func (s *Server) forClient(snap *Snapshot, doc *Document, d *diagnosis) []protocol.Diagnostic {
	all := make([]protocol.Diagnostic, 0, len(d.types)+len(d.found))
	for _, t := range d.types {
		all = append(all, s.typeDiagnostic(snap, doc, t))
	}
	for _, f := range d.found {
		all = append(all, s.ownDiagnostic(snap, doc, f))
	}
	return inOrder(all)
}

// typeDiagnostic is a diagnostic of TypeScript's for the client.
func (s *Server) typeDiagnostic(snap *Snapshot, doc *Document, t protocol.Diagnostic) protocol.Diagnostic {
	t.Range = doc.fromEngine(t.Range)
	var related []protocol.DiagnosticRelatedInformation
	if snap.Client.DiagnosticRelated {
		for _, r := range t.RelatedInformation {
			for _, l := range snap.locations([]protocol.Location{r.Location}) {
				related = append(related, protocol.DiagnosticRelatedInformation{Location: l, Message: r.Message})
			}
		}
	}
	t.RelatedInformation = related
	if !snap.Client.DiagnosticTags {
		t.Tags = protocol.DiagnosticTags{}
	}
	return t
}

// ownDiagnostic is a diagnostic of Code Mode's own for the client.
func (s *Server) ownDiagnostic(snap *Snapshot, doc *Document, f finding) protocol.Diagnostic {
	out := f.diagnostic()
	out.Range = doc.FromUTF16Range(f.at)
	if !snap.Client.DiagnosticTags {
		out.Tags = protocol.DiagnosticTags{}
	}
	if snap.Client.DiagnosticCodeLink {
		if page := s.explanation(f.code); page != "" {
			out.CodeDescription = protocol.CodeDescription{Href: page}
		}
	}
	if snap.Client.DiagnosticData {
		if raw, err := json.Marshal(f.data); err == nil {
			out.Data = raw
		}
	}
	return out
}

// inOrder sorts diagnostics by place: their order is the same for the same text.
func inOrder(all []protocol.Diagnostic) []protocol.Diagnostic {
	slices.SortStableFunc(all, func(a, b protocol.Diagnostic) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return int(a.Range.Start.Line) - int(b.Range.Start.Line)
		}
		return int(a.Range.Start.Character) - int(b.Range.Start.Character)
	})
	return all
}
