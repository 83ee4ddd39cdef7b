package guest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"codemode-ls/sandbox/ecma"

	"github.com/dop251/goja"
)

// shapeOf finds out how an object is printed.
func (in *inspector) shapeOf(o *goja.Object) shape {
	level := len(in.stack)
	braces := func(base string) shape { return shape{base: base, open: "{", close: "}"} }
	if o.ExportType() == typeNamespace {
		n, _ := o.Export().(*namespace)
		return in.namesShape(n)
	}
	if ecma.IsFunction(o) {
		return braces(in.function(o))
	}
	t := o.ExportType()
	class := o.ClassName()
	switch class {
	case "Array":
		n := int(o.Get("length").ToInteger())
		size := ""
		if in.constructor(o) != "Array" && in.constructor(o) != "" {
			size = "(" + strconv.Itoa(n) + ")"
		}
		s := shape{open: in.prefix(o, "Array", size) + "[", close: "]", array: true, length: n}
		if n > 0 {
			s.entries = func() []string { return in.items(o, n, level) }
			s.values = func(i int) goja.Value { return in.realm.own(o, strconv.Itoa(i)).value }
		}
		return s
	case "Arguments":
		return shape{open: "[Arguments] {", close: "}"}
	case "Date":
		text, ok := ecma.ISODate(o)
		if !ok {
			text = "Invalid Date"
		}
		return braces(in.subclass(o, class) + text)
	case "RegExp":
		return braces(in.subclass(o, class) + in.realm.RegExpText(o))
	case "Error":
		return braces(in.error(o))
	case "Number", "Boolean", "String":
		if v, ok := in.realm.unbox(o, class); ok {
			return in.boxed(v, class)
		}
	}
	switch {
	case t == ecma.TypePromise:
		s := shape{open: in.prefix(o, "", "") + "{", close: "}"}
		p, _ := o.Export().(*goja.Promise)
		s.entries = func() []string { return []string{in.promise(p, level)} }
		return s
	case t == typeMap:
		entries := in.realm.mapEntries(o)
		s := shape{open: in.prefix(o, "Map", fmt.Sprintf("(%d)", len(entries)/2)) + "{", close: "}"}
		if len(entries) > 0 {
			s.entries = func() []string { return in.pairs(entries, level) }
		}
		return s
	case t == typeSet && class == "Object":
		entries := in.realm.setEntries(o)
		s := shape{open: in.prefix(o, "Set", fmt.Sprintf("(%d)", len(entries))) + "{", close: "}"}
		if len(entries) > 0 {
			s.entries = func() []string { return in.list(entries, level) }
		}
		return s
	case t == ecma.TypeArrayBuffer:
		b, _ := o.Export().(goja.ArrayBuffer)
		data := b.Bytes()
		return shape{open: "ArrayBuffer {", close: "}", entries: func() []string {
			more := ""
			if n := len(data) - inspectItems; n > 0 {
				more = fmt.Sprintf(" ... %d more byte%s", n, plural(n))
			}
			return []string{fmt.Sprintf("[Uint8Contents]: <% x%s>", data[:min(inspectItems, len(data))], more), "byteLength: " + strconv.Itoa(len(data))}
		}}
	case t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Interface:
		n := int(o.Get("length").ToInteger())
		s := shape{open: in.prefix(o, "", fmt.Sprintf("(%d)", n)) + "[", close: "]", array: true, length: n}
		if n > 0 {
			s.entries = func() []string { return in.items(o, n, level) }
			s.values = func(i int) goja.Value { return o.Get(strconv.Itoa(i)) }
		}
		return s
	}
	switch name := in.constructor(o); name {
	case "Symbol", "BigInt":
		if v, ok := in.realm.unbox(o, name); ok {
			return in.boxed(v, name)
		}
	case "DataView":
		if in.tag(o) == name && o.ExportType() != ecma.TypeProxy {
			return in.view(o, level)
		}
	case "URL":
		if values, ok := in.shown("showURL", o); ok && len(values) == len(urlFields) {
			return shape{open: "URL {", close: "}", entries: func() (out []string) {
				for i, v := range values {
					out = append(out, urlFields[i]+": "+in.value(v, level+1, false))
				}
				return out
			}}
		}
	case "URLSearchParams":
		if values, ok := in.shown("showQuery", o); ok {
			s := shape{open: "URLSearchParams {", close: "}"}
			if len(values) > 0 {
				s.entries = func() []string { return in.pairs(values, level) }
			}
			return s
		}
	case "WeakMap", "WeakSet":
		if in.tag(o) == name {
			return shape{open: name + " {", close: "}", entries: func() []string { return []string{"<items unknown>"} }}
		}
	}
	return shape{open: in.prefix(o, "Object", "") + "{", close: "}"}
}

var urlFields = []string{"href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"}

// shown is what a function of the prelude reports of an object: a list.
func (in *inspector) shown(name string, o *goja.Object) (values []goja.Value, ok bool) {
	f, ok := in.realm.Callable(in.realm.Prelude.Get(name))
	if !ok {
		return nil, false
	}
	v, err := f(goja.Undefined(), o)
	if err != nil {
		return nil, false
	}
	list, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	for i := range int(list.Get("length").ToInteger()) {
		values = append(values, list.Get(strconv.Itoa(i)))
	}
	return values, true
}

