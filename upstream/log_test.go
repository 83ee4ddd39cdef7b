package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
)

func TestAnswersToClosedServersAreNoErrors(t *testing.T) {
	for _, test := range []struct {
		level slog.Level
		err   error
		want  string
	}{
		{slog.LevelWarn, fmt.Errorf("write: %w", os.ErrClosed), ""},
		{slog.LevelDebug, os.ErrClosed, "level=DEBUG"},
		{slog.LevelWarn, errors.New("disk full"), "level=ERROR"},
	} {
		var out bytes.Buffer
		log := slog.New(closing{slog.NewTextHandler(&out, &slog.HandlerOptions{Level: test.level})})
		log.With("server", "a").Error("Error writing response", "err", test.err)
		if got := out.String(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
}
