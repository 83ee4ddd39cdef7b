package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// EXEC-17: what scripts may use. Every line is an expression that is true. The
// list may only grow.
const language = `
(await (async () => { async function* g() { yield 1; yield* [2, 3] } const o: number[] = []; for await (const x of g()) o.push(x); return o })()).join() === '1,2,3'
(await (async () => { const o = []; for await (const x of [Promise.resolve(1), 2]) o.push(x); return o })()).join() === '1,2'
(await Array.fromAsync((async function* () { yield 1 })())).length === 1
(await Array.fromAsync([Promise.resolve(1)], (x) => x + 1))[0] === 2
JSON.stringify(Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even'))) === '{"odd":[1,3],"even":[2]}'
Map.groupBy([1, 2], (x) => x > 1).get(true)![0] === 2
[1, 2, 3].values().map((x) => x * 2).filter((x) => x > 2).take(1).toArray()[0] === 4
[1, 2].values().drop(1).reduce((a, b) => a + b, 0) === 2
Iterator.from([1]).some((x) => x === 1)
["reduce", "forEach", "some", "every", "find"].every((m) => { let closed = 0, thrown; const it = { __proto__: Iterator.prototype, next: () => ({ done: false, value: 1 }), return() { closed++; throw new Error("close") } }; try { it[m](() => { throw new Error("callback") }, 0) } catch (e) { thrown = e.message } return closed === 1 && thrown === "callback" })
new Set([1, 2]).union(new Set([3])).size === 3
new Set([1, 2]).intersection(new Set([2])).has(2)
new Set([1]).isSubsetOf(new Set([1, 2]))
(() => { const { promise, resolve } = Promise.withResolvers(); resolve(1); return promise instanceof Promise })()
await Promise.try(() => true)
(await Promise.any([Promise.reject(1), Promise.resolve(2)])) === 2
(await Promise.allSettled([Promise.reject(1)]))[0].status === 'rejected'
structuredClone({ a: [new Date(0), new Map([[1, { b: 2 }]])] }).a[1].get(1).b === 2
(() => { try { structuredClone(() => 1) } catch (e: any) { return e.name === 'DataCloneError' } })()
(await new Promise((r) => queueMicrotask(() => r(1)))) === 1
new TextDecoder().decode(new TextEncoder().encode('é😀')) === 'é😀'
(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e instanceof TypeError } })()
new URL('../x?q=1#h', 'https://Example.com:443/a/b').href === 'https://example.com/x?q=1#h'
(() => { const u = new URL('https://a.b/c?x=1'); u.searchParams.append('y', 'a b'); return u.href === 'https://a.b/c?x=1&y=a+b' })()
new URLSearchParams({ a: '1', b: 'x y' }).toString() === 'a=1&b=x+y'
[...new URLSearchParams('a=1&a=2').getAll('a')].join() === '1,2'
!URL.canParse('nope')
btoa('hi') === 'aGk=' && atob('aGk=') === 'hi' && atob(' aGk ') === 'hi'
/\p{L}+/u.exec('1é2')![0] === 'é'
/^\p{Script=Greek}$/u.test('α') && !/\p{Lu}/u.test('a') && /[\p{N}_]/u.test('٣')
/\P{L}/u.exec('aé1')![0] === '1'
'a1b2'.replace(/\p{Nd}/gu, '#') === 'a#b#'
/(?<y>\d{4})-(?<m>\d\d)/.exec('2026-11')!.groups!.m === '11'
/(?<=\$)\d+/.exec('a$12')![0] === '12'
/a(b)/d.exec('xab')!.indices![1].join() === '2,3'
[...'a1b2'.matchAll(/[a-z](\d)/g)].map((m) => m[1]).join() === '1,2'
(1234.5).toLocaleString('en-US') === '1,234.5'
new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(1234.5) === '$1,234.50'
new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', dateStyle: 'short' }).format(new Date('2026-01-01T02:00:00Z')) === '12/31/25'
new Date(0).toLocaleDateString('en-US', { timeZone: 'UTC' }) === '1/1/1970'
new Intl.PluralRules('en').select(1) === 'one'
['b', 'a'].sort((a, b) => a.localeCompare(b)).join() === 'a,b'
['a10', 'a2'].sort((a, b) => a.localeCompare(b, undefined, { numeric: true })).join() === 'a2,a10'
new Date().getTimezoneOffset() === 0
[3, 1, 2].toSorted().join() === '1,2,3' && [1, 2].with(0, 5)[0] === 5 && [1, 2, 3].at(-1) === 3
[1, 2, 3].findLast((x) => x < 3) === 2 && Object.hasOwn({ a: 1 }, 'a')
(() => { class A { #x = 1; static s = 2; get x() { return this.#x } static { A.s++ } has(o: any) { return #x in o } } return new A().x === 1 && A.s === 3 && new A().has(new A()) })()
(() => { const log: string[] = []; { using r = { [Symbol.dispose]() { log.push('d') } }; log.push('u') } return log.join() === 'u,d' })()
(() => { let a: any = null; a ??= { b: { c: 1 } }; return a?.b?.c === 1 && a?.x?.y === undefined })()
(() => { label: for (const x of [1, 2]) { for (;;) continue label } return 1_000 === 10 ** 3 })()
(() => { function f(a: number, b = 2, ...c: number[]) { return a + b + c.length } return f(1, ...[2, 3, 4]) === 5 })()
((s: TemplateStringsArray, ...v: any[]) => s.raw[0] + v[0])` + "`a${1}`" + ` === 'a1'
(() => { try { throw new AggregateError([new Error('x')], 'm') } catch (e: any) { return e.errors.length === 1 } })()
new Error('a', { cause: 1 }).cause === 1
10n ** 20n === 100000000000000000000n
new WeakMap([[Object, 1]]).get(Object) === 1 && new WeakRef({ a: 1 }).deref()!.a === 1
'\ud800'.isWellFormed() === false && 'x'.padStart(2, 'y') === 'yx' && 'aa'.replaceAll('a', 'b') === 'bb'
(() => { enum E { A = 1, B } const enum F { X = 'x' } return E.B === 2 && F.X === 'x' && E[1] === 'A' })()
(() => { abstract class P { constructor(readonly n: number) {} } class Q extends P {} return new Q(3).n === 3 })()
(() => { function dec(v: any, c: any) { return class extends v { z = 1 } as any } @dec class D {} return (new D() as any).z === 1 })()
(() => { const o = { get a() { return 1 }, ['b' + 1]: 2, async *g() {} }; const { a, ...rest } = o; return Object.keys(rest).join() === 'b1,g' })()
Object.fromEntries(new Map([['a', 1]])).a === 1
new Proxy({} as any, { get: (_, k) => k }).x === 'x'
Math.sumPrecise([0.1, 0.2, 0.3]) > 0.5 && RegExp.escape('a.b').endsWith('\\.b')
isNaN(NaN) && decodeURIComponent(encodeURIComponent('é/')) === 'é/' && Number.isSafeInteger(1)
new Uint8Array([1, 2]).toReversed()[0] === 2
(() => { undeclared = 1; return (globalThis as any).undeclared === 1 })()
`

func TestExec17Language(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(language), "\n")
	for _, line := range lines {
		o, _ := runScript(t, "return (\n"+line+"\n)")
		if o.Status != Completed || string(o.Value) != "true" {
			t.Errorf("%s\n got: %s %s %+v", line, o.Status, o.Value, o.Error)
		}
	}
}

// ISO-1: the global names are the language's, the pure functions that are
// documented, tools and console. Whatever is new must be put here knowingly.
func TestIso1Globals(t *testing.T) {
	o, _ := runScript(t, "return Object.getOwnPropertyNames(globalThis).sort().join(' ')")
	want := strings.Fields(`AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError
		FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number
		Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TextDecoder TextEncoder TypeError
		URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet atob btoa console decodeURI
		decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt queueMicrotask structuredClone
		tools undefined unescape`)
	got := strings.Fields(strings.Trim(string(o.Value), `"`))
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}
