package ecma

import (
	_ "embed"
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // a child cannot read the system's zones
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// The prelude adds what the language has and goja does not, and the few pure
// functions of ISO-1; the lockdown takes away code from strings (ISO-2). What
// most scripts do not use is loaded when a script first touches it.
var (
	//go:embed js/language.js
	languageSource string
	//go:embed js/web.js
	webSource string
	//go:embed js/locale.js
	localeSource string
	//go:embed js/methods.js
	methodsSource string
	//go:embed js/iterator.js
	iteratorSource string
	//go:embed js/disposal.js
	disposalSource string
	//go:embed js/number.js
	numberSource string
	//go:embed js/date.js
	dateSource string
	//go:embed js/binary.js
	binarySource string
	//go:embed js/lockdown.js
	lockdownSource string

	languageProgram = ownProgram("codemode-language", &languageSource)
	lockdownProgram = ownProgram("codemode-lockdown", &lockdownSource)
	// latePrograms are loaded when a script first touches what they have.
	latePrograms = map[string]func() *goja.Program{
		"web":      ownProgram("codemode-web", &webSource),
		"locale":   ownProgram("codemode-locale", &localeSource),
		"methods":  ownProgram("codemode-methods", &methodsSource),
		"iterator": ownProgram("codemode-iterator", &iteratorSource),
		"disposal": ownProgram("codemode-disposal", &disposalSource),
		"number":   ownProgram("codemode-number", &numberSource),
		"date":     ownProgram("codemode-date", &dateSource),
		"binary":   ownProgram("codemode-binary", &binarySource),
	}
)

// ownProgram compiles a script of our own, once, on first use; it is right
// or the build is broken.
func ownProgram(name string, source *string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program {
		tree, err := goja.Parse(name, *source, parser.WithDisableSourceMaps)
		if err != nil {
			panic(err)
		}
		p, err := goja.CompileAST(tree, false)
		if err != nil {
			panic(err)
		}
		return p
	})
}

// callProgram runs a program that is one function expression, and calls it.
func callProgram(vm *goja.Runtime, p *goja.Program, args ...goja.Value) {
	v, err := vm.RunProgram(p)
	if err != nil {
		panic(err)
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		panic("sandbox: the prelude is not a function")
	}
	if _, err := f(goja.Undefined(), args...); err != nil {
		panic(err)
	}
}

func installPrelude(r *Runtime) {
	host := r.VM.CreateObject(nil)
	r.Prelude = host
	for name, f := range map[string]func(*goja.Runtime, goja.FunctionCall) goja.Value{
		"btoa": encodeBase64, "atob": decodeBase64, "utf8": encodeUTF8, "unutf8": decodeUTF8,
		"tz": zoneOffset, "tzName": zoneName, "transfer": transferBuffer, "detached": isDetached, "parseQuery": parseQuery, "parseURL": parseURL, "sum": sumPrecisely,
	} {
		host.Set(name, r.Native(name, func(c goja.FunctionCall) goja.Value { return f(r.VM, c) }))
	}
	r.regexpHost(host)
	loaded := map[string]bool{}
	host.Set("load", r.Native("load", func(c goja.FunctionCall) goja.Value {
		name := c.Argument(0).String()
		if loaded[name] {
			return goja.Undefined()
		}
		loaded[name] = true
		callProgram(r.VM, latePrograms[name](), host)
		return goja.Undefined()
	}))
	callProgram(r.VM, languageProgram(), host)
	callProgram(r.VM, lockdownProgram())
}

func encodeBase64(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	s := c.Argument(0).String()
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return vm.ToValue(base64.StdEncoding.EncodeToString(b))
}

// sumPrecisely adds the numbers of an array exactly and rounds once.
func sumPrecisely(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	list, _ := c.Argument(0).(*goja.Object)
	n := int(list.Get("length").ToInteger())
	sum := new(big.Float).SetPrec(2200) // from the least to the greatest number, and room to carry
	special, exact, negativeZero := 0.0, false, true
	for i := range n {
		x := list.Get(strconv.Itoa(i)).ToFloat()
		if math.IsNaN(x) || math.IsInf(x, 0) {
			special += x
			exact = true
			continue
		}
		negativeZero = negativeZero && x == 0 && math.Signbit(x)
		sum.Add(sum, new(big.Float).SetFloat64(x))
	}
	switch {
	case exact:
		return vm.ToValue(special)
	case negativeZero:
		return vm.ToValue(math.Copysign(0, -1))
	case sum.Sign() == 0:
		return vm.ToValue(0)
	}
	x, _ := sum.Float64()
	return vm.ToValue(x)
}

