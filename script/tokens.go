package script

import (
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A kind of token.
type tokenKind uint8

const (
	tokenName tokenKind = iota // identifiers and keywords, private names too
	tokenNumber
	tokenString   // with its quotes; the closing one may be missing
	tokenTemplate // one literal part of a template, with its delimiters
	tokenRegexp
	tokenPunct
	tokenComment
)

// A token of a text. Comments are kept apart (see scan).
type token struct {
	kind       tokenKind
	start, end int  // bytes
	newline    bool // a line ends between the token before and this one
	closed     bool // a string, template part or regular expression has its end
	operand    bool // an expression can end with it, so a slash after it divides
	match      int  // of a bracket: the index of its partner; of a template part: of the next part; else -1
	block      bool // `{` and `}` of a block or a body, not of an object
}

// A scan is a text cut into tokens. It is made for texts that people are still
// typing: nothing in it depends on the text being valid.
type scan struct {
	text     string
	tokens   []token
	comments []token
	steps    int // tokens visited by walks
	position func(offset int) Position
}

// maxSteps bounds the walks, which take quadratic time on thousands of brackets
// or loops inside each other. Nobody writes such texts but to annoy.
const maxSteps = 1_000_000

// overBudget counts one step and reports whether there were too many.
func (s *scan) overBudget() bool {
	s.steps++
	return s.steps > maxSteps
}

// tokenize cuts a text into tokens. ECMAScript says that whether a slash
// divides or begins a regular expression depends on the grammar; what stands
// before it decides here, which is right but for odd corners such as a regular
// expression as a statement of its own after an object literal's brace.
func tokenize(text string) *scan {
	lines := sync.OnceValue(func() func(offset int) Position { return positions(text) })
	s := &scan{text: text, position: func(offset int) Position { return lines()(offset) }}
	l := lexer{scan: s}
	l.run()
	return s
}

func (s *scan) is(i int, text string) bool {
	return i >= 0 && i < len(s.tokens) && s.string(i) == text &&
		(s.tokens[i].kind == tokenPunct || s.tokens[i].kind == tokenName)
}

func (s *scan) string(i int) string { return s.text[s.tokens[i].start:s.tokens[i].end] }

// at is the index of the first token that begins at offset or behind it.
func (s *scan) at(offset int) int {
	return sort.Search(len(s.tokens), func(i int) bool { return s.tokens[i].start >= offset })
}

type lexer struct {
	*scan
	pos      int
	newline  bool
	brackets []int // indexes of open brackets; `${` is one
	caseAt   []int // bracket depths of `case` and `default` that wait for a colon
}

func (l *lexer) run() {
	if start := Hashbang(l.text); start >= 0 {
		l.pos = l.lineEnd(start)
		l.comments = append(l.comments, token{kind: tokenComment, start: start, end: l.pos, match: -1})
	}
	for l.pos < len(l.text) {
		l.next()
	}
}

func (l *lexer) lineEnd(from int) int {
	if i := strings.IndexAny(l.text[from:], "\n\r\u2028\u2029"); i >= 0 {
		return from + i
	}
	return len(l.text)
}

func (l *lexer) next() {
	c := l.text[l.pos]
	rest := l.text[l.pos:]
	switch {
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		l.pos++
	case c == '\n' || c == '\r':
		l.newline = true
		l.pos++
	case strings.HasPrefix(rest, "//"):
		l.comment(l.lineEnd(l.pos), true)
	case strings.HasPrefix(rest, "/*"):
		end, closed := len(l.text), false
		if i := strings.Index(rest[2:], "*/"); i >= 0 {
			end, closed = l.pos+2+i+2, true
		}
		l.newline = l.newline || strings.ContainsAny(l.text[l.pos:end], "\n\r\u2028\u2029")
		l.comment(end, closed)
	case c == '"' || c == '\'':
		end, closed := l.quoted(l.pos+1, c)
		l.add(token{kind: tokenString, end: end, closed: closed, operand: true})
	case c == '`':
		l.template(l.pos + 1)
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		l.add(token{kind: tokenNumber, end: l.number(), operand: true})
	case c == '/' && !l.afterOperand():
		if end, ok := l.regexp(); ok {
			l.add(token{kind: tokenRegexp, end: end, closed: true, operand: true})
		} else {
			l.punct()
		}
	default:
		l.nameOrPunct()
	}
}

func (l *lexer) comment(end int, closed bool) {
	l.comments = append(l.comments, token{kind: tokenComment, start: l.pos, end: end, closed: closed, match: -1})
	l.pos = end
}

func (l *lexer) add(t token) {
	t.start, t.newline = l.pos, l.newline
	if t.kind != tokenPunct {
		t.match = -1
	}
	l.tokens = append(l.tokens, t)
	l.pos, l.newline = t.end, false
}

// quoted is the end of a string whose content begins at from. A line's end ends
// one that is not closed, so that the rest of the text stays readable.
func (l *lexer) quoted(from int, quote byte) (end int, closed bool) {
	for i := from; i < len(l.text); i++ {
		switch l.text[i] {
		case quote:
			return i + 1, true
		case '\\':
			if strings.HasPrefix(l.text[i:], "\\\r\n") {
				i++
			}
			i++
		case '\n', '\r':
			return i, false
		}
	}
	return len(l.text), false
}

// template adds the part of a template that goes on at from, up to its end or
// to the next `${`.
func (l *lexer) template(from int) {
	for i := from; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case '`':
			l.add(token{kind: tokenTemplate, end: i + 1, closed: true, operand: true})
			return
		case '$':
			if strings.HasPrefix(l.text[i:], "${") {
				l.add(token{kind: tokenTemplate, end: i + 2, closed: true})
				l.brackets = append(l.brackets, len(l.tokens)-1)
				return
			}
		}
	}
	l.add(token{kind: tokenTemplate, end: len(l.text), operand: true})
}

