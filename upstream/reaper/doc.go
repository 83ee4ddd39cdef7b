// Package reaper is the parent of a stdio server on Linux: a small process of this
// program's own binary between it and the server. It ends everything that the
// server has started, including what left its process group or session, and does
// so too when this program was killed and can end nothing itself (MCP-5).
//
// It needs no cooperation of the server: the kernel gives the orphans of a
// subreaper's descendants to the subreaper, so all of them remain its descendants,
// and the end of this program closes the pipe that the reaper reads.
//
// Importing the package makes a program able to be a reaper: its life is in an
// init, before most of the program is initialised, so it must import little.
package reaper

// Argument is the hidden subcommand that makes the program a reaper. Behind it
// come the path of the server's program and its arguments, the zeroth included.
const Argument = "server-reaper"

// File descriptors of a reaper beside the three that it gives to the server.
const (
	controlFD = 3 // what to do, see below; its end means Kill
	reportFD  = 4 // what has happened, a line each
)

// What is written to the control pipe, a byte each.
const (
	Terminate = 't' // ask the server's process group to end
	Kill      = 'k' // end everything by force
)

// First words of the lines of a report.
const (
	Started = "started " // and the server's process id
	Failed  = "failed "  // and why it could not be started
	Ended   = "ended "   // and how, as package os says it
)
