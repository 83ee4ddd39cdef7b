package sandbox

import (
	"math"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// goja's bitwise operators take a number of 2 ** 63 and more for 0, which hash
// functions come to: (a * b) >>> 0. The remainder of a division by 2 ** 32, which is
// exact, means the same to these operators:
//
//	a * b % 4294967296 >>> 0
//
// That has its price, so it is done where the text shows that a number may be so
// great: for products, for variables that are multiplied again and again, and for
// what functions return. A BigInt has no such remainder; where an operand may be one,
// nothing is done.

// bitwise has what a program tells of the operands of bitwise operators.
type bitwise struct {
	wide       map[unistring.String]bool // variables that a product is assigned to, in whatever scope
	operations []any                     // *ast.BinaryExpression, *ast.UnaryExpression, *ast.AssignExpression
}

// add takes note of an operation; mend is for when all are known.
func (b *bitwise) add(node any) {
	switch n := node.(type) {
	case *ast.BinaryExpression:
		if isBitwise(n.Operator) {
			b.operations = append(b.operations, n)
		}
	case *ast.UnaryExpression:
		if n.Operator == token.BITWISE_NOT {
			b.operations = append(b.operations, n)
		}
	case *ast.AssignExpression:
		name, ok := n.Left.(*ast.Identifier)
		switch {
		case !ok:
		case isBitwise(n.Operator):
			b.operations = append(b.operations, n)
		case n.Operator == token.MULTIPLY:
			b.note(name.Name)
		case n.Operator == token.ASSIGN || n.Operator == token.PLUS:
			if multiplies(n.Right, name.Name) || b.isWide(n.Right) {
				b.note(name.Name)
			}
		}
	case *ast.Binding:
		if name, ok := n.Target.(*ast.Identifier); ok && isProduct(n.Initializer) && b.isWide(n.Initializer) {
			b.note(name.Name)
		}
	}
}

func (b *bitwise) note(name unistring.String) {
	if b.wide == nil {
		b.wide = map[unistring.String]bool{}
	}
	b.wide[name] = true
}

// mend changes the operations that need it.
func (b *bitwise) mend() {
	for _, o := range b.operations {
		switch n := o.(type) {
		case *ast.BinaryExpression:
			number := n.Operator == token.UNSIGNED_SHIFT_RIGHT || isNumber(n.Left) || isNumber(n.Right)
			left := number && b.isWide(n.Left) && convertsInTurn(n.Left, n.Right)
			right := number && b.isWide(n.Right) && convertsInTurn(n.Right, n.Left)
			if left {
				n.Left = remainder(n.Left)
			}
			if right {
				n.Right = remainder(n.Right)
			}
		case *ast.UnaryExpression:
			if isNumber(n.Operand) && b.isWide(n.Operand) {
				n.Operand = remainder(n.Operand)
			}
		case *ast.AssignExpression:
			name := n.Left.(*ast.Identifier)
			number := n.Operator == token.UNSIGNED_SHIFT_RIGHT || isNumber(n.Right)
			if number && b.isWide(n.Right) {
				n.Right = remainder(n.Right)
			}
			if number && b.wide[name.Name] {
				read := *name
				n.Right = &ast.BinaryExpression{Operator: n.Operator, Left: remainder(&read), Right: n.Right}
				n.Operator = token.ASSIGN
			}
		}
	}
}

// convertsInTurn says that it cannot be seen when an operand becomes a number: it is
// one, or the other operand is a literal.
func convertsInTurn(e, other ast.Expression) bool {
	if _, ok := e.(*ast.BinaryExpression); ok {
		return true
	}
	_, ok := other.(*ast.NumberLiteral)
	return ok
}

// isWide says whether the text shows that a number may be of 2 ** 63 and more.
func (b *bitwise) isWide(e ast.Expression) bool {
	switch n := e.(type) {
	case *ast.Identifier:
		return b.wide[n.Name]
	case *ast.CallExpression:
		return !isNarrowCall(n)
	case *ast.BinaryExpression:
		switch n.Operator {
		case token.PLUS, token.MINUS:
			return b.isWide(n.Left) || b.isWide(n.Right)
		case token.MULTIPLY:
			return b.isWide(n.Left) || b.isWide(n.Right) || !isSmall(n.Left) && !isSmall(n.Right)
		}
	}
	return false
}

// isSmall is for factors that a number of 32 bits can be multiplied by: literals, and
// Math.random().
func isSmall(e ast.Expression) bool {
	if c, ok := e.(*ast.CallExpression); ok {
		callee, ok := c.Callee.(*ast.DotExpression)
		return ok && callee.Identifier.Name == "random"
	}
	l, ok := e.(*ast.NumberLiteral)
	if !ok {
		return false
	}
	switch v := l.Value.(type) {
	case int64:
		return v <= math.MaxInt32
	case float64:
		return v <= math.MaxInt32
	}
	return false
}

// isNarrowCall is for the built-ins that such code calls in loops.
func isNarrowCall(c *ast.CallExpression) bool {
	callee, ok := c.Callee.(*ast.DotExpression)
	if !ok {
		return false
	}
	switch callee.Identifier.Name {
	case "charCodeAt", "codePointAt", "imul", "floor", "random", "clz32", "indexOf":
		return true
	}
	return false
}

// isProduct says whether a sum has a product in it.
func isProduct(e ast.Expression) bool {
	n, ok := e.(*ast.BinaryExpression)
	if !ok {
		return false
	}
	switch n.Operator {
	case token.PLUS, token.MINUS:
		return isProduct(n.Left) || isProduct(n.Right)
	case token.MULTIPLY:
		return true
	}
	return false
}

// multiplies says whether a sum has a product in it that a variable is a factor of.
func multiplies(e ast.Expression, name unistring.String) bool {
	n, ok := e.(*ast.BinaryExpression)
	if !ok {
		return false
	}
	switch n.Operator {
	case token.PLUS, token.MINUS:
		return multiplies(n.Left, name) || multiplies(n.Right, name)
	case token.MULTIPLY:
		return hasTerm(n.Left, name) || hasTerm(n.Right, name)
	}
	return false
}

func hasTerm(e ast.Expression, name unistring.String) bool {
	switch n := e.(type) {
	case *ast.Identifier:
		return n.Name == name
	case *ast.BinaryExpression:
		return isArithmetic(n.Operator) && (hasTerm(n.Left, name) || hasTerm(n.Right, name))
	}
	return false
}

// isNumber says whether an expression cannot be a BigInt: a number is in it, and the
// two do not mix.
func isNumber(e ast.Expression) bool {
	switch n := e.(type) {
	case *ast.NumberLiteral:
		switch n.Value.(type) {
		case int64, float64:
			return true
		}
	case *ast.BinaryExpression:
		return n.Operator == token.UNSIGNED_SHIFT_RIGHT ||
			(isArithmetic(n.Operator) || isBitwise(n.Operator)) && (isNumber(n.Left) || isNumber(n.Right))
	case *ast.UnaryExpression:
		return n.Operator == token.PLUS || n.Operator == token.MINUS && isNumber(n.Operand)
	}
	return false
}

func isArithmetic(t token.Token) bool {
	switch t {
	case token.PLUS, token.MINUS, token.MULTIPLY:
		return true
	}
	return false
}

func isBitwise(t token.Token) bool {
	switch t {
	case token.AND, token.OR, token.EXCLUSIVE_OR, token.SHIFT_LEFT, token.SHIFT_RIGHT, token.UNSIGNED_SHIFT_RIGHT:
		return true
	}
	return false
}

func remainder(e ast.Expression) ast.Expression {
	return &ast.BinaryExpression{Operator: token.REMAINDER, Left: e, Right: &ast.NumberLiteral{Idx: e.Idx1(), Literal: "4294967296", Value: int64(1 << 32)}}
}