func (l *lexer) number() int {
	i := l.pos
	hex := strings.HasPrefix(l.text[i:], "0x") || strings.HasPrefix(l.text[i:], "0X")
	for i < len(l.text) {
		c := l.text[i]
		switch {
		case c == '.' && i > l.pos && strings.Contains(l.text[l.pos:i], "."):
			return i // 1.5.toFixed
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '.':
			i++
		case (c == '+' || c == '-') && !hex && (l.text[i-1] == 'e' || l.text[i-1] == 'E'):
			i++
		default:
			return i
		}
	}
	return i
}

// regexp is the end of a regular expression with its flags.
func (l *lexer) regexp() (end int, ok bool) {
	class := false
	for i := l.pos + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
			if i < len(l.text) && (l.text[i] == '\n' || l.text[i] == '\r') {
				return 0, false
			}
		case '[':
			class = true
		case ']':
			class = false
		case '\n', '\r':
			return 0, false
		case '/':
			if !class {
				i++
				for i < len(l.text) && isNamePart(rune(l.text[i])) {
					i++
				}
				return i, true
			}
		}
	}
	return 0, false
}

func isNameStart(r rune) bool {
	return r == '_' || r == '$' || r == '#' || r == '\\' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
}

func isNamePart(r rune) bool {
	return r < utf8.RuneSelf && (r == '_' || r == '$' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') ||
		r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nl, unicode.Pc) ||
			r == '\u200c' || r == '\u200d')
}

func (l *lexer) nameOrPunct() {
	r, size := utf8.DecodeRuneInString(l.text[l.pos:])
	switch {
	case r == '\u2028' || r == '\u2029':
		l.newline = true
		l.pos += size
	case unicode.IsSpace(r) || r == '\ufeff':
		l.pos += size
	case isNameStart(r):
		end := l.pos
		if r != '\\' {
			end += size
		}
		for end < len(l.text) {
			if n := unicodeEscape(l.text[end:]); n > 0 {
				end += n
				continue
			}
			r, size := utf8.DecodeRuneInString(l.text[end:])
			if !isNamePart(r) {
				break
			}
			end += size
		}
		if end == l.pos { // a lone backslash
			l.punct()
			return
		}
		word := l.text[l.pos:end]
		member := l.afterDot()
		l.add(token{kind: tokenName, end: end, operand: member || !beforeExpression[word]})
		if (word == "case" || word == "default") && !member {
			l.caseAt = append(l.caseAt, len(l.brackets))
		}
	default:
		l.punct()
	}
}

// unicodeEscape is the length of the \u escape that a text begins with.
func unicodeEscape(text string) int {
	if !strings.HasPrefix(text, `\u`) {
		return 0
	}
	digits, n := "", 6
	if strings.HasPrefix(text, `\u{`) {
		end := strings.IndexByte(text, '}')
		if end < 4 || end > 12 {
			return 0
		}
		digits, n = text[3:end], end+1
	} else if len(text) >= 6 {
		digits = text[2:6]
	}
	if digits == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return n
}

