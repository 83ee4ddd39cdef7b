package exec

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
)

// artifact keeps a text in the session's folder and gives its path; "" when it
// cannot: a result never fails for that. The name comes from the content, so
// that the same run has the same text (RES-4).
func (x *run) artifact(text string) string {
	if x.r.ArtifactDir == "" {
		return ""
	}
	dir := filepath.Join(x.r.ArtifactDir, short([]byte(x.request.SessionID)))
	path := filepath.Join(dir, short([]byte(text))+".txt")
	if err := keep(dir, path, text); err != nil {
		x.r.log().Warn("artifact not written", "path", path, "err", err)
		return ""
	}
	return path
}

// keep writes a file of mode 0600 in a folder of mode 0700 (OUT-5), whole or not
// at all.
func keep(dir, path, text string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*")
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

// short is a session id or a text as a file name that nobody chose.
func short(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
