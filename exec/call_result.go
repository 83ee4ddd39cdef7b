package exec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// CallResult is the result of a direct call in two projections (OUT-4): text for
// the model, display for the editor. Code is there when the call failed:
// UNKNOWN_TOOL, DENIED, INVALID_ARGUMENTS, TIMEOUT, CANCELLED,
// ABORTED_BEFORE_DISPATCH, TOOL_ERROR or SERVER_UNAVAILABLE.
type CallResult struct {
	ID      string      `json:"id,omitzero"` // of a call of a batch, as it was given
	Name    string      `json:"name"`
	Status  CallStatus  `json:"status"`
	Code    string      `json:"code,omitzero"`
	Text    string      `json:"text"`
	Stop    bool        `json:"stop,omitzero"` // the person wants no further calls now
	Display CallDisplay `json:"display"`
}

// CallDisplay is what an editor shows of a direct call.
type CallDisplay struct {
	RunID      string         `json:"runId,omitzero"` // for codemode/run and codemode/cancel; absent when nothing was started
	Server     string         `json:"server,omitzero"`
	Title      string         `json:"title,omitzero"`
	Arguments  jsontext.Value `json:"arguments,omitzero"` // as sent
	DurationMs int64          `json:"durationMs"`
	Timing     *CallTiming    `json:"timing,omitzero"`
	Bytes      int            `json:"bytes"`                      // of the result
	Structured jsontext.Value `json:"structuredContent,omitzero"` // as the server sent it, unless it is too long to show
	Output     []Output       `json:"output"`                     // images and other attachments
	Dropped    int            `json:"dropped,omitzero"`           // attachments over the limits
	Truncated  *Truncated     `json:"truncated,omitzero"`         // text is not the whole
	Error      string         `json:"error,omitzero"`             // in one line
}

// refuse is the result of a call that was not made.
func (r *CallResult) refuse(e *sandbox.CallError) {
	r.Status, r.Code, r.Text = CallFailed, e.Code, e.Message
	if e.Code == CodeCancelled || e.Code == CodeAborted {
		r.Status = CallCancelled
	}
	r.Display.Error, r.Display.Output = fold(e.Message), []Output{}
	if !r.Display.Arguments.IsValid() {
		r.Display.Arguments = nil // the answer would be no JSON
	}
}

// ofRun is the result of Exec. Its text has a budget of its own (RES-2).
func (r *CallResult) ofRun(run *Result) {
	r.Text = run.Text
	r.Display = CallDisplay{RunID: run.RunID, Bytes: len(run.Text), Output: run.Output, Truncated: run.Truncated}
	if run.Dropped != nil {
		r.Display.Dropped = run.Dropped.Images
	}
	switch run.Status {
	case Completed:
		r.Status = CallCompleted
	case Timeout:
		r.Status, r.Code = CallTimedOut, CodeTimeout
	case Cancelled:
		r.Status, r.Code = CallCancelled, CodeCancelled
	case Denied:
		r.Status, r.Code = CallDenied, CodeDenied
	default:
		r.Status, r.Code = CallFailed, CodeToolError
	}
	if e := run.Error; e != nil {
		r.Display.Error = fold(e.Message)
		if e.Code == CodeInvalid || e.Code == CodeOptions {
			r.Code = CodeArguments // nothing ran
		}
	}
}

// maxProblems is how many unusable parts of a result are named.
const maxProblems = 100

// textOf is what a model reads of a result: its text, or else its data.
func textOf(c *call, r *upstream.Result, kept []Output, dropped int) string {
	text := r.Text
	if strings.TrimSpace(text) == "" && r.Structured != nil {
		text = string(r.Structured)
	}
	var parts []string
	if strings.TrimSpace(text) != "" {
		parts = append(parts, text)
	}
	given := 0
	for _, o := range kept {
		if o.Type != "unknown" {
			given++
		}
	}
	if given > 0 {
		parts = append(parts, fmt.Sprintf("(%s with this text)", plural(given, "attachment")))
	}
	if dropped > 0 {
		parts = append(parts, fmt.Sprintf("(%s dropped)", plural(dropped, "attachment")))
	}
	problems := 0
	for _, a := range r.Attachments {
		if a.Problem == "" {
			continue
		}
		if problems++; problems <= maxProblems {
			parts = append(parts, "("+fold(a.Problem)+")")
		}
	}
	if problems > maxProblems {
		parts = append(parts, fmt.Sprintf("(and %d more)", problems-maxProblems))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("(%s completed with no output)", c.tool.Name) // OUT-2
	}
	return strings.Join(parts, "\n")
}

// previewChars is how much of a text that is too long is shown (OUT-1).
const previewChars = 2000

// inline is a text within the budget of a direct call. A longer one is written to
// a file whole, and its beginning is shown (OUT-1).
func (x *run) inline(c *call, text string, result *CallResult) string {
	text = x.r.Redact.Known(text)
	if len(text) <= x.limits.MaxInlineBytes {
		return text
	}
	cut := &Truncated{TotalChars: utf8.RuneCountInString(text), Artifact: x.artifact(text)}
	result.Display.Truncated = cut
	if cut.Artifact == "" {
		short := strings.ToValidUTF8(text[:x.limits.MaxInlineBytes], "")
		return fmt.Sprintf("%s\n[%d of %d bytes are left out here; the whole could not be kept]", short, len(text)-len(short), len(text))
	}
	return fmt.Sprintf("The output of %s has %d bytes, too many to show here. The whole of it is in %s\nIt begins:\n%s",
		c.tool.Name, len(text), cut.Artifact, preview(text))
}

// keepData adds to the text of a result where its data are, when they are too long
// to be shown and the text is not they (OUT-1).
func (x *run) keepData(r *upstream.Result, text string, result *CallResult) string {
	if len(r.Structured) <= x.limits.MaxInlineBytes || result.Display.Truncated != nil {
		return text
	}
	data := string(x.r.Redact.JSON(r.Structured))
	cut := &Truncated{TotalChars: utf8.RuneCountInString(data), Artifact: x.artifact(data)}
	result.Display.Truncated = cut
	if cut.Artifact == "" {
		return fmt.Sprintf("%s\n[data of %d bytes are left out here, and could not be kept]", text, len(data))
	}
	return fmt.Sprintf("%s\nIts data have %d bytes, too many to show here. The whole of them is in %s\nThey begin:\n%s", text, len(data), cut.Artifact, preview(data))
}

// preview is a text's beginning, up to a line end when one lies in its second
// half.
func preview(text string) string {
	start := text[:byteOffset(text, previewChars)]
	if at := strings.LastIndexByte(start, '\n'); at >= 0 && utf8.RuneCountInString(start[:at]) >= previewChars/2 {
		return start[:at]
	}
	return start
}
