package codemodeshim

import (
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
)

func (r *promiseRules) walk(n *ast.Node) bool {
	if r.ctx.Err() != nil || len(r.found) >= maxPromises {
		return true
	}
	r.look(n)
	return n.ForEachChild(r.walk)
}

func (r *promiseRules) look(n *ast.Node) {
	switch n.Kind {
	case ast.KindExpressionStatement:
		r.dropped(n.Expression())
	case ast.KindForStatement:
		f := n.AsForStatement()
		if f.Incrementor != nil {
			r.dropped(f.Incrementor)
		}
		if f.Initializer != nil && f.Initializer.Kind != ast.KindVariableDeclarationList {
			r.dropped(f.Initializer)
		}
	case ast.KindWhileStatement:
		r.condition(n.Expression())
	case ast.KindPrefixUnaryExpression:
		if u := n.AsPrefixUnaryExpression(); u.Operator == ast.KindExclamationToken {
			r.condition(u.Operand)
		}
	case ast.KindTemplateSpan:
		if n.Parent.Parent.Kind != ast.KindTaggedTemplateExpression {
			r.value(n.Expression(), r.of)
		}
	case ast.KindBinaryExpression:
		r.binary(n.AsBinaryExpression())
	case ast.KindSpreadAssignment:
		if r.of(n.Expression()) == always {
			r.reportUse(n.Expression(), Promise{Used: true})
		}
	case ast.KindThrowStatement:
		r.value(n.Expression(), r.of)
	case ast.KindAwaitExpression:
		r.awaited(n)
	case ast.KindReturnStatement:
		if e := n.Expression(); e != nil && r.isResult(n) {
			r.returned(e)
		}
	case ast.KindExportAssignment:
		r.returned(n.Expression())
	case ast.KindCallExpression:
		r.call(n)
	case ast.KindVariableDeclaration:
		if d := n.AsVariableDeclaration(); d.Name().Kind == ast.KindIdentifier && d.Initializer != nil && n.Parent.Parent.Kind == ast.KindVariableStatement {
			v := r.variable(n.Symbol())
			v.values = append(v.values, d.Initializer)
			v.isConst = n.Parent.Flags&ast.NodeFlagsConst != 0
		}
	case ast.KindIdentifier:
		r.name(n)
		if r.loose && ast.IsExpressionNode(n) {
			r.lost(n)
		}
	case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
		if r.loose {
			r.lost(n)
		}
	case ast.KindArrowFunction, ast.KindFunctionExpression, ast.KindMethodDeclaration:
		if r.loose && len(r.untyped) < maxPromises && r.isGivenToAny(n) {
			for _, p := range n.Parameters() {
				r.untyped = append(r.untyped, r.rangeOf(p))
			}
		}
	}
}

// isGivenToAny reports whether a function is, alone or in an object or a list, an
// argument of something of type any, or assigned to that.
func (r *promiseRules) isGivenToAny(f *ast.Node) bool {
	for n := f; ; n = n.Parent {
		switch p := n.Parent; p.Kind {
		case ast.KindParenthesizedExpression, ast.KindPropertyAssignment, ast.KindObjectLiteralExpression, ast.KindArrayLiteralExpression,
			ast.KindConditionalExpression, ast.KindSpreadElement:
		case ast.KindCallExpression, ast.KindNewExpression:
			return p.Expression() != n && r.isAny(p.Expression())
		case ast.KindBinaryExpression:
			b := p.AsBinaryExpression()
			return b.Right == n && ast.IsAssignmentOperator(b.OperatorToken.Kind) && r.isAny(b.Left)
		default:
			return false
		}
	}
}

func (r *promiseRules) isAny(n *ast.Node) bool {
	return r.c.GetTypeAtLocation(n).Flags()&checker.TypeFlagsAny != 0
}

