package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/workspace"
)

// lookAtFiles is how often watched files are looked at: no file system of a container or
// a network share has to report changes for that.
const lookAtFiles = 250 * time.Millisecond

// stamps are what is seen of files without reading them; one that is not there has none.
type stamps map[string]stamp

type stamp struct {
	size     int64
	modified time.Time
}

func stampsOf(paths []string) stamps {
	s := stamps{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			s[path] = stamp{info.Size(), info.ModTime()}
		}
	}
	return s
}

// configurationFiles are those that decide which servers there are: those that were
// read, and those that may appear.
func (a *app) configurationFiles(w *workspace.Workspace) []string {
	var paths []string
	for _, f := range w.Snapshot().Config.Found {
		paths = append(paths, f.File)
	}
	if a.Config != "" {
		paths = append(paths, a.Config)
	} else if userDir, _, err := directories(); err == nil {
		paths = append(paths, filepath.Join(userDir, "config.json"))
	}
	if folder, err := a.folder(); err == nil {
		for _, mark := range config.ProjectMarks() {
			if mark != ".git" { // every command of git changes it
				paths = append(paths, filepath.Join(folder, filepath.FromSlash(mark)))
			}
		}
	}
	return paths
}

// watch does once, and again whenever a file of paths or of the configuration has
// changed, until it is interrupted (CLI-13). A change ends what once does meanwhile.
// What once reports is no end; it has been shown.
func (a *app) watch(w *workspace.Workspace, paths []string, once func(context.Context) error) error {
	for {
		scripts, configuration := stampsOf(paths), stampsOf(a.configurationFiles(w))
		ctx, cancel := context.WithCancel(a.ctx)
		done := make(chan struct{})
		reconfigure := false
		go func() {
			defer close(done)
			clock := time.NewTicker(lookAtFiles)
			defer clock.Stop()
			for {
				select {
				case <-a.ctx.Done():
					return
				case <-clock.C:
				}
				reconfigure = !maps.Equal(configuration, stampsOf(a.configurationFiles(w)))
				if reconfigure || !maps.Equal(scripts, stampsOf(paths)) {
					cancel()
					return
				}
			}
		}()
		if err := once(ctx); a.ctx.Err() == nil && ctx.Err() == nil {
			var exit *exitError
			if err != nil && (!errors.As(err, &exit) || exit.err != nil) {
				fmt.Fprintln(a.stderr, "codemode-ls:", printable(err.Error()))
			}
			fmt.Fprintln(a.stderr, "Waiting for a change; interrupt to end.")
		}
		<-done
		cancel()
		if a.ctx.Err() != nil {
			return &exitError{exitInterrupted, nil}
		}
		if reconfigure {
			w.Reconfigure(nil, nil, nil)
		}
		fmt.Fprintf(a.stderr, "\n%s changed:\n", map[bool]string{true: "The configuration", false: "The script"}[reconfigure])
	}
}

// remembering asks once for what was allowed for the run: to the person, a watched script
// is one run (CLI-13).
type remembering struct {
	exec.Asker
	mu      sync.Mutex
	granted map[string]bool // by tool
}

func (r *remembering) Ask(ctx context.Context, q exec.Question) (exec.Answer, error) {
	r.mu.Lock()
	granted := r.granted[q.Tool] && q.Changed == "" && q.Note == ""
	r.mu.Unlock()
	if granted {
		return exec.Answer{Decision: "allow", Scope: "run"}, nil
	}
	answer, err := r.Asker.Ask(ctx, q)
	if err == nil && answer.Decision == "allow" && answer.Scope == "run" {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.granted == nil {
			r.granted = map[string]bool{}
		}
		r.granted[q.Tool] = true
	}
	return answer, err
}
