package sandbox

import (
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
)

// expandLiterals expands \p{…} in the regular expression literals of a program.
// esbuild turns most of them into calls of RegExp, which the prelude replaces,
// but not those with \p inside of a class.
func expandLiterals(program *ast.Program, code string) error {
	if !strings.Contains(code, `\p{`) && !strings.Contains(code, `\P{`) {
		return nil
	}
	return walkLiterals(reflect.ValueOf(program.Body), map[uintptr]bool{})
}

var typeLiteral = reflect.TypeFor[*ast.RegExpLiteral]()

func walkLiterals(v reflect.Value, seen map[uintptr]bool) error {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			return walkLiterals(v.Elem(), seen)
		}
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] || !strings.HasPrefix(v.Type().Elem().PkgPath(), reflect.TypeFor[ast.Program]().PkgPath()) {
			return nil
		}
		seen[v.Pointer()] = true
		if v.Type() == typeLiteral {
			l := v.Interface().(*ast.RegExpLiteral)
			if !strings.ContainsAny(l.Flags, "uv") {
				return nil
			}
			expanded, err := expandSource(l.Pattern, strings.Contains(l.Flags, "v"))
			if err != nil {
				return err
			}
			l.Pattern = expanded
			return nil
		}
		return walkLiterals(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := walkLiterals(v.Field(i), seen); err != nil {
					return err
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := walkLiterals(v.Index(i), seen); err != nil {
				return err
			}
		}
	}
	return nil
}
