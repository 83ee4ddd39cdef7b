package upstream

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
)

// closing is the log of a server's transport without what nobody can act on: a
// server may still ask when its session is being closed, and the answer then finds
// its pipe closed, which mcp-go reports as an error.
type closing struct{ slog.Handler }

func (c closing) Handle(ctx context.Context, r slog.Record) error {
	expected := false
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		expected = ok && errors.Is(err, fs.ErrClosed)
		return !expected
	})
	if !expected {
		return c.Handler.Handle(ctx, r)
	}
	if !c.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	r = r.Clone()
	r.Level = slog.LevelDebug
	return c.Handler.Handle(ctx, r)
}

func (c closing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return closing{c.Handler.WithAttrs(attrs)}
}

func (c closing) WithGroup(name string) slog.Handler { return closing{c.Handler.WithGroup(name)} }
