package ecma

import (
	"regexp"
	"strconv"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// goja says of a method that is read of nothing, as in a.b.c() without a.b, that it
// failed at what stands before the name. Where the name is, is looked up among the
// members that stand in the script.

// reads are the members that stand in a script, and the parameters that are taken
// apart.
type reads struct {
	file  *file.File
	all   []read
	apart []apart
}

// apart is the first parameter of a function that is one: goja reports where the
// function begins.
type apart struct{ from, at file.Idx }

// read is one that is read by a name.
type read struct {
	name     string
	from, at file.Idx // where what is before the name begins, and where the name is
	called   bool     // goja reports the places of the others
}

func (r *reads) add(e ast.Expression, called bool) {
	if o, ok := e.(*ast.Optional); ok {
		e = o.Expression
	}
	if d, ok := e.(*ast.DotExpression); ok {
		r.all = append(r.all, read{string(d.Identifier.Name), d.Left.Idx0(), d.Identifier.Idx, called})
	}
}

func (r *reads) addPattern(f ast.Node, list *ast.ParameterList) {
	if list == nil {
		return
	}
	for _, b := range list.List {
		if p, ok := b.Target.(*ast.ObjectPattern); ok && len(p.Properties) > 0 {
			r.apart = append(r.apart, apart{f.Idx0(), p.Properties[0].Idx0()})
			return
		}
	}
}

func (r *reads) place(i file.Idx) file.Position { return r.file.Position(int(i) - r.file.Base()) }

func before(a, b file.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// find is where the name is whose reading goja says to have failed at a place; ok is
// false when it is at that place, or nothing is known.
func (r *reads) find(name string, at file.Position) (place file.Position, ok bool) {
	var start file.Position
	for _, m := range r.all {
		if m.name != name {
			continue
		}
		p := r.place(m.at)
		if !m.called {
			if p.Line == at.Line && p.Column == at.Column {
				return p, false
			}
			continue
		}
		from := r.place(m.from)
		if before(at, from) || before(p, at) {
			continue
		}
		if !ok || before(start, from) || !before(from, start) && before(p, place) { // the innermost
			place, start, ok = p, from, true
		}
	}
	return place, ok
}

var (
	// readOfNothing is such an error, with the name and the place.
	readOfNothing  = regexp.MustCompile(`^TypeError: Cannot read property '(.+)' of undefined or null\n    at .*?\bscript\.[tj]s:(\d+):(\d+)`)
	apartOfNothing = regexp.MustCompile(`^TypeError: (undefined or null cannot be destructured) or made an object\n    at .*?\bscript\.[tj]s:(\d+):(\d+)`)
)

// fixPlace puts the place of the name into a stack in Node's form.
func (r *reads) fixPlace(stack string) string {
	if r.file == nil {
		return stack
	}
	find := r.find
	m := readOfNothing.FindStringSubmatchIndex(stack)
	if m == nil {
		m, find = apartOfNothing.FindStringSubmatchIndex(stack), r.findPattern
	}
	if m == nil {
		return stack
	}
	line, _ := strconv.Atoi(stack[m[4]:m[5]])
	column, _ := strconv.Atoi(stack[m[6]:m[7]])
	p, ok := find(stack[m[2]:m[3]], file.Position{Line: line, Column: column})
	if !ok {
		return stack
	}
	return stack[:m[4]] + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + stack[m[7]:]
}

func (r *reads) findPattern(_ string, at file.Position) (file.Position, bool) {
	for _, p := range r.apart {
		if from := r.place(p.from); from.Line == at.Line && from.Column == at.Column {
			return r.place(p.at), true
		}
	}
	return file.Position{}, false
}

// FixPlace puts the place of a name that was read of nothing into a stack in Node's
// form.
func (r *Runtime) FixPlace(stack string) string { return r.reads.fixPlace(stack) }
