package lsp

import (
	"slices"
	"strings"

	"codemode-ls/exec"
	"codemode-ls/exec/cassette"
	"codemode-ls/workspace"

	"go.lsp.dev/uri"
)

// A tape is what a run is recorded to, or nothing.
type tape struct {
	recorder *cassette.Recorder
	file     *workspace.Recording
	script   string
}

// withCassette makes a request one that is recorded or replayed (REC-1). The
// caller passes the run's result through finish of the tape.
func withCassette(w opened, q *exec.Request, p *ExecParams, script string) (*tape, error) {
	switch {
	case p.Record == "" && p.Replay == "":
		return &tape{}, nil
	case p.Record != "" && p.Replay != "":
		return nil, badParams("record and replay exclude each other: a replay calls nothing that could be recorded")
	case p.DryRun:
		return nil, badParams("dryRun excludes record and replay: a dry run's answers are samples")
	}
	if p.Replay != "" {
		player, err := w.Replay(pathOf(p.Replay))
		if err != nil {
			return nil, badParams("%v", err)
		}
		q.Replay = player
		return &tape{}, nil
	}
	file, err := w.Record(pathOf(p.Record))
	if err != nil {
		return nil, failure(CodeNotWritten, "%v", err)
	}
	q.Record = new(cassette.Recorder)
	return &tape{q.Record, file, script}, nil
}

// pathOf is a path that a client wrote as a file URI or as a path.
func pathOf(s string) string {
	if strings.HasPrefix(s, "file:") {
		if u, err := uri.Parse(s); err == nil {
			return u.FsPath()
		}
	}
	return s
}

// finish writes the cassette of a run that has ended. When it cannot, the result
// says so: the run has happened.
func (t *tape) finish(r *exec.Result) *exec.Result {
	if t.file == nil {
		return r
	}
	problem := "nothing was recorded: the script did not run"
	if t.recorder.Started() {
		err := t.file.Commit(t.recorder.Cassette(t.script, exec.Recorded(r)))
		if err == nil {
			return r
		}
		problem = err.Error()
	} else {
		t.file.Abort()
	}
	noted := *r // others read the kept one
	noted.Warnings = append(slices.Clone(r.Warnings), exec.Warning{Message: problem})
	return &noted
}
