package sandbox

import (
	"strings"
	"testing"
)

// EXEC-7, EXEC-17: what a finally block throws is not its own catch block's, and the
// block runs once: the calls in it are made once.
func TestExec17Finally(t *testing.T) {
	const begin, end = "const log: any[] = []; try { ", " } catch (e: any) { log.push('outer ' + e.message) } return log.join()"
	for body, want := range map[string]string{
		"try { log.push(1) } catch (e) { log.push('own') } finally { log.push('f'); throw new Error('x') }":                                                                       "1,f,outer x",
		"try { await tools.echo({}) } catch (e) { log.push('own') } finally { await tools.fail({}) }":                                                                             "outer it failed",
		"try { log.push(1) } catch { log.push('own') } finally { for (const x of [1]) { try { break } finally { log.push('i') } } null!.x }":                                      "1,i,outer Cannot read property 'x' of undefined",
		"try { throw new Error('a') } catch (e: any) { log.push(e.message) } finally { try { log.push(2) } catch {} throw new Error('x') }":                                       "a,2,outer x",
		"const f = () => { try { return 1 } catch { log.push('own') } finally { throw new Error('x') } }; f()":                                                                    "outer x",
		"const f = () => { try { throw 1 } catch { return 'c' } finally { log.push('f') } }; log.push(f())":                                                                       "f,c",
		"l: for (const x of [1, 2]) { try { continue l } catch { log.push('own') } finally { log.push(x); if (x === 2) throw new Error('x') } }":                                  "1,2,outer x",
		"try { using r = { [Symbol.dispose]() { throw new Error('d') } }; log.push(1) } catch (e: any) { log.push(e.name + e.message) } finally { log.push('f') }":                "1,Errord,f",
		"let n = 0; { using r = { [Symbol.dispose]() { n++; if (n === 1) throw new Error('d') } }; } log.push(n)":                                                                 "outer d",
		"function* g() { try { yield 1 } catch { log.push('own') } finally { yield 2; throw new Error('x') } } const i = g(); log.push(i.next().value, i.next().value); i.next()": "1,2,outer x",
	} {
		o, h := runScript(t, begin+body+end)
		wantValue(t, o, `"`+want+`"`)
		if len(h.calls) > 2 {
			t.Errorf("%s: %d calls", body, len(h.calls))
		}
	}
}

// EXEC-17: what closes an async generator runs its finally blocks to their end.
func TestExec17FinallyOfAsyncGenerators(t *testing.T) {
	const log = "const log = [];\n"
	for code, want := range map[string]string{
		`async function* g() { try { yield 1 } finally { log.push('a'); await null; log.push('b'); await 0; log.push('c') } } for await (const x of g()) break; return log`:                                                                              `["a","b","c"]`,
		`async function* g() { try { yield 1 } finally { await tools.echo({}); log.push('closed') } } const it = g(); await it.next(); log.push(await it.return(5)); return log`:                                                                         `["closed",{"value":5,"done":true}]`,
		`async function* i() { try { yield 1; yield 2 } finally { log.push('i'); await 0; log.push('i2') } } async function* g() { try { yield* i() } finally { log.push('o'); await 0; log.push('o2') } } for await (const x of g()) break; return log`: `["i","i2","o","o2"]`,
		`async function* i() { try { yield 1 } finally { await 0; log.push('inner') } } async function* g() { for await (const x of i()) yield x } for await (const x of g()) break; return log`:                                                         `["inner"]`,
		`async function* g() { try { yield 1 } finally { await 0; yield 'last'; await 0; log.push('end') } } const it = g(); await it.next(); log.push((await it.return(5)).value, (await it.next()).done); return log`:                                  `["end","last",true]`,
		`async function* g() { await using r = { async [Symbol.asyncDispose]() { await 0; log.push('r') } }; await using s = { async [Symbol.asyncDispose]() { await 0; log.push('s') } }; yield 1 } for await (const x of g()) break; return log`:       `["s","r"]`,
		`async function* g() { try { yield 1 } finally { try { await Promise.reject(new Error('x')) } catch (e) { log.push(e.message) } await 0; log.push('after') } } for await (const x of g()) break; return log`:                                     `["x","after"]`,
	} {
		o, _ := runScript(t, log+code)
		if o.Status != Completed || string(o.Value) != want {
			t.Errorf("%s: %s %s %+v, want %s", code, o.Status, o.Value, o.Error, want)
		}
	}
}

// EXEC-8, BUD-5: what a list shows costs no more than what is shown.
func TestExec8LongLists(t *testing.T) {
	o, h := runScript(t, "console.log(new Uint8Array(3e7)); const a: any[] = new Array(2e6).fill(1); a[Symbol.for('s') as any] = 2; console.log([a]); return a.length")
	wantValue(t, o, "2000000")
	if len(h.logs) != 2 || !strings.Contains(h.logs[0], "... 29999900 more items") || !strings.Contains(h.logs[1], "... 1999900 more items") || !strings.Contains(h.logs[1], "[Symbol(s)]: 2") {
		t.Errorf("%.3000q", h.logs)
	}
}
