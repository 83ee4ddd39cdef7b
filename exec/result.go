package exec

import (
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// Status of a run.
type Status string

const (
	Completed      Status = "completed"
	CodeError      Status = "code_error"
	Timeout        Status = "timeout"
	BudgetExceeded Status = "budget_exceeded"
	Cancelled      Status = "cancelled"
	Denied         Status = "denied"
)

// Result is what a run gives back. Ranges are 0-based, in UTF-16 units or, on the
// wire, in the negotiated ones.
type Result struct {
	RunID    string         `json:"runId"`
	Status   Status         `json:"status"`
	Text     string         `json:"text"`
	Summary  string         `json:"summary"`
	Value    jsontext.Value `json:"value,omitzero"`
	HasValue bool           `json:"hasValue"`
	// ValueOmitted takes the place of a value that is too long for a result;
	// codemode/value has the value itself.
	ValueOmitted *ValueOmitted `json:"valueOmitted,omitzero"`
	Logs         []Log         `json:"logs"`
	LogsCut      int           `json:"logsCut,omitzero"` // characters of console output that were left out (BUD-8)
	Output       []Output      `json:"output"`
	Calls        []CallRecord  `json:"calls"`
	Warnings     []Warning     `json:"warnings"`
	Error        *Error        `json:"error,omitzero"`
	// Budget is what ended the run, if one did (RES-4).
	Budget      *Budget      `json:"budget,omitzero"`
	Diagnostics []Diagnostic `json:"diagnostics,omitzero"`
	Truncated   *Truncated   `json:"truncated,omitzero"`
	Dropped     *Dropped     `json:"dropped,omitzero"`
	Timing      Timing       `json:"timing"`
	// Usage of models, when the script has asked any.
	Usage *Usage `json:"usage,omitzero"`
}

// Log is one console entry.
type Log struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// Output is one output item; Type is "text" or "image", and "audio" or
// "resource" for what calls bring back of these kinds (BUD-10). "unknown" is content
// that cannot be used, broken images included: Text is its JSON as the server sent it.
type Output struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	MIMEType string `json:"mimeType,omitzero"`
	Data     string `json:"data,omitzero"` // base64
	URI      string `json:"uri,omitzero"`
	Problem  string `json:"problem,omitzero"` // why it is neither text of the result nor an image for a model
}

// CallStatus of one nested call.
type CallStatus string

const (
	CallQueued    CallStatus = "queued"
	CallWaiting   CallStatus = "waiting" // for permission
	CallRunning   CallStatus = "running"
	CallCompleted CallStatus = "completed"
	CallFailed    CallStatus = "failed"
	CallDenied    CallStatus = "denied"
	CallRefused   CallStatus = "refused" // over the cap
	CallCancelled CallStatus = "cancelled"
	CallTimedOut  CallStatus = "timeout"
)

// CallRecord is one nested call.
type CallRecord struct {
	Index       int            `json:"index"`
	Tool        string         `json:"tool"`
	Server      string         `json:"server"`
	Arguments   jsontext.Value `json:"arguments"` // as sent, but for configured secrets
	Range       *script.Range  `json:"range,omitzero"`
	Status      CallStatus     `json:"status"`
	Error       string         `json:"error,omitzero"`
	Timing      *CallTiming    `json:"timing,omitzero"`
	ResultBytes int            `json:"resultBytes,omitzero"`
	NotSent     bool           `json:"notSent,omitzero"` // it ended before it was sent to its server: nothing has taken effect
	Context     []string       `json:"context,omitzero"` // what hooks have said about it
	// Verdict is what the rules would say of a call of a dry run: "allow", "ask" or
	// "deny" (DRY-1).
	Verdict string `json:"verdict,omitzero"`
	// VerdictBy is the rule that decides so, as text; absent when none does.
	VerdictBy string `json:"verdictBy,omitzero"`
	// Result is what the script got for the call, in the answer of codemode/run
	// alone (OBS-2); absent when it was too large to be kept.
	Result jsontext.Value `json:"result,omitzero"`
}