// decodeBase64 is forgiving-base64 decode of the WHATWG Infra standard.
func decodeBase64(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	s := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\f\r", r) {
			return -1
		}
		return r
	}, c.Argument(0).String())
	if len(s)%4 == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return goja.Null()
	}
	units := make([]uint16, len(b))
	for i, x := range b {
		units[i] = uint16(x)
	}
	return goja.StringFromUTF16(units)
}

func encodeUTF8(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	return vm.ToValue(vm.NewArrayBuffer([]byte(c.Argument(0).String())))
}

func decodeUTF8(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	b, _ := c.Argument(0).Export().(goja.ArrayBuffer)
	s := string(b.Bytes())
	valid := validUTF8(s)
	if c.Argument(1).ToBoolean() && valid != s { // fatal
		return goja.Null()
	}
	if !c.Argument(2).ToBoolean() { // ignoreBOM
		valid = strings.TrimPrefix(valid, "\ufeff")
	}
	return vm.ToValue(valid)
}

// validUTF8 has U+FFFD for each part of a text that is none, as the Encoding
// standard counts them: as far as the bytes could begin a character.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		b.WriteRune(utf8.RuneError)
		more, low, high := 0, byte(0x80), byte(0xbf)
		switch c := s[i]; {
		case c >= 0xc2 && c <= 0xdf:
			more = 1
		case c >= 0xe0 && c <= 0xef:
			more = 2
		case c >= 0xf0 && c <= 0xf4:
			more = 3
		}
		switch s[i] {
		case 0xe0:
			low = 0xa0
		case 0xed:
			high = 0x9f
		case 0xf0:
			low = 0x90
		case 0xf4:
			high = 0x8f
		}
		for i++; more > 0 && i < len(s) && s[i] >= low && s[i] <= high; i++ {
			more, low, high = more-1, 0x80, 0xbf
		}
	}
	return b.String()
}

// zoneOffset is the offset in minutes of a zone at a time in milliseconds, or
// null for a zone that does not exist.
func zoneOffset(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	name := c.Argument(1).String()
	if name == "" {
		name = "UTC"
	}
	l := zone(name)
	if l == nil {
		return goja.Null()
	}
	_, offset := time.UnixMilli(c.Argument(0).ToInteger()).In(l).Zone()
	return vm.ToValue(float64(offset) / 60)
}

// zone finds a zone by its name or its offset, such as +05:30; nil for none.
func zone(name string) *time.Location {
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		for _, layout := range []string{"-07:00", "-0700", "-07"} {
			// What reads the text takes more than 59 minutes and 23 hours.
			if t, err := time.Parse(layout, name); err == nil && t.Format(layout)[1:] == name[1:] && name[1:] < "24" {
				_, offset := t.Zone()
				return time.FixedZone("", offset)
			}
		}
		return nil
	}
	l, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil
	}
	return l
}

// zoneName is what a zone calls itself at a time in milliseconds, such as CET; the
// zone exists.
func zoneName(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	l := zone(c.Argument(1).String())
	if l == nil {
		return goja.Null()
	}
	name, _ := time.UnixMilli(c.Argument(0).ToInteger()).In(l).Zone()
	return vm.ToValue(name)
}

// transferBuffer moves the bytes of an ArrayBuffer into a new one, of a length.
func transferBuffer(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	b, ok := bufferOf(c.Argument(0))
	if !ok {
		panic(vm.NewTypeError("ArrayBuffer.prototype.transfer called on a value that is no ArrayBuffer"))
	}
	length := int64(len(b.Bytes()))
	if n := c.Argument(1); !goja.IsUndefined(n) {
		length = n.ToInteger()
	}
	if b.Detached() {
		panic(vm.NewTypeError("Cannot transfer an ArrayBuffer that is detached"))
	}
	const most = 1 << 32
	if length < 0 || length > most {
		panic(rangeError(vm, "Invalid array buffer length"))
	}
	moved := make([]byte, length)
	copy(moved, b.Bytes())
	b.Detach()
	return vm.ToValue(vm.NewArrayBuffer(moved))
}

func isDetached(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	b, ok := bufferOf(c.Argument(0))
	if !ok {
		panic(vm.NewTypeError("ArrayBuffer.prototype.detached called on a value that is no ArrayBuffer"))
	}
	return vm.ToValue(b.Detached())
}

func bufferOf(v goja.Value) (goja.ArrayBuffer, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != TypeArrayBuffer {
		return goja.ArrayBuffer{}, false
	}
	b, ok := o.Export().(goja.ArrayBuffer)
	return b, ok
}

func rangeError(vm *goja.Runtime, message string) *goja.Object {
	e, err := vm.New(vm.Get("RangeError"), vm.ToValue(message))
	if err != nil {
		panic(err)
	}
	return e
}
