package guest

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"codemode-ls/sandbox/ecma"
	"codemode-ls/sandbox/frame"

	"github.com/dop251/goja"
)

// pollNodes is after how many parts of a value its encoder looks for a stop.
const pollNodes = 1_000

// halfPair is the warning of a key by which JSON cannot name a property.
const halfPair = "a key that holds half of a surrogate pair was left out"

// resultEncoder turns a returned value into JSON for a reader (EXEC-9, EXEC-10).
// What JSON cannot carry is converted, each time with a warning, or fails with
// its path:
//
//	NaN, Infinity          null
//	Map                    an object when all keys are strings, else [key, value] pairs
//	Set, typed array       an array
//	Error                  an object with name, message, cause and its own fields
//	Date                   its ISO string, or null
//	function, symbol,
//	RegExp, Promise, …     a string that names it
//	cycle, BigInt,
//	a getter that throws   the run fails
//
// A toJSON method counts when the object's own class has it; one on the realm's
// Object.prototype or Array.prototype does not (ISO-7).
type resultEncoder struct {
	realm    *realm
	max      int
	buf      bytes.Buffer
	nodes    int
	stack    []*goja.Object
	warnings []frame.Warning
	more     int // warnings beyond frame.MaxWarnings
}

func (e *resultEncoder) warn(path, message string) {
	if len(e.warnings) >= frame.MaxWarnings {
		e.more++
		return
	}
	e.warnings = append(e.warnings, frame.Warning{Message: message, Path: path})
}

// value writes one value; false says that nothing was written because it is
// undefined. It runs code of the script (getters, toJSON) and so can panic with
// a JavaScript exception: see realm.serialize.
func (e *resultEncoder) value(v goja.Value, path string) (bool, error) {
	e.nodes++
	if e.nodes > maxNodes {
		return false, errTooMany
	}
	if e.buf.Len() > e.max {
		return false, errTooLarge
	}
	if e.nodes%pollNodes == 0 && e.realm.isStopped() {
		e.realm.Interrupt()
	}
	switch {
	case v == nil || goja.IsUndefined(v):
		return false, nil
	case goja.IsNull(v):
		e.buf.WriteString("null")
		return true, nil
	case goja.IsString(v):
		if _, boxed := v.(*goja.Object); !boxed {
			text := v.String()
			if len(text) > e.max {
				return false, errTooLarge
			}
			writeString(&e.buf, ecma.CleanStack(text))
			return true, nil
		}
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return true, e.primitive(v, path)
	}
	if len(e.stack) >= maxDepth {
		return false, &valueError{path, fmt.Sprintf("the value is nested deeper than %d levels", maxDepth)}
	}
	for _, s := range e.stack {
		if s == o {
			return false, &valueError{path, "the value refers to itself"}
		}
	}
	e.stack = append(e.stack, o)
	defer func() { e.stack = e.stack[:len(e.stack)-1] }()

	if o.ExportType() == ecma.TypeProxy {
		e.warn(path, "a Proxy was read through its traps")
		if e.realm.isArray(o) {
			return e.array(o, path)
		}
		return e.object(o, path)
	}
	if f, ok := e.toJSON(o); ok {
		r, err := f(o, e.realm.vm.ToValue(""))
		if err != nil {
			panic(err)
		}
		if r == goja.Value(o) {
			return e.special(o, path)
		}
		return e.value(r, path)
	}
	return e.special(o, path)
}

func (e *resultEncoder) primitive(v goja.Value, path string) error {
	switch {
	case goja.IsNumber(v):
		if f := v.ToFloat(); math.IsNaN(f) || math.IsInf(f, 0) {
			e.warn(path, v.String()+" became null: JSON has no such number")
		}
		writeNumber(&e.buf, v)
	case goja.IsBigInt(v):
		return &valueError{path, "a BigInt cannot be converted to JSON: use Number(x) or String(x)"}
	default:
		if s, ok := v.(*goja.Symbol); ok {
			e.text(path, "a symbol", "Symbol("+s.String()+")")
			return nil
		}
		e.buf.WriteString(strconv.FormatBool(v.ToBoolean()))
	}
	return nil
}

