package upstream

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	// freshList is how old a kept list of tools may be so that nobody lists them again,
	// retryFailed the same for a failure that took longer than slowFailure.
	freshList   = 5 * time.Second
	retryFailed = time.Minute
	slowFailure = time.Second
	// maxKeptFailure bounds the text of a failure, in characters.
	maxKeptFailure = 500
	// maxKept is how many definitions are remembered; the ones unused the longest go.
	maxKept = 500
)

// Stale reports whether the kept list of tools should be renewed.
func (a Attempt) Stale() bool {
	return time.Since(a.Listed) > freshList && !(a.Slow && time.Since(a.Failed) < retryFailed)
}

// Unknown reports whether there is no kept list, and that it may be had for the waiting.
func (a Attempt) Unknown() bool { return a.Listed.IsZero() && !a.Slow }

// RenewLists starts the idle servers whose kept lists are stale, waits for their
// tools, which are kept, and forgets what has not been used for long. What another
// process is renewing is left to it.
func (s *Set) RenewLists(ctx context.Context) error {
	var locks []*flock.Flock
	defer func() {
		for _, lock := range locks {
			_ = lock.Unlock() // it ends with the process at the latest
		}
	}()
	dir := filepath.Join(s.cache.dir, "servers")
	if s.cache.dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	stale := func(st Status) bool {
		if !st.Last.Stale() {
			return false
		}
		lock := flock.New(filepath.Join(dir, st.Server.Hash()+".lock"), flock.SetPermissions(0o600))
		if locked, err := lock.TryLock(); !locked || err != nil {
			return false
		}
		locks = append(locks, lock)
		return true
	}
	err := s.Ready(ctx, stale, func(Status) bool { return true })
	return errors.Join(err, prune(dir, maxKept))
}

// prune removes the oldest files of a folder until no more than keep definitions are
// left in it.
func prune(dir string, keep int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type kept struct {
		hash string
		at   time.Time
	}
	var all []kept
	for _, e := range entries {
		hash, ok := strings.CutSuffix(e.Name(), ".json")
		if info, err := e.Info(); ok && err == nil {
			all = append(all, kept{hash, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.hash, b.hash)) })
	for _, k := range all[min(keep, len(all)):] {
		for _, suffix := range []string{".json", ".lock"} {
			if err := os.Remove(filepath.Join(dir, k.hash+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
