package sandbox

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"codemode-ls/script"

	"github.com/dop251/goja"
)

// programName is what frames outside of the author's text are attributed to:
// esbuild's helpers. They are left out of stacks.
const programName = "codemode-helpers"

const maxFrames = 20

// engineWords is what goja says of an object that has no toString, such as every
// result of a tool: with addresses of its own memory.
var engineWords = regexp.MustCompile(`(?s)Could not convert &\{.*?\}(?: \(\*goja\.\w+\))? to primitive`)

var (
	// goja writes `name (script.ts:3:9(12))`: the last number is its own.
	framePosition = regexp.MustCompile(`\bscript\.[tj]s:(-?\d+):(\d+)\(\d+\)`)
	// engineFrame is every line of such a stack, and none of another language's.
	engineFrame = regexp.MustCompile(`(?:\bscript\.[tj]s|\bcodemode-[a-z]+):-?\d+:\d+\(\d+\)\)?$|\(native\)$|^native$`)
	authorLine  = regexp.MustCompile(`\bscript\.[tj]s:(\d+):(\d+)`)
)

// authorsWords says in an author's words what goja says in its own.
func authorsWords(s string) string {
	s = engineWords.ReplaceAllString(s, "Cannot convert object to primitive value")
	const member, notObject = "Object has no member '", "Value is not an object: "
	switch {
	case strings.Contains(s, "Cannot read property '") && strings.HasSuffix(s, "' of undefined"):
		return s + " or null" // goja does not tell them apart
	case strings.HasSuffix(s, "Cannot convert undefined or null to object"):
		return s + ": it cannot be iterated, and its properties cannot be set or listed"
	case strings.Contains(s, member) && strings.HasSuffix(s, "'"):
		head, name, _ := strings.Cut(s, member)
		return head + strings.TrimSuffix(name, "'") + " is not a function: the object has no such member"
	case strings.Contains(s, notObject):
		head, value, _ := strings.Cut(s, notObject)
		return head + value + " is not a function or not an object"
	}
	return strings.Replace(s, "Value is not object coercible", "undefined or null cannot be destructured or made an object", 1)
}

// isAuthors says whether a frame is in the author's text.
func isAuthors(f *goja.StackFrame) bool {
	p := f.Position()
	return (p.Filename == script.SourceName(script.TypeScript) || p.Filename == script.SourceName(script.JavaScript)) && p.Line > 0
}

// here is where the script is: the innermost position in the author's text, and
// the stack as lines.
func (r *realm) here() (*script.Position, string) {
	r.frames = r.vm.CaptureCallStack(maxFrames, r.frames[:0])
	return describeFrames(r.frames)
}

// describeFrames writes frames as Node does, the author's alone.
func describeFrames(frames []goja.StackFrame) (at *script.Position, lines string) {
	var b strings.Builder
	n := 0
	for i := range frames {
		f := &frames[i]
		if n == maxFrames {
			break
		}
		if !isAuthors(f) {
			continue
		}
		n++
		p := f.Position()
		if at == nil {
			at = &script.Position{Line: p.Line - 1, Character: max(0, p.Column-1)}
		}
		b.WriteString("\n    at ")
		place := p.Filename + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
		if name := f.FuncName(); name != "" && name != "<anonymous>" {
			b.WriteString(name + " (" + place + ")")
		} else {
			b.WriteString(place)
		}
	}
	return at, b.String()
}

// cleanStack rewrites the stack lines that goja writes into Node's form and
// leaves out those that are not of the author's text. Other text stays.
func cleanStack(s string) string {
	if strings.Contains(s, "Could not convert &{") {
		s = engineWords.ReplaceAllString(s, "Cannot convert object to primitive value")
	}
	if !strings.Contains(s, "\tat ") || !framePosition.MatchString(s) && !strings.HasSuffix(s, "(native)\n") {
		return s // a tool's text may hold the stack of another program
	}
	if head, rest, ok := strings.Cut(s, "\n"); ok {
		s = authorsWords(head) + "\n" + rest
	}
	var b strings.Builder
	n := 0
	for i, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "\tat "); ok && engineFrame.MatchString(rest) {
			m := framePosition.FindStringSubmatch(rest)
			if m == nil || strings.HasPrefix(m[1], "-") || m[1] == "0" || n == maxFrames {
				continue
			}
			n++
			line = "    at " + framePosition.ReplaceAllStringFunc(rest, func(m string) string { return m[:strings.LastIndexByte(m, '(')] })
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}

// ownFrames leaves out of a stack what is below the author's last line, where a
// module's default export is called, and the name that such an export is given.
func ownFrames(stack string, lines int) string {
	kept := strings.Split(stack, "\n")
	kept = slices.DeleteFunc(kept, func(line string) bool {
		m := authorLine.FindStringSubmatch(line)
		if m == nil || !strings.HasPrefix(line, "    at ") {
			return false
		}
		n, err := strconv.Atoi(m[1])
		return err == nil && n > lines
	})
	for i, line := range kept {
		if place, ok := strings.CutPrefix(line, "    at $main ("); ok {
			kept[i] = "    at " + strings.TrimSuffix(place, ")")
		}
	}
	return strings.Join(kept, "\n")
}

