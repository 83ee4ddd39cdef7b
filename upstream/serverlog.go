package upstream

import (
	"context"
	"encoding/json"
	"log/slog"
)

// logged writes what a server logs (notifications/message) to our log, at its level.
// A server that floods is limited, and named.
func (s *session) logged(fields map[string]any) {
	ok, refused := s.records.pass()
	if !ok {
		return
	}
	if refused > 0 {
		s.log.Warn("left out messages of a server that logs too much", "server", s.name, "messages", refused)
	}
	level, _ := fields["level"].(string)
	attrs := []any{"server", s.name}
	if logger, _ := fields["logger"].(string); logger != "" {
		attrs = append(attrs, "logger", clip(logger, 100))
	}
	text, ok := fields["data"].(string)
	if !ok {
		encoded, err := json.Marshal(fields["data"])
		if err != nil {
			return
		}
		text = string(encoded)
	}
	s.log.Log(context.Background(), logLevel(level), "server: "+brief(s.redact(text)), attrs...)
}

// logLevel is one of MCP's levels, which are those of syslog.
func logLevel(level string) slog.Level {
	switch level {
	case "debug":
		return slog.LevelDebug
	case "warning":
		return slog.LevelWarn
	case "error", "critical", "alert", "emergency":
		return slog.LevelError
	}
	return slog.LevelInfo
}
