package typescript

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf16"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// Inspect is Diagnostics of an open document whose text is text, and what there
// is to the types of expressions in it: one answer for each suspect. The engine
// has no request for a type, so it gets a second document, in which each
// expression is the argument of a function that wants the more arguments the
// more there is to the type (see probes). It is told of both at once, and checks
// the second only when there are suspects.
func (e *Engine) Inspect(ctx context.Context, uri, text string, suspects []script.Suspect) ([]protocol.Diagnostic, []script.Promising, error) {
	probe := probeName(uri)
	var p *probed
	if d, err := e.opened(uri); err == nil && len(suspects) > 0 && !d.nocheck {
		p = newProbed(newDocument(uri, d.virtual, d.language, 0, text, asBody).text, d.shift, suspects)
		if last, err := e.opened(probe); err != nil || last.text != p.text || last.language != d.language {
			e.put(probe, d.language, p.text, asProbe)
		}
	} else {
		e.drop(probe)
	}
	found, err := e.Diagnostics(ctx, uri)
	if err != nil || p == nil {
		return found, make([]script.Promising, len(suspects)), err
	}
	answers, err := e.ask(ctx, probe, p)
	if _, closed := e.opened(uri); errors.Is(closed, ErrNotOpen) { // meanwhile
		e.drop(probe)
	}
	if err != nil && ctx.Err() == nil {
		err = nil // the types are worth having without
	}
	return found, answers, err
}

// ask is what the engine says of a probe.
func (e *Engine) ask(ctx context.Context, probe string, p *probed) ([]script.Promising, error) {
	answers := make([]script.Promising, len(p.places))
	var report protocol.RelatedFullDocumentDiagnosticReport
	_, err := e.request(ctx, probe, protocol.MethodTextDocumentDiagnostic, func(d *document) any {
		return &protocol.DocumentDiagnosticParams{TextDocument: identifier(d.virtual)}
	}, &report)
	if err != nil {
		return answers, err
	}
	for _, f := range report.Items {
		code, ok := f.Code.(protocol.Integer)
		switch {
		case ok && code/1000 == 1 && f.Range.Start.Line < p.end:
			return make([]script.Promising, len(p.places)), nil // the text cannot be read, or not with the calls in it
		case code != expectedArguments:
			continue
		}
		message, _ := f.Message.(protocol.String)
		if i := slices.Index(p.places, f.Range.Start); i >= 0 {
			switch {
			case strings.HasPrefix(string(message), "Expected 2 "):
				answers[i] = script.OnePromise
			case strings.HasPrefix(string(message), "Expected 3 "):
				answers[i] = script.PromiseList
			case strings.HasPrefix(string(message), "Expected 4 "):
				answers[i] = script.PromiseDeep
			}
		}
	}
	return answers, nil
}

// expectedArguments is TypeScript's code for too few arguments.
const expectedArguments = 2554

// probeName is what the second document of an author's is called.
func probeName(uri string) string { return probeScheme + uri }

// A probed is a text with a call around each suspect.
type probed struct {
	text   string
	places []protocol.Position // of the calls, in the order of the suspects
	end    uint32              // the line where the text ends and the declarations begin
}

