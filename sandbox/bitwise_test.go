package sandbox

import (
	"testing"

	"codemode-ls/script"
)

// EXEC-17: bitwise operators take numbers of 2 ** 63 and more as they are, where they
// come from products; a BigInt stays one.
func TestExec17Bitwise(t *testing.T) {
	for code, want := range map[string]string{
		`const a = 4294967295, b = 4000000000; return [(a * b) >>> 0, (a * b) | 0, 1 ^ a * b * 3, (a * b + 7) & 65535, (-a * b) >> 2, (a * b) << 3]`:                   `[294967296,294967296,884899841,55296,-73741824,-1935228928]`,
		`let h = 5381; for (const c of 'the quick br') h = h * 33 + c.charCodeAt(0); return [h >>> 0, h | 0, ~(h * 1), h & 0xff00000]`:                                 `[1340080128,1340080128,-1340080129,266338304]`,
		`let h = 7; for (let i = 0; i < 9; i++) { h = h * 2654435761 >>> 0; h ^= i } return h`:                                                                         `1490323976`,
		`let h = 7; for (let i = 1; i < 9; i++) { h ^= 99; h *= 16777619 * 77777; h >>>= 0 } return h`:                                                                 `1058537472`,
		`let h = 3; for (let i = 0; i < 13; i++) { h += h * 31; h++ } h |= 0; return h`:                                                                                `1108377600`,
		`return ['a', 'long text of so'].map((t) => [...t].reduce((h, c) => h * 31 + c.charCodeAt(0), 0) >>> 0)`:                                                       `[97,536870912]`,
		`const f = (x) => x * x; return [f(5e9 + 12345) >>> 0, f(5e9 + 12345) | 0, f(NaN) | 0, f(1.5) | 0, f('4') >>> 1, f(-0) >>> 0]`:                                 `[1396649984,1396649984,0,2,8,0]`,
		`const a = 2n ** 40n; let h = 1n; for (let i = 0n; i < 9n; i++) h = h * a + i; h &= 0xffffffffffn; return [String((a * a) & 0xffffn | 5n), String(h ^ a * h)]`: `["5","8796093022216"]`,
		`const a = 2n; try { return String(a * a >>> 0n) } catch (e) { return e.name }`:                                                                                `"TypeError"`,
		`const x = Infinity, y = 2; return [(x * y) >>> 0, (x * y) | 0, (y * -3.7) | 0, (y * -0) >>> 0]`:                                                               `[0,0,-7,0]`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != Completed || string(f.value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.value, f.Error, want)
		}
	}
}
