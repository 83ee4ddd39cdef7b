package lsp

import (
	"slices"

	"codemode-ls/analysis"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
)

// clientCapabilities is what the client said at initialize, as far as anything
// depends on it. The zero value is a client that can do nothing.
type clientCapabilities struct {
	Name string // of the client, for logs
	analysis.Client

	DefinitionLinks      bool
	PullDiagnostics      bool
	DiagnosticVersions   bool
	DiagnosticRefresh    bool
	CodeLensRefresh      bool
	InlayHintRefresh     bool
	SemanticTokenRefresh bool
	TokensDelta          bool // what has changed of the semantic tokens is enough

	Configuration        bool // workspace/configuration
	ConfigurationDynamic bool // didChangeConfiguration can be registered
	WatchedFilesDynamic  bool // didChangeWatchedFiles can be registered
	WorkspaceFolders     bool
	ShowDocument         bool
	WorkDoneProgress     bool
	MessageProperties    bool // items of showMessageRequest come back whole

	// Codemode is `experimental.codemode` (07-protocol); nil when the client knows
	// nothing of us.
	Codemode *codemodeClient
}

// codemodeClient is what a client says under experimental.codemode.
type codemodeClient struct {
	Permission bool `json:"permission,omitzero"` // answers codemode/permission
	Events     bool `json:"events,omitzero"`     // wants codemode/execEvent
	Models     bool `json:"models,omitzero"`     // answers codemode/model: scripts may use its models
	Trust      bool `json:"trust,omitzero"`      // asks a person for approval of servers itself
	Input      bool `json:"input,omitzero"`      // answers codemode/input
	// shows the fields of a codemode/input that a server asks for
	Elicitation bool `json:"elicitation,omitzero"`
	// names in `$workspace` of its settings those that files of the workspace set, and lets no file write that member
	SplitSettings bool `json:"splitSettings,omitzero"`
}

// splitsSettings says that the client hands over the user's settings and those of a
// workspace's files apart (TRUST-1).
func (c *clientCapabilities) splitsSettings() bool {
	return c.Codemode != nil && c.Codemode.SplitSettings
}

// canAsk says that permission is asked for with codemode/permission.
func (c *clientCapabilities) canAsk() bool { return c.Codemode != nil && c.Codemode.Permission }

// events says that the client handles codemode/execEvent.
func (c *clientCapabilities) events() bool { return c.Codemode != nil && c.Codemode.Events }

// models says that the client runs models for scripts.
func (c *clientCapabilities) models() bool { return c.Codemode != nil && c.Codemode.Models }

// readCapabilities is a tolerant reading: what is absent or odd is "cannot".
func readCapabilities(p *protocol.InitializeParams) *clientCapabilities {
	c := &clientCapabilities{
		Name:   p.ClientInfo.Name,
		Client: analysis.Client{Encoding: protocol.PositionEncodingKindUTF16, ResolveProperties: []string{"documentation", "detail"}},
	}
	caps := p.Capabilities
	if g := caps.General; g != nil {
		c.Encoding = negotiate(g.PositionEncodings)
	}
	if t := caps.TextDocument; t != nil {
		c.readTextDocument(t)
	}
	if w := caps.Workspace; w != nil {
		c.readWorkspace(w)
	}
	if w := caps.Window; w != nil {
		c.WorkDoneProgress = is(w.WorkDoneProgress)
		if w.ShowDocument != nil {
			c.ShowDocument = w.ShowDocument.Support
		}
		if m := w.ShowMessage; m != nil && m.MessageActionItem != nil {
			c.MessageProperties = is(m.MessageActionItem.AdditionalPropertiesSupport)
		}
	}
	var experimental struct {
		Codemode *codemodeClient `json:"codemode"`
	}
	if len(caps.Experimental) > 0 && json.Unmarshal(caps.Experimental, &experimental) == nil {
		c.Codemode = experimental.Codemode
	}
	return c
}

// negotiate takes the first encoding that the client offers and the server
// knows: the order is the client's preference (LSP 3.17).
func negotiate(offered []protocol.PositionEncodingKind) protocol.PositionEncodingKind {
	for _, e := range offered {
		switch e {
		case protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32:
			return e
		}
	}
	return protocol.PositionEncodingKindUTF16
}

func is(b *bool) bool { return b != nil && *b }