// probes declares the functions that are called. The first argument is any
// value; how many more a call should have is 0 when its type has no promise, 1
// for a promise, 2 for an array of them and 3 for something with one in it.
// any and never are no promises; a value that may be something else than a
// promise is none either, but what is in a list or an object counts when it may
// be one.
const probes = `
type __Promise<T> = 0 extends 1 & T ? false : [NonNullable<T>] extends [never] ? false : [NonNullable<T>] extends [PromiseLike<any>] ? true : false;
type __Elements<T> = NonNullable<T> extends readonly (infer E)[] ? true extends __Promise<E> | __Elements<E> ? true : false : false;
type __Within<T, D extends 0[] = []> = 0 extends 1 & T ? false : T extends PromiseLike<any> ? true : D["length"] extends 4 ? false
  : T extends readonly any[] ? __Within<T[number], [...D, 0]>
  : T extends ReadonlyMap<any, infer V> ? __Within<V, [...D, 0]>
  : T extends ReadonlySet<infer V> ? __Within<V, [...D, 0]>
  : T extends (...all: any) => any ? false
  : T extends object ? { [K in keyof T]-?: __Within<T[K], [...D, 0]> }[keyof T] : false;
type __Certain<T> = 0 extends 1 & T ? false : [T] extends [never] ? false : [T] extends [PromiseLike<any>] ? true : false;
declare function __certain<T>(value: T, ...more: __Certain<T> extends true ? [0] : T extends readonly (infer E)[] ? __Certain<E> extends true ? [0, 0] : [] : []): T;
declare function __promised<T>(value: T, ...more: __Promise<T> extends true ? [0] : 0 extends 1 & T ? [] : true extends __Elements<T> ? [0, 0] : []): T;
declare function __within<T>(value: T, ...more: __Promise<T> extends true ? [0] : 0 extends 1 & T ? [] : true extends __Elements<T> ? [0, 0] : true extends __Within<T> ? [0, 0, 0] : []): T;
declare function __behind<T>(value: T, ...more: 0 extends 1 & T ? [] : T extends PromiseLike<any> ? true extends __Within<Awaited<T>> ? [0, 0, 0] : []
  : true extends __Elements<T> ? [0, 0] : true extends __Within<T> ? [0, 0, 0] : []): T;
declare function __returned<T>(value: T, ...more: 0 extends 1 & T ? [] : T extends (...all: any) => infer R ? __Promise<R> extends true ? [0] : [] : []): T;
`

var probeNames = map[script.PromiseTest]string{
	script.CertainPromise: "__certain", script.Promised: "__promised", script.PromisesWithin: "__within", script.PromisesBehind: "__behind",
	script.PromiseReturned: "__returned",
}

// newProbed puts the calls into a text as the engine sees it, whose lines begin
// shift lines before the author's.
func newProbed(text string, shift uint32, suspects []script.Suspect) *probed {
	type insertion struct {
		offset, order int // at the same offset, what closes comes first, then what is longer
		text          string
		line, column  uint32 // of the offset
		opens         int    // the suspect whose call it begins, or -1
		skip          uint32 // what stands before the call
	}
	offsets := utf16Offsets(text)
	var all []insertion
	for i, s := range suspects {
		start, end := s.Value.Start, s.Value.End
		from, to := offsets(start.Line+int(shift), start.Character), offsets(end.Line+int(shift), end.Character)
		all = append(all,
			insertion{from, len(text) - to + 1, s.Lost.Key + probeNames[s.Test] + "(", uint32(start.Line) + shift, uint32(start.Character), i, uint32(len(utf16.Encode([]rune(s.Lost.Key))))},
			insertion{to, 0, ")", uint32(end.Line) + shift, uint32(end.Character), -1, 0})
	}
	slices.SortStableFunc(all, func(a, b insertion) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.order, b.order))
	})
	p := &probed{places: make([]protocol.Position, len(suspects))}
	var b strings.Builder
	at, line, more := 0, uint32(0), uint32(0) // more: units inserted into the line
	for _, n := range all {
		b.WriteString(text[at:n.offset])
		at = n.offset
		if n.line != line {
			line, more = n.line, 0
		}
		if n.opens >= 0 {
			p.places[n.opens] = protocol.Position{Line: n.line, Character: n.column + more + n.skip}
		}
		b.WriteString(n.text)
		more += uint32(len(utf16.Encode([]rune(n.text))))
	}
	b.WriteString(text[at:])
	p.text = b.String() + probes
	p.end = uint32(strings.Count(p.text, "\n") - strings.Count(probes, "\n") + 1)
	return p
}

// utf16Offsets says where a line and a column in UTF-16 units lie in a text.
func utf16Offsets(text string) func(line, character int) int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && !(i+1 < len(text) && text[i+1] == '\n') {
			starts = append(starts, i+1)
		}
	}
	return func(line, character int) int {
		if line >= len(starts) {
			return len(text)
		}
		at := starts[line]
		for _, r := range text[at:] {
			if character <= 0 {
				break
			}
			character -= utf16.RuneLen(r)
			at += len(string(r))
		}
		return at
	}
}
