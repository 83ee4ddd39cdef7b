package analysis

import (
	"codemode-ls/exec"
	"codemode-ls/script"
)

// Results of runs count characters in UTF-16 units. The functions here make
// copies with the client's units: what the runner keeps is never changed.

// WireRange is r in the units of d's client. The numbers of a script.Range mean
// whatever its reader and writer agree on; here, the client's encoding.
func (d *Document) WireRange(r *script.Range) *script.Range {
	if r == nil || IsUTF16(d.Encoding) {
		return r
	}
	w := d.FromUTF16Range(*r)
	return &script.Range{
		Start: script.Position{Line: int(w.Start.Line), Character: int(w.Start.Character)},
		End:   script.Position{Line: int(w.End.Line), Character: int(w.End.Character)},
	}
}

// WireResult is a run's result with ranges in the client's units.
func (d *Document) WireResult(r *exec.Result) *exec.Result {
	if IsUTF16(d.Encoding) {
		return r
	}
	w := *r
	w.Calls = mapped(r.Calls, func(c exec.CallRecord) exec.CallRecord {
		c.Range = d.WireRange(c.Range)
		return c
	})
	w.Warnings = mapped(r.Warnings, func(x exec.Warning) exec.Warning {
		x.Range = d.WireRange(x.Range)
		return x
	})
	w.Diagnostics = mapped(r.Diagnostics, func(x exec.Diagnostic) exec.Diagnostic {
		x.Range = *d.WireRange(&x.Range)
		return x
	})
	if r.Error != nil {
		e := *r.Error
		e.Range = d.WireRange(e.Range)
		w.Error = &e
	}
	return &w
}

// WireEvent is an event with ranges in the client's units.
func (d *Document) WireEvent(e exec.Event) exec.Event {
	if e.Call != nil {
		c := *e.Call
		c.Range = d.WireRange(c.Range)
		e.Call = &c
	}
	return e
}

func mapped[T any](in []T, f func(T) T) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}
