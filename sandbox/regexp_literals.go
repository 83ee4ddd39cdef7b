package sandbox

import (
	"reflect"
	"strconv"
	"strings"

	"codemode-ls/script"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// internLiterals puts the regular expression literals of a program into the
// realm's patterns. An invalid one is a *script.CompileError at its place.
func (p *patterns) internLiterals(program *ast.Program, vm *goja.Runtime) error {
	w := &literalWalker{patterns: p, program: program, vm: vm, fields: map[reflect.Type][]int{}}
	w.walk(reflect.ValueOf(program.Body))
	return w.err
}

// literalWalker visits the syntax tree. goja has no visitor of its own.
type literalWalker struct {
	patterns *patterns
	program  *ast.Program
	vm       *goja.Runtime
	fields   map[reflect.Type][]int // which fields of a struct can hold nodes
	err      error
}

var (
	typeLiteral = reflect.TypeFor[*ast.RegExpLiteral]()
	astPackage  = reflect.TypeFor[ast.Program]().PkgPath()
)

func (w *literalWalker) walk(v reflect.Value) {
	if w.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			w.walk(v.Elem())
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage {
			return
		}
		if v.Type() == typeLiteral {
			w.literal(v.Interface().(*ast.RegExpLiteral))
			return
		}
		w.walk(v.Elem())
	case reflect.Struct:
		fields, known := w.fields[v.Type()]
		if !known {
			fields = nodeFields(v.Type())
			w.fields[v.Type()] = fields
		}
		for _, i := range fields {
			w.walk(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	}
}

// nodeFields are the fields of a struct that can hold nodes. Lists of
// declarations only name what stands elsewhere.
func nodeFields(t reflect.Type) (fields []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Name == "DeclarationList" {
			continue
		}
		inner := f.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Interface || inner.Kind() == reflect.Struct && inner.PkgPath() == astPackage {
			fields = append(fields, i)
		}
	}
	return fields
}

func (w *literalWalker) literal(l *ast.RegExpLiteral) {
	if strings.HasPrefix(l.Pattern, standIn) {
		return
	}
	source, _ := w.vm.ToValue(l.Pattern).(goja.String)
	id, err := w.patterns.intern(source, l.Flags)
	if err != nil {
		at := w.program.File.Position(int(l.Idx) - w.program.File.Base())
		w.err = &script.CompileError{Message: err.Error(), At: script.Position{Line: max(0, at.Line-1), Character: max(0, at.Column-1)}}
		return
	}
	l.Pattern, l.Flags = standIn+strconv.Itoa(id), nativeFlags(w.patterns.entries[id].parsed)
}
