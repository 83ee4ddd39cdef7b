package guest

import (
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: powers and Math.log10 give the digits that other engines give.
func TestExec17Powers(t *testing.T) {
	for code, want := range map[string]string{
		"return [1000 * 1.05 ** 10, 10 ** -5, 1.01 ** 3, 200000 * (.04 / 12) / (1 - (1 + .04 / 12) ** -360)]":                                                                                     `[1628.894626777442,0.00001,1.0303010000000001,954.8305909309076]`,
		"return [Math.pow(10, -5), Math.pow(2, -1074), Math.pow(0, -1), Math.pow(-0, 3) + 0, Math.log10(1000), Math.log10(1e-5), Math.log10(0), Math.log10(-1), Math.log10(2)].map(String)":       `["0.00001","5e-324","Infinity","0","3","-5","-Infinity","NaN","0.3010299956639812"]`,
		"let x = 3; x **= 4; const o = { k: 2, get g() { this.k++; return 2 } }; o.k **= 3; return [x, o.k, (-2) ** 2, 2 ** 3 ** 2]":                                                              `[81,8,4,512]`,
		"const o = { k: 1.05, 2: 1.01, get g() { log.push('get'); return 1.05 }, set g(v) { log.push(v) } }, log = []; o.k **= 10; o['2'] **= 3; o[2] **= 1; o.g **= 10; return [o.k, o[2], log]": `[1.628894626777442,1.0303010000000001,["get",1.628894626777442]]`,
		"class C { #p = 1.05; q = 1.05; f() { this.#p **= 10; this.q **= 10; return [this.#p, this.q] } } return new C().f()":                                                                     `[1.628894626777442,1.628894626777442]`,
		"let x = { y: 2 }, z = x; x.y **= (x = { y: 9 }, 3); return [z.y, x.y]":                                                                                                                   `[8,9]`,
		"let n; try { n.k **= 2 } catch (e) { return e.name }":                                                                                                                                    `"TypeError"`,
		"const o = { valueOf: () => 3 }; return [String(2n ** 70n), '2' ** o, null ** 0, [] ** 1, NaN ** 0, 1 ** Infinity].map(String)":                                                           `["1180591620717411303424","8","1","0","1","NaN"]`,
		"try { 2n ** 2 } catch (e) { return [e.name, e.message.length > 0] }":                                                                                                                     `["TypeError",true]`,
		"const order = []; const f = (x) => (order.push(x), x); f(2) ** f(3) < f(9); return order":                                                                                                `[2,3,9]`,
		"return [Math.pow.name, Math.pow.length, Math.log10.length, Object.keys(Math).length]":                                                                                                    `["pow",2,1,0]`,
		"try { Math.log10(1n) } catch (e) { return e.name }":                                                                                                                                      `"TypeError"`,
		"try { Math.pow(Symbol(), 1) } catch (e) { return e.name }":                                                                                                                               `"TypeError"`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
}
