package guest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/dop251/goja"
)

// test262Command is the argument with which the test binary runs files of
// test262, one a line of its input: a hostile test cannot end the run.
const test262Command = "test262-worker"

// test262Job is one run of a file.
type test262Job struct {
	File *test262File
	Mode string
}

// test262Result is how it ended; Why is empty when it passed.
type test262Result struct{ Why string }

// test262Worker is the life of a worker process.
func test262Worker(root string) int {
	time.Local = time.FixedZone("", -8*3600) // of test262's authors: tests that forget the zone should fail
	debug.SetMaxStack(stackBytes)
	go watchMemory(1024)
	w := &test262Runner{root: root, harness: map[string]*goja.Program{}}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var job test262Job
		if err := json.Unmarshal(in.Bytes(), &job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return frame.ExitFailed
		}
		f, err := readTest262File(root, job.File.Path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return frame.ExitFailed
		}
		if out.Encode(test262Result{Why: w.run(f, job.Mode)}) != nil {
			return frame.ExitFailed
		}
	}
	return frame.ExitOK
}

// test262Runner runs files in realms of the product, by the product's compiler.
type test262Runner struct {
	root    string
	harness map[string]*goja.Program
}

func (w *test262Runner) run(f *test262File, mode string) string {
	rec := &recorder{}
	r := newRealm(rec)
	r.begin(frame.Bounds{MaxConcurrent: 8, LogChars: 1 << 20, LogEntries: 10_000, ValueBytes: 1 << 20}, nil, nil)
	code := f.text
	if !f.has("raw") {
		w.host(r)
		includes := append([]string{"assert.js", "sta.js"}, f.Includes...)
		if f.has("async") {
			includes = append(includes, "doneprintHandle.js")
		}
		for _, name := range includes {
			if err := w.include(r, name); err != nil {
				return fmt.Sprintf("harness %s: %v", name, err)
			}
		}
		if mode == "strict" {
			code = "\"use strict\";\n" + code
		}
	}
	end := r.runText(code, script.JavaScript)
	return test262Verdict(f, end, rec.logs)
}

// test262Verdict compares an end with what the file expects.
func test262Verdict(f *test262File, end frame.Finish, logs []string) string {
	describe := func() string {
		if end.Error == nil {
			return "ended as " + string(end.Status)
		}
		return fmt.Sprintf("%s: %s: %s", end.Status, end.Error.Name, firstRunes(end.Error.Message, 300))
	}
	switch f.Phase {
	case "parse", "early":
		if end.Status != frame.Invalid {
			return "no SyntaxError before it runs; " + describe()
		}
		return ""
	case "runtime":
		if end.Status != frame.Thrown || end.Error.Name != f.Type {
			return "no " + f.Type + "; " + describe()
		}
		return ""
	}
	if end.Status != frame.Completed {
		return describe()
	}
	if f.has("async") {
		switch text := strings.Join(logs, "\n"); text {
		case "Test262:AsyncTestComplete":
		case "":
			return "$DONE was not called"
		default:
			return firstRunes(text, 300)
		}
	}
	return ""
}

// host adds what INTERPRETING.md of test262 wants of a host, as far as a script's
// world has it.
func (w *test262Runner) host(r *realm) {
	vm := r.vm
	r.global("print", r.Native("print", func(c goja.FunctionCall) goja.Value {
		r.log("log", []goja.Value{c.Argument(0).ToString()})
		return goja.Undefined()
	}))
	o := vm.NewObject()
	o.Set("global", vm.GlobalObject())
	o.Set("detachArrayBuffer", r.Native("detachArrayBuffer", func(c goja.FunctionCall) goja.Value {
		b, ok := c.Argument(0).Export().(goja.ArrayBuffer)
		if !ok {
			panic(r.NewError("TypeError", "not an ArrayBuffer"))
		}
		b.Detach()
		return goja.Null()
	}))
	r.global("$262", o)
}

// include runs a file of the harness in the realm's global scope.
func (w *test262Runner) include(r *realm, name string) error {
	p := w.harness[name]
	if p == nil {
		text, err := os.ReadFile(w.root + "/harness/" + name)
		if err != nil {
			return err
		}
		if p, err = goja.Compile("harness/"+name, string(text), false); err != nil {
			return err
		}
		w.harness[name] = p
	}
	_, err := r.vm.RunProgram(p)
	return err
}
