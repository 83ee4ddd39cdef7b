package catalog

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// document is what search knows of a tool.
type document struct {
	terms  []term // by text
	length [fieldCount]int
	// the tool's name without anything between its words, and the same of its
	// full name without mcp__
	squeezedName, squeezedFullName string
}

// term is a word and how often it is in each field.
type term struct {
	text  string
	count [fieldCount]uint16
}

// document reads the tool's words, or remembers them.
func (t *Tool) document() *document {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.terms == nil {
		b := documentBuilder{places: make(map[string]int)}
		b.add(nameField, t.MCPName)
		b.add(serverField, strings.TrimPrefix(t.Namespace, prefix))
		b.add(titleField, t.Title)
		b.add(descriptionField, t.Description)
		b.addSchema(t.InputSchema, propertyField, docField)
		b.addSchema(t.OutputSchema, outputField, outputField)
		slices.SortFunc(b.document.terms, func(a, b term) int { return strings.Compare(a.text, b.text) })
		b.document.squeezedName = squeezed(t.MCPName)
		b.document.squeezedFullName = squeezed(strings.TrimPrefix(t.Name, prefix))
		t.terms = &b.document
	}
	return t.terms
}

type documentBuilder struct {
	document document
	places   map[string]int // of terms
}

func (b *documentBuilder) add(f field, text string) {
	eachWord(text, func(word string) {
		b.document.length[f]++
		i, ok := b.places[word]
		if !ok {
			i = len(b.document.terms)
			b.document.terms = append(b.document.terms, term{text: strings.Clone(word)})
			b.places[b.document.terms[i].text] = i
		}
		if n := &b.document.terms[i].count[f]; *n < 1<<16-1 {
			*n++
		}
	})
}

// addSchema adds the names of a schema's properties at any depth to names, and
// descriptions, titles and values of enumerations to docs.
func (b *documentBuilder) addSchema(schema jsontext.Value, names, docs field) {
	d := jsontext.NewDecoder(bytes.NewReader(schema), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	// where says, for each open object or array, what its strings are.
	type role int
	const (
		keywords   role = iota // members are keywords of JSON Schema
		properties             // members are properties
		values                 // elements are values of an enumeration
		data                   // nothing in it is a name or a text
	)
	var open []role
	next := keywords
	text := false // whether the next string is a text to add
	for {
		tok, err := d.ReadToken()
		if err != nil {
			return // the end, or a broken schema: what was read counts
		}
		switch tok.Kind() {
		case '{', '[':
			open = append(open, next)
			if tok.Kind() == '[' && next == properties {
				open[len(open)-1] = data
			}
		case '}', ']':
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return
		}
		here := open[len(open)-1]
		kind, n := d.StackIndex(d.StackDepth())
		if kind == '{' && n%2 == 1 && tok.Kind() == '"' { // a member's name
			next, text = here, false
			switch here {
			case properties:
				b.add(names, tok.String())
				next = keywords
			case keywords:
				switch name := tok.String(); name {
				case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
					next = properties
					if name == "$defs" || name == "definitions" {
						next = keywords // names of definitions are no fields; their members look like keywords
					}
				case "description", "title":
					text = true
				case "enum":
					next = values
				case "default", "examples", "example", "const", "required":
					next = data
				}
			}
			continue
		}
		if tok.Kind() == '"' && (here == values || text) {
			b.add(docs, tok.String())
		}
		if kind == '{' {
			text = false
		}
		if kind == '[' {
			next = here
		}
	}
}

// squeezed is a name in lower case without anything between its words.
func squeezed(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// eachWord calls add for each word of a text, in lower case and without its
// ending. camelCase words count in parts and as a whole. Scripts that do not
// separate words give pairs of characters.
func eachWord(text string, add func(string)) {
	runes := []rune(text)
	for i := 0; i < len(runes); {
		switch {
		case unseparated(runes[i]):
			j := i + 1
			for j < len(runes) && unseparated(runes[j]) {
				j++
			}
			if j == i+1 {
				add(string(runes[i]))
			}
			for k := i; k+1 < j; k++ {
				add(string(runes[k : k+2]))
			}
			i = j
		case wordRune(runes[i]):
			j := i + 1
			for j < len(runes) && wordRune(runes[j]) && !unseparated(runes[j]) {
				j++
			}
			parts := 0
			for k := i; k < j; parts++ {
				end := partEnd(runes[k:j]) + k
				add(stem(strings.ToLower(string(runes[k:end]))))
				k = end
			}
			if parts > 1 {
				add(stem(strings.ToLower(string(runes[i:j]))))
			}
			i = j
		default:
			i++
		}
	}
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// unseparated reports whether a character is of a script that is written without spaces.
func unseparated(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// partEnd is where the first part of a camelCase word ends: before an upper case
// letter that follows a lower case one or begins a word (HTTPServer), and between
// letters and digits.
func partEnd(word []rune) int {
	for i := 1; i < len(word); i++ {
		before, r := word[i-1], word[i]
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(before):
			return i
		case unicode.IsUpper(r) && unicode.IsUpper(before) && i+1 < len(word) && unicode.IsLower(word[i+1]) && i+2 < len(word):
			return i
		case unicode.IsDigit(r) != unicode.IsDigit(before) && !unicode.IsMark(r):
			return i
		}
	}
	return len(word)
}

// stem takes common English endings off a word, so that "issues" finds "issue"
// and "deleting" finds "delete". It errs on the side of leaving words alone.
func stem(word string) string {
	if len(word) < 4 {
		return word
	}
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		word = word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		word = word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		word = word[:len(word)-1]
	}
	for _, ending := range [...]string{"ing", "ed", "tion", "e"} {
		rest, ok := strings.CutSuffix(word, ending)
		if ending == "tion" && ok {
			rest += "t"
		}
		if ok && len(rest) >= 3 && strings.ContainsAny(rest, "aeiouy") {
			return undouble(rest)
		}
	}
	return word
}

// undouble makes "gett" of "getting" "get".
func undouble(word string) string {
	n := len(word)
	if n > 3 && word[n-1] == word[n-2] && strings.IndexByte("bdgmnprt", word[n-1]) >= 0 {
		return word[:n-1]
	}
	return word
}

// queryTerms are the words of a query, each once, with their synonyms. Words that
// say nothing are left out unless there are no others.
func queryTerms(query string) []queryWord {
	var all, telling []queryWord
	add := func(w string) {
		if slices.ContainsFunc(all, func(old queryWord) bool { return old.word == w }) {
			return
		}
		all = append(all, queryWord{w, meanings[w]})
		if !stopWords[w] {
			telling = append(telling, queryWord{w, meanings[w]})
		}
	}
	for token := range strings.FieldsFuncSeq(query, func(r rune) bool { return !wordRune(r) }) {
		if short := abbreviation(token); short != "" {
			add(short)
			continue
		}
		eachWord(token, add)
	}
	if telling == nil {
		return all
	}
	return telling
}

var stopWords = func() map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsSeq(`a an and are as at be by can do does for from how i in into is it its me my of on
		or our so some that the their them there these this those to up want we what when where which who will with you your`) {
		words[stem(w)] = true
	}
	return words
}()
