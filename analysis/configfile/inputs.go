package configfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/config"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// An undeclaredInput is a question, ${input:id}, that the file does not declare
// among its inputs. It is asked by its id alone; mostly the id is misspelled.
type undeclaredInput struct {
	id, closest string // "" when no declared one is like it
	at          config.Span
}

// undeclaredInputs are those of one server that wait for an answer.
func undeclaredInputs(doc *analysis.Document, f *config.File, e config.Entry) (all []undeclaredInput) {
	for _, in := range e.Server.NeedsInput {
		variable := "${input:" + in.ID + "}"
		i := strings.Index(doc.Text[e.Whole.Start:e.Whole.End], variable)
		if in.Declared || i < 0 {
			continue
		}
		start := e.Whole.Start + i
		all = append(all, undeclaredInput{in.ID, f.ClosestInput(in.ID), config.Span{Start: start, End: start + len(variable)}})
	}
	return all
}

func (u undeclaredInput) message() string {
	text := fmt.Sprintf("The file declares no input %q. ", analysis.Plain(u.id, 80))
	if u.closest != "" {
		return text + fmt.Sprintf("Did you mean %q?", analysis.Plain(u.closest, 80))
	}
	return text + "It is asked for by its name alone, and the server is not started before it is answered."
}

var inputsArray = regexp.MustCompile(`"inputs"\s*:\s*\[\s*(\]?)`)

// inputActions fix undeclared inputs: by the intended name, or by declaring
// them.
func inputActions(doc *analysis.Document, f *config.File, p *protocol.CodeActionParams) (actions []protocol.CodeAction) {
	quickFix := protocol.CodeActionKindQuickFix
	for _, e := range f.Entries {
		for _, u := range undeclaredInputs(doc, f, e) {
			r := doc.Span(u.at)
			if !overlaps(r, p.Range) {
				continue
			}
			offer := func(title string, edit protocol.TextEdit, preferred bool) {
				actions = append(actions, protocol.CodeAction{
					Title: title, Kind: &quickFix, IsPreferred: &preferred, Diagnostics: shownWith(p, r, DiagnosticUndeclaredInput),
					Edit: &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{uri.URI(doc.URI): {edit}}},
				})
			}
			if u.closest != "" {
				offer("Change to "+analysis.Plain(u.closest, 80), protocol.TextEdit{Range: r, NewText: "${input:" + u.closest + "}"}, true)
			}
			if edit, ok := declareInput(doc, u.id); ok {
				offer("Declare input "+analysis.Plain(u.id, 80), edit, u.closest == "")
			}
		}
	}
	return actions
}

// declareInput adds an input to the file's; ok is false when there is no place
// for it.
func declareInput(doc *analysis.Document, id string) (edit protocol.TextEdit, ok bool) {
	ending := "\n"
	if strings.Contains(doc.Text, "\r\n") {
		ending = "\r\n"
	}
	input := `{ "type": "promptString", "id": ` + strconv.Quote(id) + `, "description": ` + strconv.Quote(id) + `, "password": true }`
	if at := inputsArray.FindStringSubmatchIndex(doc.Text); at != nil {
		offset := strings.IndexByte(doc.Text[at[0]:], '[') + at[0] + 1
		if at[2] == at[3] {
			input += ","
		} else {
			input += ending + "  "
		}
		return protocol.TextEdit{Range: doc.Range(offset, offset), NewText: ending + "    " + input}, true
	}
	offset := strings.IndexByte(doc.Text, '{') + 1
	text := ending + `  "inputs": [` + ending + "    " + input + ending + "  ],"
	return protocol.TextEdit{Range: doc.Range(offset, offset), NewText: text}, offset > 0
}
