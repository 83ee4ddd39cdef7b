package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"codemode-ls/exec/cassette"
)

// Record prepares to write a cassette at a path that a client named: under one of
// the workspace's folders, not through a link that leads out of it, and over
// nothing but another cassette. A relative path is under the first folder. One
// path is recorded to by one run at a time. The caller calls Commit or Abort of
// the recording.
func (w *Workspace) Record(path string) (*Recording, error) {
	root, name, whole, err := w.within(path)
	if err != nil {
		return nil, fmt.Errorf("recording to %q: %w", path, err)
	}
	w.mu.Lock()
	busy := w.recording[whole]
	if !busy {
		if w.recording == nil {
			w.recording = map[string]bool{}
		}
		w.recording[whole] = true
	}
	w.mu.Unlock()
	if busy {
		root.Close()
		return nil, fmt.Errorf("recording to %q: another run is being recorded to it", path)
	}
	f, err := cassette.Create(root, name)
	if err != nil {
		w.recorded(whole)
		return nil, err
	}
	return &Recording{File: f, w: w, path: whole}, nil
}

// Recording is the file of one recorded run.
type Recording struct {
	*cassette.File
	w    *Workspace
	path string
}

// Commit writes the cassette.
func (r *Recording) Commit(c *cassette.Cassette) error {
	defer r.w.recorded(r.path)
	return r.File.Commit(c)
}

// Abort leaves what was there.
func (r *Recording) Abort() {
	defer r.w.recorded(r.path)
	r.File.Abort()
}

func (w *Workspace) recorded(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.recording, path)
}

// Replay reads the cassette at a path that a client named, under one of the
// workspace's folders, as for Record.
func (w *Workspace) Replay(path string) (*cassette.Player, error) {
	root, name, _, err := w.within(path)
	if err != nil {
		return nil, fmt.Errorf("replaying %q: %w", path, err)
	}
	defer root.Close()
	c, err := cassette.Open(root, name)
	if err != nil {
		return nil, fmt.Errorf("replaying %q: %w", path, err)
	}
	return cassette.NewPlayer(c), nil
}

// within opens the workspace folder that a path is under. An os.Root follows no
// link that leads out of it.
func (w *Workspace) within(path string) (root *os.Root, name, whole string, err error) {
	w.mu.Lock()
	folders := w.loaded.sources.Folders
	w.mu.Unlock()
	if len(folders) == 0 {
		return nil, "", "", errors.New("no folder is open, and cassettes are under the workspace's folders")
	}
	if strings.ContainsRune(path, 0) {
		return nil, "", "", errors.New("this is no path")
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folders[0], path)
	}
	for _, folder := range folders {
		name, err := filepath.Rel(folder, path)
		if err != nil || !filepath.IsLocal(name) || name == "." {
			continue
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, "", "", err
		}
		return root, name, filepath.Join(folder, name), nil
	}
	return nil, "", "", errors.New("it is not under a folder of the workspace")
}
