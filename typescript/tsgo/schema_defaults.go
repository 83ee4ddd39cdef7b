package codemodeshim

import (
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/jsnum"
)

// pointer escapes a name for a JSON Pointer.
func pointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "%", "%25").Replace(name)
}

// defaultsOf adds the defaults that a pattern gives to fields: that of the parameter,
// or one that a statement at the top of the function takes the parameter apart with.
func (r *schemaReader) defaultsOf(p, function *ast.Node, root *schema) {
	if p.Name().Kind == ast.KindObjectBindingPattern {
		defaults(p.Name(), root)
		return
	}
	body := function.Body()
	if body == nil || body.Kind != ast.KindBlock || p.Name().Kind != ast.KindIdentifier {
		return
	}
	for _, statement := range body.Statements() {
		if statement.Kind != ast.KindVariableStatement {
			continue
		}
		for _, d := range statement.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes {
			value := d.Initializer()
			if d.Name().Kind == ast.KindObjectBindingPattern && value != nil && value.Kind == ast.KindIdentifier && value.Text() == p.Name().Text() {
				defaults(d.Name(), root)
			}
		}
	}
}

func defaults(p *ast.Node, s *schema) {
	for _, element := range p.Elements() {
		name := element.PropertyNameOrName()
		if element.AsBindingElement().DotDotDotToken != nil || name == nil {
			continue
		}
		text, ok := ast.TryGetTextOfPropertyName(name)
		if !ok {
			continue
		}
		field := s.property(text)
		if field == nil {
			continue
		}
		if value, ok := constant(element.Initializer()); ok {
			field.value, field.hasValue = value, true
		}
		if element.Name() != nil && element.Name().Kind == ast.KindObjectBindingPattern {
			defaults(element.Name(), field.schema)
		}
	}
}

// constant is the value of an expression that JSON can write, as it stands there.
func constant(n *ast.Node) (any, bool) {
	if n == nil {
		return nil, false
	}
	n = ast.SkipParentheses(n)
	switch n.Kind {
	case ast.KindStringLiteral, ast.KindNoSubstitutionTemplateLiteral:
		return n.Text(), true
	case ast.KindNumericLiteral:
		return number(n, 1)
	case ast.KindTrueKeyword, ast.KindFalseKeyword:
		return n.Kind == ast.KindTrueKeyword, true
	case ast.KindNullKeyword:
		return nil, true
	case ast.KindAsExpression, ast.KindSatisfiesExpression:
		return constant(n.Expression())
	case ast.KindPrefixUnaryExpression:
		if u := n.AsPrefixUnaryExpression(); u.Operator == ast.KindMinusToken && u.Operand.Kind == ast.KindNumericLiteral {
			return number(u.Operand, -1)
		}
	case ast.KindArrayLiteralExpression:
		list := []any{}
		for _, element := range n.Elements() {
			value, ok := constant(element)
			if !ok {
				return nil, false
			}
			list = append(list, value)
		}
		return list, true
	case ast.KindObjectLiteralExpression:
		o := object{}
		for _, p := range n.Properties() {
			if p.Kind != ast.KindPropertyAssignment {
				return nil, false
			}
			name, named := ast.TryGetTextOfPropertyName(p.Name())
			value, ok := constant(p.Initializer())
			if !named || !ok {
				return nil, false
			}
			o.add(name, value)
		}
		return o, true
	}
	return nil, false
}

func number(n *ast.Node, sign float64) (any, bool) {
	value := jsnum.FromString(n.Text())
	return sign * float64(value), !value.IsNaN() && !value.IsInf()
}
