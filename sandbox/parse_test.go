package sandbox

import "testing"

// EXEC-17: what goja's parser refuses of array patterns with defaults, wherever a
// pattern may stand, with what defaults may hold.
func TestArrayPatterns(t *testing.T) {
	for code, want := range map[string]string{
		"const { a: [x = 1] = [] } = {} as any; return x":                                                                                    `1`,
		"let { a: [x = 1, , y = 2, ...z] = [] } = { a: [5, 6, undefined, 8, 9] } as any; return [x, y, z]":                                   `[5,2,[8,9]]`,
		"var { a: [x = 1] = [] } = { a: [7] } as any; return x":                                                                              `7`,
		"const { a: [x = 1] = [2] } = {} as any, { b: [y = (3, 4)] = [] } = {} as any; return [x, y]":                                        `[2,4]`,
		"const { a: [[x = 1] = [], { b: [y = 2] = [] } = {}] = [] } = {} as any; return [x, y]":                                              `[1,2]`,
		"const { a: { b: [x = `]${'}'}`] = [] } = {} } = {} as any; return x":                                                                `"]}"`,
		"const f = ({ a: [x = 1] = [] }: any) => x; return [f({}), f({ a: [3] })]":                                                           `[1,3]`,
		"const f = async ({ a: [x = 1] = [] }: any = {}) => x; return [await f()]":                                                           `[1]`,
		"function f({ a: [x = 1] = [] }: any, [y = 2] = [] as any) { return [x, y] } return f({})":                                           `[1,2]`,
		"class C { m({ a: [x = this.n] = [] }: any) { return x } n = 4 } return new C().m({})":                                               `4`,
		"const r = []; for (const { a: [x = 1] = [] } of [{}, { a: [2] }] as any) r.push(x); return r":                                       `[1,2]`,
		"try { throw {} } catch ({ a: [x = 1] = [] }: any) { return x }":                                                                     `1`,
		"const { a: [x = await tools.echo({ n: 1 })] = [] } = {} as any; return typeof x":                                                    `"object"`,
		"function* g(): any { const { a: [x = yield 1] = [] } = {} as any; return x } const i = g(); i.next(); return i.next(2).value":       `2`,
		"const { a: [f = (n: number) => { const { b: [m = n] = [] } = {} as any; return m }] = [] } = {} as any; return f(6)":                `6`,
		"const { a: [r = /(a)/.exec('a')] = [] } = {} as any; return r[1]":                                                                   `"a"`,
		"const { a: [x = 1] = [] } = {} as any; class K { get = 2; static async = 3 } return [x, new K().get, K.async]":                      `[1,2,3]`,
		"const { items: [first = null, ...rest] = [], page: { next: [cursor = ''] = [] } = {} } = {} as any; return { first, rest, cursor }": `{"first":null,"rest":[],"cursor":""}`,
	} {
		o, _ := runScript(t, code)
		if o.Status != Completed || string(o.Value) != want {
			t.Errorf("%s\n%s %s %+v, want %s", code, o.Status, o.Value, o.Error, want)
		}
	}
}

// EXEC-11: places in and behind such a pattern are the author's.
func TestArrayPatternPlaces(t *testing.T) {
	for code, want := range map[string][2]int{
		"const { a: [x = 1,\n  y = null!.z] = [] } = {} as any":                            {1, 12},
		"const { a: [x = 1] = [] } = {} as any;\n\nthrow new Error('m')":                   {2, 6},
		"const f = ({ a: [g = () => { throw new Error('m') }] = [] }: any) => g();\nf({})": {0, 35},
	} {
		o, _ := runScript(t, code)
		if o.Error == nil || o.Error.At == nil || o.Error.At.Line != want[0] || o.Error.At.Character != want[1] {
			t.Errorf("%s\n%+v, want %v", code, o.Error, want)
		}
	}
}