// dropped is an expression whose value nobody gets.
func (r *promiseRules) dropped(e *ast.Node) {
	e = ast.SkipOuterExpressions(e, ast.OEKParentheses|ast.OEKTypeAssertions|ast.OEKSatisfies|ast.OEKNonNullAssertions)
	switch e.Kind {
	case ast.KindVoidExpression: // `void f()` says that it is meant
		return
	case ast.KindConditionalExpression:
		c := e.AsConditionalExpression()
		r.dropped(c.WhenTrue)
		r.dropped(c.WhenFalse)
		return
	case ast.KindArrayLiteralExpression:
		for _, item := range e.Elements() {
			r.dropped(item)
		}
		return
	case ast.KindBinaryExpression:
		b := e.AsBinaryExpression()
		switch k := b.OperatorToken.Kind; {
		case k == ast.KindCommaToken:
			r.dropped(b.Left)
			r.dropped(b.Right)
			return
		case k == ast.KindAmpersandAmpersandToken, k == ast.KindBarBarToken, k == ast.KindQuestionQuestionToken:
			r.dropped(b.Right)
			return
		case ast.IsAssignmentOperator(k):
			return
		}
	case ast.KindIdentifier:
		return // see name
	}
	s := r.of(e)
	if s == none || e.Kind == ast.KindAwaitExpression || r.isHandled(e) || e.Kind == ast.KindCallExpression && r.isParameter(e.Expression()) && (s == maybe || r.mayBeVoid(e)) {
		return
	}
	if base := baseOf(e); base != e && base.Kind != ast.KindCallExpression {
		return // more that is done with a promise which is somebody's
	}
	tool, reaches := r.origin(e, nil)
	if !reaches || r.inExecutor(e) && (tool == "" || isChain(e)) || r.isKept(e) {
		return
	}
	r.report(e, Promise{Tool: r.toolOf(e), List: s == list})
}

// mayBeVoid reports whether an expression is a promise or nothing.
func (r *promiseRules) mayBeVoid(e *ast.Node) bool {
	return slices.ContainsFunc(r.c.GetTypeAtLocation(e).Distributed(), func(t *checker.Type) bool { return t.Flags()&checker.TypeFlagsVoid != 0 })
}

// isChain reports whether a promise is that of then, catch or finally.
func isChain(e *ast.Node) bool {
	method, _ := chained(e)
	return method == "then" || method == "catch" || method == "finally"
}

// chained is the method that a call is of, and the object.
func chained(e *ast.Node) (method string, object *ast.Node) {
	if e.Kind != ast.KindCallExpression {
		return "", nil
	}
	callee := ast.SkipParentheses(e.Expression())
	if callee.Kind != ast.KindPropertyAccessExpression {
		return "", nil
	}
	return callee.Name().Text(), ast.SkipParentheses(callee.Expression())
}

// baseOf is what a chain of promises begins with.
func baseOf(e *ast.Node) *ast.Node {
	for isChain(e) {
		_, e = chained(e)
	}
	return e
}

// isHandled reports whether a chain of promises says what becomes of a rejection.
func (r *promiseRules) isHandled(e *ast.Node) bool {
	for isChain(e) {
		method, object := chained(e)
		if n := len(e.Arguments()); method == "catch" && n > 0 || method == "then" && n > 1 {
			return true
		}
		e = object
	}
	return false
}

// inExecutor reports whether an expression is in the executor of a new promise,
// which settles by what is called in it.
func (r *promiseRules) inExecutor(n *ast.Node) bool {
	for f := ast.GetContainingFunction(n); f != nil; f = ast.GetContainingFunction(f) {
		if p := f.Parent; p.Kind == ast.KindNewExpression && ast.IsIdentifier(p.Expression()) && p.Expression().Text() == "Promise" {
			return true
		}
	}
	return false
}

// isKept reports whether the function that is called puts its promises somewhere
// else, where they are awaited: it adds them to a list outside of it, or a callback
// may do so.
func (r *promiseRules) isKept(e *ast.Node) bool {
	if e.Kind != ast.KindCallExpression {
		return false
	}
	body := r.body(e)
	if body == nil {
		return r.isParameter(e.Expression()) && r.keeps(r.file.AsNode(), nil)
	}
	return r.keeps(body, body.Parent)
}

