package typescript

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// InlayHints says which of TypeScript's inlay hints are shown; the zero value
// is none.
type InlayHints struct {
	// ParameterNames is "none" (or ""), "literals" or "all".
	ParameterNames string
	VariableTypes  bool
	ParameterTypes bool
	ReturnTypes    bool
	EnumValues     bool
	PropertyTypes  bool
}

// preferences are one version of the engine's settings. They never change.
type preferences struct{ settings jsontext.Value }

// newPreferences are what workspace/didChangeConfiguration sends to the engine.
// Nothing can be imported into a script, so nothing is offered for import.
func newPreferences(h InlayHints) *preferences {
	names := "none"
	if h.ParameterNames == "literals" || h.ParameterNames == "all" {
		names = h.ParameterNames
	}
	return &preferences{jsontext.Value(fmt.Sprintf(`{"js/ts": {
  "suggest": {"autoImports": false, "includeCompletionsForImportStatements": false},
  "tsserver": {"automaticTypeAcquisition": {"enabled": false}},
  "inlayHints": {
    "parameterNames": {"enabled": %q, "suppressWhenArgumentMatchesName": true},
    "variableTypes": {"enabled": %t, "suppressWhenTypeMatchesName": true},
    "parameterTypes": {"enabled": %t},
    "functionLikeReturnTypes": {"enabled": %t},
    "enumMemberValues": {"enabled": %t},
    "propertyDeclarationTypes": {"enabled": %t}
  }
}}`, names, h.VariableTypes, h.ParameterTypes, h.ReturnTypes, h.EnumValues, h.PropertyTypes))}
}

// SetInlayHints says what InlayHints answers from now on.
func (e *Engine) SetInlayHints(h InlayHints) {
	next := newPreferences(h)
	e.mu.Lock()
	if string(e.preferences.settings) != string(next.settings) {
		e.preferences = next
	}
	e.mu.Unlock()
	e.notify()
}
