package guest

import (
	"os"
	"runtime/debug"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// CompilerMain is the whole life of a compiler: harden, compile what comes until
// the host is gone. It returns the exit code.
func CompilerMain(transform script.Transformer) int {
	debug.SetTraceback("single")
	debug.SetMaxStack(stackBytes)
	in := frame.NewReader(os.Stdin, 1<<30) // the host is trusted, and holds its own limits
	out := frame.NewWriter(os.Stdout)
	first, ok := begin(in)
	if !ok {
		return frame.ExitFailed
	}
	// The first texts after a start are not slower than others.
	script.Compile(warmUp, script.TypeScript, transform)
	if err := out.Write(frame.KindReady); err != nil {
		return frame.ExitFailed
	}
	go watchMemory(first.MemoryMB)
	for {
		kind, body, err := in.Read()
		if err != nil || kind != frame.KindStart {
			return frame.ExitOK // the host is gone
		}
		language, text, ok := frame.TakeSized(body)
		if !ok {
			return frame.ExitFailed
		}
		p, err := script.Compile(string(text), script.Language(language), transform)
		var c frame.Compilation
		if err != nil {
			p = &script.Program{}
			var is bool
			if c.Error, is = script.IsCompileError(err); !is {
				c.Error = &script.CompileError{Message: err.Error()}
			}
		}
		meta, err := frame.WithJSON(c)
		if err != nil {
			return frame.ExitFailed
		}
		if out.Write(frame.KindDone, meta, frame.Word(len(p.SourceMap)), p.SourceMap, []byte(p.Code)) != nil {
			return frame.ExitFailed
		}
	}
}
