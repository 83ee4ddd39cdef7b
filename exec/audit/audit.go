package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"
)

// Defaults of Options.
const (
	defaultMaxBytes = 10 << 20
	defaultKeep     = 5
)

// Entry is one decision. Fields may be added; none changes its meaning.
type Entry struct {
	Time      string    `json:"time"` // RFC 3339 in UTC, with microseconds; set by Append
	Run       string    `json:"run,omitzero"`
	Session   string    `json:"session,omitzero"`
	Leaf      string    `json:"leaf"` // full name of the tool, or Exec
	Arguments Arguments `json:"arguments"`
	// Decision is allow, deny or cancelled (the run ended or was stopped while nobody
	// had decided).
	Decision string `json:"decision"`
	By       By     `json:"by"`
	// Reason of a denial, in the words that the script saw.
	Reason string `json:"reason,omitzero"`
	PID    int    `json:"pid"` // of the process that decided; set by Append
}

// Arguments are known by the SHA-256 of their bytes and how many there are.
type Arguments struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// HashOf identifies arguments: the very bytes that were shown and sent.
func HashOf(arguments []byte) Arguments {
	sum := sha256.Sum256(arguments)
	return Arguments{SHA256: hex.EncodeToString(sum[:]), Bytes: len(arguments)}
}

// By says what a decision came from.
type By struct {
	// Kind is rule, answer (of a person), grant (an earlier answer of a person that
	// covers this call), hook, readOnly (the setting), nobody (there was none to
	// ask), end (of the run) or stop (a person said "deny and stop" to another call).
	Kind string `json:"kind"`
	// Rule, Layer, File and Line of a rule; Line is 1-based.
	Rule  string `json:"rule,omitzero"`
	Layer string `json:"layer,omitzero"`
	File  string `json:"file,omitzero"`
	Line  int    `json:"line,omitzero"`
	// Scope of an answer or grant: once, run, session, workspace, user or loop.
	Scope string `json:"scope,omitzero"`
	// Hook by name and place, of a hook.
	Hook string `json:"hook,omitzero"`
	// ReplacedBy is the hook that replaced the arguments, whoever decided.
	ReplacedBy string `json:"replacedBy,omitzero"`
}

// Options of a Log.
type Options struct {
	MaxBytes int64 // of a file, before it is rotated; 0: 10 MiB
	Keep     int   // rotated files; 0: 5
}

// Log is safe for concurrent use; several processes may have the same file open.
type Log struct {
	path string
	o    Options

	mu   sync.Mutex // guards what follows
	file *os.File   // nil: to be opened
	info os.FileInfo
	torn bool // the file may not end with a line break
}

// Open prepares the log at path, whose folder is made with the first entry.
func Open(path string, o Options) *Log {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	return &Log{path: path, o: o}
}

// Append writes an entry: one write of one whole line at the end of the file.
func (l *Log) Append(e Entry) error {
	e.Time = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
	e.PID = os.Getpid()
	line, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(int64(len(line))); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	locked, unlock := lockLines(l.file)
	defer unlock()
	if l.torn = l.torn || l.unended(locked); l.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := l.file.Write(line)
	l.torn = n > 0 && n < len(line) || l.torn && n == 0
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}

// lastBytes bounds how much of the end of a log is read for its newest entries.
const lastBytes = 1 << 20

// Last returns the newest entries, newest first, of the file that is written to now.
// A line that is no entry is left out: a process may have died while it wrote it.
func (l *Log) Last(n int) ([]Entry, error) {
	f, err := os.Open(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("audit log: %s is not a regular file", l.path)
	}
	start := max(0, info.Size()-lastBytes)
	tail, err := io.ReadAll(io.NewSectionReader(f, start, lastBytes))
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	lines := bytes.Split(tail, []byte{'\n'})
	if start > 0 {
		lines = lines[1:] // its beginning is missing
	}
	var entries []Entry
	for _, line := range slices.Backward(lines) {
		var e Entry
		if len(entries) == n {
			break
		}
		if json.Unmarshal(line, &e) == nil && e.Decision != "" {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// Close closes the file. A later Append opens it again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.close()
}

func (l *Log) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file, l.info = nil, nil
	return err
}

// ready makes l.file the file at path, with room for more bytes: another process
// may have rotated it away.
func (l *Log) ready(more int64) error {
	now, err := os.Lstat(l.path)
	if l.file != nil && (err != nil || !os.SameFile(now, l.info)) {
		_ = l.close()
	}
	if l.file == nil {
		if now, err = l.open(); err != nil {
			return err
		}
	}
	if now.Size() == 0 || now.Size()+more <= l.o.MaxBytes {
		return nil
	}
	if err := l.rotate(); err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	_ = l.close()
	_, err = l.open()
	return err
}

func (l *Log) open() (os.FileInfo, error) {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return nil, err
	}
	// Neither a link nor a pipe: entries go into a file of this name, and opening it
	// never waits.
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|noFollow|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: l.path, Err: errors.New("not a regular file")}
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	l.file, l.info, l.torn = f, info, false
	return info, nil
}

// cutOff is how long a line of a file that could not be locked may be without its
// end: another process may be just writing it.
const cutOff = 50 * time.Millisecond

// unended reports whether somebody was cut off in the middle of a line: another
// process that was killed, or had no room.
func (l *Log) unended(locked bool) bool {
	for limit := time.Now().Add(cutOff); ; <-time.After(time.Millisecond) {
		info, err := l.file.Stat()
		if err != nil {
			return true
		}
		if info.Size() == 0 {
			return false
		}
		var last [1]byte
		if _, err := l.file.ReadAt(last[:], info.Size()-1); err == nil && last[0] == '\n' {
			return false
		}
		if locked || time.Now().After(limit) {
			return true
		}
	}
}

// lockTimeout is how long another process may take to rotate.
const lockTimeout = 2 * time.Second

// rotate renames the file to .1, .1 to .2 and so on; the oldest is dropped. One
// process does it, under a lock.
func (l *Log) rotate() error {
	lock := flock.New(l.path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	locked, err := lock.TryLockContext(ctx, 5*time.Millisecond)
	if err != nil || !locked {
		// Better a file that is too large than a decision that is not in it.
		return nil
	}
	defer lock.Close()
	if now, err := os.Lstat(l.path); err != nil || !os.SameFile(now, l.info) {
		return nil // another process has done it
	}
	for n := l.o.Keep; n >= 1; n-- {
		from := l.path
		if n > 1 {
			from = l.rotated(n - 1)
		}
		if err := os.Rename(from, l.rotated(n)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (l *Log) rotated(n int) string { return l.path + "." + strconv.Itoa(n) }
