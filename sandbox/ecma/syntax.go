package ecma

import (
	"reflect"

	"github.com/dop251/goja/ast"
)

// treeWalker visits the nodes of a syntax tree in the order of the text. goja has
// no visitor of its own.
type treeWalker struct {
	// enter is called with each node, a pointer; what is in the node is visited when
	// it says so, and then leave is called, unless it is nil.
	enter  func(node any) bool
	leave  func(node any)
	fields map[reflect.Type][]int // which fields of a struct can hold nodes
}

var astPackage = reflect.TypeFor[ast.Program]().PkgPath()

func (w *treeWalker) walk(statements []ast.Statement) {
	w.fields = map[reflect.Type][]int{}
	w.visit(reflect.ValueOf(statements))
}

func (w *treeWalker) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			w.visit(v.Elem())
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != astPackage {
			return
		}
		node := v.Interface()
		if !w.enter(node) {
			return
		}
		w.visit(v.Elem())
		if w.leave != nil {
			w.leave(node)
		}
	case reflect.Struct:
		fields, known := w.fields[v.Type()]
		if !known {
			fields = nodeFields(v.Type())
			w.fields[v.Type()] = fields
		}
		for _, i := range fields {
			w.visit(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.visit(v.Index(i))
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
