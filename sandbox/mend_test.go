package sandbox

import "testing"

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