// keeps reports whether promises are put into variables outside of a function.
func (r *promiseRules) keeps(n, function *ast.Node) bool {
	outside := func(target *ast.Node) bool {
		for target.Kind == ast.KindPropertyAccessExpression || target.Kind == ast.KindElementAccessExpression {
			target = ast.SkipParentheses(target.Expression())
		}
		if target.Kind == ast.KindThisKeyword {
			return true
		}
		if target.Kind != ast.KindIdentifier {
			return false
		}
		s := r.c.GetSymbolAtLocation(target)
		if s == nil || s.ValueDeclaration == nil {
			return false
		}
		f := function
		if f == nil {
			f = ast.GetContainingFunction(target)
		}
		return !ast.IsNodeDescendantOf(s.ValueDeclaration, f)
	}
	var look func(*ast.Node) bool
	look = func(n *ast.Node) bool {
		switch n.Kind {
		case ast.KindCallExpression:
			if method, object := chained(n); (method == "push" || method == "unshift" || method == "add" || method == "set") && outside(object) {
				for _, a := range n.Arguments() {
					if r.of(a) != none {
						return true
					}
				}
			}
		case ast.KindBinaryExpression:
			if b := n.AsBinaryExpression(); ast.IsAssignmentOperator(b.OperatorToken.Kind) && b.Left.Kind != ast.KindIdentifier && outside(b.Left) && r.of(b.Right) != none {
				return true
			}
		}
		return n.ForEachChild(look)
	}
	return look(n)
}

// value is an expression of which the value is needed. Literals are looked into.
func (r *promiseRules) value(e *ast.Node, of func(*ast.Node) shape) {
	e = ast.SkipParentheses(e)
	switch e.Kind {
	case ast.KindObjectLiteralExpression:
		for _, p := range e.Properties() {
			switch p.Kind {
			case ast.KindPropertyAssignment:
				r.value(p.Initializer(), of)
			case ast.KindShorthandPropertyAssignment:
				if s := of(p.Name()); s != none {
					r.used(p.Name(), s, p.Name().Text())
				}
			}
		}
		return
	case ast.KindArrayLiteralExpression:
		for _, item := range e.Elements() {
			if item.Kind != ast.KindSpreadElement {
				r.value(item, of)
			} else if of(item.Expression()) == list {
				r.used(item.Expression(), list, "")
			}
		}
		return
	case ast.KindConditionalExpression:
		r.value(e.AsConditionalExpression().WhenTrue, of)
		r.value(e.AsConditionalExpression().WhenFalse, of)
		return
	}
	if s := of(e); s != none && !r.isAwaitOfList(e) {
		r.used(e, s, "")
	}
}

func (r *promiseRules) used(e *ast.Node, s shape, name string) {
	r.report(e, Promise{Used: true, List: s == list, Deep: s == deep, Name: name})
}

// isAwaitOfList reports whether an expression is an await that waits for nothing:
// that is reported once, by awaited.
func (r *promiseRules) isAwaitOfList(e *ast.Node) bool {
	return e.Kind == ast.KindAwaitExpression && r.of(ast.SkipParentheses(e.Expression())) == list
}

// inside is the shape of an expression, with what is inside of objects.
func (r *promiseRules) inside(e *ast.Node) shape {
	if s := r.of(e); s != none {
		return s
	}
	return r.within(r.c.GetTypeAtLocation(e), 0)
}

// condition is an expression that is always true when it is a promise. Where a
// condition is checked for presence, as in a cache, it may be missing.
func (r *promiseRules) condition(e *ast.Node) {
	e = ast.SkipParentheses(e)
	if e.Kind == ast.KindCallExpression && r.of(e) == always && !r.c.IsNullableType(r.c.GetTypeAtLocation(e)) {
		r.reportUse(e, Promise{Used: true})
	}
}

