package sandbox

import (
	"testing"

	"codemode-ls/script"
)

// EXEC-17: powers and functions of Math are the nearest numbers, as in other engines.
func TestExec17Elementary(t *testing.T) {
	for code, want := range map[string]string{
		"return [1000 * 1.05 ** 10, 10 ** -5, 1.01 ** 3, 200000 * (.04 / 12) / (1 - (1 + .04 / 12) ** -360)]":                                                                                     `[1628.894626777442,0.00001,1.0303010000000001,954.8305909309076]`,
		"return [Math.pow(1.08, 1 / 12), Math.sin(1e5), Math.cos(2.5), Math.tan(1), Math.atan2(1, 3), Math.log10(1000), Math.exp(1)]":                                                             `[1.0064340301100034,0.03574879797201651,-0.8011436155469337,1.5574077246549023,0.3217505543966422,3,2.718281828459045]`,
		"let x = 3; x **= 4; const o = { k: 2, get g() { this.k++; return 2 } }; o.k **= 3; return [x, o.k, (-2) ** 2, 2 ** 3 ** 2]":                                                              `[81,8,4,512]`,
		"const o = { k: 1.05, 2: 1.01, get g() { log.push('get'); return 1.05 }, set g(v) { log.push(v) } }, log = []; o.k **= 10; o['2'] **= 3; o[2] **= 1; o.g **= 10; return [o.k, o[2], log]": `[1.628894626777442,1.0303010000000001,["get",1.628894626777442]]`,
		"class C { #p = 1.05; q = 1.05; f() { this.#p **= 10; this.q **= 10; return [this.#p, this.q] } } return new C().f()":                                                                     `[1.628894626777442,1.628894626777442]`,
		"let x = { y: 2 }, z = x; x.y **= (x = { y: 9 }, 3); return [z.y, x.y]":                                                                                                                   `[8,9]`,
		"let n; try { n.k **= 2 } catch (e) { return e.name }":                                                                                                                                    `"TypeError"`,
		"const o = { valueOf: () => 3 }; return [String(2n ** 70n), '2' ** o, null ** 0, [] ** 1, NaN ** 0, 1 ** Infinity].map(String)":                                                           `["1180591620717411303424","8","1","0","1","NaN"]`,
		"try { 2n ** 2 } catch (e) { return [e.name, e.message.length > 0] }":                                                                                                                     `["TypeError",true]`,
		"const order = []; const f = (x) => (order.push(x), x); f(2) ** f(3) < f(9); return order":                                                                                                `[2,3,9]`,
		"return [Math.pow.name, Math.pow.length, Math.sin.length, Object.keys(Math).length, Math.sign() + '', Math.sign(-0) + 1]":                                                                 `["pow",2,1,0,"NaN",1]`,
		"try { Math.sin(1n) } catch (e) { return e.name }":                                                                                                                                        `"TypeError"`,
		"try { Math.pow(Symbol(), 1) } catch (e) { return e.name }":                                                                                                                               `"TypeError"`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != Completed || string(f.value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.value, f.Error, want)
		}
	}
}
