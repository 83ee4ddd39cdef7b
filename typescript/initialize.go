package typescript

import (
	"os"

	"codemode-ls/typescript/project"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// initializeParams inform the engine what this client makes of its answers,
// whatever the editor at the other end can do.
func initializeParams() *protocol.InitializeParams {
	yes := true
	root := uri.URI(fileURI(project.Directory))
	pid := int32(os.Getpid())
	markdown := []protocol.MarkupKind{protocol.MarkupKindMarkdown, protocol.MarkupKindPlainText}
	p := &protocol.InitializeParams{
		ProcessID: &pid,
		//lint:ignore SA1019 the engine reads it
		RootURI: &root, InitializationOptions: jsontext.Value(`{"disablePushDiagnostics":true}`),
		ClientInfo: protocol.ClientInfo{Name: "codemode-ls"},
	}
	p.Capabilities.General = &protocol.GeneralClientCapabilities{
		PositionEncodings: []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF16},
	}
	text := &protocol.TextDocumentClientCapabilities{
		Completion: &protocol.CompletionClientCapabilities{
			ContextSupport: &yes,
			CompletionItem: &protocol.ClientCompletionItemOptions{
				DocumentationFormat: markdown, LabelDetailsSupport: &yes, DeprecatedSupport: &yes,
				TagSupport: protocol.CompletionItemTagOptions{
					ValueSet: []protocol.CompletionItemTag{protocol.CompletionItemTagDeprecated},
				},
				ResolveSupport: protocol.ClientCompletionItemResolveOptions{Properties: []string{"documentation", "detail"}},
			},
		},
		Hover: &protocol.HoverClientCapabilities{ContentFormat: markdown},
		SignatureHelp: &protocol.SignatureHelpClientCapabilities{
			ContextSupport:       &yes,
			SignatureInformation: &protocol.ClientSignatureInformationOptions{DocumentationFormat: markdown, ActiveParameterSupport: &yes},
		},
		DocumentSymbol: &protocol.DocumentSymbolClientCapabilities{HierarchicalDocumentSymbolSupport: &yes},
		Diagnostic:     &protocol.DiagnosticClientCapabilities{},
	}
	text.Diagnostic.RelatedInformation = &yes
	text.Diagnostic.TagSupport.ValueSet = []protocol.DiagnosticTag{protocol.DiagnosticTagUnnecessary, protocol.DiagnosticTagDeprecated}
	text.SemanticTokens = protocol.SemanticTokensClientCapabilities{
		TokenTypes: TokenTypes, TokenModifiers: TokenModifiers, Formats: []protocol.TokenFormat{protocol.TokenFormatRelative},
		Requests: protocol.ClientSemanticTokensRequestOptions{Full: protocol.Boolean(true), Range: protocol.Boolean(true)},
	}
	text.Rename = &protocol.RenameClientCapabilities{PrepareSupport: &yes}
	p.Capabilities.TextDocument = text
	return p
}
