package ecma

import (
	"strconv"

	"github.com/dop251/goja"
)

// nativeFlag is a getter of goja's own.
type nativeFlag struct {
	flag string
	get  goja.Callable
}

// captureRegExp takes goja's own getters, before the prelude replaces them.
func (r *Runtime) captureRegExp() {
	r.patterns = newPatterns()
	regexp, _ := r.VM.GlobalObject().Get("RegExp").(*goja.Object)
	r.regexpProto, _ = regexp.Get("prototype").(*goja.Object)
	describe, _ := r.Callable(r.VM.GlobalObject().Get("Object").(*goja.Object).Get("getOwnPropertyDescriptor"))
	getter := func(name string) goja.Callable {
		d, err := describe(goja.Undefined(), r.regexpProto, r.VM.ToValue(name))
		if err != nil {
			panic(err)
		}
		f, _ := r.Callable(d.(*goja.Object).Get("get"))
		return f
	}
	r.nativeSource = getter("source")
	for name, flag := range map[string]string{"global": "g", "ignoreCase": "i", "multiline": "m", "dotAll": "s", "unicode": "u", "sticky": "y"} {
		r.nativeFlags = append(r.nativeFlags, nativeFlag{flag, getter(name)})
	}
	r.stringOf, _ = r.Callable(r.VM.GlobalObject().Get("String"))
	r.nativeCompile, _ = r.Callable(r.regexpProto.Get("compile"))
}

// regexpHost is what the prelude's RegExp is made of.
func (r *Runtime) regexpHost(host *goja.Object) {
	method := func(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
		o := r.Native(name, f)
		host.Set(name, o)
		return o
	}
	// regexpParts gives what goja's own constructor is to be given for a source and flags.
	method("regexpParts", func(c goja.FunctionCall) goja.Value {
		source, flags := r.VM.ToValue("").(goja.String), ""
		if v := c.Argument(0); !goja.IsUndefined(v) {
			source = r.toString(v)
		}
		if v := c.Argument(1); !goja.IsUndefined(v) {
			flags = r.toString(v).String()
		}
		id := r.internOrThrow(source, flags)
		return r.VM.NewArray(standIn+strconv.Itoa(id), nativeFlags(r.patterns.entries[id].parsed))
	})
	method("isRegExp", func(c goja.FunctionCall) goja.Value {
		_, _, ok := r.patternOf(c.Argument(0))
		return r.VM.ToValue(ok)
	})
	method("originalSource", func(c goja.FunctionCall) goja.Value {
		_, id := r.mustPattern(c.Argument(0), "source")
		return r.patterns.entries[id].text
	})
	method("originalFlags", func(c goja.FunctionCall) goja.Value {
		_, id := r.mustPattern(c.Argument(0), "flags")
		return r.VM.ToValue(sortedFlags(r.patterns.entries[id].parsed))
	})
	exec := method("exec", func(c goja.FunctionCall) goja.Value {
		o, id := r.mustPattern(c.This, "exec")
		return r.execRegExp(o, id, r.toString(c.Argument(0)))
	})
	method("test", func(c goja.FunctionCall) goja.Value {
		o, ok := c.This.(*goja.Object)
		if !ok {
			panic(r.NewError("TypeError", "RegExp.prototype.test requires that 'this' be an object"))
		}
		s := r.toString(c.Argument(0))
		own := o.Get("exec")
		if own == goja.Value(exec) {
			if o, id, ok := r.patternOf(o); ok {
				return r.VM.ToValue(r.search(o, id, s) != nil)
			}
		}
		f, ok := r.Callable(own)
		if !ok {
			o, id := r.mustPattern(o, "test")
			return r.VM.ToValue(r.search(o, id, s) != nil)
		}
		v, err := f(o, s)
		if err != nil {
			throw(err)
		}
		if _, isObject := v.(*goja.Object); !isObject && !goja.IsNull(v) {
			panic(r.NewError("TypeError", "object null or function expected"))
		}
		return r.VM.ToValue(!goja.IsNull(v))
	})
	method("compile", func(c goja.FunctionCall) goja.Value {
		o, _ := r.mustPattern(c.This, "compile")
		source, flags := goja.Value(r.VM.ToValue("")), ""
		if _, from, ok := r.patternOf(c.Argument(0)); ok {
			if !goja.IsUndefined(c.Argument(1)) {
				panic(r.NewError("TypeError", "Cannot supply flags when constructing one RegExp from another"))
			}
			source, flags = r.patterns.entries[from].text, r.patterns.entries[from].flags
		} else {
			if v := c.Argument(0); !goja.IsUndefined(v) {
				source = r.toString(v)
			}
			if v := c.Argument(1); !goja.IsUndefined(v) {
				flags = r.toString(v).String()
			}
		}
		id := r.internOrThrow(source.(goja.String), flags)
		if _, err := r.nativeCompile(o, r.VM.ToValue(standIn+strconv.Itoa(id)), r.VM.ToValue(nativeFlags(r.patterns.entries[id].parsed))); err != nil {
			throw(err)
		}
		return o
	})
	for name, of := range map[string]func(p *pattern) goja.Value{
		"source":      func(p *pattern) goja.Value { return r.VM.ToValue(escapedSource(p.text)) },
		"hasIndices":  func(p *pattern) goja.Value { return r.VM.ToValue(p.parsed.HasIndices) },
		"unicodeSets": func(p *pattern) goja.Value { return r.VM.ToValue(p.parsed.UnicodeSets) },
		"unicode":     func(p *pattern) goja.Value { return r.VM.ToValue(p.parsed.Unicode) },
	} {
		get := r.Native("get "+name, func(c goja.FunctionCall) goja.Value {
			if o, ok := c.This.(*goja.Object); ok && o == r.regexpProto {
				if name == "source" {
					return r.VM.ToValue("(?:)")
				}
				return goja.Undefined()
			}
			_, id := r.mustPattern(c.This, name)
			return of(r.patterns.entries[id])
		})
		host.Set("get"+name, get)
	}
}

func (r *Runtime) internOrThrow(source goja.String, flags string) int {
	id, err := r.patterns.intern(source, flags)
	if err != nil {
		panic(r.NewError("SyntaxError", err.Error()))
	}
	return id
}

// toString converts as the language does: a symbol throws.
func (r *Runtime) toString(v goja.Value) goja.String {
	if s, ok := v.(goja.String); ok {
		return s
	}
	if _, ok := v.(*goja.Symbol); ok {
		panic(r.NewError("TypeError", "Cannot convert a Symbol value to a string"))
	}
	s, err := r.stringOf(goja.Undefined(), v)
	if err != nil {
		throw(err)
	}
	text, _ := s.(goja.String)
	return text
}
