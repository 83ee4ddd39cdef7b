package sandbox

import (
	"context"
	"errors"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
)

// Compilers are processes that turn scripts into JavaScript. A hostile text can
// crash the parser that they run, so it runs in none that anything else lives
// in; and as nothing of a script is executed in them, one may serve many.

// takeProgram reads what a compiler says. The code is believed no more than the
// script itself.
func takeProgram(body []byte) (*script.Program, error) {
	var c frame.Compilation
	meta, rest, ok := frame.TakeSized(body)
	if !ok || len(meta) > frame.MaxFinishBytes || json.Unmarshal(meta, &c) != nil {
		return nil, errGarbage
	}
	if c.Error != nil {
		return nil, c.Error
	}
	m, code, ok := frame.TakeSized(rest)
	if !ok {
		return nil, errGarbage
	}
	return &script.Program{Code: string(code), SourceMap: m}, nil
}

// compile has a compiler compile a script. The error is a *script.CompileError,
// ctx's cause, or a *crash.
func (p *Pool) compile(ctx context.Context, code string, l script.Language) (*script.Program, error) {
	c, err := p.takeCompiler(ctx)
	if err != nil {
		return nil, err
	}
	program, err := c.compile(ctx, code, l)
	if crashed := (*crash)(nil); errors.As(err, &crashed) || ctx.Err() != nil {
		p.retire(c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	p.keepCompiler(c)
	if err == nil {
		p.programs.keep(code, l, program)
	}
	return program, err
}

// startCompiler has one ready for the first script.
func (p *Pool) startCompiler() {
	if c, err := p.takeCompiler(p.ctx); err == nil {
		p.keepCompiler(c)
	}
}

// keepCompiler keeps one for the next script; one that waits is enough.
func (p *Pool) keepCompiler(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.compilers) > 0 {
		p.retire(c)
	} else {
		p.compilers = append(p.compilers, c)
	}
}

// takeCompiler gives the caller a compiler of its own.
func (p *Pool) takeCompiler(ctx context.Context) (*child, error) {
	p.mu.Lock()
	for len(p.compilers) > 0 {
		c := p.compilers[0]
		p.compilers = p.compilers[1:]
		if c.alive() {
			p.mu.Unlock()
			return c, nil
		}
		p.retire(c)
	}
	p.mu.Unlock()
	c, err := spawn(ctx, p.o, p.o.Compiler, CompilerCommand)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.o.Log.Error("the script compiler does not start", "error", err)
		return nil, &crash{status: Crashed, err: &ScriptError{Name: "Error", Message: err.Error(), Call: -1}}
	}
	return c, nil
}

// compile asks a compiler. The process is of no use after a *crash.
func (c *child) compile(ctx context.Context, code string, l script.Language) (*script.Program, error) {
	defer context.AfterFunc(ctx, c.kill)()
	c.reader.Max = 256 << 20
	err := c.writer.Write(frame.KindStart, frame.Word(len(l)), []byte(l), []byte(code))
	var kind byte
	var body []byte
	if err == nil {
		kind, body, err = c.reader.Read()
	}
	if err == nil && kind != frame.KindDone {
		err = errGarbage
	}
	if err != nil {
		return nil, c.postMortem(err)
	}
	program, err := takeProgram(body)
	if errors.Is(err, errGarbage) {
		return nil, c.postMortem(err)
	}
	return program, err
}

// compileWithin compiles within the run's own limits, unless the script was
// compiled before.
func (p *Pool) compileWithin(ctx context.Context, r Request) (*script.Program, error) {
	if program := p.programs.find(r.Code, r.Language); program != nil {
		return program, nil
	}
	left, status := r.Limits.Wall-r.Clock.Elapsed(), TimedOut
	if a := r.Limits.Active; a > 0 && (r.Limits.Wall <= 0 || a < left) {
		left, status = a, Overspent
	}
	if r.Limits.Wall > 0 || r.Limits.Active > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, left, slow{status})
		defer cancel()
	}
	return p.compile(ctx, r.Code, r.Language)
}
