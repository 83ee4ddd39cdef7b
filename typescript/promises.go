package typescript

import (
	"context"
	"maps"
	"slices"
	"strings"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// methodPromises is a request of our own engine's, see package codemodeshim.
const methodPromises = "codemode/promises"

// A Promise is one of a tool call that a script loses, or uses as if it were its
// value, as the types of TypeScript show.
type Promise struct {
	Range protocol.Range `json:"range"` // the expression that would have to be awaited
	Mark  protocol.Range `json:"mark"`  // what to underline
	// Around is where TypeScript itself may report the same mistake.
	Around protocol.Range `json:"around"`
	Tool   string         `json:"tool"` // that the expression calls itself, or ""
	// Callback is the method that does not wait for its callback, such as forEach;
	// Condition says that it only checks whether what the callback returns is truthy.
	Callback  string `json:"callback"`
	Condition bool   `json:"condition"`
	Used      bool   `json:"used"` // as if it were its value; otherwise nobody awaits it
	List      bool   `json:"list"` // an array of promises
	Deep      bool   `json:"deep"` // promises are somewhere inside of it
	Async     bool   `json:"async"`
	// Name of the shorthand property that it is, or "".
	Name string `json:"name"`
	// Compound says that it needs parentheses behind an await.
	Compound bool `json:"compound"`
}

// An Inspection is what the engine finds in one text.
type Inspection struct {
	Types    []protocol.Diagnostic
	Promises []Promise // that it loses
	// Untyped are parameters of functions that are given to something of type any, and
	// values that inference took out of such: nothing says what they are.
	Untyped []protocol.Range
	// Loose is the same text where results that no server declares are any; nil
	// when that was not asked for, or would find nothing else.
	Loose *Inspection
}

// Inspect is Diagnostics of an open document, and the promises that it loses. An
// engine that cannot find promises finds none. When there is something that a
// person would be warned of and loosely says so, the text is looked at a second
// time, with results that no server declares as any.
func (e *Engine) Inspect(ctx context.Context, uri string, loosely bool) (*Inspection, error) {
	i, d, err := e.inspect(ctx, uri)
	if err != nil || d == nil || !loosely || !e.own || len(i.Promises) == 0 && !slices.ContainsFunc(i.Types, warns) {
		return i, err
	}
	loose := e.loosen(d)
	found, err := e.Diagnostics(ctx, loose)
	switch {
	case err != nil:
	case len(i.Promises) == 0 && !slices.ContainsFunc(found, asksForType):
		i.Loose = &Inspection{Types: found} // what else it loses is of no matter
	default:
		i.Loose, _, err = e.inspect(ctx, loose)
	}
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	return i, nil // without an answer findings keep their weight
}

// asksForType reports whether a diagnostic may be due to a type that is not known.
func asksForType(t protocol.Diagnostic) bool {
	message, _ := t.Message.(protocol.String)
	return implicitAny(t.Code) || strings.Contains(string(message), "'unknown'")
}

// warns reports whether a diagnostic is an error or a warning.
func warns(t protocol.Diagnostic) bool {
	return t.Severity == protocol.DiagnosticSeverityError || t.Severity == protocol.DiagnosticSeverityWarning
}

func (e *Engine) inspect(ctx context.Context, uri string) (*Inspection, *document, error) {
	found, err := e.Diagnostics(ctx, uri)
	if err != nil {
		return nil, nil, err
	}
	i := &Inspection{Types: found}
	d, err := e.opened(uri)
	if err != nil {
		return i, nil, nil
	}
	if d.nocheck || !e.own || !strings.Contains(d.text, "tools") {
		return i, d, nil
	}
	var answer struct {
		Found   []Promise        `json:"found"`
		Untyped []protocol.Range `json:"untyped"`
	}
	d, err = e.request(ctx, uri, methodPromises, func(d *document) any {
		return map[string]string{"uri": d.virtual}
	}, &answer)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		return i, d, nil // the types are worth having without
	}
	for n := range answer.Found {
		p := &answer.Found[n]
		p.Range, p.Mark, p.Around = d.rangeToAuthor(p.Range), d.rangeToAuthor(p.Mark), d.rangeToAuthor(p.Around)
	}
	for n, r := range answer.Untyped {
		answer.Untyped[n] = d.rangeToAuthor(r)
	}
	i.Promises, i.Untyped = answer.Found, answer.Untyped
	return i, d, nil
}

// looseName names the second view of a document.
func looseName(uri string) string { return checkScheme + "loose:" + uri }

// What begins the second view of a script: its tools are those whose undeclared
// results are any (see typegen.File.Views).
const (
	looseScript     = "declare const tools: AnyResults.Tools;\n"
	looseJavaScript = "/** @type {AnyResults.Tools} */ var tools;\n"
)

// loosen opens the second view of a document, or renews it. It stays open as long
// as the document: opening it at each edit would cost more.
func (e *Engine) loosen(d *document) (name string) {
	name = looseName(d.uri)
	loose := *d
	loose.uri, loose.shift, loose.text = name, d.shift+1, looseScript+d.text
	if d.language == script.JavaScript {
		loose.text = looseJavaScript + d.text
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	old := e.documents[e.names[name]]
	if old != nil && old.text == loose.text {
		return name
	}
	e.lastVersion++
	loose.version = e.lastVersion
	next := maps.Clone(e.documents)
	if old == nil || old.language != d.language {
		e.lastName++
		loose.virtual = virtualURI(e.lastName, d.language)
		if old != nil {
			delete(next, old.virtual)
			delete(e.blame, old.virtual)
		}
	} else {
		loose.virtual = old.virtual
	}
	next[loose.virtual] = &loose
	e.names[name], e.documents = loose.virtual, next
	return name
}
