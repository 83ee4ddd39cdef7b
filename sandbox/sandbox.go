package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// Request is one script to run.
type Request struct {
	Code     string // as script.Prepare left it
	Language script.Language
	Input    jsontext.Value // for a module's default function; nil for none
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

// What crosses the channel to a child has its types beside the frames.
type (
	Call        = frame.Call
	CallError   = frame.CallError
	Global      = frame.Global
	ScriptError = frame.ScriptError
	Status      = frame.Status
	Warning     = frame.Warning
)

// How a run ends.
const (
	Completed = frame.Completed
	Thrown    = frame.Thrown    // an uncaught error of the script
	Invalid   = frame.Invalid   // did not compile (EXEC-13)
	Stalled   = frame.Stalled   // waits for a promise that can never settle (BUD-3)
	TimedOut  = frame.TimedOut  // wall clock (BUD-1)
	Overspent = frame.Overspent // active compute (BUD-6)
	Memory    = frame.Memory    // BUD-5
	Cancelled = frame.Cancelled // BUD-11
	Crashed   = frame.Crashed   // BUD-12: killed, garbage on its channel
)

// Hidden subcommands that make the program a child of a Pool. A program whose Pool
// has no commands of its own must import sandbox/guest, which is what runs then.
const (
	ChildCommand    = frame.ChildCommand
	CompilerCommand = frame.CompilerCommand
)

// Outcome is how a run ended, whatever happened. There is no other error.
type Outcome struct {
	Status   Status
	HasValue bool
	Value    jsontext.Value // JSON of the returned value (EXEC-9, EXEC-10)
	Error    *ScriptError   // unless Completed; of a script that was stopped, only where it was
	Warnings []Warning
	// InFlight are the indexes of calls whose answers the script did not get because
	// it ended (EXEC-14). They are cancelled, unless they were answered in that moment.
	InFlight []int
	// LogsCut is how many characters of console output were dropped (BUD-8).
	LogsCut int
	Wall    time.Duration
	Active  time.Duration
}

// Options of a Pool.
type Options struct {
	// Command starts the child: the program and its arguments. Nil: this
	// executable with the hidden subcommand ChildCommand.
	Command []string
	// Compiler starts a compiler. Nil: this executable with CompilerCommand.
	Compiler []string
	// Warm is how many children wait ready to run at first (Pool.Warm changes
	// it); they are renewed in the background. Each runs one script and is never
	// used twice (ISO-9, ISO-10).
	Warm int
	// MaxRuns is how many scripts run at the same time; more wait. 0: 4.
	MaxRuns  int
	MemoryMB int
	Log      *slog.Logger
}

const (
	defaultMaxRuns = 4
	// startLimit is how long a child may take to become ready.
	startLimit = 30 * time.Second
	// renewAfter is how long a run may take before its child is replaced.
	renewAfter = 20 * time.Millisecond
	// tidyAfter is when the child of a script that has ended is replaced and its
	// process ended: both take a processor from the result's way to whoever waits
	// for it (PERF-1).
	tidyAfter = time.Millisecond
)

var errClosed = errors.New("the sandbox is closing")
