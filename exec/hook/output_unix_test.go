//go:build unix

package hook

import (
	"os/exec"
	"strings"
	"testing"
)

// HOOK-1: an answer is whole although nobody had the time to read it before the
// command ended, and although somebody else holds the pipe open.
func TestHook1AnswerIsReadWhole(t *testing.T) {
	stdout, stderr := &bounded{most: maxStdout}, &bounded{most: maxStderr}
	c, err := capture(new(exec.Cmd), stdout, stderr)
	if err != nil {
		t.Fatal(err)
	}
	answer := strings.Repeat("x", 60_000)
	for i, text := range []string{answer, "why"} {
		if _, err := c.pipes[i].write.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	c.end()
	if got := string(stdout.bytes()); got != answer || string(stderr.bytes()) != "why" {
		t.Errorf("%d bytes, %q", len(got), stderr.bytes())
	}
	// The command writes more than a pipe holds and ends; another process goes on.
	r, _ := newRunner(t)
	v := r.Before(t.Context(), before(`setsid sleep 2 & printf '{"decision":"block","reason":"last","x":"'; head -c 300000 /dev/zero | tr '\0' x; printf '"}'`), aCall)
	if v.Decision != Deny || v.Reason != "last" {
		t.Errorf("%+v", v)
	}
}
