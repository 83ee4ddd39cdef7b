package guest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"codemode-ls/sandbox/ecma"

	"github.com/dop251/goja"
)

const (
	maxDepth = 256       // levels of one value that crosses
	maxNodes = 2_000_000 // parts of one value that crosses
)

// Types by which goja distinguishes objects that share a class name.
var (
	typeMap = reflect.TypeFor[[][2]any]()
	typeSet = reflect.TypeFor[[]any]()
)

// valueError is what is wrong at one place of a value.
type valueError struct {
	path string
	why  string
}

func (e *valueError) Error() string {
	if e.path == "" || e.path == "$" {
		return e.why
	}
	return e.why + " (at " + e.path + ")"
}

var (
	errTooLarge = errors.New("the value is too large to leave the sandbox (exec.maxValueBytes)")
	errTooMany  = fmt.Errorf("the value is too large to leave the sandbox: it has more than %d parts", maxNodes)
)

// argumentEncoder turns the argument of a call into JSON (EXEC-5, ISO-5, ISO-6):
// plain data alone, anything else is an error that names its place. It reads
// properties and nothing else of the realm, so that patched built-ins cannot
// change what is sent (ISO-7).
type argumentEncoder struct {
	objectProto *goja.Object
	arrayProto  *goja.Object
	max         int // bytes
	buf         bytes.Buffer
	nodes       int
	stack       []*goja.Object
}

// arguments encodes the whole argument, which must be one plain object.
func (e *argumentEncoder) arguments(v goja.Value) error {
	o, ok := v.(*goja.Object)
	if !ok {
		return fmt.Errorf("expected one plain object as the argument, such as { id: 1 }, not %s", kindOf(v))
	}
	switch {
	case o.ExportType() == ecma.TypeProxy:
		return errors.New("expected one plain object as the argument, not a Proxy")
	case ecma.IsFunction(o):
		return errors.New("expected one plain object as the argument, not a function")
	case o.ClassName() == "Array":
		return errors.New("expected one plain object as the argument, not an array")
	}
	if p := o.Prototype(); p != nil && p != e.objectProto {
		return fmt.Errorf("expected one plain object as the argument, not %s", instanceOf(o))
	}
	if _, err := e.value(o, "$"); err != nil {
		return err
	}
	if e.buf.Len() > e.max {
		return errTooLarge
	}
	return nil
}

// value writes one value; false says that nothing was written because it is
// undefined.
func (e *argumentEncoder) value(v goja.Value, path string) (bool, error) {
	e.nodes++
	if e.nodes > maxNodes {
		return false, errTooMany
	}
	if e.buf.Len() > e.max {
		return false, errTooLarge
	}
	switch {
	case v == nil || goja.IsUndefined(v):
		return false, nil
	case goja.IsNull(v):
		e.buf.WriteString("null")
		return true, nil
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return true, e.primitive(v, path)
	}
	refuse := func(what string) (bool, error) {
		return false, &valueError{path, what + " cannot be passed to a tool: arguments are plain data"}
	}
	switch {
	case o.ExportType() == ecma.TypeProxy:
		return refuse("a Proxy")
	case ecma.IsFunction(o):
		return refuse("a function")
	case len(e.stack) >= maxDepth:
		return false, &valueError{path, fmt.Sprintf("the argument is nested deeper than %d levels", maxDepth)}
	}
	for _, s := range e.stack {
		if s == o {
			return refuse("a cycle")
		}
	}
	e.stack = append(e.stack, o)
	defer func() { e.stack = e.stack[:len(e.stack)-1] }()

	proto := o.Prototype()
	switch class := o.ClassName(); {
	case class == "Array":
		if proto != nil && proto != e.arrayProto {
			return refuse(instanceOf(o))
		}
		return e.array(o, path)
	case class == "Date":
		s, ok := ecma.ISODate(o)
		if !ok {
			return refuse("an invalid Date")
		}
		writeString(&e.buf, s)
		return true, nil
	case class != "Object" || proto != nil && proto != e.objectProto:
		return refuse(instanceOf(o))
	}
	return e.object(o, path)
}

