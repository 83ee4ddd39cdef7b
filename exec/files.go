package exec

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// What a session's scratch folder may hold.
const (
	maxScratchFiles = 1_000
	maxScratchBytes = 64 << 20
)

// files is what a script may reach of the file system (exec.files): text files,
// to be read under the workspace's folders and the session's scratch folder, and
// to be written under the scratch folder alone. Real paths decide, also when
// links change meanwhile: every file is opened through an os.Root.
type files struct {
	folders []string // absolute
	scratch string   // absolute; need not exist; "" is none
	max     int      // bytes of a file
}

// read is the text of a file. A relative path is one of the scratch folder, or
// of the first of the workspace's folders that has such a file.
func (f files) read(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", errors.New("a path has no NUL in it")
	}
	roots := f.folders
	if f.scratch != "" {
		roots = append([]string{f.scratch}, f.folders...)
	}
	candidates := []string{filepath.Clean(path)}
	if !filepath.IsAbs(path) {
		candidates = nil
		for _, root := range roots {
			candidates = append(candidates, filepath.Join(root, path))
		}
	}
	inside := false // by its spelling
	for _, candidate := range candidates {
		inside = inside || f.spelledInside(candidate, roots)
		real, err := filepath.EvalSymlinks(candidate)
		if err != nil {
			continue
		}
		for _, root := range roots {
			realRoot, err := filepath.EvalSymlinks(root)
			if err != nil {
				continue
			}
			if rel, err := filepath.Rel(realRoot, real); err == nil && filepath.IsLocal(rel) {
				return f.readIn(realRoot, rel, path)
			}
		}
		// It exists, and is somewhere else: a link leads out of the folders.
		return "", outside(path)
	}
	if !inside {
		return "", outside(path)
	}
	return "", fmt.Errorf("there is no file %q in the scratch folder or the workspace's folders", path)
}

func (files) spelledInside(path string, roots []string) bool {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

func outside(path string) error {
	return fmt.Errorf("%q is outside of what a script may read: the workspace's folders and the session's scratch folder", path)
}

// readIn reads a file below root; path is how the script called it.
func (f files) readIn(root, rel, path string) (string, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return "", fmt.Errorf("reading %q: %w", path, err)
	}
	defer r.Close()
	// Nothing is waited for that only looks like a file, such as a pipe.
	file, err := r.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("reading %q: %w", path, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is not a file", path)
	}
	data, err := io.ReadAll(io.LimitReader(file, int64(f.max)+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading %q: %w", path, err)
	case len(data) > f.max:
		return "", rangeError(fmt.Sprintf("%q is larger than a script may read", path))
	case !utf8.Valid(data):
		return "", fmt.Errorf("%q is not UTF-8 text", path)
	}
	return string(data), nil
}

// write makes or replaces a file of the scratch folder, whole or not at all, and
// gives its absolute path. dry only checks.
func (f files) write(path, text string, dry bool) (string, error) {
	rel := filepath.Clean(path)
	if filepath.IsAbs(path) {
		var err error
		if rel, err = filepath.Rel(f.scratch, path); err != nil {
			rel = ".."
		}
	}
	switch {
	case f.scratch == "":
		return "", errors.New("there is no scratch folder here")
	case strings.ContainsRune(path, 0):
		return "", errors.New("a path has no NUL in it")
	case !filepath.IsLocal(rel):
		return "", fmt.Errorf("%q is outside of where a script may write: the session's scratch folder, which paths are relative to", path)
	case rel == ".":
		return "", fmt.Errorf("%q is no name of a file", path)
	case len(text) > f.max:
		return "", rangeError(fmt.Sprintf("the text for %q is larger than a script may write", path))
	case !utf8.ValidString(text):
		return "", fmt.Errorf("the text for %q is not UTF-8", path)
	}
	whole := filepath.Join(f.scratch, rel)
	if dry {
		return whole, nil
	}
	if err := os.MkdirAll(f.scratch, 0o700); err != nil {
		return "", fmt.Errorf("the scratch folder: %w", err)
	}
	r, err := os.OpenRoot(f.scratch)
	if err != nil {
		return "", fmt.Errorf("the scratch folder: %w", err)
	}
	defer r.Close()
	if err := hasRoom(r, len(text)); err != nil {
		return "", err
	}
	if err := replace(r, rel, text); err != nil {
		return "", fmt.Errorf("writing %q: %w", path, err)
	}
	return whole, nil
}

// replace writes a file beside its place and puts it there; a link that stands
// in its place is replaced, not followed.
func replace(r *os.Root, rel, text string) error {
	dir := filepath.Dir(rel)
	if err := r.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	next := filepath.Join(dir, ".new-"+rand.Text())
	file, err := r.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = r.Rename(next, rel)
	}
	if err != nil {
		r.Remove(next)
	}
	return err
}

// hasRoom reports whether a scratch folder may take one more file of a size.
func hasRoom(r *os.Root, size int) error {
	count, total := 1, int64(size)
	err := fs.WalkDir(r.FS(), ".", func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if info, err := e.Info(); err == nil {
			count++
			total += info.Size()
		}
		if count > maxScratchFiles || total > maxScratchBytes {
			return rangeError("the session's scratch folder has no room for more")
		}
		return nil
	})
	if err == nil && total > maxScratchBytes {
		err = rangeError("the session's scratch folder has no room for more")
	}
	return err
}
