package sandbox

import (
	"context"
	"time"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// Request is one script to run.
type Request struct {
	Code     string // as script.Prepare left it
	Language script.Language
	Tools    []string       // full names in the pool, for Object.keys(tools) and `in`
	Members  []string       // members of tools["$codemode"]
	Absent   []string       // members that the run does not have: the host says why when one is called
	Globals  []Global       // members under global names, too
	AllTools jsontext.Value // of the global ALL_TOOLS; nil for none
	Limits   Limits
	// Clock is the wall clock of this run; the host stops it while a person is
	// being asked and while calls wait in the host's queue (BUD-6). Nil: a new one.
	Clock *Clock
}

// Limits of one run.
type Limits struct {
	Wall          time.Duration // BUD-1
	Active        time.Duration // time in which no call is in flight (BUD-6)
	MemoryMB      int           // BUD-5
	MaxConcurrent int           // calls in flight; more wait in the child
	LogChars      int           // BUD-8
	LogEntries    int
	ValueBytes    int // one value over the boundary
	ResultChars   int // return value kept inline; the rest is the host's artifact
}

// Host answers what a script asks for.
type Host interface {
	// Call performs one call and returns the JSON value that the script's promise
	// resolves to. A *CallError rejects it with these words; any other error with
	// its text. Each call has a goroutine of its own, that Run waits for; ctx ends
	// when the run does.
	//
	// For "$codemode.search" the value may be {"value": […], "remaining": n}: the
	// script gets the list, with remaining as a property that does not show
	// (SRCH-5).
	Call(ctx context.Context, c Call) (jsontext.Value, error)
	// Log takes one console entry. Entries come in order, one at a time.
	Log(level, text string)
}

// An Answerer is a Host that also wants to know when the answer of a call has
// been sent to its script, which gets answers in the order in which they are sent.
type Answerer interface {
	Answered(index int)
}

// Call is one use of a tool or of a member of tools["$codemode"].
type Call struct {
	Index     int              // from 0, in the order in which the script made them
	Name      string           // full name of a tool, or "$codemode.<member>"; not checked
	Arguments jsontext.Value   // one JSON object, as the script wrote it (EXEC-5)
	At        *script.Position // inside the member access that makes it (script.Use.Whole), when known
}

// CallError rejects the promise of a call.
type CallError struct {
	Message    string
	Name       string         // of the error's class, such as RangeError; "" is Error
	Tool       string         // readable as error.tool
	Structured jsontext.Value // readable as error.structuredContent, when not nil (EXEC-4)
	Code       string         // readable as error.code
}

func (e *CallError) Error() string { return e.Message }

// Status is how a run ended.
type Status string

const (
	Completed Status = "completed"
	Thrown    Status = "thrown"    // an uncaught error of the script
	Invalid   Status = "invalid"   // did not compile (EXEC-13)
	Stalled   Status = "stalled"   // waits for a promise that can never settle (BUD-3)
	TimedOut  Status = "timeout"   // wall clock (BUD-1)
	Overspent Status = "active"    // active compute (BUD-6)
	Memory    Status = "memory"    // BUD-5
	Cancelled Status = "cancelled" // BUD-11
	Crashed   Status = "crashed"   // BUD-12: killed, garbage on its channel
)

// Outcome is how a run ended, whatever happened. There is no other error.
type Outcome struct {
	Status   Status
	HasValue bool
	Value    jsontext.Value // JSON of the returned value (EXEC-9, EXEC-10)
	Error    *ScriptError   // unless Completed
	Warnings []Warning
	// InFlight are the indexes of calls whose answers the script did not get because
	// it ended (EXEC-14). They are cancelled, unless they were answered in that moment.
	InFlight []int
	// LogsCut is how many characters of console output were dropped (BUD-8).
	LogsCut int
	Wall    time.Duration
	Active  time.Duration
}

// ScriptError is what went wrong, in the author's terms (EXEC-11).
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
	At      *script.Position `json:"-"`
}
