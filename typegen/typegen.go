package typegen

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Direction says which way a value flows: what may be left out, and whether
// readOnly or writeOnly properties exist, differs (TYPE-5).
type Direction int

const (
	Input  Direction = iota // from the script to the tool
	Output                  // from the tool to the script
)

// A Problem is a part of a schema that could not be rendered and became
// `unknown`. Path is a JSON Pointer (RFC 6901) into the schema.
type Problem struct {
	Path    string
	Message string
}

// Options of a single rendered type.
type Options struct {
	Direction Direction
	// MaxDepth is how many levels of objects and arrays are rendered before
	// `unknown` (CAT-5); 0 is no limit.
	MaxDepth int
}

// Type renders one schema as a multi-line TypeScript type (CAT-2, CAT-3) that
// needs no other declaration. Recursive references end in `unknown`.
func Type(schema jsontext.Value, o Options) (string, []Problem) {
	b, problem := newBuilder(schema, o.Direction)
	if b == nil {
		return "unknown", []Problem{problem}
	}
	p := newPrinter(b, nil, o.MaxDepth)
	p.within = append(p.within, b.doc.root)
	p.union(b.build(b.doc.root), 0, 0)
	return string(p.out), b.problems
}

// newBuilder parses a schema; the builder is nil when it is no JSON.
func newBuilder(schema jsontext.Value, d Direction) (*builder, Problem) {
	doc, err := parse(schema)
	if err != nil {
		return nil, Problem{Message: "the schema is not valid JSON: " + strings.ToValidUTF8(err.Error(), "\uFFFD")}
	}
	return &builder{doc: doc, direction: d}, Problem{}
}

// CallForm is how a tool's name is written in a script: `tools.name` for an
// identifier, `tools["na-me"]` otherwise (CAT-1).
func CallForm(name string) string {
	if isIdentifier(name) {
		return "tools." + name
	}
	return string(append(appendQuoted([]byte("tools["), name), ']'))
}

// PropertyName is how a property's name is written in a type.
func PropertyName(name string) string { return string(appendPropertyName(nil, name)) }

// Signature renders the call form with parameter and return type, without the
// description comment (CAT-14). A nil output is `Promise<unknown>` (CAT-4).
// The parameter is optional when the tool can be called without arguments.
func Signature(name string, input, output jsontext.Value, maxDepth int) (string, []Problem) {
	s := signature{maxDepth: maxDepth}
	out := append([]byte(nil), CallForm(name)...)
	out = s.append(out, input, output, 0)
	return string(out), s.problems
}

// Tool is what a declaration in the .d.ts is made of.
type Tool struct {
	Name        string // full name
	Title       string
	Description string
	Deprecated  bool
	Input       jsontext.Value
	Output      jsontext.Value // nil when the server declared none
	Result      string         // what is known of the result then, as TypeScript; "" is unknown
}

// File is the generated .d.ts (TYPE-2, TYPE-3, TYPE-6).
type File struct {
	Text string
	Hash string // SHA-256 of Text, hex
	// Positions has, for each tool's full name, where its name stands in its
	// declaration.
	Positions map[string]Position
	Problems  map[string][]Problem // by tool

	loose string // see Views
}

// Views is Text with a second interface of tools behind it, AnyResults.Tools, in
// which results that no server declares are any: for telling what in a script is
// wrong from what is only not known.
func (f *File) Views() string { return f.Text + f.loose }

// Position is 0-based; Character counts UTF-16 units.
type Position struct{ Line, Character int }

// A Declaration is one tool's own part of the .d.ts. It depends on that tool
// alone, so callers keep it as long as they keep the tool (TYPE-6).
type Declaration struct {
	Name     string
	Text     string // of the method, with its comment and line end
	Problems []Problem

	types string // the named types it mentions, or ""
	loose string // of AnyResults.Tools; "" when the result is declared
	lines int    // in Text
	line  int    // in Text, of the name
}