func (c *clientCapabilities) readTextDocument(t *protocol.TextDocumentClientCapabilities) {
	if k := t.Completion; k != nil {
		if k.CompletionList != nil {
			c.ItemDefaults = k.CompletionList.ItemDefaults
		}
		if i := k.CompletionItem; i != nil {
			c.Snippets = is(i.SnippetSupport)
			c.LabelDetails = is(i.LabelDetailsSupport)
			c.InsertReplace = is(i.InsertReplaceSupport)
			c.MarkdownCompletion = slices.Contains(i.DocumentationFormat, protocol.MarkupKindMarkdown)
			c.DeprecatedTags = slices.Contains(i.TagSupport.ValueSet, protocol.CompletionItemTagDeprecated)
			c.Deprecated = is(i.DeprecatedSupport)
			if p := i.ResolveSupport.Properties; p != nil {
				c.ResolveProperties = p
			}
		}
	}
	if h := t.Hover; h != nil {
		c.MarkdownHover = slices.Contains(h.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if h := t.SignatureHelp; h != nil && h.SignatureInformation != nil {
		i := h.SignatureInformation
		c.MarkdownSignature = slices.Contains(i.DocumentationFormat, protocol.MarkupKindMarkdown)
		c.SignatureActive = is(i.ActiveParameterSupport)
		c.ParameterOffsets = i.ParameterInformation != nil && is(i.ParameterInformation.LabelOffsetSupport)
	}
	if d := t.Definition; d != nil {
		c.DefinitionLinks = is(d.LinkSupport)
	}
	if d := t.DocumentSymbol; d != nil {
		c.HierarchicalSymbols = is(d.HierarchicalDocumentSymbolSupport)
	}
	c.PrepareRename = t.Rename != nil && is(t.Rename.PrepareSupport)
	if f := t.FoldingRange; f != nil {
		c.LineFolding = is(f.LineFoldingOnly)
		if f.RangeLimit != nil {
			c.FoldingLimit = int(min(*f.RangeLimit, 1<<20))
		}
	}
	if a := t.CodeAction; a != nil {
		c.CodeActionLiterals = len(a.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
		c.CodeActionPreferred = is(a.IsPreferredSupport)
	}
	if full, ok := t.SemanticTokens.Requests.Full.(*protocol.ClientSemanticTokensRequestFullDelta); ok {
		c.TokensDelta = is(full.Delta)
	}
	c.PullDiagnostics = t.Diagnostic != nil
	c.InlayHints = t.InlayHint != nil
	if d := t.PublishDiagnostics; d != nil {
		c.readDiagnostics(d.DiagnosticsCapabilities)
		c.DiagnosticVersions = is(d.VersionSupport)
	}
	if d := t.Diagnostic; d != nil {
		c.readDiagnostics(d.DiagnosticsCapabilities)
	}
}

func (c *clientCapabilities) readDiagnostics(d protocol.DiagnosticsCapabilities) {
	c.DiagnosticTags = c.DiagnosticTags || len(d.TagSupport.ValueSet) > 0
	c.DiagnosticRelated = c.DiagnosticRelated || is(d.RelatedInformation)
	c.DiagnosticCodeLink = c.DiagnosticCodeLink || is(d.CodeDescriptionSupport)
	c.DiagnosticData = c.DiagnosticData || is(d.DataSupport)
}

func (c *clientCapabilities) readWorkspace(w *protocol.WorkspaceClientCapabilities) {
	c.Configuration = is(w.Configuration)
	c.WorkspaceFolders = is(w.WorkspaceFolders)
	c.ApplyEdit = is(w.ApplyEdit)
	c.DocumentChanges = w.WorkspaceEdit != nil && is(w.WorkspaceEdit.DocumentChanges)
	c.ConfigurationDynamic = w.DidChangeConfiguration != nil && is(w.DidChangeConfiguration.DynamicRegistration)
	c.WatchedFilesDynamic = w.DidChangeWatchedFiles != nil && is(w.DidChangeWatchedFiles.DynamicRegistration)
	c.DiagnosticRefresh = w.Diagnostics != nil && is(w.Diagnostics.RefreshSupport)
	c.CodeLensRefresh = w.CodeLens != nil && is(w.CodeLens.RefreshSupport)
	c.InlayHintRefresh = w.InlayHint != nil && is(w.InlayHint.RefreshSupport)
	c.SemanticTokenRefresh = w.SemanticTokens != nil && is(w.SemanticTokens.RefreshSupport)
}

// pulls says that diagnostics are left to the client's own requests. A client
// that cannot be asked to pull again would not see a change of the pool, so it
// is sent them.
func (c *clientCapabilities) pulls() bool { return c.PullDiagnostics && c.DiagnosticRefresh }
