package guest

import (
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: methods that fail in goja, or are not what the language says.
func TestExec17Methods(t *testing.T) {
	for code, want := range map[string]string{
		`return ['padStart', 'padEnd'].map((m) => { try { return 'x'[m](Infinity) } catch (e) { return e.name + ': ' + e.message } }).join()`:             `"RangeError: Invalid string length,RangeError: Invalid string length"`,
		`return ['a'.padEnd(3, 'xy'), 'a'.padStart(3), 'a'.padStart(Infinity, ''), 'a'.padEnd('2', 0), 'ab'.padEnd(NaN), String.prototype.padEnd.length]`: `["axy","  a","a","a0","ab",1]`,
		`try { ''.padEnd(1, Symbol()) } catch (e) { return e.name }`:                                                                                      `"TypeError"`,
		`try { String.prototype.padEnd.call(null) } catch (e) { return e.name }`:                                                                          `"TypeError"`,
		`return [new Date(Date.UTC(-1, 0)), new Date(8.64e15), new Date(0)].map((d) => d.toISOString())`:                                                  `["-000001-01-01T00:00:00.000Z","+275760-09-13T00:00:00.000Z","1970-01-01T00:00:00.000Z"]`,
		`return ['{}', new Date(NaN), null].map((d) => { try { return Date.prototype.toISOString.call(d) } catch (e) { return e.name } }).join()`:         `"TypeError,RangeError,TypeError"`,
		`return JSON.stringify(new Date(Date.UTC(-1, 0)))`:                                                                                                `"\"-000001-01-01T00:00:00.000Z\""`,
		`const d = Object.getOwnPropertyDescriptors([1, 2]); return [d.length, Object.keys(d.length), d[0].value, Object.create([].__proto__, d).length]`: `[{"value":2,"writable":true,"enumerable":false,"configurable":false},["value","writable","enumerable","configurable"],1,2]`,
	} {
		r, _ := newTestRealm(t)
		if f := r.runText(code, script.JavaScript); f.Status != frame.Completed || string(f.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, f.Status, f.Value, f.Error, want)
		}
	}
}