// text writes a text in place of what JSON cannot say.
func (e *resultEncoder) text(path, what, text string) {
	e.warn(path, what+" became the text "+strconv.Quote(text))
	writeString(&e.buf, text)
}

// toJSON finds a toJSON method that belongs to the script's own classes.
func (e *resultEncoder) toJSON(o *goja.Object) (goja.Callable, bool) {
	if o.ClassName() == "Date" {
		return nil, false
	}
	for p := o; p != nil && !e.realm.isIntrinsic(p); p = p.Prototype() {
		if p.ExportType() == ecma.TypeProxy {
			return nil, false
		}
		if e.realm.HasOwn(p, "toJSON") {
			return e.realm.Callable(o.Get("toJSON"))
		}
	}
	return nil, false
}

func (e *resultEncoder) special(o *goja.Object, path string) (bool, error) {
	if ecma.IsFunction(o) {
		name := stringOr(o.Get("name"), "")
		if name == "" {
			name = "anonymous"
		}
		e.text(path, "a function", "[Function: "+name+"]")
		return true, nil
	}
	t := o.ExportType()
	switch class := o.ClassName(); class {
	case "Array":
		return e.array(o, path)
	case "Date":
		s, ok := ecma.ISODate(o)
		if !ok {
			e.warn(path, "an invalid Date became null")
			e.buf.WriteString("null")
			return true, nil
		}
		e.warn(path, "a Date became its ISO string")
		writeString(&e.buf, s)
		return true, nil
	case "Error":
		return e.error(o, path)
	case "Number", "String", "Boolean":
		if v, ok := e.realm.unbox(o, class); ok {
			return e.value(v, path)
		}
	case "RegExp":
		e.text(path, "a RegExp", e.realm.RegExpText(o))
		return true, nil
	}
	switch {
	case t == ecma.TypePromise:
		e.text(path, "a promise that was not awaited", "[Promise]")
		return true, nil
	case t == typeMap:
		return e.mapping(o, path)
	case t == typeSet && o.ClassName() != "Array":
		e.warn(path, "a Set became an array")
		return e.list(e.realm.setEntries(o), path)
	case t == ecma.TypeArrayBuffer:
		e.warn(path, "an ArrayBuffer became an array of its bytes")
		return e.bytes(o)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Interface:
		e.warn(path, "a typed array became an array of numbers")
		return e.array(o, path)
	}
	if name := className(o); name == "BigInt" || name == "Symbol" {
		if v, ok := e.realm.unbox(o, name); ok {
			return e.value(v, path)
		}
	}
	if name := className(o); name == "WeakMap" || name == "WeakSet" || name == "WeakRef" || name == "DataView" {
		e.text(path, "a "+name, "["+name+"]")
		return true, nil
	}
	return e.object(o, path)
}

func (e *resultEncoder) array(o *goja.Object, path string) (bool, error) {
	n := o.Get("length").ToInteger()
	if n > maxNodes {
		return false, errTooMany
	}
	e.buf.WriteByte('[')
	for i := range int(n) {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		index := strconv.Itoa(i)
		if err := e.orNull(o, index, path+"["+index+"]"); err != nil {
			return false, err
		}
	}
	e.buf.WriteByte(']')
	return true, nil
}

func (e *resultEncoder) list(items []goja.Value, path string) (bool, error) {
	e.buf.WriteByte('[')
	for i, v := range items {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		ok, err := e.value(v, path+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return false, err
		}
		if !ok {
			e.buf.WriteString("null")
		}
	}
	e.buf.WriteByte(']')
	return true, nil
}

func (e *resultEncoder) orNull(o *goja.Object, key, path string) error {
	v, err := e.get(o, key, path)
	if err != nil {
		return err
	}
	ok, err := e.value(v, path)
	if err == nil && !ok {
		e.buf.WriteString("null")
	}
	return err
}