func (e *argumentEncoder) primitive(v goja.Value, path string) error {
	switch {
	case goja.IsString(v):
		text := v.String()
		if len(text) > e.max {
			return errTooLarge
		}
		writeString(&e.buf, text)
	case goja.IsNumber(v):
		writeNumber(&e.buf, v)
	case goja.IsBigInt(v):
		return &valueError{path, "a BigInt cannot be passed to a tool: use Number(x) or String(x)"}
	default:
		if _, ok := v.(*goja.Symbol); ok {
			return &valueError{path, "a symbol cannot be passed to a tool: arguments are plain data"}
		}
		e.buf.WriteString(strconv.FormatBool(v.ToBoolean()))
	}
	return nil
}

func (e *argumentEncoder) array(o *goja.Object, path string) (bool, error) {
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
		ok, err := e.value(o.Get(index), path+"["+index+"]")
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

func (e *argumentEncoder) object(o *goja.Object, path string) (bool, error) {
	e.buf.WriteByte('{')
	first := true
	var odd oddKeys
	for _, k := range o.Keys() {
		if k == "__proto__" {
			return false, &valueError{path, `a key "__proto__" cannot be passed to a tool`}
		}
		if odd.misread(o, k) {
			return false, &valueError{path, "a key that holds half of a surrogate pair cannot be passed to a tool: it is no text"}
		}
		mark := e.buf.Len()
		if !first {
			e.buf.WriteByte(',')
		}
		writeString(&e.buf, k)
		e.buf.WriteByte(':')
		ok, err := e.value(o.Get(k), path+member(k))
		if err != nil {
			return false, err
		}
		if !ok {
			e.buf.Truncate(mark)
			continue
		}
		first = false
	}
	e.buf.WriteByte('}')
	return true, nil
}

// oddKeys distinguishes the keys of one object that Keys cannot: half of a
// surrogate pair reads as U+FFFD there, by which no property is found, or another
// one.
type oddKeys map[string]bool

// misread reports whether a key is not what it reads as.
func (odd *oddKeys) misread(o *goja.Object, k string) bool {
	return strings.ContainsRune(k, utf8.RuneError) && (odd.again(k) || o.Get(k) == nil)
}

// again reports whether a key that holds U+FFFD was there before.
func (odd *oddKeys) again(k string) bool {
	if !strings.ContainsRune(k, utf8.RuneError) {
		return false
	}
	was := (*odd)[k]
	if *odd == nil {
		*odd = oddKeys{}
	}
	(*odd)[k] = true
	return was
}

// kindOf names a primitive for display.
func kindOf(v goja.Value) string {
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	case goja.IsString(v):
		return "a string"
	case goja.IsNumber(v):
		return "a number"
	case goja.IsBigInt(v):
		return "a BigInt"
	}
	if _, ok := v.(*goja.Symbol); ok {
		return "a symbol"
	}
	return "a boolean"
}

// instanceOf names the class of an object: "an instance of Point".
func instanceOf(o *goja.Object) string {
	if name := className(o); name != "" {
		return "an instance of " + name
	}
	return "an instance of a class"
}

// className is the name of an object's constructor, or "".
func className(o *goja.Object) string {
	if o.ExportType() == ecma.TypeProxy {
		return ""
	}
	c, ok := o.Get("constructor").(*goja.Object)
	if !ok || c.ExportType() == ecma.TypeProxy {
		return ""
	}
	return stringOr(c.Get("name"), "")
}

// stringOr is a value that is a string already; nothing of the script runs.
func stringOr(v goja.Value, other string) string {
	if v != nil && goja.IsString(v) {
		return v.String()
	}
	return other
}

// member is one step of a path: .name or ["odd name"].
func member(k string) string {
	if isIdentifier(k) {
		return "." + k
	}
	var b bytes.Buffer
	b.WriteByte('[')
	writeString(&b, k)
	b.WriteByte(']')
	return b.String()
}

func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func writeNumber(b *bytes.Buffer, v goja.Value) {
	f := v.ToFloat()
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		b.WriteString("null")
	case f == 0:
		b.WriteByte('0')
	default:
		b.WriteString(v.String())
	}
}

// writeString writes a JSON string (RFC 8259). What is no Unicode, such as a
// lone surrogate, becomes U+FFFD.
func writeString(b *bytes.Buffer, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b.WriteString(s[start:i])
				b.WriteString("\ufffd")
				start = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		b.WriteString(s[start:i])
		switch c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteString(`\u00`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
		i++
		start = i
	}
	b.WriteString(s[start:])
	b.WriteByte('"')
}
