package typegen

import "github.com/go-json-experiment/json/jsontext"

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
func Type(schema jsontext.Value, o Options) (string, []Problem) { panic("not built") }

// CallForm is how a tool's name is written in a script: `tools.name` for an
// identifier, `tools["na-me"]` otherwise (CAT-1).
func CallForm(name string) string { panic("not built") }

// Signature renders the call form with parameter and return type, without the
// description comment (CAT-14). A nil output is `Promise<unknown>` (CAT-4).
func Signature(name string, input, output jsontext.Value, maxDepth int) (string, []Problem) {
	panic("not built")
}

// Tool is what a declaration in the .d.ts is made of.
type Tool struct {
	Name        string // full name
	Title       string
	Description string
	Deprecated  bool
	Input       jsontext.Value
	Output      jsontext.Value // nil when the server declared none
}

// File is the generated .d.ts (TYPE-2, TYPE-3, TYPE-6).
type File struct {
	Text string
	Hash string // of Text, hex
	// Lines has, for each tool's full name, the 0-based line and UTF-16 column
	// of the name in its declaration.
	Positions map[string]Position
	Problems  map[string][]Problem // by tool
}

// Position is 0-based; Character counts UTF-16 units.
type Position struct{ Line, Character int }

// A Declaration is one tool's own part of the .d.ts. It depends on that tool
// alone, so callers keep it as long as they keep the tool (TYPE-6).
type Declaration struct {
	Name     string
	Text     string
	Problems []Problem
	// unexported fields may follow
}

// Declare renders one tool's part of the .d.ts.
func Declare(t Tool) *Declaration { panic("not built") }

// Assemble joins declarations, in the given order, into the whole .d.ts.
// members are the functions of tools["$codemode"], each declared with its own
// short name (such as "search").
func Assemble(declarations, members []*Declaration) *File { panic("not built") }
