package ecma

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"codemode-ls/sandbox/ecma/regexp"

	"github.com/dop251/goja"
)

// patterns are the regular expressions of a realm. goja's own engine takes Go's
// and .NET's expressions for ECMAScript's; here an object of goja only stands for
// an entry, which its native source names, and package regexp does the rest.
type patterns struct {
	entries []*pattern
	ids     map[patternKey]int
	ready   []int // those that are compiled
}

type patternKey struct{ source, flags string }

// pattern is one source with flags.
type pattern struct {
	text    goja.String
	flags   string
	parsed  regexp.Flags
	program *regexp.Program // nil when it must be compiled again
}

const (
	// standIn begins the native source that names an entry.
	standIn = "\x00codemode:"
	// maxCompiled bounds the compiled programs that are kept.
	maxCompiled = 2_000
)

func newPatterns() *patterns { return &patterns{ids: map[patternKey]int{}} }

// intern finds or compiles an expression. The error is a *regexp.SyntaxError.
func (p *patterns) intern(source goja.String, flags string) (int, error) {
	key := patternKey{unitsKey(source), flags}
	if id, ok := p.ids[key]; ok {
		return id, nil
	}
	parsed, ok := regexp.ParseFlags(flags)
	if !ok {
		return 0, &regexp.SyntaxError{Message: "Invalid flags supplied to RegExp constructor '" + flags + "'"}
	}
	program, err := regexp.Compile(unitsOf(source), parsed)
	if err != nil {
		return 0, &regexp.SyntaxError{Message: "Invalid regular expression: /" + source.String() + "/" + flags + ": " + err.Error()}
	}
	id := len(p.entries)
	p.entries = append(p.entries, &pattern{text: source, flags: flags, parsed: parsed, program: program})
	p.ids[key] = id
	p.keep(id)
	return id, nil
}

// keep forgets programs when there are too many.
func (p *patterns) keep(id int) {
	if p.ready = append(p.ready, id); len(p.ready) > maxCompiled {
		for _, old := range p.ready[:maxCompiled/2] {
			p.entries[old].program = nil
		}
		p.ready = slices.Clone(p.ready[maxCompiled/2:])
	}
}

func (p *patterns) program(id int) *regexp.Program {
	e := p.entries[id]
	if e.program == nil {
		e.program, _ = regexp.Compile(unitsOf(e.text), e.parsed) // it was right before
		p.keep(id)
	}
	return e.program
}

// nativeFlags are those that goja's own object has.
func nativeFlags(f regexp.Flags) string {
	var b strings.Builder
	for _, x := range []struct {
		on   bool
		flag byte
	}{{f.Global, 'g'}, {f.IgnoreCase, 'i'}, {f.Multiline, 'm'}, {f.DotAll, 's'}, {f.Unicode || f.UnicodeSets, 'u'}, {f.Sticky, 'y'}} {
		if x.on {
			b.WriteByte(x.flag)
		}
	}
	return b.String()
}

// unitsOf is a string as code units, not to be changed.
func unitsOf(s goja.String) []uint16 {
	if wide := wideUnits(s); wide != nil {
		return wide
	}
	units := make([]uint16, s.Length())
	for i := range units {
		units[i] = s.CharAt(i)
	}
	return units
}

// wideUnits is the memory of a string that is not ASCII, when goja keeps it as
// code units behind a byte order mark; else nil.
func wideUnits(s goja.String) []uint16 {
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint16 {
		return nil
	}
	units := unsafe.Slice((*uint16)(v.UnsafePointer()), v.Len())
	if len(units) != s.Length()+1 || units[0] != 0xfeff {
		return nil
	}
	return units[1:]
}

// unitsKey is a string as a key of a map: lone surrogates count.
func unitsKey(s goja.String) string {
	if text := s.String(); len(text) == s.Length() {
		return text
	}
	units := unitsOf(s)
	b := make([]byte, 0, 2*len(units)+1)
	b = append(b, 0xff) // in no valid text
	for _, u := range units {
		b = append(b, byte(u>>8), byte(u))
	}
	return string(b)
}

// subject is a string as what is searched; the last one that had to be copied is
// remembered, because expressions are used on one text many times.
func (r *Runtime) subject(s goja.String) regexp.Text {
	if wide := wideUnits(s); wide != nil {
		return regexp.Text{Wide: wide}
	}
	if v := reflect.ValueOf(s); v.Kind() == reflect.Pointer && r.searched.key == v.Pointer() {
		return r.searched.text
	}
	var t regexp.Text
	if text := s.String(); len(text) == s.Length() {
		t.ASCII = text
	} else {
		t.Wide = unitsOf(s)
	}
	if v := reflect.ValueOf(s); v.Kind() == reflect.Pointer {
		r.searched.key, r.searched.text, r.searched.of = v.Pointer(), t, s
	}
	return t
}

// searched is a text and the string that it is of.
type searched struct {
	key  uintptr
	of   goja.String // keeps the key in use
	text regexp.Text
}

