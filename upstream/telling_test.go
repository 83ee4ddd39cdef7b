package upstream

import (
	"os"
	"testing"
)

// CLI-6: what a failed server is known for is the line that names the failure.
func TestTellingLine(t *testing.T) {
	for _, c := range []struct{ name, stderr, want string }{
		{"node, no such file", `node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/nope.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
`, "Error: Cannot find module '/nope.js'"},
		{"node, a code", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'\n    at y\n\nNode.js v20.20.2\n", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'"},
		{"node, no error", "throw \"x\"\n^\nx\n\nNode.js v20.20.2\n", "x"},
		{"python", "Traceback (most recent call last):\n  File \"x\", line 1, in <module>\nModuleNotFoundError: No module named 'x'\n", "ModuleNotFoundError: No module named 'x'"},
		{"go", "panic: no token\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:1 +0x1\nexit status 2\n", "panic: no token"},
		{"a tool", "usage: x\nx: error: the following arguments are required: --token\n", "x: error: the following arguments are required: --token"},
		{"plain words", "starting\r\nno token\r\n", "no token"},
		{"an error in the middle of a line", "0 errors: fine\nhandled the error: retry\nno token\n", "no token"},
		{"nothing", " \n\n", ""},
		{"control characters", "Error: \x1b[31mred\n", "Error: red"},
	} {
		if got := TellingLine(c.stderr); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// CLI-6: a server that ends while we still write is told like one that ends while we
// read.
func TestEndedWhileWriting(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	p := &process{stdin: newOutbox(writer), exited: make(chan struct{}), state: "it ended with exit status 7"}
	defer func() { <-p.stdin.done }()
	defer p.stdin.Close()
	close(p.exited)
	stderr := new(ring)
	_, _ = stderr.Write([]byte("no token\n"))
	s := &session{process: p, stderr: stderr, wire: &stdioTransport{}}
	_, err = p.stdin.Write([]byte("{}\n"))
	if err == nil {
		t.Skip("this system takes what nobody can read")
	}
	if got := s.failure(t.Context(), err); got.Error() != "it ended with exit status 7 before it had answered: no token" {
		t.Errorf("%v", got)
	}
}