// get reads a property; a getter that throws is an error with its path.
func (e *resultEncoder) get(o *goja.Object, key, path string) (v goja.Value, err error) {
	if ex := e.realm.vm.Try(func() { v = o.Get(key) }); ex != nil {
		return nil, &valueError{path, "reading it threw " + e.realm.errorLine(ex.Value())}
	}
	return v, nil
}

func (e *resultEncoder) object(o *goja.Object, path string) (bool, error) {
	e.buf.WriteByte('{')
	first := true
	var odd oddKeys
	for _, k := range o.Keys() {
		if k == "__proto__" {
			e.warn(path, `the key "__proto__" was left out`)
			continue
		}
		if odd.misread(o, k) {
			e.warn(path, halfPair)
			continue
		}
		if err := e.property(&first, o, k, path+member(k)); err != nil {
			return false, err
		}
	}
	e.buf.WriteByte('}')
	return true, nil
}

// property writes an object's own property as a field.
func (e *resultEncoder) property(first *bool, o *goja.Object, k, path string) error {
	v, err := e.get(o, k, path)
	if err != nil {
		return err
	}
	return e.field(first, k, v, path)
}

func (e *resultEncoder) field(first *bool, k string, v goja.Value, path string) error {
	mark := e.buf.Len()
	if !*first {
		e.buf.WriteByte(',')
	}
	writeString(&e.buf, k)
	e.buf.WriteByte(':')
	ok, err := e.value(v, path)
	if err != nil {
		return err
	}
	if !ok {
		e.buf.Truncate(mark)
		return nil
	}
	*first = false
	return nil
}

func (e *resultEncoder) error(o *goja.Object, path string) (bool, error) {
	e.warn(path, "an Error became an object with its name and message")
	e.buf.WriteByte('{')
	first := true
	for _, k := range []string{"name", "message", "cause"} {
		if err := e.property(&first, o, k, path+member(k)); err != nil {
			return false, err
		}
	}
	var odd oddKeys
	for _, k := range o.Keys() {
		if k == "name" || k == "message" || k == "cause" || k == "stack" || k == "__proto__" {
			continue
		}
		if odd.misread(o, k) {
			e.warn(path, halfPair)
			continue
		}
		if err := e.property(&first, o, k, path+member(k)); err != nil {
			return false, err
		}
	}
	e.buf.WriteByte('}')
	return true, nil
}

func (e *resultEncoder) mapping(o *goja.Object, path string) (bool, error) {
	entries := e.realm.mapEntries(o)
	named := true
	for i := 0; i < len(entries); i += 2 {
		if _, boxed := entries[i].(*goja.Object); boxed || !goja.IsString(entries[i]) {
			named = false
		}
	}
	if !named {
		e.warn(path, "a Map became an array of [key, value] pairs")
		e.buf.WriteByte('[')
		for i := 0; i < len(entries); i += 2 {
			if i > 0 {
				e.buf.WriteByte(',')
			}
			if _, err := e.list(entries[i:i+2], path+"["+strconv.Itoa(i/2)+"]"); err != nil {
				return false, err
			}
		}
		e.buf.WriteByte(']')
		return true, nil
	}
	e.warn(path, "a Map became an object")
	e.buf.WriteByte('{')
	first := true
	var odd oddKeys
	for i := 0; i < len(entries); i += 2 {
		k := entries[i].String()
		if odd.again(k) {
			e.warn(path, halfPair)
			continue
		}
		if err := e.field(&first, k, entries[i+1], path+member(k)); err != nil {
			return false, err
		}
	}
	e.buf.WriteByte('}')
	return true, nil
}

func (e *resultEncoder) bytes(o *goja.Object) (bool, error) {
	b, ok := o.Export().(goja.ArrayBuffer)
	if !ok {
		e.buf.WriteString("[]")
		return true, nil
	}
	e.buf.WriteByte('[')
	for i, c := range b.Bytes() {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		e.buf.WriteString(strconv.Itoa(int(c)))
		if e.buf.Len() > e.max {
			return false, errTooLarge
		}
	}
	e.buf.WriteByte(']')
	return true, nil
}
