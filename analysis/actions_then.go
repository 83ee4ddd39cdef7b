package analysis

import (
	"regexp"
	"strings"

	"codemode-ls/script"
)

// unchained turns a statement that waits with .then(…) into one with await.
func (m *fixer) unchained(offset int) (fix, bool) {
	c, ok := m.source.ChainAt(offset)
	if !ok || !c.Async {
		return fix{}, false
	}
	line := strings.LastIndexAny(m.text[:c.Start], "\r\n") + 1
	indent := m.text[line:c.Start]
	if strings.TrimSpace(indent) != "" {
		indent = ""
	}
	ending := "\n"
	if strings.HasSuffix(m.text[:line], "\r\n") {
		ending = "\r\n"
	}
	w := unchaining{text: m.text, chain: c, indent: indent, ending: ending}
	text, ok := w.write()
	if !ok {
		return fix{}, false
	}
	return fix{title: "Convert to await", kind: kindRewrite, edits: []edit{{c.Start, c.End, text}}}, true
}

// An unchaining writes one chain again.
type unchaining struct {
	text           string
	chain          script.Chain
	indent, ending string
}

func (w *unchaining) part(s script.Span) string { return w.text[s.Start:s.End] }

func (w *unchaining) write() (string, bool) {
	links := w.chain.Links
	var rescue, final *script.ChainLink
	if n := len(links); n > 0 && links[n-1].Method == "finally" {
		final, links = &links[n-1], links[:n-1]
	}
	if n := len(links); n > 0 && links[n-1].Method == "catch" {
		rescue, links = &links[n-1], links[:n-1]
	}
	before := strings.TrimSpace(w.part(w.chain.Before))
	keeps := before != "" && !w.chain.Return && before != "await" // a declaration
	if len(links) == 0 || keeps && (rescue != nil || final != nil) {
		return "", false
	}
	inner := w.indent
	if rescue != nil || final != nil {
		inner += "  "
	}
	lines, ok := w.steps(links, strings.TrimSpace(strings.TrimSuffix(before, "await")), inner)
	if !ok {
		return "", false
	}
	if rescue == nil && final == nil {
		return strings.TrimPrefix(strings.Join(lines, w.ending), w.indent), true
	}
	all := append([]string{w.indent + "try {"}, lines...)
	if rescue != nil {
		head := w.indent + "} catch {"
		if p := w.part(rescue.Parameter); p != "" {
			head = w.indent + "} catch (" + p + ") {"
		}
		body, ok := w.handler(*rescue, inner)
		if !ok {
			return "", false
		}
		all = append(append(all, head), body...)
	}
	if final != nil {
		body, ok := w.handler(*final, inner)
		if !ok {
			return "", false
		}
		all = append(append(all, w.indent+"} finally {"), body...)
	}
	all = append(all, w.indent+"}")
	return strings.TrimPrefix(strings.Join(all, w.ending), w.indent), true
}

// steps are the lines for the links up to the last .then.
func (w *unchaining) steps(links []script.ChainLink, before, indent string) ([]string, bool) {
	var lines []string
	value := "await " + w.part(w.chain.Base)
	for i, l := range links {
		last := i == len(links)-1
		if l.Method != "then" {
			return nil, false
		}
		if !l.Function { // .then(work)
			callback := w.part(l.Callback)
			if !isMemberPath(callback) {
				return nil, false
			}
			value = callback + "(" + value + ")"
		} else {
			name := w.part(l.Parameter)
			switch {
			case name == "":
				lines = append(lines, indent+value+";")
			case name == strings.TrimPrefix(value, "await "):
			default:
				name, typed, _ := strings.Cut(name, ":")
				if w.taken(strings.TrimSpace(name), l) {
					return nil, false
				}
				declaration := "const " + strings.TrimSpace(name)
				if typed != "" {
					declaration += ": " + strings.TrimSpace(typed)
				}
				lines = append(lines, indent+declaration+" = "+value+";")
			}
			if l.Block {
				if !last || before != "" && !w.chain.Return {
					return nil, false
				}
				if before == "" && hasReturn.MatchString(w.part(l.Body)) {
					return nil, false
				}
				return append(lines, w.block(l, indent)...), true
			}
			value = w.part(l.Body)
		}
		if !last {
			value = "await " + parenthesised(value)
		}
	}
	switch {
	case w.chain.Return:
		lines = append(lines, indent+"return "+strings.TrimPrefix(value, "await ")+";")
	case before != "":
		lines = append(lines, indent+before+" await "+parenthesised(value)+";")
	default:
		lines = append(lines, indent+value+";")
	}
	return lines, true
}

var hasReturn = regexp.MustCompile(`\breturn\b`)

// parenthesised is an expression that await may stand before.
func parenthesised(value string) string {
	if strings.ContainsAny(value, "?|&=<>+-*/%") && !strings.HasPrefix(value, "(") {
		return "(" + value + ")"
	}
	return value
}

var memberPath = regexp.MustCompile(`^[\w$]+(?:\.[\w$]+)*$`)

func isMemberPath(text string) bool { return memberPath.MatchString(text) }

// taken reports whether a name of a callback is used elsewhere, so that it cannot be
// declared around it.
func (w *unchaining) taken(name string, l script.ChainLink) bool {
	for n := range strings.FieldsSeq(strings.Map(nameOrSpace, name)) {
		word := regexp.MustCompile(`(^|[^\w$.])` + regexp.QuoteMeta(n) + `($|[^\w$])`)
		outside := w.text[:l.Callback.Start] + " ; " + w.text[l.Callback.End:]
		if word.MatchString(outside) {
			return true
		}
	}
	return false
}

func nameOrSpace(r rune) rune {
	if r == '_' || r == '$' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r > 127 {
		return r
	}
	return ' '
}

// block are the statements of a callback as lines.
func (w *unchaining) block(l script.ChainLink, indent string) []string {
	var lines []string
	body := strings.Split(strings.ReplaceAll(w.part(l.Body), "\r\n", "\n"), "\n")
	common := -1
	for i, line := range body {
		trimmed := strings.TrimLeft(line, " \t")
		if i > 0 && trimmed != "" && (common < 0 || len(line)-len(trimmed) < common) {
			common = len(line) - len(trimmed)
		}
	}
	for i, line := range body {
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case i == 0 || common < 0:
			line = strings.TrimSpace(line)
		default:
			line = strings.TrimRight(line[min(common, len(line)):], " \t")
		}
		lines = append(lines, indent+line)
	}
	return lines
}

// handler is the statements of a catch or finally.
func (w *unchaining) handler(l script.ChainLink, indent string) ([]string, bool) {
	if !l.Function {
		callback := w.part(l.Callback)
		if !isMemberPath(callback) || l.Method == "catch" {
			return nil, false
		}
		return []string{indent + "await " + callback + "();"}, true
	}
	if l.Block {
		return w.block(l, indent), true
	}
	value := w.part(l.Body)
	if w.chain.Return && l.Method == "catch" {
		value = "return " + value
	}
	return []string{indent + value + ";"}, true
}
