package analysis

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// Commands that lenses and actions refer to; package lsp executes them.
const (
	runCommand           = "codemode.run"
	dryRunCommand        = "codemode.dryRun"
	stopCommand          = "codemode.stop"
	showRunCommand       = "codemode.showRun"
	showToolsCommand     = "codemode.showTools"
	setPermissionCommand = "codemode.setPermission"
	explainCommand       = "codemode.explain"
	applyEditCommand     = "codemode.applyEdit"
)

// A ruleChange is the argument of setPermissionCommand.
type ruleChange struct {
	Rule   string `json:"rule"`
	Effect string `json:"effect"`
	Layer  string `json:"layer"`
}

// Arguments encodes a command's arguments.
func Arguments(values ...any) []protocol.LSPAny {
	list := make([]protocol.LSPAny, 0, len(values))
	for _, v := range values {
		raw, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			raw = jsontext.Value("null")
		}
		list = append(list, raw)
	}
	return list
}
