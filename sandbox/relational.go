package sandbox

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// goja reads a < b < c as a < (b < c), and so on for >, in and instanceof: from the
// right. Its tree does not have the parentheses of the text, so the text tells which
// of the two was written.

var relational = []token.Token{token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL, token.IN, token.INSTANCEOF}

// mendRelational has operators of one level group from the left.
func mendRelational(n *ast.BinaryExpression, f *file.File) {
	if !slices.Contains(relational, n.Operator) {
		return
	}
	for {
		right, ok := n.Right.(*ast.BinaryExpression)
		if !ok || !slices.Contains(relational, right.Operator) || inParentheses(right, f) {
			return
		}
		left := &ast.BinaryExpression{Operator: n.Operator, Left: n.Left, Right: right.Left, Comparison: n.Comparison}
		*n = ast.BinaryExpression{Operator: right.Operator, Left: left, Right: right.Right, Comparison: right.Comparison}
	}
}

// inParentheses says whether the text has more parentheses open before an expression
// than those that its first parts need.
func inParentheses(n *ast.BinaryExpression, f *file.File) bool {
	text := f.Source()[:int(n.Idx0())-f.Base()]
	open := 0
	for {
		text = strings.TrimRight(text, " \n")
		if outer, ok := strings.CutSuffix(text, "("); ok {
			text = outer
			open++
			continue
		}
		comment := strings.LastIndex(text, "/*") // the transpiler's own, as before calls that are pure
		if comment < 0 || !strings.HasSuffix(text, "*/") {
			return open > needed(n)
		}
		text = text[:comment]
	}
}

// needed counts the parentheses without which the first parts of an expression would
// mean something else. The transpiler writes no others.
func needed(e ast.Expression) (n int) {
	for {
		first, level := firstPart(e)
		if first == nil {
			return n
		}
		if precedence(first) < level {
			n++
		}
		e = first
	}
}

// firstPart is the part that an expression begins with, and the precedence that it
// must have there to need no parentheses.
func firstPart(e ast.Expression) (first ast.Expression, level int) {
	switch n := e.(type) {
	case *ast.BinaryExpression:
		if slices.Contains(relational, n.Operator) {
			return n.Left, precedence(n) + 1 // goja takes what follows for the other part
		}
		return n.Left, precedence(n)
	case *ast.SequenceExpression:
		return n.Sequence[0], 1
	case *ast.AssignExpression:
		return n.Left, 0
	case *ast.ConditionalExpression:
		return n.Test, 3
	case *ast.UnaryExpression:
		if n.Postfix {
			return n.Operand, memberLevel
		}
	case *ast.DotExpression:
		return n.Left, memberLevel
	case *ast.PrivateDotExpression:
		return n.Left, memberLevel
	case *ast.BracketExpression:
		return n.Left, memberLevel
	case *ast.CallExpression:
		return n.Callee, memberLevel
	case *ast.TemplateLiteral:
		return n.Tag, memberLevel
	case *ast.Optional:
		return firstPart(n.Expression)
	case *ast.OptionalChain:
		return firstPart(n.Expression)
	}
	return nil, 0
}

const memberLevel = 16

// precedence is how closely an expression holds its parts.
func precedence(e ast.Expression) int {
	switch n := e.(type) {
	case *ast.SequenceExpression:
		return 0
	case *ast.AssignExpression, *ast.YieldExpression, *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
		return 1
	case *ast.ConditionalExpression:
		return 2
	case *ast.AwaitExpression, *ast.UnaryExpression:
		return 14
	case *ast.BinaryExpression:
		switch n.Operator {
		case token.LOGICAL_OR, token.COALESCE:
			return 3
		case token.LOGICAL_AND:
			return 4
		case token.OR:
			return 5
		case token.EXCLUSIVE_OR:
			return 6
		case token.AND:
			return 7
		case token.EQUAL, token.NOT_EQUAL, token.STRICT_EQUAL, token.STRICT_NOT_EQUAL:
			return 8
		case token.SHIFT_LEFT, token.SHIFT_RIGHT, token.UNSIGNED_SHIFT_RIGHT:
			return 10
		case token.PLUS, token.MINUS:
			return 11
		case token.MULTIPLY, token.SLASH, token.REMAINDER:
			return 12
		case token.EXPONENT:
			return 15 // what it begins with is no unary expression
		}
		return 9
	}
	return memberLevel
}
