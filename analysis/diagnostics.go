package analysis

import (
	"context"
	"regexp"
	"slices"

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
	DiagnosticInputType         = "input-type"
	DiagnosticInputExample      = "input-example"
)

// Diagnosis is the diagnosis of the script, with what TypeScript finds if it
// answers; an error only when ctx has ended.
func (s *Script) Diagnosis(ctx context.Context) (*Diagnosis, error) {
	d := NewDiagnosis(s.Workspace, s.Opened, s.Doc)
	if s.Engine != nil {
		found, err := s.Engine.Inspect(ctx, s.Doc.URI, len(d.undeclared()) > 0)
		if err != nil {
			d.Unanswered = true
			if err := s.unanswered(ctx, "diagnostics", err); err != nil {
				return nil, err
			}
		} else {
			d.take(found)
			d.contract = s.Contract(ctx)
		}
	}
	d.Run()
	return d, nil
}

// Check is what diagnose finds in a text that is no document: for commands.
// engine has the declarations of the pool, or is nil.
func Check(ctx context.Context, engine *typescript.Engine, w *workspace.Snapshot, source *script.Source, l script.Language) ([]exec.Diagnostic, error) {
	doc := documentOf(source, "", 0, l, protocol.PositionEncodingKindUTF16)
	d := NewDiagnosis(w, true, doc)
	if engine != nil {
		found, err := engine.Check(ctx, source, l, len(d.undeclared()) > 0)
		if err != nil {
			return nil, err
		}
		d.take(found)
		if source.MayTakeInput() {
			d.contract, _ = engine.ReadContract(ctx, source, l) // the types are worth having without
		}
	}
	d.Run()
	all := d.Types
	for _, f := range d.Found {
		all = append(all, f.diagnostic())
	}
	return withoutProtocol(InOrder(all)), nil
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

// ForClient makes diagnostics of a diagnosis, in the client's encoding and with
// what it can show.
func (s *Script) ForClient(d *Diagnosis) []protocol.Diagnostic {
	all := make([]protocol.Diagnostic, 0, len(d.Types)+len(d.Found))
	for _, t := range d.Types {
		all = append(all, s.typeDiagnostic(t))
	}
	for _, f := range d.Found {
		all = append(all, s.ownDiagnostic(f))
	}
	return InOrder(all)
}

// typeDiagnostic is a diagnostic of TypeScript's for the client.
func (s *Script) typeDiagnostic(t protocol.Diagnostic) protocol.Diagnostic {
	snap, doc := s.View, s.Doc
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
func (s *Script) ownDiagnostic(f finding) protocol.Diagnostic {
	snap, doc := s.View, s.Doc
	out := f.diagnostic()
	out.Range = doc.FromUTF16Range(f.at)
	if !snap.Client.DiagnosticTags {
		out.Tags = protocol.DiagnosticTags{}
	}
	if snap.Client.DiagnosticCodeLink {
		if page := s.Page(f.Code); page != "" {
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

// InOrder sorts diagnostics by place: their order is the same for the same text.
func InOrder(all []protocol.Diagnostic) []protocol.Diagnostic {
	slices.SortStableFunc(all, func(a, b protocol.Diagnostic) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return int(a.Range.Start.Line) - int(b.Range.Start.Line)
		}
		return int(a.Range.Start.Character) - int(b.Range.Start.Character)
	})
	return all
}
