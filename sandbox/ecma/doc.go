// Package ecma adds to goja what ECMAScript has and goja does not have or gets wrong in
// ways that scripts of people and models meet. It can go, file by file, as goja
// catches up:
//
//   - js/ has built-ins in JavaScript, most of them loaded when first used;
//   - regexp/ is a regular expression engine with Unicode properties, lookbehind and
//     sets, which can be interrupted (goja's cannot: a catastrophic pattern would
//     outlive its budget);
//   - rewrite.go changes syntax trees, keeping every position, for syntax that goja
//     or the transpiler's lowering gets wrong;
//   - recursion.go makes endless recursion a RangeError that can be caught;
//   - stack.go and reads.go write errors as Node does.
//
// What only a conformance suite notices is left as it is, and listed in
// docs/language.md.
package ecma
