// Package rendezvous is where the server of an editor and a gateway of the same user find
// each other: a socket for each workspace's folder that nobody else can open.
package rendezvous

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// ErrTaken is the error of Listen when another server of the user has the folder.
var ErrTaken = errors.New("another editor has this folder open")

// dir is the user's own directory for sockets, created when it is missing.
func dir() (string, error) {
	base := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(base) {
		base = filepath.Join(os.TempDir(), fmt.Sprintf("codemode-ls-%d", os.Getuid()))
		if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
		if err := private(base); err != nil {
			return "", err
		}
	}
	path := filepath.Join(base, "codemode-ls")
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return path, private(path)
}

// path is the socket of a folder.
func path(folder string) (string, error) {
	base, err := dir()
	if err != nil {
		return "", fmt.Errorf("a place for sockets: %w", err)
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	sum := sha256.Sum256([]byte(filepath.Clean(folder)))
	return filepath.Join(base, hex.EncodeToString(sum[:8])+".sock"), nil
}

// Listen opens the socket of a folder. Closing the listener removes it.
func Listen(folder string) (net.Listener, error) {
	at, err := path(folder)
	if err != nil {
		return nil, err
	}
	if conn, err := net.Dial("unix", at); err == nil {
		conn.Close()
		return nil, ErrTaken
	}
	if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSocket != 0 {
		_ = os.Remove(at) // of a server that was killed
	}
	l, err := net.Listen("unix", at)
	if err != nil {
		return nil, fmt.Errorf("listening for agents: %w", err)
	}
	if err := os.Chmod(at, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("keeping %s to this user: %w", at, err)
	}
	return listener{l}, nil
}

// listener accepts connections of the user's own processes alone.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || samePeer(conn) {
			return conn, err
		}
		conn.Close()
	}
}

// Dial connects to the server that has the folder, or the closest one above it, open.
func Dial(folder string) (net.Conn, error) {
	for {
		at, err := path(folder)
		if err != nil {
			return nil, err
		}
		if conn, err := net.Dial("unix", at); err == nil {
			if samePeer(conn) {
				return conn, nil
			}
			conn.Close()
			return nil, fmt.Errorf("%s is not this user's", at)
		}
		above := filepath.Dir(folder)
		if above == folder {
			return nil, errors.New("no editor has this folder open")
		}
		folder = above
	}
}
