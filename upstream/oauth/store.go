package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/zalando/go-keyring"
)

// record is all that is kept of one server: the client that was registered for it,
// and what a person has granted.
type record struct {
	Issuer             string    `json:"issuer,omitzero"`
	TokenEndpoint      string    `json:"tokenEndpoint,omitzero"`
	RevocationEndpoint string    `json:"revocationEndpoint,omitzero"`
	Resource           string    `json:"resource,omitzero"`
	ClientID           string    `json:"clientId,omitzero"`
	ClientSecret       string    `json:"clientSecret,omitzero"` // of a registered client; a configured one is not kept
	AuthMethod         string    `json:"authMethod,omitzero"`
	Registered         bool      `json:"registered,omitzero"`
	RedirectURI        string    `json:"redirectUri,omitzero"`
	AccessToken        string    `json:"accessToken,omitzero"`
	RefreshToken       string    `json:"refreshToken,omitzero"`
	Expiry             time.Time `json:"expiry,omitzero"`
	Scope              string    `json:"scope,omitzero"`

	kept string // where it was found
}

// key names a record: one server of one name.
type key struct{ server, url string }

func (k key) hash() string {
	sum := sha256.Sum256([]byte(k.server + "\x00" + k.url))
	return hex.EncodeToString(sum[:16])
}

// account is the record's name in the keyring, where people may look.
func (k key) account() string { return k.server + " (" + k.hash()[:8] + ")" }

const service = "codemode-ls MCP sign-in"

// Store keeps records in the operating system's keyring, or, where there is none, in
// files that only the user can read.
type Store struct {
	dir     string // of the files and locks; "" keeps everything in memory
	keyring bool

	mu     sync.Mutex
	memory map[key]record
}

// NewStore makes a store. dir is for locks, and for records when there is no keyring.
func NewStore(dir string) *Store {
	return &Store{dir: dir, keyring: dir != "" && hasKeyring(), memory: map[key]record{}}
}

// hasKeyring reports whether asking for the keyring makes sense. Without a session bus
// the library would try to start one.
func hasKeyring() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	return os.Getenv("XDG_RUNTIME_DIR") != "" && err == nil
}

// keyringTimeout is how long a keyring may take. A locked one asks its owner.
const keyringTimeout = 30 * time.Second

// ask does something with the keyring, whose library knows no context. What comes too
// late is left to itself.
func ask(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	timer := time.NewTimer(keyringTimeout)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return errors.New("the keyring does not answer")
	}
}

func (s *Store) file(k key) string { return filepath.Join(s.dir, k.hash()+".json") }

// load is the record of a key; an empty one when there is none.
func (s *Store) load(ctx context.Context, k key) (record, error) {
	if s.dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		r := s.memory[k]
		r.kept = "memory"
		return r, nil
	}
	// A file first: it is there only if the keyring has not taken the newest record.
	data, err := os.ReadFile(s.file(k))
	if err == nil {
		return decode(data, s.file(k))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return record{}, err
	}
	if s.keyring {
		text, err := "", error(nil)
		err = ask(ctx, func() (err error) { text, err = keyring.Get(service, k.account()); return err })
		switch {
		case err == nil:
			return decode([]byte(text), "keyring")
		case ctx.Err() != nil:
			return record{}, ctx.Err()
		}
	}
	return record{}, nil
}

func decode(data []byte, from string) (record, error) {
	r := record{kept: from}
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, errors.New("it is damaged: sign out, then in again")
	}
	return r, nil
}

// save keeps a record: in the keyring alone, if it takes it.
func (s *Store) save(ctx context.Context, k key, r record) error {
	if s.dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.memory[k] = r
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if s.keyring && ask(ctx, func() error { return keyring.Set(service, k.account(), string(data)) }) == nil {
		if err := os.Remove(s.file(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return writePrivate(s.file(k), data)
}

// writePrivate replaces a file at once, with one that only its owner can read.
func writePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// remove forgets a record wherever it is.
func (s *Store) remove(ctx context.Context, k key) error {
	if s.dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.memory, k)
		return nil
	}
	if s.keyring {
		if err := ask(ctx, func() error { return keyring.Delete(service, k.account()) }); err != nil && ctx.Err() != nil {
			return err
		}
	}
	if err := os.Remove(s.file(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lock keeps others, in this process and in others, from renewing the same record
// meanwhile: a refresh token may be good for one use.
func (s *Store) lock(ctx context.Context, k key) (unlock func(), err error) {
	if s.dir == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	l := flock.New(filepath.Join(s.dir, k.hash()+".lock"), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another process renews the sign-in and does not come to an end: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// lockTimeout is longer than a renewal may take.
const lockTimeout = time.Minute
