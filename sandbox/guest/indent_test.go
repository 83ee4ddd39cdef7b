package guest

import (
	"strconv"
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// EXEC-17: JSON.stringify indents, whatever comes before.
func TestExec17Indent(t *testing.T) {
	for code, want := range map[string]string{
		"JSON.stringify({ a: [], b: { c: 1 }, d: [{}, [2]] }, null, 2)":                                                                                                   "{\n  \"a\": [],\n  \"b\": {\n    \"c\": 1\n  },\n  \"d\": [\n    {},\n    [\n      2\n    ]\n  ]\n}",
		"JSON.stringify([new Map(), { u: undefined }, { k: '{\"a\\\\\":[1,2]}' }], (k, v) => v, '\\t')":                                                                   "[\n\t{},\n\t{},\n\t{\n\t\t\"k\": \"{\\\"a\\\\\\\":[1,2]}\"\n\t}\n]",
		"JSON.stringify({ a: 1, b: [true, null, 'é\\u2028\\ud800'] }, ['b'], '0123456789abc')":                                                                            "{\n0123456789\"b\": [\n01234567890123456789true,\n01234567890123456789null,\n01234567890123456789\"é\u2028\\ud800\"\n0123456789]\n}",
		"JSON.stringify([1], null, 99) + JSON.stringify([1], null, 0.9) + JSON.stringify([1], null, NaN)":                                                                 "[\n          1\n][1][1]",
		"JSON.stringify([1], null, new Number(1)) + JSON.stringify([1], null, new String('-'))":                                                                           "[\n 1\n][\n-1\n]",
		"JSON.stringify([1], null, {}) + JSON.stringify([1], null, true) + JSON.stringify([1], null, '')":                                                                 "[1][1][1]",
		"[JSON.stringify(undefined, null, 2), JSON.stringify('x', null, 2), JSON.stringify(5, null, 2), JSON.stringify([], null, 2), JSON.stringify({}, null, 2)].join()": `,"x",5,[],{}`,
		"[JSON.stringify.name, JSON.stringify.length, Object.keys(JSON).length].join()":                                                                                   "stringify,3,0",
		"(() => { try { JSON.stringify({ a: 1n }, null, 2) } catch (e) { return e.name } })()":                                                                            "TypeError",
		"(() => { const o = {}; o.o = o; try { JSON.stringify(o, null, 2) } catch (e) { return e.name } })()":                                                             "TypeError",
	} {
		r, rec := newTestRealm(t)
		if f := r.runText("console.log("+code+")", script.JavaScript); f.Status != frame.Completed || len(rec.logs) != 1 || rec.logs[0] != want {
			t.Errorf("%s: %s %q %+v, want %s", code, f.Status, rec.logs, f.Error, strconv.Quote(want))
		}
	}
}
