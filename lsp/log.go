package lsp

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"codemode-ls/analysis"
)

// recentLog keeps what was logged last, for codemode.showLog: where an editor
// puts a server's standard error, few people find.
type recentLog struct {
	mu    sync.Mutex
	lines []string // oldest first
}

// maxLogLines and maxLogLine bound it.
const (
	maxLogLines = 1000
	maxLogLine  = 2000 // bytes
)

// Write takes one line; it satisfies io.Writer for slog's handler.
func (r *recentLog) Write(line []byte) (int, error) {
	kept := strings.TrimRight(string(line[:min(len(line), maxLogLine)]), "\n")
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) >= maxLogLines {
		r.lines = append(r.lines[:0], r.lines[maxLogLines/10:]...)
	}
	r.lines = append(r.lines, kept)
	return len(line), nil
}

func (r *recentLog) handler() slog.Handler {
	return slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelInfo})
}

func (r *recentLog) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) == 0 {
		return "Nothing was logged yet.\n"
	}
	return analysis.Printable(strings.Join(r.lines, "\n")) + "\n"
}

// A logTee hands each record to both handlers.
type logTee struct{ a, b slog.Handler }

func (t logTee) Enabled(ctx context.Context, l slog.Level) bool {
	return t.a.Enabled(ctx, l) || t.b.Enabled(ctx, l)
}

func (t logTee) Handle(ctx context.Context, r slog.Record) error {
	var errs []error
	for _, h := range []slog.Handler{t.a, t.b} {
		if h.Enabled(ctx, r.Level) {
			errs = append(errs, h.Handle(ctx, r.Clone()))
		}
	}
	return errors.Join(errs...)
}

func (t logTee) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logTee{t.a.WithAttrs(attrs), t.b.WithAttrs(attrs)}
}

func (t logTee) WithGroup(name string) slog.Handler {
	return logTee{t.a.WithGroup(name), t.b.WithGroup(name)}
}