func (r *promiseRules) binary(b *ast.BinaryExpression) {
	switch b.OperatorToken.Kind {
	case ast.KindPlusToken:
		for _, e := range []*ast.Node{b.Left, b.Right} {
			if r.isText(b.Left) || r.isText(b.Right) {
				r.value(e, r.of)
			}
		}
	case ast.KindPlusEqualsToken:
		if r.isText(b.Left) {
			r.value(b.Right, r.of)
		}
	case ast.KindBarBarToken, ast.KindQuestionQuestionToken:
		r.condition(b.Left)
	case ast.KindEqualsToken:
		if b.Left.Kind == ast.KindElementAccessExpression || b.Left.Kind == ast.KindPropertyAccessExpression {
			if s := r.c.GetSymbolAtLocation(ast.SkipParentheses(b.Left.Expression())); r.isVariable(s) {
				v := r.variable(s)
				v.stored = append(v.stored, b.Right)
			}
		}
	case ast.KindEqualsEqualsToken, ast.KindEqualsEqualsEqualsToken, ast.KindExclamationEqualsToken, ast.KindExclamationEqualsEqualsToken:
		r.condition(b.Left)
		r.condition(b.Right)
	}
}

func (r *promiseRules) isText(e *ast.Node) bool {
	return r.c.GetTypeAtLocation(e).Flags()&checker.TypeFlagsStringLike != 0
}

// awaited finds lists behind await, which waits for none of their promises.
func (r *promiseRules) awaited(n *ast.Node) {
	e := ast.SkipParentheses(n.Expression())
	if r.of(e) == list {
		r.reportUse(e, Promise{Used: true, List: true})
		return
	}
	if method, object := chained(e); method == "all" && ast.IsIdentifier(object) && object.Text() == "Promise" {
		if r.shape(r.c.GetTypeAtLocation(n)) == list { // lists of lists
			r.report(n, Promise{Used: true, Deep: true})
		}
	}
}

// isResult reports whether a return statement returns the script's result: that of
// the default export, which a body is wrapped in.
func (r *promiseRules) isResult(n *ast.Node) bool {
	f := ast.GetContainingFunction(n)
	if f == nil {
		return false
	}
	if f.Kind == ast.KindFunctionDeclaration {
		return f.Parent == r.file.AsNode() && ast.HasSyntacticModifier(f, ast.ModifierFlagsDefault)
	}
	return f.Parent != nil && f.Parent.Kind == ast.KindExportAssignment
}

// returned looks into a result: a promise by itself is awaited, one inside is not.
func (r *promiseRules) returned(e *ast.Node) {
	e = ast.SkipParentheses(e)
	switch e.Kind {
	case ast.KindObjectLiteralExpression, ast.KindArrayLiteralExpression:
		r.value(e, r.inside)
		return
	case ast.KindConditionalExpression:
		r.returned(e.AsConditionalExpression().WhenTrue)
		r.returned(e.AsConditionalExpression().WhenFalse)
		return
	case ast.KindArrowFunction:
		if body := e.Body(); body.Kind != ast.KindBlock {
			r.returned(body)
		}
		return
	}
	t := r.c.GetTypeAtLocation(e)
	s := r.within(t, 0)
	if s == always || s == maybe {
		p := r.c.GetPromisedTypeOfPromise(r.c.GetNonNullableType(t))
		if p == nil || r.within(p, 0) == none {
			return
		}
		s = deep
	}
	if s != none && !r.isAwaitOfList(e) {
		r.used(e, s, "")
	}
}

// textual are functions that make a text, a number or a list of what they get.
var textual = map[string]bool{"String": true, "Number": true, "Boolean": true, "JSON.stringify": true}

// spread are functions of Object that read the properties of an object.
var spread = map[string]bool{"Object.keys": true, "Object.values": true, "Object.entries": true, "Object.assign": true}

// conditional are methods of arrays that check whether what their callback returns
// is truthy.
var conditional = map[string]bool{"filter": true, "find": true, "findIndex": true, "findLast": true, "findLastIndex": true, "some": true, "every": true}