// subclass is the name of a class of a script's own, and a space.
func (in *inspector) subclass(o *goja.Object, class string) string {
	if name := in.constructor(o); name != "" && name != class {
		return name + " "
	}
	return ""
}

// view prints a DataView by the getters that it had before any script ran.
func (in *inspector) view(o *goja.Object, level int) shape {
	s := shape{open: "DataView {", close: "}"}
	s.entries = func() (out []string) {
		for _, name := range []string{"byteLength", "byteOffset", "buffer"} {
			v, err := in.realm.viewGetters[name](o)
			if err != nil {
				return out
			}
			in.depth = level
			out = append(out, name+": "+in.value(v, level+1, false))
		}
		return out
	}
	return s
}

func (in *inspector) namesShape(n *namespace) shape {
	names := n.Keys()
	s := shape{open: "{", close: "}", skip: map[string]bool{}}
	for _, n := range names {
		s.skip[n] = true
	}
	if len(names) > 0 {
		s.entries = func() []string {
			var out []string
			for i, n := range names {
				if i == inspectItems {
					return append(out, fmt.Sprintf("... %d more tools", len(names)-i))
				}
				key := n
				if !plainKey(n) {
					key = quote(n)
				}
				out = append(out, key+": [Function: "+n+"]")
			}
			return out
		}
	}
	return s
}

func (in *inspector) function(o *goja.Object) string {
	name := stringOr(in.realm.own(o, "name").value, "")
	source := in.realm.functionText(o)
	if strings.HasPrefix(source, "class") {
		b := "[class " + name
		if name == "" {
			b = "[class (anonymous)"
		}
		if p := o.Prototype(); p != nil && ecma.IsFunction(p) {
			if parent := stringOr(in.realm.own(p, "name").value, ""); parent != "" {
				b += " extends " + parent
			}
		}
		return b + "]"
	}
	kind := "Function"
	switch c := in.constructor(o); c {
	case "AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction":
		kind = c
	}
	switch {
	case strings.Contains(source, "return __asyncGenerator("):
		kind = "AsyncGeneratorFunction" // as the transpiler writes them
	case strings.HasPrefix(source, "async "), strings.HasPrefix(source, "async("):
		kind = "AsyncFunction"
	}
	if name == "" {
		return "[" + kind + " (anonymous)]"
	}
	return "[" + kind + ": " + name + "]"
}

func (in *inspector) error(o *goja.Object) string {
	text := in.realm.errorStack(o, stringOr(in.realm.own(o, "stack").value, ""))
	line := in.realm.errorLine(o)
	switch {
	case text == "":
		text = line
	case !strings.HasPrefix(text, line):
		// name or message were changed after the stack was taken.
		if i := strings.Index(text, "\n    at "); i >= 0 {
			text = line + text[i:]
		} else {
			text = line
		}
	}
	if !strings.Contains(text, "\n    at ") {
		text = "[" + text + "]"
	}
	if in.indent > 0 {
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", in.indent))
	}
	return text
}

func (in *inspector) boxed(v goja.Value, class string) shape {
	text := in.primitive(v)
	s := shape{base: "[" + class + ": " + text + "]", open: "{", close: "}"}
	if class == "String" {
		s.array = true // its characters are no properties
	}
	return s
}

func (in *inspector) promise(p *goja.Promise, level int) string {
	switch {
	case p == nil || p.State() == goja.PromiseStatePending:
		return "<pending>"
	case p.State() == goja.PromiseStateRejected:
		return "<rejected> " + in.value(p.Result(), level+1, false)
	}
	return in.value(p.Result(), level+1, false)
}

func (in *inspector) items(o *goja.Object, n, level int) (out []string) {
	empty := 0
	flush := func() {
		if empty > 0 {
			out = append(out, fmt.Sprintf("<%d empty item%s>", empty, plural(empty)))
			empty = 0
		}
	}
	for i := range n {
		if len(out) >= inspectItems {
			flush()
			return append(out, fmt.Sprintf("... %d more item%s", n-i, plural(n-i)))
		}
		if empty > inspectNodes {
			empty += n - i
			break
		}
		key := strconv.Itoa(i)
		if !in.realm.HasOwn(o, key) {
			empty++
			continue
		}
		flush()
		p := in.realm.own(o, key)
		if p.getter || p.setter {
			out = append(out, "[Getter]")
			continue
		}
		out = append(out, in.value(p.value, level+1, true))
	}
	flush()
	return out
}

func (in *inspector) list(entries []goja.Value, level int) (out []string) {
	for i, v := range entries {
		if i == inspectItems {
			return append(out, fmt.Sprintf("... %d more item%s", len(entries)-i, plural(len(entries)-i)))
		}
		out = append(out, in.value(v, level+1, false))
	}
	return out
}

func (in *inspector) pairs(entries []goja.Value, level int) (out []string) {
	for i := 0; i < len(entries); i += 2 {
		if i/2 == inspectItems {
			return append(out, fmt.Sprintf("... %d more item%s", len(entries)/2-i/2, plural(len(entries)/2-i/2)))
		}
		out = append(out, in.value(entries[i], level+1, false)+" => "+in.value(entries[i+1], level+1, false))
	}
	return out
}
