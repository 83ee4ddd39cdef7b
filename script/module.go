package script

import "strings"

var (
	moduleKeyword = lazily(`(?:^|[^\w$.])(import|export)\s*$`)

	// type-only imports in their forms, anchored at the keyword.
	importType = lazily(`^import\s+type\s+(?:[^\s{},;'"=]+|\*\s*as\s+[^\s{},;'"]+|\{[^{}]*\})\s*` +
		`(?:from\s*(?:"[^"\n]*"|'[^'\n]*')(?:\s*with\s*\{[^{}]*\})?|=\s*require\s*\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*\))[ \t]*;?`)
	importInlineTypes = lazily(`^import\s*\{(?:\s*type\s+[^{},;'"]+,?)+\s*\}\s*from\s*(?:"[^"\n]*"|'[^'\n]*')[ \t]*;?`)

	exportDefault   = lazily(`^export\s+default\b`)
	defaultFunction = lazily(`^(\s*(?:async\s+)?function\s*\*?)\s*([^\s(){}]*)`)
	defaultClass    = lazily(`^(\s*(?:abstract\s+)?class)\b\s*([^\s(){}<]*)`)
)

// mainName holds a module's default export.
const mainName = "$main"

// moduleWord finds the import or export keyword that an error is about: the
// parser complains about export itself, and about what follows import.
func moduleWord(text string, at *TransformError) (offset int, word string) {
	if at.Line < 2 {
		return 0, ""
	}
	offset = lineOffset(text, at.Line-2)
	if offset < 0 {
		return 0, ""
	}
	offset = min(offset+at.Column, len(text))
	if strings.HasPrefix(text[offset:], "export") {
		return offset, "export"
	}
	if m := moduleKeyword().FindStringSubmatchIndex(text[:offset]); m != nil {
		return m[2], text[m[2]:m[3]]
	}
	return 0, ""
}

// lineOffset is where a 0-based line of esbuild's begins, or -1.
func lineOffset(text string, line int) int {
	if starts := languageLines(text); line >= 0 && line < len(starts) {
		return starts[line]
	}
	return -1
}

// typeImport is the length of the type-only import that a text begins with.
func typeImport(text string) int {
	if m := importType().FindString(text); m != "" {
		return len(m)
	}
	return len(importInlineTypes().FindString(text))
}

// defaultExport is the length of the `export default` that a text begins with.
func defaultExport(text string) int { return len(exportDefault().FindString(text)) }

// mainOf turns the default export at an offset, n bytes long, into a variable or
// a declaration, without moving what follows it, and gives the end of the body
// that runs it with the input (EXEC-16, EXEC-18), the second argument of what Compile
// makes. A declaration stays one: it is hoisted, and other code
// may use its name.
func mainOf(text string, at, n int) (body, tail string) {
	name := mainName
	after := text[at+n:]
	m := defaultFunction().FindStringSubmatch(after)
	if m == nil {
		m = defaultClass().FindStringSubmatch(after)
		if m != nil && m[2] == "extends" {
			m[2] = ""
		}
	}
	switch {
	case m == nil: // an expression
		export := text[at : at+n]
		export = strings.Replace(export, "export", "var   ", 1)
		export = strings.Replace(export, "default", mainName+" =", 1)
		body = text[:at] + export + after
	case m[2] != "": // a named declaration
		name = m[2]
		body = blank(text, at, at+n)
	default: // an anonymous one gets the name, in the room that the keywords leave
		head := text[:at] + blank(text[at:at+n], 0, n-len(" "+mainName))[:n-len(" "+mainName)]
		body = head + m[1] + " " + mainName + after[len(m[1]):]
	}
	return body, "\nreturn typeof " + name + ` === "function" ? ` + name + "(arguments[1]) : " + name
}
