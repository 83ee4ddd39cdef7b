package guest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"codemode-ls/sandbox/ecma"

	"github.com/dop251/goja"
)

// Sizes of what console prints of one value. Layout (one line or several, short
// items in columns) follows Node's util.inspect with its defaults; depth is
// larger, because a reader cannot ask again, and objects without a prototype,
// such as every result of a tool, are printed as ordinary ones.
const (
	inspectDepth       = 6
	inspectItems       = 100
	inspectKeys        = 100_000 // a longer list shows its items alone
	inspectStringChars = 10_000
	inspectNodes       = 20_000
	breakLength        = 80
	compactLevels      = 3
	minLineWidth       = 16
)

// inspector prints values for display (EXEC-8). It runs no trap, and no getter
// but those of an Error's name and message.
type inspector struct {
	realm   *realm
	indent  int
	depth   int // of what was formatted last
	nodes   int
	stack   []*goja.Object
	circles map[*goja.Object]int
}

// format joins the arguments of a console method as Node does: a first string
// may hold %s, %d, %i, %f, %j, %o, %O, %c and %%.
func (r *realm) format(args []goja.Value) string {
	var b strings.Builder
	rest := args
	if len(args) > 1 && ecma.IsPrimitiveString(args[0]) {
		f := args[0].String()
		rest = args[1:]
		for {
			i := strings.IndexByte(f, '%')
			if i < 0 || i+1 == len(f) {
				break
			}
			b.WriteString(f[:i])
			verb := f[i+1]
			f = f[i+2:]
			switch {
			case verb == '%':
				b.WriteByte('%')
			case !strings.ContainsRune("sdifjoOc", rune(verb)) || len(rest) == 0:
				b.WriteByte('%')
				b.WriteByte(verb)
			default:
				b.WriteString(r.formatVerb(verb, rest[0]))
				rest = rest[1:]
			}
		}
		b.WriteString(f)
		if len(rest) > 0 {
			b.WriteByte(' ')
		}
	}
	for i, v := range rest {
		if i > 0 {
			b.WriteByte(' ')
		}
		if ecma.IsPrimitiveString(v) {
			b.WriteString(ecma.CleanStack(v.String()))
		} else {
			b.WriteString(r.inspect(v))
		}
	}
	return b.String()
}

func (r *realm) formatVerb(verb byte, v goja.Value) string {
	_, object := v.(*goja.Object)
	_, symbol := v.(*goja.Symbol)
	switch verb {
	case 's':
		if ecma.IsPrimitiveString(v) {
			return v.String()
		}
		return r.inspect(v)
	case 'd', 'i', 'f':
		switch {
		case goja.IsBigInt(v) && !object && verb != 'f':
			return v.String() + "n"
		case object || symbol:
			return "NaN"
		}
		f := v.ToFloat()
		if verb == 'i' {
			f = math.Trunc(f)
		}
		return r.number(f)
	case 'j':
		e := &resultEncoder{realm: r, max: inspectStringChars * 10}
		if ok, err := e.value(v, "$"); err != nil {
			return "[" + err.Error() + "]"
		} else if !ok {
			return "undefined"
		}
		return e.buf.String()
	case 'c':
		return ""
	}
	return r.inspect(v)
}

// inspect prints one value.
func (r *realm) inspect(v goja.Value) string {
	in := &inspector{realm: r, circles: map[*goja.Object]int{}}
	return in.value(v, 0, false)
}

func (in *inspector) value(v goja.Value, level int, typed bool) string {
	in.nodes++
	o, ok := v.(*goja.Object)
	if !ok {
		return in.primitive(v)
	}
	if in.nodes > inspectNodes {
		return "…"
	}
	for in.isProxy(o) {
		p, _ := o.Export().(goja.Proxy)
		o = p.Target()
		if o == nil {
			return "<Revoked Proxy>"
		}
	}
	for _, s := range in.stack {
		if s == o {
			n, seen := in.circles[o]
			if !seen {
				n = len(in.circles) + 1
				in.circles[o] = n
			}
			return fmt.Sprintf("[Circular *%d]", n)
		}
	}
	return in.object(o, level, typed)
}

func (in *inspector) isProxy(o *goja.Object) bool { return o.ExportType() == ecma.TypeProxy }

func (in *inspector) primitive(v goja.Value) string {
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	case goja.IsString(v):
		return in.str(v.String())
	case goja.IsBigInt(v):
		return v.String() + "n"
	case goja.IsNumber(v):
		return in.realm.number(v.ToFloat())
	}
	if s, ok := v.(*goja.Symbol); ok {
		return symbolText(s)
	}
	return v.String()
}

func symbolText(s *goja.Symbol) string { return "Symbol(" + s.String() + ")" }

