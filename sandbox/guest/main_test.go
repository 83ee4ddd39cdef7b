package guest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
	"codemode-ls/script/esbuild"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == test262Command {
		os.Exit(test262Worker(os.Args[2]))
	}
	os.Exit(m.Run())
}

// runText compiles a script and runs it, in this process.
func (r *realm) runText(code string, l script.Language) frame.Finish {
	p, err := script.Compile(code, l, esbuild.Transform)
	if err != nil {
		return frame.Finish{Status: frame.Invalid, Error: frame.SyntaxError(err, l)}
	}
	return r.run(p, l, nil)
}

// answersOfNode are what a program for Node says of cases, which it reads from
// standard input, one for each; nil without Node. environment is added to ours.
func answersOfNode(t *testing.T, program string, cases []byte, environment ...string) (answers []string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		return nil
	}
	cmd := exec.Command(node, "-e", program)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin = bytes.NewReader(cases)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}
