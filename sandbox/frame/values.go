package frame

import (
	"fmt"
	"strings"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// Subcommands that make the program a child.
const (
	ChildCommand    = "sandbox-child"
	CompilerCommand = "script-compiler"
)

// Exit codes of a child.
const (
	ExitOK     = 0
	ExitFailed = 1  // it could not start, or its channel broke
	ExitMemory = 87 // the script used more memory than it may
)

// MemorySlackMB is how far the operating system's cap on memory is above the script's:
// room for the runtime itself, below which it cannot even report.
const MemorySlackMB = 192

// Levels of console output, by their number in a frame.
var Levels = [...]string{"log", "info", "warn", "error", "debug"}

// Initial is what a child gets before it hardens itself.
type Initial struct {
	MemoryMB int `json:"memoryMB"`
}

// Start is a script to run.
type Start struct {
	Language script.Language `json:"language"`
	Input    jsontext.Value  `json:"input,omitzero"`
	Tools    []string        `json:"tools"`
	Members  []string        `json:"members"`
	Absent   []string        `json:"absent,omitzero"`
	Globals  []Global        `json:"globals,omitzero"`
	AllTools jsontext.Value  `json:"allTools,omitzero"`
	Bounds   Bounds          `json:"bounds"`
}

// Bounds are the limits that a child enforces itself; the host checks them too.
type Bounds struct {
	MaxConcurrent int `json:"maxConcurrent"`
	LogChars      int `json:"logChars"`
	LogEntries    int `json:"logEntries"`
	ValueBytes    int `json:"valueBytes"`
	// BusyMs is how long the script may compute before the host is notified.
	BusyMs int64 `json:"busyMs"`
}

// A Global is a member of tools["$codemode"] under a global name, with the
// arguments that other hosts of code mode take for it. What it does is the
// member's; the host sees a Call of the member.
type Global struct {
	Name   string   `json:"name"`   // such as "searchTools"; "files.read" is a function of the object files
	Member string   `json:"member"` // such as "search"
	Fields []string `json:"fields"` // of the member's argument, in the order of the positional arguments
	// Options: an object with more fields may follow the positional arguments.
	Options bool `json:"options,omitzero"`
	// Any: the first argument may be any value. Otherwise an object as the only
	// argument is the member's own argument; of Any it is one that has the first
	// field and no other.
	Any bool `json:"any,omitzero"`
	// Now: the value is returned, and errors are thrown, instead of a promise.
	// null is returned as undefined.
	Now bool `json:"now,omitzero"`
}

// Call is one use of a tool or of a member of tools["$codemode"].
type Call struct {
	Index     int              // from 0, in the order in which the script made them
	Name      string           // full name of a tool, or "$codemode.<member>"; not checked
	Arguments jsontext.Value   // one JSON object, as the script wrote it
	At        *script.Position // inside the member access that makes it (script.Use.Whole), when known
}

// CallError rejects the promise of a call.
type CallError struct {
	Message    string
	Name       string         // of the error's class, such as RangeError; "" is Error
	Tool       string         // readable as error.tool
	Structured jsontext.Value // readable as error.structuredContent, when not nil
	Code       string         // readable as error.code
}

func (e *CallError) Error() string { return e.Message }

// Status is how a run ended.
type Status string

const (
	Completed Status = "completed"
	Thrown    Status = "thrown"    // an uncaught error of the script
	Invalid   Status = "invalid"   // did not compile
	Stalled   Status = "stalled"   // waits for a promise that can never settle
	TimedOut  Status = "timeout"   // wall clock
	Overspent Status = "active"    // active compute
	Memory    Status = "memory"    // over its memory cap
	Cancelled Status = "cancelled" // by the client
	Crashed   Status = "crashed"   // killed, or garbage on its channel
)

// ScriptError is what went wrong, in the author's terms.
type ScriptError struct {
	Name    string
	Message string
	Stack   string // lines "at name (script.ts:line:column)", 1-based as in Node
	At      *script.Position
	// Call is the index of the call whose rejection it is, or -1.
	Call int
	Code string
}

// Warning is something that a run noticed.
type Warning struct {
	Message string           `json:"message"`
	Path    string           `json:"path,omitzero"` // JSONPath-like place in the value
	At      *script.Position `json:"at,omitzero"`
}

// MaxWarnings is how many warnings of a kind a child sends.
const MaxWarnings = 50

// Finish is how a script ended, as its child reports it.
type Finish struct {
	Status   Status       `json:"status"` // Completed, Thrown, Invalid, Stalled, or "" when it was stopped
	HasValue bool         `json:"hasValue,omitzero"`
	Error    *ScriptError `json:"error,omitzero"`
	Warnings []Warning    `json:"warnings,omitzero"`
	LogsCut  int          `json:"logsCut,omitzero"`
	Pending  []int        `json:"pending,omitzero"` // calls whose answers the script did not get
	Value    []byte       `json:"-"`                // JSON; the rest of the frame
}

const (
	maxErrorText   = 64 << 10
	maxWarningText = 4 << 10
	// MaxFinishBytes bounds all texts of a Finish, each byte escaped.
	MaxFinishBytes = 16 << 20
)

// Clip bounds the texts of f, which a script may make of any length, and makes them
// valid UTF-8.
func (f *Finish) Clip() {
	if f.Error != nil {
		f.Error.Clip()
	}
	for i := range f.Warnings {
		w := &f.Warnings[i]
		w.Message, w.Path = clip(w.Message, maxWarningText), clip(w.Path, maxWarningText)
	}
}

// Clip bounds the texts of e.
func (e *ScriptError) Clip() {
	for _, s := range []*string{&e.Name, &e.Message, &e.Stack, &e.Code} {
		*s = clip(*s, maxErrorText)
	}
}

func clip(s string, max int) string {
	const more = "…"
	if len(s) > max+len(more) { // so that clipping twice changes nothing
		s = strings.ToValidUTF8(s[:max], "") + more
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// Compilation is a compiler's answer; with an error, nothing else follows.
type Compilation struct {
	Error *script.CompileError `json:"error,omitzero"`
}

// SyntaxError describes why a script did not compile.
func SyntaxError(err error, l script.Language) *ScriptError {
	e := &ScriptError{Name: "SyntaxError", Message: err.Error(), Call: -1, Code: "SYNTAX"}
	if c, ok := script.IsCompileError(err); ok {
		e.Message = c.Message
		at := c.At
		e.At = &at
		e.Stack = fmt.Sprintf("SyntaxError: %s\n    at %s:%d:%d", c.Message, script.SourceName(l), at.Line+1, at.Character+1)
		if c.SourceLine != "" {
			e.Stack += "\n\n" + c.SourceLine
		}
	}
	return e
}