// CallTiming in milliseconds. A call begins, may wait for a person, may queue, is
// at its server, and ends, in this order.
type CallTiming struct {
	TotalMs      int64 `json:"totalMs"`
	PermissionMs int64 `json:"permissionMs"` // waited for a person
	QueuedMs     int64 `json:"queuedMs"`     // waited for its turn
	RunMs        int64 `json:"runMs"`        // at its server
	StartMs      int64 `json:"startMs"`      // since the run's start
	EndMs        int64 `json:"endMs"`        // since the run's start
}

// Warning is something to know about a run.
type Warning struct {
	Message string        `json:"message"`
	Path    string        `json:"path,omitzero"`
	Range   *script.Range `json:"range,omitzero"`
}

// Error is why a run failed.
type Error struct {
	Name     string        `json:"name"`
	Message  string        `json:"message"`
	Stack    string        `json:"stack,omitzero"`
	Range    *script.Range `json:"range,omitzero"`
	ToolCall *int          `json:"toolCall,omitzero"`
	Code     string        `json:"code,omitzero"`
}

// Budget is a limit that ended a run. It is for display: the text for a model has
// no number of it, so that equal runs have equal texts.
type Budget struct {
	Setting string `json:"setting"` // such as exec.timeoutMs
	Value   int    `json:"value"`   // in force for this run, in the setting's unit
	Unit    string `json:"unit,omitzero"`
	Raise   string `json:"raise"` // what to do to raise it
}

// Diagnostic is a finding of the check before the run.
type Diagnostic struct {
	Range    script.Range `json:"range"`
	Severity int          `json:"severity"` // LSP: 1 error … 4 hint
	Code     string       `json:"code"`
	Source   string       `json:"source"`
	Message  string       `json:"message"`
}

// Truncated says that the whole is elsewhere.
type Truncated struct {
	TotalChars int    `json:"totalChars"`
	Artifact   string `json:"artifact,omitzero"`
}

// ValueOmitted describes a returned value that is left out of its result.
type ValueOmitted struct {
	Bytes    int    `json:"bytes"`             // of the value as JSON
	Artifact string `json:"artifact,omitzero"` // a file with the value alone: a string as it is, anything else as JSON
}

// Dropped counts attachments over the cap (BUD-10).
type Dropped struct {
	Images int `json:"images"`
	Bytes  int `json:"bytes"`
}

// Timing of a run in milliseconds (BUD-6).
type Timing struct {
	WallMs       int64 `json:"wallMs"`
	ActiveMs     int64 `json:"activeMs"`
	PermissionMs int64 `json:"permissionMs"`
	QueuedMs     int64 `json:"queuedMs"`
}

// Event is what happens during a run. Kind is started, call, log, output, summary
// or finished.
type Event struct {
	RunID   string      `json:"runId"`
	Kind    string      `json:"kind"`
	Call    *CallRecord `json:"call,omitzero"`
	Log     *Log        `json:"log,omitzero"`
	Output  *Output     `json:"output,omitzero"`
	Summary string      `json:"summary,omitzero"`
	Status  Status      `json:"status,omitzero"`
	// Progress of Call, as the server reports it (TIME-3).
	Progress *Progress `json:"progress,omitzero"`
}

// Progress of one call. Total 0 is unknown.
type Progress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total,omitzero"`
	Message  string  `json:"message,omitzero"`
}

// RunSummary is one kept run (OBS-2).
type RunSummary struct {
	RunID   string `json:"runId"`
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	URI     string `json:"uri,omitzero"`
	Started string `json:"started"` // RFC 3339
	WallMs  int64  `json:"wallMs"`
}

// Usage is what the models of a run have used.
type Usage struct {
	ModelCalls   int `json:"modelCalls"`
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
}

// ModelUsage counts the tokens of one request.
type ModelUsage struct {
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
}
