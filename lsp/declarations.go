package lsp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// writeDeclarations writes tools.d.ts where definitions can point at and editors
// can open it, and returns its URI. There is one file per workspace.
func (s *Server) writeDeclarations(text string) (string, error) {
	if s.o.CacheDir == "" {
		return "", errors.New("there is no cache directory")
	}
	s.mu.Lock()
	key := sha256.Sum256([]byte(strings.Join(s.folders, "\x00")))
	s.mu.Unlock()
	path := filepath.Join(s.o.CacheDir, "types", hex.EncodeToString(key[:8]), "tools.d.ts")
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return string(uri.File(path)), nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("making the folder of tools.d.ts: %w", err)
	}
	if err := writeFile(path, text); err != nil {
		return "", err
	}
	return string(uri.File(path)), nil
}

// writeFile replaces a file as a whole: a reader sees the old text or the new.
func writeFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
