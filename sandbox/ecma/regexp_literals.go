package ecma

import (
	"strconv"
	"strings"

	"codemode-ls/script"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// internLiteral puts a regular expression literal into the realm's patterns. An
// invalid one is a *script.CompileError at its place.
func (p *patterns) internLiteral(l *ast.RegExpLiteral, program *ast.Program, vm *goja.Runtime) error {
	if strings.HasPrefix(l.Pattern, standIn) {
		return nil
	}
	source, _ := vm.ToValue(l.Pattern).(goja.String)
	id, err := p.intern(source, l.Flags)
	if err != nil {
		at := program.File.Position(int(l.Idx) - program.File.Base())
		return &script.CompileError{Message: err.Error(), At: script.Position{Line: max(0, at.Line-1), Character: max(0, at.Column-1)}}
	}
	l.Pattern, l.Flags = standIn+strconv.Itoa(id), nativeFlags(p.entries[id].parsed)
	return nil
}
