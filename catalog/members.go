package catalog

import "github.com/go-json-experiment/json/jsontext"

// A Member is one function of tools["$codemode"], the reserved namespace. Its
// declaration, argument check, signature and documentation all come from here.
type Member struct {
	Name        string // such as "search"
	Description string
	Input       jsontext.Value // JSON Schema of the one argument
	Output      jsontext.Value // JSON Schema of what it resolves to
}

// Members are all functions of tools["$codemode"], in the order of the spec.
func Members() []Member { panic("not built") }