func (r *realm) number(f float64) string {
	if f == 0 && math.Signbit(f) {
		return "-0"
	}
	return r.vm.ToValue(f).String()
}

// str prints a string inside of a value; a long one is split at its line ends.
func (in *inspector) str(s string) string {
	more := ""
	if n := utf8.RuneCountInString(s); n > inspectStringChars {
		cut := 0
		for range inspectStringChars {
			_, size := utf8.DecodeRuneInString(s[cut:])
			cut += size
		}
		s = s[:cut]
		more = fmt.Sprintf("... %d more character%s", n-inspectStringChars, plural(n-inspectStringChars))
	}
	if length(s) > minLineWidth && length(s) > breakLength-in.indent-4 && strings.Contains(s, "\n") {
		lines := strings.SplitAfter(s, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i, l := range lines {
			lines[i] = quote(l)
		}
		return strings.Join(lines, " +\n"+strings.Repeat(" ", in.indent+2)) + more
	}
	return quote(s) + more
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// quote prints a string in the quotes that need no escape, single ones first.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") {
		switch {
		case !strings.Contains(s, `"`):
			q = '"'
		case !strings.Contains(s, "`") && !strings.Contains(s, "${"):
			q = '`'
		}
	}
	var b strings.Builder
	b.WriteByte(q)
	for _, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte(q)
	return b.String()
}

// length counts UTF-16 units, as layout does.
func length(s string) (n int) {
	for _, r := range s {
		if l := utf16.RuneLen(r); l > 0 {
			n += l
		} else {
			n++
		}
	}
	return n
}

// shape is how an object is printed: base before braces around entries.
type shape struct {
	base    string
	open    string
	close   string
	array   bool // numbered entries come first
	length  int  // how many
	entries func() []string
	skip    map[string]bool // keys that are printed by entries
	values  func(i int) goja.Value
}

func (in *inspector) object(o *goja.Object, level int, typed bool) string {
	s := in.shapeOf(o)
	keys, symbols := in.keys(o, s)
	if s.entries == nil && len(keys)+len(symbols) == 0 {
		switch {
		case s.base != "":
			return s.base
		default:
			return s.open + s.close
		}
	}
	if level > inspectDepth {
		name := in.constructor(o)
		if name == "" {
			name = "Object"
		}
		return "[" + name + "]"
	}
	in.stack = append(in.stack, o)
	in.depth = level
	var out []string
	if s.entries != nil {
		in.indent += 2
		out = s.entries()
		in.indent -= 2
	}
	listed := len(out)
	for _, k := range keys {
		out = append(out, in.property(o, k, level))
	}
	for _, k := range symbols {
		out = append(out, "["+symbolText(k)+"]: "+in.member(in.realm.ownSymbol(o, k), level))
	}
	in.stack = in.stack[:len(in.stack)-1]
	base := s.base
	open := s.open
	if n, ok := in.circles[o]; ok {
		ref := fmt.Sprintf("<ref *%d>", n)
		if base == "" {
			open = ref + " " + open
		} else {
			base = ref + " " + base
		}
	}
	if len(out) == 0 {
		if base != "" {
			return base
		}
		return open + s.close
	}
	return in.join(out, base, open, s, level, listed)
}

// join lays entries out on one line or several.
func (in *inspector) join(out []string, base, open string, s shape, level, listed int) string {
	entries := len(out)
	if s.array && entries > 6 {
		out = in.columns(out, s, listed)
	}
	head := open
	if base != "" {
		head = base + " " + open
	}
	if in.depth-level < compactLevels && entries == len(out) {
		total := len(out) + len(out) + in.indent + length(open) + length(base) + 10
		for _, e := range out {
			total += length(e)
		}
		if total <= breakLength && !strings.Contains(base, "\n") {
			if line := strings.Join(out, ", "); !strings.Contains(line, "\n") {
				return head + " " + line + " " + s.close
			}
		}
	}
	pad := "\n" + strings.Repeat(" ", in.indent)
	return head + pad + "  " + strings.Join(out, ","+pad+"  ") + pad + s.close
}