// patternOf is the entry of a RegExp object; ok is false for any other value.
func (r *Runtime) patternOf(v goja.Value) (o *goja.Object, id int, ok bool) {
	if o, ok = v.(*goja.Object); !ok || o.ClassName() != "RegExp" || o.ExportType() == TypeProxy || o == r.regexpProto {
		return nil, 0, false
	}
	source, err := r.nativeSource(o)
	if err != nil {
		return nil, 0, false
	}
	if number, isOurs := strings.CutPrefix(source.String(), standIn); isOurs {
		if id, err := strconv.Atoi(number); err == nil && id < len(r.patterns.entries) {
			return o, id, true
		}
	}
	// An object that goja made by itself.
	flags := ""
	for _, f := range r.nativeFlags {
		if v, err := f.get(o); err == nil && v.ToBoolean() {
			flags += f.flag
		}
	}
	text, _ := source.(goja.String)
	if id, err = r.patterns.intern(text, flags); err != nil {
		return nil, 0, false
	}
	return o, id, true
}

func (r *Runtime) mustPattern(v goja.Value, method string) (*goja.Object, int) {
	o, id, ok := r.patternOf(v)
	if !ok {
		panic(r.NewError("TypeError", "RegExp.prototype."+method+" requires that 'this' be a RegExp object"))
	}
	return o, id
}

// length converts as ToLength does.
func length64(v goja.Value) int64 {
	if v == nil {
		return 0
	}
	return min(max(v.ToInteger(), 0), 1<<53-1)
}

// throw goes on with what a called function threw.
func throw(err error) {
	if ex, ok := err.(*goja.Exception); ok {
		panic(ex.Value())
	}
	panic(err)
}

// search is RegExpBuiltinExec up to its result: where the match and its groups are.
func (r *Runtime) search(o *goja.Object, id int, s goja.String) []int32 {
	e := r.patterns.entries[id]
	last := length64(o.Get("lastIndex"))
	moves := e.parsed.Global || e.parsed.Sticky
	if !moves {
		last = 0
	}
	setLast := func(n int) {
		if err := o.Set("lastIndex", n); err != nil {
			throw(err)
		}
	}
	var m []int32
	if last <= int64(s.Length()) {
		var over bool
		if m, over = r.patterns.program(id).Match(r.subject(s), int(last), r.isStopped); over {
			r.Interrupt()
		}
	}
	switch {
	case !moves:
	case m == nil:
		setLast(0)
	default:
		setLast(int(m[1]))
	}
	return m
}

func (r *Runtime) execRegExp(o *goja.Object, id int, s goja.String) goja.Value {
	m := r.search(o, id, s)
	if m == nil {
		return goja.Null()
	}
	e := r.patterns.entries[id]
	names := r.patterns.program(id).Names
	values := make([]any, len(m)/2)
	for g := range values {
		if m[2*g] < 0 || m[2*g+1] < 0 {
			values[g] = goja.Undefined()
		} else {
			values[g] = s.Substring(int(m[2*g]), int(m[2*g+1]))
		}
	}
	result := r.VM.NewArray(values...)
	define := func(o *goja.Object, name string, v goja.Value) {
		o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	define(result, "index", r.VM.ToValue(int(m[0])))
	define(result, "input", s)
	byName := func(values []any) goja.Value {
		if !slices.ContainsFunc(names, func(n string) bool { return n != "" }) {
			return goja.Undefined()
		}
		groups := r.VM.CreateObject(nil)
		for i, name := range names {
			if name == "" {
				continue
			}
			if v := values[i+1].(goja.Value); !goja.IsUndefined(v) || !r.HasOwn(groups, name) {
				define(groups, name, v)
			}
		}
		return groups
	}
	define(result, "groups", byName(values))
	if e.parsed.HasIndices {
		places := make([]any, len(values))
		for g := range places {
			if goja.IsUndefined(values[g].(goja.Value)) {
				places[g] = goja.Undefined()
			} else {
				places[g] = goja.Value(r.VM.NewArray(int(m[2*g]), int(m[2*g+1])))
			}
		}
		indices := r.VM.NewArray(places...)
		define(indices, "groups", byName(places))
		define(result, "indices", indices)
	}
	return result
}

// regexpText is the expression as a literal; the script's own code does not run.
func (r *Runtime) RegExpText(o *goja.Object) string {
	_, id, ok := r.patternOf(o)
	if !ok {
		return "/(?:)/"
	}
	e := r.patterns.entries[id]
	return "/" + escapedSource(e.text) + "/" + sortedFlags(e.parsed)
}

func sortedFlags(f regexp.Flags) string {
	var b strings.Builder
	for _, x := range []struct {
		on   bool
		flag byte
	}{{f.HasIndices, 'd'}, {f.Global, 'g'}, {f.IgnoreCase, 'i'}, {f.Multiline, 'm'}, {f.DotAll, 's'}, {f.Unicode, 'u'}, {f.UnicodeSets, 'v'}, {f.Sticky, 'y'}} {
		if x.on {
			b.WriteByte(x.flag)
		}
	}
	return b.String()
}

// escapedSource is EscapeRegExpPattern.
func escapedSource(s goja.String) string {
	if s.Length() == 0 {
		return "(?:)"
	}
	var b strings.Builder
	inClass, escaped := false, false
	for _, c := range s.String() {
		switch c {
		case '\n', '\r', '\u2028', '\u2029':
			if !escaped {
				b.WriteByte('\\')
			}
			b.WriteString(map[rune]string{'\n': "n", '\r': "r", '\u2028': "u2028", '\u2029': "u2029"}[c])
			escaped = false
			continue
		case '/':
			if !inClass && !escaped {
				b.WriteByte('\\')
			}
		case '[':
			inClass = inClass || !escaped
		case ']':
			inClass = inClass && escaped
		}
		escaped = c == '\\' && !escaped
		b.WriteRune(c)
	}
	return b.String()
}
