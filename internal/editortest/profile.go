package editortest

import (
	"fmt"
	"slices"
	"strings"
)

// Dismissal is what a client sends when a person closes a prompt.
type Dismissal int

const (
	DismissNull  Dismissal = iota // the result null
	DismissError                  // an error, RequestCancelled
	DismissNever                  // nothing: the prompt is out of sight and pending
)

// A Profile is a kind of client.
type Profile struct {
	Name         string // for scenarios
	ClientName   string // clientInfo.name
	Capabilities string // JSON
	Dismissal    Dismissal
	// TitleOnly: only the title of a chosen action comes back.
	TitleOnly bool
	// KillsSlowServers: a server that does not end at once is killed.
	KillsSlowServers bool
	// NoPrompts: window/showMessageRequest is a method that it does not know.
	NoPrompts bool
}

const codemode = `"experimental":{"codemode":{"permission":true,"events":true,"trust":true,"splitSettings":true}}`

// Profiles are the known kinds, as far as a server can distinguish them.
var Profiles = []Profile{
	{
		Name: "vscode", ClientName: "Visual Studio Code", Dismissal: DismissNull,
		Capabilities: `{
			"general":{"positionEncodings":["utf-16"],"staleRequestSupport":{"cancel":true,"retryOnContentModified":["textDocument/semanticTokens/full"]},"markdown":{"parser":"marked"}},
			"textDocument":{
				"synchronization":{"dynamicRegistration":true,"willSave":true,"willSaveWaitUntil":true,"didSave":true},
				"completion":{"dynamicRegistration":true,"contextSupport":true,"completionItem":{"snippetSupport":true,"commitCharactersSupport":true,"documentationFormat":["markdown","plaintext"],"deprecatedSupport":true,"preselectSupport":true,"tagSupport":{"valueSet":[1]},"insertReplaceSupport":true,"resolveSupport":{"properties":["documentation","detail","additionalTextEdits"]},"insertTextModeSupport":{"valueSet":[1,2]},"labelDetailsSupport":true},"insertTextMode":2,"completionList":{"itemDefaults":["commitCharacters","editRange","insertTextFormat","insertTextMode","data"]}},
				"hover":{"dynamicRegistration":true,"contentFormat":["markdown","plaintext"]},
				"signatureHelp":{"dynamicRegistration":true,"contextSupport":true,"signatureInformation":{"documentationFormat":["markdown","plaintext"],"parameterInformation":{"labelOffsetSupport":true},"activeParameterSupport":true}},
				"definition":{"dynamicRegistration":true,"linkSupport":true},
				"references":{"dynamicRegistration":true},
				"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},
				"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","quickfix","refactor","source"]}},"dataSupport":true,"resolveSupport":{"properties":["edit"]}},
				"codeLens":{"dynamicRegistration":true},
				"publishDiagnostics":{"relatedInformation":true,"versionSupport":false,"tagSupport":{"valueSet":[1,2]},"codeDescriptionSupport":true,"dataSupport":true},
				"diagnostic":{"dynamicRegistration":true,"relatedDocumentSupport":false},
				"inlayHint":{"dynamicRegistration":true}},
			"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true},"configuration":true,"didChangeConfiguration":{"dynamicRegistration":true},"didChangeWatchedFiles":{"dynamicRegistration":true},"workspaceFolders":true,"executeCommand":{"dynamicRegistration":true},"codeLens":{"refreshSupport":true},"diagnostics":{"refreshSupport":true},"inlayHint":{"refreshSupport":true}},
			"window":{"workDoneProgress":true,"showMessage":{"messageActionItem":{"additionalPropertiesSupport":true}},"showDocument":{"support":true}},
			` + codemode + `}`,
	},
	{
		Name: "neovim", ClientName: "Neovim", Dismissal: DismissNull,
		Capabilities: `{
			"general":{"positionEncodings":["utf-8","utf-16","utf-32"]},
			"textDocument":{
				"synchronization":{"didSave":true},
				"completion":{"completionItem":{"snippetSupport":true,"documentationFormat":["markdown","plaintext"],"deprecatedSupport":true,"tagSupport":{"valueSet":[1]},"resolveSupport":{"properties":["additionalTextEdits"]}},"completionList":{"itemDefaults":["editRange","insertTextFormat","insertTextMode","data"]}},
				"hover":{"contentFormat":["markdown","plaintext"]},
				"signatureHelp":{"signatureInformation":{"documentationFormat":["markdown","plaintext"],"activeParameterSupport":true,"parameterInformation":{"labelOffsetSupport":true}}},
				"definition":{"linkSupport":true},
				"publishDiagnostics":{"relatedInformation":true,"tagSupport":{"valueSet":[1,2]}}},
			"workspace":{"applyEdit":true,"configuration":true,"workspaceFolders":true,"didChangeConfiguration":{"dynamicRegistration":false}},
			"window":{"workDoneProgress":true,"showMessage":{"messageActionItem":{"additionalPropertiesSupport":false}},"showDocument":{"support":true}}}`,
	},
	{
		Name: "eglot", ClientName: "Eglot", Dismissal: DismissNull, KillsSlowServers: true,
		Capabilities: `{
			"textDocument":{
				"synchronization":{"willSave":true,"willSaveWaitUntil":true,"didSave":true},
				"completion":{"contextSupport":true,"completionItem":{"snippetSupport":false,"deprecatedSupport":true,"tagSupport":{"valueSet":[1]}}},
				"hover":{"contentFormat":["plaintext"]},
				"signatureHelp":{"signatureInformation":{"parameterInformation":{"labelOffsetSupport":true},"activeParameterSupport":true}},
				"publishDiagnostics":{"relatedInformation":false,"codeDescriptionSupport":false,"tagSupport":{"valueSet":[1,2]}}},
			"workspace":{"applyEdit":true,"configuration":true,"workspaceFolders":true,"didChangeWatchedFiles":{"dynamicRegistration":true}},
			"window":{"showDocument":{"support":true},"workDoneProgress":true},
			"experimental":{}}`,
	},
	{
		Name: "lsp4ij", ClientName: "IntelliJ IDEA", Dismissal: DismissError, TitleOnly: true,
		Capabilities: `{
			"general":{"positionEncodings":["utf-16"]},
			"textDocument":{
				"synchronization":{"didSave":true},
				"completion":{"completionItem":{"snippetSupport":true,"documentationFormat":["markdown","plaintext"],"labelDetailsSupport":true,"resolveSupport":{"properties":["documentation","detail","additionalTextEdits"]}}},
				"hover":{"contentFormat":["markdown","plaintext"]},
				"codeLens":{},
				"diagnostic":{},
				"publishDiagnostics":{"tagSupport":{"valueSet":[1,2]},"codeDescriptionSupport":true,"dataSupport":true}},
			"workspace":{"applyEdit":true,"configuration":true,"workspaceFolders":true,"codeLens":{"refreshSupport":true},"diagnostics":{"refreshSupport":true},"executeCommand":{}},
			"window":{"workDoneProgress":true,"showMessage":{"messageActionItem":{"additionalPropertiesSupport":false}},"showDocument":{"support":true}}}`,
	},
	{
		Name: "helix", ClientName: "helix", Dismissal: DismissError, NoPrompts: true,
		Capabilities: `{
			"general":{"positionEncodings":["utf-8","utf-32","utf-16"]},
			"textDocument":{
				"completion":{"completionItem":{"snippetSupport":true,"insertReplaceSupport":true,"deprecatedSupport":true,"tagSupport":{"valueSet":[1]},"resolveSupport":{"properties":["documentation","detail","additionalTextEdits"]}},"completionItemKind":{}},
				"hover":{"contentFormat":["markdown"]},
				"signatureHelp":{"signatureInformation":{"documentationFormat":["markdown"],"parameterInformation":{"labelOffsetSupport":true},"activeParameterSupport":true}},
				"rename":{"dynamicRegistration":false,"prepareSupport":true},
				"formatting":{"dynamicRegistration":false},
				"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","quickfix","refactor","source"]}},"isPreferredSupport":true,"disabledSupport":true,"dataSupport":true,"resolveSupport":{"properties":["edit","command"]}},
				"publishDiagnostics":{"versionSupport":true,"tagSupport":{"valueSet":[1,2]}},
				"inlayHint":{"dynamicRegistration":false}},
			"workspace":{"configuration":true,"didChangeConfiguration":{"dynamicRegistration":false},"workspaceFolders":true,"applyEdit":true,"symbol":{"dynamicRegistration":false},"executeCommand":{"dynamicRegistration":false},"inlayHint":{"refreshSupport":false},"workspaceEdit":{"documentChanges":true},"didChangeWatchedFiles":{"dynamicRegistration":true,"relativePatternSupport":false}},
			"window":{"workDoneProgress":true,"showDocument":{"support":true}}}`,
	},
	{
		Name: "zed", ClientName: "Zed", Dismissal: DismissNull, TitleOnly: true,
		Capabilities: `{
			"general":{"positionEncodings":["utf-16"]},
			"textDocument":{
				"synchronization":{"didSave":true,"dynamicRegistration":true},
				"completion":{"contextSupport":true,"completionItem":{"snippetSupport":true,"labelDetailsSupport":true,"insertReplaceSupport":true,"documentationFormat":["markdown","plaintext"],"resolveSupport":{"properties":["additionalTextEdits","command","detail","documentation"]}},"completionList":{"itemDefaults":["commitCharacters","editRange","insertTextMode","insertTextFormat","data"]}},
				"hover":{"contentFormat":["markdown"]},
				"signatureHelp":{"signatureInformation":{"documentationFormat":["markdown","plaintext"],"parameterInformation":{"labelOffsetSupport":true},"activeParameterSupport":true}},
				"definition":{"linkSupport":true},
				"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},
				"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["refactor","quickfix","source"]}},"dataSupport":true,"resolveSupport":{"properties":["kind","diagnostics","isPreferred","disabled","edit","command"]}},
				"codeLens":{"dynamicRegistration":true},
				"inlayHint":{"dynamicRegistration":true,"resolveSupport":{"properties":["textEdits","tooltip","label.tooltip"]}},
				"publishDiagnostics":{"relatedInformation":true,"versionSupport":true,"dataSupport":true,"codeDescriptionSupport":true,"tagSupport":{"valueSet":[1,2]}}},
			"workspace":{"applyEdit":true,"configuration":true,"workspaceFolders":true,"didChangeConfiguration":{"dynamicRegistration":true},"didChangeWatchedFiles":{"dynamicRegistration":true,"relativePatternSupport":true},"codeLens":{"refreshSupport":true},"inlayHint":{"refreshSupport":true},"workspaceEdit":{"documentChanges":true}},
			"window":{"workDoneProgress":true,"showMessage":{"messageActionItem":{"additionalPropertiesSupport":false}}}}`,
	},
	{Name: "plain", ClientName: "", Dismissal: DismissNever, Capabilities: `{}`},
}

// FindProfile finds a profile by name.
func FindProfile(name string) (Profile, error) {
	if i := slices.IndexFunc(Profiles, func(p Profile) bool { return p.Name == name }); i >= 0 {
		return Profiles[i], nil
	}
	var names []string
	for _, p := range Profiles {
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("there is no profile %q, only %s", name, strings.Join(names, ", "))
}