// columns puts the items of a long list side by side.
func (in *inspector) columns(out []string, s shape, listed int) []string {
	n := len(out)
	more := n > inspectItems && listed > inspectItems
	if more {
		n--
	}
	lengths := make([]int, n)
	total, longest := 0, 0
	for i := range n {
		lengths[i] = length(out[i])
		total += lengths[i] + 2
		longest = max(longest, lengths[i])
	}
	widest := longest + 2
	if widest*3+in.indent >= breakLength || float64(total)/float64(widest) <= 5 && longest > 6 {
		return out
	}
	bias := math.Sqrt(float64(widest) - float64(total)/float64(len(out)))
	biased := math.Max(float64(widest)-3-bias, 1)
	columns := int(math.Min(
		math.Min(math.Round(math.Sqrt(2.5*biased*float64(n))/biased), math.Floor(float64(breakLength-in.indent)/float64(widest))),
		math.Min(compactLevels*4, 15)))
	if columns <= 1 {
		return out
	}
	widths := make([]int, columns)
	for c := range columns {
		for i := c; i < n; i += columns {
			widths[c] = max(widths[c], lengths[i])
		}
		widths[c] += 2
	}
	right := s.values != nil
	for i := 0; right && i < n; i++ {
		if v := s.values(i); v == nil || !goja.IsNumber(v) && !goja.IsBigInt(v) {
			right = false
		}
	}
	var lines []string
	for i := 0; i < n; i += columns {
		end := min(i+columns, n)
		var b strings.Builder
		for j := i; j < end; j++ {
			item, width := out[j], widths[j-i]
			last := j == end-1
			if !last {
				item += ", "
			}
			pad := strings.Repeat(" ", max(0, width-lengths[j]-2))
			switch {
			case right:
				b.WriteString(pad + item)
			case last:
				b.WriteString(item)
			default:
				b.WriteString(item + pad)
			}
		}
		lines = append(lines, b.String())
	}
	if more {
		lines = append(lines, out[n])
	}
	return lines
}

// member prints a nested value.
func (in *inspector) member(p ownProperty, level int) string {
	switch {
	case p.getter && p.setter:
		return "[Getter/Setter]"
	case p.getter:
		return "[Getter]"
	case p.setter:
		return "[Setter]"
	}
	in.indent += 2
	defer func() { in.indent -= 2 }()
	return in.value(p.value, level+1, false)
}

func (in *inspector) property(o *goja.Object, k string, level int) string {
	p := in.realm.own(o, k)
	name := k
	if !plainKey(k) {
		name = quote(k)
	}
	if !p.enumerable {
		name = "[" + k + "]"
	}
	return name + ": " + in.member(p, level)
}

func plainKey(s string) bool {
	return isIdentifier(s) && !strings.Contains(s, "$")
}

// keys are the own enumerable keys that are printed as properties.
func (in *inspector) keys(o *goja.Object, s shape) (keys []string, symbols []*goja.Symbol) {
	if s.open == "" {
		return nil, nil
	}
	if s.length > inspectKeys {
		return nil, o.Symbols() // the keys would take many times its memory
	}
	isError := o.ClassName() == "Error"
	for _, k := range o.Keys() {
		if s.array && isIndex(k) || s.skip[k] || isError && in.said(o, k, s.base) {
			continue
		}
		if len(keys) == inspectItems*10 {
			break
		}
		keys = append(keys, k)
	}
	if isError {
		for _, k := range []string{"cause", "errors"} {
			if in.realm.HasOwn(o, k) && !in.realm.own(o, k).enumerable {
				keys = append(keys, k)
			}
		}
	}
	return keys, o.Symbols()
}

// said reports whether an error's own property is in its text already.
func (in *inspector) said(o *goja.Object, key, text string) bool {
	if key != "name" && key != "message" && key != "stack" {
		return false
	}
	v := in.realm.own(o, key).value
	return v != nil && ecma.IsPrimitiveString(v) && strings.Contains(text, v.String())
}

func isIndex(k string) bool {
	_, err := strconv.ParseUint(k, 10, 32)
	return err == nil
}

// constructor is the name of the class that an object shows, or "" when it has
// no prototype. Getters do not run.
func (in *inspector) constructor(o *goja.Object) string {
	for p := o; p != nil; p = p.Prototype() {
		if in.isProxy(p) {
			return ""
		}
		if !in.realm.HasOwn(p, "constructor") {
			continue
		}
		c, ok := in.realm.own(p, "constructor").value.(*goja.Object)
		if !ok || in.isProxy(c) || !ecma.IsFunction(c) {
			continue
		}
		if name := stringOr(in.realm.own(c, "name").value, ""); name != "" {
			return name
		}
	}
	return ""
}

// tag is Symbol.toStringTag, when it says something that the class does not.
func (in *inspector) tag(o *goja.Object) string {
	for p := o; p != nil && !in.isProxy(p); p = p.Prototype() {
		if v := in.realm.ownSymbol(p, goja.SymToStringTag); v.value != nil && (p != o || !v.enumerable) {
			return stringOr(v.value, "")
		}
	}
	return ""
}

func (in *inspector) prefix(o *goja.Object, ordinary, size string) string {
	name, tag := in.constructor(o), in.tag(o)
	if tag == name {
		tag = ""
	}
	if name == "" {
		name = ordinary
	}
	if name == ordinary && size == "" && tag == "" {
		return ""
	}
	if tag != "" {
		return name + size + " [" + tag + "] "
	}
	return name + size + " "
}