// beforeExpression are keywords after which an expression follows.
var beforeExpression = map[string]bool{
	"return": true, "typeof": true, "instanceof": true, "in": true, "of": true, "new": true, "delete": true,
	"void": true, "throw": true, "case": true, "do": true, "else": true, "yield": true, "await": true, "extends": true,
}

// headKeywords are those whose parentheses are followed by a statement.
var headKeywords = map[string]bool{"if": true, "while": true, "for": true, "with": true, "switch": true, "catch": true}

func (l *lexer) previous() *token {
	if len(l.tokens) == 0 {
		return nil
	}
	return &l.tokens[len(l.tokens)-1]
}

func (l *lexer) afterOperand() bool {
	p := l.previous()
	return p != nil && p.operand
}

func (l *lexer) afterDot() bool {
	last := len(l.tokens) - 1
	return l.is(last, ".") || l.is(last, "?.")
}

// puncts are the tokens of more than one character that matter here, longest
// first; all others may as well be read one by one.
var puncts = []string{"...", "===", "!==", "?.", "=>", "++", "--", "&&", "||", "??", "==", "!=", "<=", ">=", "**", "+=", "-=", "*=", "/=", "%="}

func (l *lexer) punct() {
	rest := l.text[l.pos:]
	_, size := utf8.DecodeRuneInString(rest)
	for _, p := range puncts {
		if strings.HasPrefix(rest, p) {
			size = len(p)
			break
		}
	}
	if strings.HasPrefix(rest, "?.") && len(rest) > 2 && rest[2] >= '0' && rest[2] <= '9' {
		size = 1 // a ? .5 : 1
	}
	t := token{kind: tokenPunct, end: l.pos + size, match: -1}
	switch text := rest[:size]; text {
	case "(", "[", "{":
		t.block = text == "{" && l.opensBlock()
		l.add(t)
		l.brackets = append(l.brackets, len(l.tokens)-1)
	case ")", "]", "}":
		l.close(t, text)
	case "++", "--", "!":
		t.operand = l.afterOperand() && !l.newline // after an operand: postfix, or TypeScript's non-null
		l.add(t)
	case ":":
		if n := len(l.caseAt); n > 0 && l.caseAt[n-1] == len(l.brackets) {
			l.caseAt = l.caseAt[:n-1]
			t.block = true // a statement follows
		}
		l.add(t)
	default:
		l.add(t)
	}
}

// opensBlock reports whether a brace here begins statements.
func (l *lexer) opensBlock() bool {
	p := l.previous()
	if p == nil {
		return true
	}
	last := len(l.tokens) - 1
	switch text := l.string(last); {
	case p.kind == tokenPunct:
		switch text {
		case ")", "}", ";", "=>":
			return true
		case "{":
			return p.block
		case ":":
			return p.block // after case x:
		case ">":
			return true // the return type of a function
		}
		return false
	case p.kind == tokenTemplate:
		return false
	case p.kind == tokenName:
		if l.is(last-1, ".") || l.is(last-1, "?.") {
			return true
		}
		switch text {
		case "else", "do":
			return true
		case "return", "yield", "await", "throw", "typeof", "void", "in", "of", "case", "new", "delete", "instanceof", "default",
			"import", "export", "type", "extends":
			return false
		}
		return true // class X {, try {, a return type
	}
	return false
}

// close adds a closing bracket and joins it with the one that it closes. Those
// that were left open in between are given up.
func (l *lexer) close(t token, text string) {
	open := map[string]string{")": "(", "]": "[", "}": "{"}[text]
	for n := len(l.brackets) - 1; n >= 0; n-- {
		i := l.brackets[n]
		template := text == "}" && l.tokens[i].kind == tokenTemplate
		if !template && l.string(i) != open {
			continue
		}
		l.brackets = l.brackets[:n]
		for len(l.caseAt) > 0 && l.caseAt[len(l.caseAt)-1] > n {
			l.caseAt = l.caseAt[:len(l.caseAt)-1]
		}
		if template {
			l.tokens[i].match = len(l.tokens)
			l.template(l.pos + 1)
			return
		}
		t.match, t.block = i, l.tokens[i].block
		l.tokens[i].match = len(l.tokens)
		switch text {
		case ")":
			t.operand = !(i > 0 && l.tokens[i-1].kind == tokenName && headKeywords[l.string(i-1)] && !l.is(i-2, ".") ||
				l.is(i-1, "await") && l.is(i-2, "for"))
		case "]":
			t.operand = true
		case "}":
			t.operand = !t.block
		}
		l.add(t)
		return
	}
	t.operand = text != "}"
	l.add(t)
}
