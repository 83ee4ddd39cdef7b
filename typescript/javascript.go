package typescript

import (
	"regexp"
	"strings"

	"go.lsp.dev/protocol"
)

// A tolerance takes out the complaints about a JavaScript text that only want
// types written down, for which JavaScript has no words: what is left is about
// what the script does. Ranges are those of the engine.
type tolerance struct {
	*document
	options map[string]bool // see optional; made when first needed
}

var (
	missingProperty = regexp.MustCompile(`^Property '([^']+)' does not exist on type '`)
	surplusProperty = regexp.MustCompile(`and '([^']+)' does not exist in type '`)
	perhapsNothing  = regexp.MustCompile(`^'[^']*\.([\w$#]+)' is possibly '`)
	// A value's type is wider than the text that it always is: there is no `as const`.
	widened       = regexp.MustCompile(`(?m)^\s*Type '(?:string|number)' is not assignable to type '(?:"|[^']*\| "|\d|[^']*\| \d)`)
	looseEquality = regexp.MustCompile(`[^=!]==[^=]|!=[^=]`)
	// optionPattern is a parameter such as { limit = 5, short } = {}.
	optionPattern = regexp.MustCompile(`\{([^{}]*)\}\s*=\s*\{\s*\}`)
	patternName   = regexp.MustCompile(`(?:^|,)\s*([\w$]+)`)
)

// tolerates reports whether a complaint is none in JavaScript.
func (t *tolerance) tolerates(f protocol.Diagnostic) bool {
	if implicitAny(f.Code) {
		return true
	}
	code, ok := f.Code.(protocol.Integer)
	message, isText := f.Message.(protocol.String)
	if !ok || !isText || f.Severity != protocol.DiagnosticSeverityError {
		return false
	}
	said := string(message)
	switch {
	case strings.Contains(said, "'unknown'"), strings.Contains(said, "'never'"), strings.Contains(said, "<never>'"):
		return true // an output of which nothing is known; a variable or a list that began empty
	case strings.Contains(said, "'IArguments'"):
		return true
	}
	switch code {
	case 2339:
		m := missingProperty.FindStringSubmatch(said)
		return m != nil && (strings.Contains(said, "on type '{}'") || t.optional(m[1]) || t.assigns(`\.\s*`+regexp.QuoteMeta(m[1])))
	case 2353:
		m := surplusProperty.FindStringSubmatch(said)
		return m != nil && t.optional(m[1])
	case 2322, 2345, 2769:
		return widened.MatchString(said)
	case 2362, 2363:
		return strings.Contains(t.text, "Date") // dates are subtracted
	case 2367:
		return looseEquality.MatchString(t.textOf(f.Range)) && !strings.Contains(said, "'Promise<")
	case 2454:
		return regexp.MustCompile(`\bvar\s+` + regexp.QuoteMeta(t.textOf(f.Range)) + `\b`).MatchString(t.text)
	case 2554:
		return len(t.source.Mentions(func(name string) bool { return name == "arguments" })) > 0
	case 17008, 1381, 1382, 7026:
		return true // of JSX, which 17004 says is none
	case 2698:
		return true // of an unknown value
	case 2790:
		return true // delete of what the literal has
	case 18047, 18048:
		m := perhapsNothing.FindStringSubmatch(said)
		return m != nil && t.assigns(`\bthis\.`+regexp.QuoteMeta(m[1])) // a field of a class
	}
	return false
}

// assigns reports whether something is assigned to what matches a pattern.
func (t *tolerance) assigns(pattern string) bool {
	assigned, err := regexp.Compile(pattern + `\s*=[^=>]`)
	return err == nil && assigned.MatchString(t.text)
}

// optional reports whether a name stands in a parameter pattern whose default is {}.
func (t *tolerance) optional(name string) bool {
	if t.options == nil {
		t.options = map[string]bool{}
		for _, m := range optionPattern.FindAllStringSubmatch(t.text, -1) {
			for _, n := range patternName.FindAllStringSubmatch(m[1], -1) {
				t.options[n[1]] = true
			}
		}
	}
	return t.options[name]
}
