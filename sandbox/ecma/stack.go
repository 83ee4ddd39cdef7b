package ecma

import (
	"regexp"
	"strconv"
	"strings"

	"codemode-ls/script"

	"github.com/dop251/goja"
)

// programName is what frames outside of the author's text are attributed to:
// esbuild's helpers. They are left out of stacks.
const programName = "codemode-helpers"

const MaxFrames = 20

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

// AuthorsWords says in an author's words what goja says in its own.
func AuthorsWords(s string) string {
	s = engineWords.ReplaceAllString(s, "Cannot convert object to primitive value")
	const member, notObject = "Object has no member '", "Value is not an object: "
	switch {
	case strings.Contains(s, "Cannot read property '") && strings.HasSuffix(s, "' of undefined"):
		return s + " or null" // goja does not distinguish them
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

// isAuthors reports whether a frame is in the author's text.
func isAuthors(f *goja.StackFrame) bool {
	p := f.Position()
	return (p.Filename == script.SourceName(script.TypeScript) || p.Filename == script.SourceName(script.JavaScript)) && p.Line > 0
}

// DescribeFrames writes frames as Node does, the author's alone.
func DescribeFrames(frames []goja.StackFrame) (at *script.Position, lines string) {
	var b strings.Builder
	n := 0
	for i := range frames {
		f := &frames[i]
		if n == MaxFrames {
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

// CleanStack rewrites the stack lines that goja writes into Node's form and
// leaves out those that are not of the author's text. Other text stays.
func CleanStack(s string) string {
	if strings.Contains(s, "Could not convert &{") {
		s = engineWords.ReplaceAllString(s, "Cannot convert object to primitive value")
	}
	if !strings.Contains(s, "\tat ") || !framePosition.MatchString(s) && !strings.HasSuffix(s, "(native)\n") {
		return s // a tool's text may hold the stack of another program
	}
	if head, rest, ok := strings.Cut(s, "\n"); ok {
		s = AuthorsWords(head) + "\n" + rest
	}
	var b strings.Builder
	n := 0
	for i, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "\tat "); ok && engineFrame.MatchString(rest) {
			m := framePosition.FindStringSubmatch(rest)
			if m == nil || strings.HasPrefix(m[1], "-") || m[1] == "0" || n == MaxFrames {
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

// PositionIn is the first position of the author's text in a stack.
func PositionIn(stack string) *script.Position {
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