// call looks at the arguments of a call.
func (r *promiseRules) call(n *ast.Node) {
	callee := ast.SkipParentheses(n.Expression())
	method, object := chained(n)
	if method == "join" && len(n.Arguments()) <= 1 && r.of(object) == list {
		r.reportUse(object, Promise{Used: true, List: true})
	}
	if len(n.Arguments()) == 0 {
		return
	}
	name := ""
	switch {
	case callee.Kind == ast.KindIdentifier:
		name = callee.Text()
	case object != nil && object.Kind == ast.KindIdentifier && r.isGlobal(object):
		name = object.Text() + "." + method
	}
	switch {
	case name == "JSON.stringify":
		r.value(n.Arguments()[0], r.inside)
	case textual[name]:
		r.value(n.Arguments()[0], r.of)
	case strings.HasPrefix(name, "console."):
		for _, a := range n.Arguments() {
			r.value(a, r.of)
		}
	case spread[name]:
		for i, a := range n.Arguments() {
			if (i > 0 || name != "Object.assign") && r.of(a) == always {
				r.reportUse(a, Promise{Used: true})
			}
		}
	case r.isTool(n):
		r.value(n.Arguments()[0], r.inside)
	default:
		r.callback(n, method, object)
	}
}

func (r *promiseRules) isGlobal(n *ast.Node) bool { return r.isDeclared(r.c.GetSymbolAtLocation(n)) }

// callback looks at the function that is the first argument of a call.
func (r *promiseRules) callback(n *ast.Node, method string, object *ast.Node) {
	a := ast.SkipParentheses(n.Arguments()[0])
	check := conditional[method]
	switch {
	case check && a.Kind == ast.KindIdentifier && a.Text() == "Boolean" && r.isGlobal(a):
		if t := r.c.GetTypeAtLocation(object); r.shape(t) == list {
			if e := r.c.GetNumberIndexType(r.c.GetNonNullableType(t)); r.shape(e) == always && !r.c.IsNullableType(e) {
				r.ignored(n, method, true)
			}
		}
		return
	case check:
		if !r.isList(object) || !r.returnsPromise(a, always) {
			return
		}
	case method == "forEach" && r.isCollection(object):
		if !r.returnsPromise(a, maybe) {
			return
		}
	default:
		return
	}
	if _, reaches := r.origin(a, nil); reaches && !r.isKeptCallback(a) {
		r.ignored(n, method, check)
	}
}

// isKeptCallback reports whether a callback puts its promises somewhere else.
func (r *promiseRules) isKeptCallback(a *ast.Node) bool {
	body := a
	if a.Kind == ast.KindIdentifier {
		if body = r.functionOf(a); body == nil {
			return false
		}
	}
	return ast.IsFunctionLike(body) && body.Body() != nil && !ast.HasSyntacticModifier(body, ast.ModifierFlagsAsync) && r.keeps(body.Body(), body)
}

// ignored reports a method that does not wait for its callback.
func (r *promiseRules) ignored(call *ast.Node, method string, condition bool) {
	mark := ast.SkipParentheses(call.Expression()).Name()
	if !condition {
		mark = r.markedCallback(call)
	}
	r.found = append(r.found, finding{
		at: call, mark: mark,
		promise: Promise{Callback: method, Condition: condition, List: true},
	})
}

// isList reports whether an expression is an array, or something unknown.
func (r *promiseRules) isList(e *ast.Node) bool {
	t := r.c.GetNonNullableType(r.c.GetTypeAtLocation(e))
	return t.Flags()&checker.TypeFlagsAny != 0 || r.c.IsArrayLikeType(t)
}

// isCollection reports whether forEach of an expression is the language's.
func (r *promiseRules) isCollection(e *ast.Node) bool {
	if r.isList(e) {
		return true
	}
	s := r.c.GetNonNullableType(r.c.GetTypeAtLocation(e)).Symbol()
	return r.isDeclared(s) && (strings.HasSuffix(s.Name, "Map") || strings.HasSuffix(s.Name, "Set") || s.Name == "URLSearchParams" || strings.HasPrefix(s.Name, "Iterator"))
}

// returnsPromise reports whether a value is a function that returns promises, at
// least of a shape.
func (r *promiseRules) returnsPromise(e *ast.Node, least shape) bool {
	for _, s := range r.c.GetCallSignatures(r.c.GetTypeAtLocation(e)) {
		if shape := r.shape(r.c.GetReturnTypeOfSignature(s)); shape == always || shape == maybe && least == maybe {
			return true
		}
	}
	return e.Kind == ast.KindArrowFunction && e.Body().Kind != ast.KindBlock && r.of(ast.SkipParentheses(e.Body())) == always
}
