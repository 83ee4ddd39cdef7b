package script

import "sync"

// A Source is the text of a script, read once and asked many times. It never
// changes, and several goroutines may ask it. Callers do not change what they get.
type Source struct {
	text     string
	tokens   func() *scan
	prepared func() Prepared
	body     func() *Source
	uses     func() []Use
}

// Read makes a Source of an author's text. What a question needs is read when it
// is first asked.
func Read(text string) *Source {
	src := &Source{text: text}
	src.tokens = sync.OnceValue(func() *scan { return tokenize(text) })
	src.prepared = sync.OnceValue(func() Prepared { return Prepare(text) })
	src.body = sync.OnceValue(func() *Source {
		if body := src.Prepared().Text; body != text {
			return Read(body)
		}
		return src
	})
	src.uses = sync.OnceValue(src.findUses)
	return src
}

// Text is what the author wrote.
func (src *Source) Text() string { return src.text }

// Prepared is Prepare of the text.
func (src *Source) Prepared() Prepared { return src.prepared() }

// Body is the Source of Prepared's text: without fence and wrapper.
func (src *Source) Body() *Source { return src.body() }

// Uses are all uses of tools, also in a text that does not parse. Strings,
// templates, comments and regular expressions are read well enough not to find
// uses inside them.
func (src *Source) Uses() []Use { return src.uses() }

// scan is the tokens for one question, whose walks have a budget of their own.
func (src *Source) scan() *scan {
	s := *src.tokens()
	s.steps = 0
	return &s
}
