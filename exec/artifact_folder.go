package exec

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"codemode-ls/config"

	"github.com/gofrs/flock"
)

// artifacts are the files of what was too long for a result (OUT-5): one folder
// for each session under the user's cache directory, which all processes of the
// user share.
//
// A process that has written to a session's folder holds a shared lock on it
// until it ends: whoever has its path can read it that long. Cleaning takes
// only folders that it can lock for itself. Locks are taken under the lock of the
// whole directory, so that no folder disappears between its lock and its first
// file.
type artifacts struct {
	now func() time.Time // nil: time.Now

	mu      sync.Mutex              // guards what follows
	held    map[string]*flock.Flock // by folder
	cleaned time.Time               // when, the last time
}

func (a *artifacts) time() time.Time {
	if a.now != nil {
		return a.now()
	}
	return time.Now()
}

// due reports whether it is time to clean, and notes that it is done.
func (a *artifacts) due() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.time()
	if !a.cleaned.IsZero() && now.Sub(a.cleaned) < cleanEvery {
		return false
	}
	a.cleaned = now
	return true
}

// hold makes a session's folder and keeps it from being cleaned until release.
func (a *artifacts) hold(dir, folder string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	path := filepath.Join(dir, folder)
	if a.held[folder] != nil {
		return private(path) // a person may have removed it
	}
	unlock, err := lockDirectory(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := private(path); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(path, lockFile), flock.SetPermissions(0o600))
	ok, err := lock.TryRLock()
	if err == nil && !ok {
		err = errors.New("the folder is locked")
	}
	if err != nil {
		return err
	}
	if a.held == nil {
		a.held = map[string]*flock.Flock{}
	}
	a.held[folder] = lock
	return nil
}

// release lets other processes clean what this one has written.
func (a *artifacts) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, lock := range a.held {
		_ = lock.Close()
	}
	a.held = nil
}

// lockDirectory is for one process at a time.
func lockDirectory(dir string) (unlock func(), err error) {
	if err := private(dir); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	lock := flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// private makes a folder that only its owner can look into, also when it was
// there before.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("it is not a folder")}
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// keep writes a file of mode 0600, whole or not at all.
func keep(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), halfWritten+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// A kept file of a session.
type keptFile struct {
	path    string
	size    int64
	written time.Time
	free    bool // no living process holds its session
}

func (a *artifacts) clean(dir string, l config.Limits) error {
	unlock, err := lockDirectory(dir)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var files []keptFile
	var free []string // folders that are locked for us
	for _, e := range entries {
		if !e.IsDir() || !isShort(e.Name()) {
			continue // not ours
		}
		path := filepath.Join(dir, e.Name())
		lock := flock.New(filepath.Join(path, lockFile), flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		// Nobody can take it while the directory is locked, so it need not be kept;
		// some systems do not remove a file that is open.
		_ = lock.Close()
		if ok && err == nil {
			free = append(free, path)
		}
		files = append(files, keptFiles(path, ok && err == nil)...)
	}
	oldest := a.time().Add(-time.Duration(l.ArtifactDays) * 24 * time.Hour)
	room := int64(l.ArtifactMB) << 20
	slices.SortFunc(files, func(a, b keptFile) int {
		return cmp.Or(b.written.Compare(a.written), cmp.Compare(a.path, b.path)) // newest first
	})
	var errs []error
	for _, f := range files { // what nobody may touch takes its room first
		if !f.free {
			room -= f.size
		}
	}
	full := false
	for _, f := range files {
		if !f.free {
			continue
		}
		full = full || f.size > room
		if full || f.written.Before(oldest) {
			errs = append(errs, os.Remove(f.path))
			continue
		}
		room -= f.size
	}
	for _, path := range free {
		if left, err := os.ReadDir(path); err == nil && len(left) == 1 && left[0].Name() == lockFile {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}

// keptFiles are the artifacts in a session's folder.
func keptFiles(dir string, free bool) []keptFile {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []keptFile
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || e.Name() == lockFile {
			continue
		}
		list = append(list, keptFile{filepath.Join(dir, e.Name()), info.Size(), info.ModTime(), free})
	}
	return list
}

// short is a session id or a text as a file name that nobody chose.
func short(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// isShort reports whether a name may have come from short.
func isShort(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == 8
}

const (
	// cleanEvery is how often a process that lives long cleans.
	cleanEvery = time.Hour
	// lockTime is how long another process may keep the directory to itself.
	lockTime = 10 * time.Second
	lockPoll = 5 * time.Millisecond
	// lockFile is in every session's folder, and in the directory of them all.
	lockFile = ".lock"
	// halfWritten begins the names of files that are not yet whole.
	halfWritten = ".new-"
)
