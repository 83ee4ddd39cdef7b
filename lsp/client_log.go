package lsp

import (
	"context"
	"log/slog"
	"strings"

	"codemode-ls/analysis"

	"go.lsp.dev/protocol"
)

// clientLog hands what is logged to the client by window/logMessage, which
// editors show in the server's output channel (OBS-4). Whoever logs never waits:
// what a slow client does not take in time is dropped.
type clientLog struct {
	level   slog.LevelVar
	waiting chan protocol.LogMessageParams
}

// maxWaiting is how many messages may wait for a client; logging goes on after
// that, without it.
const maxWaiting = 256

func newClientLog() *clientLog {
	l := &clientLog{waiting: make(chan protocol.LogMessageParams, maxWaiting)}
	l.level.Set(slog.LevelWarn)
	return l
}

// setLevel follows the setting log.level; off is above every level.
func (l *clientLog) setLevel(setting string) {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError, "off": slog.LevelError + 100,
	}
	if level, ok := levels[setting]; ok {
		l.level.Set(level)
	}
}

func (l *clientLog) handler() slog.Handler { return clientHandler{log: l} }

// send sends what waits until ctx ends.
func (l *clientLog) send(ctx context.Context, c protocol.Client) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-l.waiting:
			if c.LogMessage(ctx, &m) != nil {
				return // nothing more can be said to this client, least of all this
			}
		}
	}
}

// clientHandler makes a message of a record: its text, then its attributes.
type clientHandler struct {
	log *clientLog
	// with are WithAttrs and WithGroup, applied to the handler that writes a line.
	with []func(slog.Handler) slog.Handler
}

func (h clientHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.log.level.Level() }

func (h clientHandler) Handle(ctx context.Context, r slog.Record) error {
	var b strings.Builder
	var line slog.Handler = slog.NewTextHandler(&b, &slog.HandlerOptions{
		Level: slog.LevelDebug - 100,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
				return slog.Attr{} // the client has its own time and level
			}
			return a
		},
	})
	for _, with := range h.with {
		line = with(line)
	}
	if err := line.Handle(ctx, r); err != nil {
		return err
	}
	m := protocol.LogMessageParams{
		Type:    messageType(r.Level),
		Message: analysis.Plain(strings.TrimSpace(r.Message+" "+strings.TrimSpace(b.String())), maxLogLine),
	}
	select {
	case h.log.waiting <- m:
	default:
	}
	return nil
}

func (h clientHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.and(func(n slog.Handler) slog.Handler { return n.WithAttrs(attrs) })
}

func (h clientHandler) WithGroup(name string) slog.Handler {
	return h.and(func(n slog.Handler) slog.Handler { return n.WithGroup(name) })
}

func (h clientHandler) and(with func(slog.Handler) slog.Handler) slog.Handler {
	return clientHandler{h.log, append(h.with[:len(h.with):len(h.with)], with)}
}

func messageType(l slog.Level) protocol.MessageType {
	switch {
	case l >= slog.LevelError:
		return protocol.MessageTypeError
	case l >= slog.LevelWarn:
		return protocol.MessageTypeWarning
	case l >= slog.LevelInfo:
		return protocol.MessageTypeInfo
	}
	return protocol.MessageTypeLog
}
