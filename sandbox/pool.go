package sandbox

import (
	"context"
	"log/slog"
)

// Options of a Pool.
type Options struct {
	// Command starts the child: the program and its arguments. Nil: this
	// executable with the hidden subcommand ChildCommand.
	Command []string
	// Warm is how many children wait ready to run; they are renewed in the
	// background. Each runs one script and is never used twice (ISO-9, ISO-10).
	Warm int
	// MaxRuns is how many scripts run at the same time; more wait.
	MaxRuns  int
	MemoryMB int
	Log      *slog.Logger
}

// ChildCommand is the hidden subcommand that runs Main.
const ChildCommand = "sandbox-child"

// Pool keeps warm children and runs scripts in them.
type Pool struct {
	// unexported
}

// NewPool starts filling the pool in the background.
func NewPool(o Options) *Pool { panic("not built") }

// Run executes one script and returns when it has ended and every call of it
// has returned. It never fails: every ending is an Outcome (BUD-12).
func (p *Pool) Run(ctx context.Context, r Request, h Host) Outcome { panic("not built") }

// Close ends every child and waits for them.
func (p *Pool) Close() { panic("not built") }

// Main is the child's whole life: harden, warm up, run one script, exit. It
// returns the exit code.
func Main() int { panic("not built") }

// Hardening says in words what this operating system's children give up, and
// what is missing (ISO-9).
func Hardening() (applied, missing []string) { panic("not built") }