// positionIn is the first position of the author's text in a stack.
func positionIn(stack string) *script.Position {
	i := strings.Index(stack, "\n    at ")
	if i < 0 {
		return nil
	}
	m := authorLine.FindStringSubmatch(stack[i:])
	if m == nil {
		return nil
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	const most = 1 << 24 // a script may write any number there
	if line < 1 || column < 1 || line > most || column > most {
		return nil
	}
	return &script.Position{Line: line - 1, Character: column - 1}
}

// newError makes an error of the realm with one of its original constructors.
func (r *realm) newError(class, message string) *goja.Object {
	c := r.errors[class]
	if c == nil {
		c = r.errors["Error"]
	}
	o, err := r.vm.New(c, r.vm.ToValue(message))
	if err != nil {
		panic(err)
	}
	return o
}

// setStack gives an error the place of a call as its stack.
func (r *realm) setStack(e *goja.Object, stack string) {
	line := r.errorLine(e)
	e.DefineDataProperty("stack", r.vm.ToValue(line+stack), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// isError says whether a value is an Error object.
func isError(v goja.Value) (*goja.Object, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == typeProxy || o.ClassName() != "Error" {
		return nil, false
	}
	return o, true
}

// nameAndMessage of a thrown value. Getters of the script may run.
func (r *realm) nameAndMessage(v goja.Value) (name, message string) {
	e, ok := isError(v)
	if !ok {
		return "", r.safeInspect(v)
	}
	ex := r.vm.Try(func() {
		name = stringOr(e.Get("name"), "Error")
		if m := e.Get("message"); m != nil && !goja.IsUndefined(m) {
			if isPrimitiveString(m) {
				message = authorsWords(m.String())
			} else {
				message = r.inspect(m)
			}
		}
	})
	if ex != nil {
		return "Error", "(its name or message cannot be read)"
	}
	return name, message
}

// errorLine is "Name: message", as an error converts to a string.
func (r *realm) errorLine(v goja.Value) string {
	name, message := r.nameAndMessage(v)
	switch {
	case name == "":
		return message
	case message == "":
		return name
	}
	return name + ": " + message
}

// safeInspect is inspect for values that may throw.
func (r *realm) safeInspect(v goja.Value) (s string) {
	if ex := r.vm.Try(func() {
		if isPrimitiveString(v) {
			s = v.String()
		} else {
			s = r.inspect(v)
		}
	}); ex != nil {
		return "(a value that cannot be shown)"
	}
	return s
}

// scriptError describes an uncaught value (EXEC-11).
func (r *realm) scriptError(v goja.Value) *ScriptError {
	e := &ScriptError{Call: -1}
	e.Name, e.Message = r.nameAndMessage(v)
	o, ok := isError(v)
	if !ok {
		e.Name = "Error"
		return e
	}
	r.vm.Try(func() {
		e.Stack = r.errorStack(o, stringOr(o.Get("stack"), ""))
		e.Code = stringOr(o.Get("code"), "")
		r.addErrors(e, o)
		cause := o.Get("cause")
		for range 5 {
			if cause == nil || goja.IsUndefined(cause) {
				break
			}
			e.Stack += "\ncaused by " + strings.TrimSpace(r.causeText(cause))
			c, ok := isError(cause)
			if !ok {
				break
			}
			cause = c.Get("cause")
		}
	})
	e.At = positionIn(e.Stack)
	if c := r.rejected[o]; c != nil {
		e.Call = c.index
		e.At = c.at
	}
	return e
}

// allRejected is the message of Promise.any's error, which says less than its errors.
const allRejected = "All promises were rejected"

// addErrors tells of the errors that an AggregateError holds, such as that of
// Promise.any.
func (r *realm) addErrors(e *ScriptError, o *goja.Object) {
	list, ok := o.Get("errors").(*goja.Object)
	if !ok || !r.isArray(list) {
		return
	}
	const most = 5
	n := int(list.Get("length").ToInteger())
	var lines []string
	for i := range min(n, most) {
		v := list.Get(strconv.Itoa(i))
		lines = append(lines, r.errorLine(v))
		e.Stack += "\nerror " + strconv.Itoa(i+1) + " of " + strconv.Itoa(n) + ": " + strings.TrimSpace(r.causeText(v))
	}
	if (e.Message == "" || e.Message == allRejected) && n > 0 {
		if n > most {
			lines = append(lines, "…")
		}
		e.Message = strconv.Itoa(n) + " errors: " + strings.Join(lines, "; ")
		if n == 1 {
			e.Message = lines[0]
		}
	}
}

// errorStack is an error's stack in Node's form. The frames of the constructors
// of the error's own classes are left out: the place is where it was made.
func (r *realm) errorStack(e *goja.Object, stack string) string {
	stack = strings.TrimSuffix(cleanStack(stack), "\n")
	const at = "\n    at "
	head := strings.Index(stack, at)
	for p := e.Prototype(); p != nil && head >= 0 && p.ExportType() != typeProxy && !r.isErrorProto(p); p = p.Prototype() {
		c, ok := r.own(p, "constructor").value.(*goja.Object)
		if !ok || c.ExportType() == typeProxy || !strings.Contains(r.functionText(c), "constructor(") {
			continue
		}
		if next := strings.Index(stack[head+1:], at); next >= 0 {
			stack = stack[:head] + stack[head+1+next:]
		}
	}
	return r.reads.mendPlace(stack)
}

func (r *realm) isErrorProto(o *goja.Object) bool {
	for _, c := range r.errors {
		if r.own(c, "prototype").value == goja.Value(o) {
			return true
		}
	}
	return false
}

func (r *realm) causeText(v goja.Value) string {
	if o, ok := isError(v); ok {
		if s := stringOr(o.Get("stack"), ""); s != "" {
			return r.errorStack(o, s)
		}
	}
	return r.errorLine(v)
}
