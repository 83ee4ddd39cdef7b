package lsp

import (
	"context"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"

	"codemode-ls/exec"
	"codemode-ls/script"
	"codemode-ls/typescript"
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
	DiagnosticUncalled          = "uncalled-function"
	DiagnosticOptionsLowered    = "options-lowered"
	DiagnosticOutOfStep         = "out-of-step"
)

// documentDiagnostic answers textDocument/diagnostic, the pull side of DIAG-1.
func (s *Server) documentDiagnostic(ctx context.Context, snap *Snapshot, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	doc, err := snap.document(p.TextDocument.URI)
	stale := snap.Docs[string(p.TextDocument.URI)]
	if err != nil && stale == nil {
		return nil, err
	}
	items := []protocol.Diagnostic{}
	if err != nil {
		items = outOfStep(stale)
	} else if doc.Script {
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
		found, promises, err := s.engine.Inspect(ctx, doc.URI)
		if err != nil {
			failed()
			if err := s.unanswered(ctx, "diagnostics", err); err != nil {
				return nil, err
			}
		} else {
			d.checked, d.types, d.promises = true, found, promises
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
		found, promises, err := engine.Check(ctx, text, l)
		if err != nil {
			return nil, err
		}
		d.checked, d.types, d.promises = true, found, promises
	}
	d.run()
	all := d.types
	for _, f := range d.found {
		all = append(all, f.diagnostic())
	}
	return withoutProtocol(inOrder(all)), nil
}

// maxMissing bounds the methods that there are not that are looked behind.
const maxMissing = 50

// untypedName are TypeScript's codes for variables and parameters of which it
// does not know what they are.
var untypedName = []int32{7005, 7006, 7019, 7031, 7034}

// Codes of TypeScript for a name that nobody declares; the later ones would
// have people install packages.
var missingName = []int32{2304, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2867, 2868, 18004}

// missingGlobal is how TypeScript says that globalThis has no such member.
var missingGlobal = regexp.MustCompile(`^Property '([^']+)' does not exist on type 'typeof globalThis'\.`)

// Codes of TypeScript for a member that does not exist.
var missingMember = []int32{2339, 2551, 7053, 7015, 18046, 18048}

// missingTool is how TypeScript says that tools has no such member.
var missingTool = regexp.MustCompile(`^Property '([^']+)' does not exist on type 'Tools'\.`)

// ownTools is a type of the script's own that is called as that of tools.
var ownTools = regexp.MustCompile(`\b(?:interface|type|class|enum|namespace)\s+Tools\b`)

// argumentType is how TypeScript says what an argument is.
var argumentType = regexp.MustCompile(`^Argument of type '(.*)' is not assignable to parameter of type `)

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
