package redact

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler takes secrets out of records on their way to next.
func (r *Redactor) Handler(next slog.Handler) slog.Handler {
	if r == nil {
		return next
	}
	return handler{next, r}
}

type handler struct {
	next slog.Handler
	r    *Redactor
}

func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h handler) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.r.Text(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return handler{h.next.WithAttrs(clean), h.r}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.next.WithGroup(name), h.r} }

func (h handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		v = slog.StringValue(h.r.Text(v.String()))
	case slog.KindGroup:
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i, member := range group {
			clean[i] = h.attr(member)
		}
		v = slog.GroupValue(clean...)
	case slog.KindAny:
		// An error, bytes, a structure: as text, unless there is nothing in it.
		text := fmt.Sprint(v.Any())
		if b, ok := v.Any().([]byte); ok {
			text = string(b)
		}
		if clean := h.r.Text(text); clean != text {
			v = slog.StringValue(clean)
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}
