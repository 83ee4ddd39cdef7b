package catalog

import (
	"time"

	"codemode-ls/typegen"
)

// A Result is the type of what calls of a tool resolve to whose server declares
// none.
type Result struct {
	Type string // TypeScript, of several lines
	// Short is Type for the catalog, as deep as the settings say.
	Short string
	// File is where a person wrote the type; "" when it was seen.
	File     string
	JSONText bool // Type mentions JsonText
}

// Results are types of results that no server declares (TYPE-7). They never change.
// They are part of the types of scripts, and of what a model reads only when the
// setting catalog.seenResults says so.
type Results struct {
	of       map[string]Result
	written  []string // declarations that people wrote, which types in of mention
	jsonText bool
	history  func(tool string) (Seen, bool)
}

// Seen is how often results of a tool were seen, and when the last time.
type Seen struct {
	Times int
	Last  time.Time
}

// NewResults takes types by the tools' full names, declarations that they mention,
// and what knows how often results were seen; nil is nobody.
func NewResults(of map[string]Result, written []string, history func(tool string) (Seen, bool)) *Results {
	r := &Results{of: of, written: written, jsonText: len(written) > 0, history: history}
	for _, x := range of {
		r.jsonText = r.jsonText || x.JSONText
	}
	return r
}

// get is the type of a tool's results; false when none is known, or when the
// server declares it.
func (r *Results) get(t *Tool) (Result, bool) {
	if r == nil || t.OutputSchema != nil {
		return Result{}, false
	}
	x, ok := r.of[t.Name]
	return x, ok
}

// origin says where the type comes from.
func (r Result) origin() string {
	if r.File != "" {
		return "as written by a person; the server declares no result"
	}
	return "as seen in results; the server declares none"
}

// Result is the type of what calls of a tool resolve to whose server declares none;
// false when nothing is known.
func (c *Catalog) Result(t *Tool) (Result, bool) { return c.offer.Results.get(t) }

// Seen is how often results of a tool were seen, whatever they are typed by.
func (c *Catalog) Seen(t *Tool) (Seen, bool) {
	if c.offer.Results == nil || c.offer.Results.history == nil {
		return Seen{}, false
	}
	return c.offer.Results.history(t.Name)
}

// KnownSignature is Signature with the type of the result where no server declares
// it but something is known: for a person, and for the types of scripts.
func (c *Catalog) KnownSignature(t *Tool) string {
	s := c.style
	s.results = c.offer.Results
	s.plain = true
	return t.block(s).signature
}

// support are the declarations that types of results need.
func (r *Results) support() []string {
	if r == nil || !r.jsonText {
		return nil
	}
	return append([]string{typegen.JSONTextDeclaration}, r.written...)
}
