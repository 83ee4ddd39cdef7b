package sandbox

import (
	"testing"

	"codemode-ls/script"
)

// EXEC-17: methods keep surrogates without their other half, arrays whose holes were
// mapped have undefined there, and BigInts are found and cut as they are.
func TestExec17NamedMethods(t *testing.T) {
	const units = "const u = (s) => Array.from({ length: s.length }, (_, i) => s.charCodeAt(i).toString(16)).join(); "
	for code, want := range map[string]string{
		units + `const s = ' \u00a0É\ud800b\udc00😀\ud83d '; return [s.trim(), s.trimStart(), s.trimEnd(), s.trimLeft(), '\ud800'.trim(), '\ufffd '.trim()].map(u)`:                                                                                                                           `["c9,d800,62,dc00,d83d,de00,d83d","c9,d800,62,dc00,d83d,de00,d83d,20","20,a0,c9,d800,62,dc00,d83d,de00,d83d","c9,d800,62,dc00,d83d,de00,d83d,20","d800","fffd"]`,
		units + `const s = 'É\ud800B\udc00😀\ud83d'; return [s.toLowerCase(), s.toUpperCase(), s.toLocaleLowerCase(), s.toLocaleUpperCase(), 'ß\udfff'.toUpperCase(), '\ud800'.toLowerCase()].map(u)`:                                                                                         `["e9,d800,62,dc00,d83d,de00,d83d","c9,d800,42,dc00,d83d,de00,d83d","e9,d800,62,dc00,d83d,de00,d83d","c9,d800,42,dc00,d83d,de00,d83d","53,53,dfff","d800"]`,
		units + `const s = 'e\u0301\ud800é\udc00'; return [s.normalize(), s.normalize('NFD'), 'A\ufffd'.normalize()].map(u)`:                                                                                                                                                                 `["e9,d800,e9,dc00","65,301,d800,65,301,dc00","41,fffd"]`,
		`let n = 0; const o = { toString() { n++; return ' \ud800 ' } }; return [String.prototype.trim.call(o).length, n, 'x'.trim.name, 'x'.trim.length, 'x'.trimLeft === 'x'.trimStart, 'x'.normalize.length, 'x'.trimLeft.name]`:                                                          `[1,1,"trim",0,true,0,"trimStart"]`,
		`return ['trim', 'toLowerCase', 'normalize'].map((m) => [null, undefined, Symbol()].map((v) => { try { String.prototype[m].call(v) } catch (e) { return e.name } }))`:                                                                                                                `[["TypeError","TypeError","TypeError"],["TypeError","TypeError","TypeError"],["TypeError","TypeError","TypeError"]]`,
		`const a = [1, , 2].map((x) => x); return [a.includes(undefined), a.includes(undefined, 2), a.includes(undefined, -2), a.includes(), a.includes(null), [1, 2].includes(undefined), [].includes(), [1].includes(undefined, { valueOf: () => 0 })]`:                                    `[true,false,true,true,false,false,false,false]`,
		`const a = [1, , 2].map((x) => x); return [a.with(0, 5), a.toReversed(), a.toSpliced(0, 1), a.toSorted(), [3, 1].with(-1, 2), [2, 1].toSorted()].map((b) => Object.keys(b).length)`:                                                                                                  `[3,3,2,3,2,2]`,
		`const b = new BigInt64Array([5n, -1n, 1n, -5n, -1n]); return [b.indexOf(-1n), b.indexOf(-1n, 2), b.indexOf(-5n), b.includes(-2n), b.includes(-5n, -1), b.lastIndexOf(-1n), b.lastIndexOf(-1n, 3), b.lastIndexOf(-1n, -9), b.indexOf(1n), b.includes(2n ** 64n + 5n), b.indexOf(5)]`: `[1,4,3,false,false,4,1,-1,2,false,-1]`,
		`const b = new BigUint64Array([0n, 2n ** 64n - 1n]); return [b.includes(2n ** 64n), b.indexOf(-1n), b.indexOf(2n ** 64n - 1n), new Float64Array([1]).includes(1)]`:                                                                                                                   `[false,-1,1,true]`,
		`return [BigInt.asUintN(2 ** 53 - 1, 5n), BigInt.asIntN(2 ** 53 - 1, -5n), BigInt.asUintN(8, -1n), BigInt.asIntN(8, 255n), BigInt.asIntN.length].map(String)`:                                                                                                                        `["5","-5","255","-1","2"]`,
		`try { BigInt.asUintN(2 ** 53 - 1, -1n) } catch (e) { return [e.name, e.message] }`:                                                                                                                                                                                                  `["RangeError","Maximum BigInt size exceeded"]`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != Completed || string(f.value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.value, f.Error, want)
		}
	}
}
