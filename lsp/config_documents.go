package lsp

import (
	"slices"

	"codemode-ls/analysis"
	"codemode-ls/analysis/configfile"
	"codemode-ls/config"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// sources are what the workspace's configuration is read from.
func (s *Server) sources() config.Sources {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.o.Workspace.Sources
	o.Folders, o.Inputs = s.folders, s.inputs.get
	return o
}

// configFile reads an open document as the configuration file that it is; ok is
// false when it is none.
func (s *Server) configFile(snap *Snapshot, doc *analysis.Document) (_ *configfile.File, ok bool) {
	if doc.Script {
		return nil, false
	}
	u := uri.URI(doc.URI)
	if !u.IsFile() {
		return nil, false
	}
	sources := s.sources()
	kind, ok := sources.Recognize(u.FsPath())
	if !ok {
		return nil, false
	}
	return &configfile.File{View: &snap.View, Doc: doc, Parsed: config.Check(sources, kind, doc.Text), Page: s.explanation}, true
}

// isResultsFile reports whether a document holds types of results that people wrote.
func (s *Server) isResultsFile(doc *analysis.Document) bool {
	u := uri.URI(doc.URI)
	return u.IsFile() && slices.Contains(workspace.ResultsFiles(s.sources()), u.FsPath())
}

// The features of configuration files; what is no such file has none.

func (s *Server) configHover(snap *Snapshot, doc *analysis.Document, p protocol.Position) *protocol.Hover {
	if f, ok := s.configFile(snap, doc); ok {
		return f.Hover(p)
	}
	return nil
}

func (s *Server) configCompletion(snap *Snapshot, doc *analysis.Document, p protocol.Position) *protocol.CompletionList {
	if f, ok := s.configFile(snap, doc); ok {
		return f.Completion(p)
	}
	if s.isResultsFile(doc) {
		return snap.CompleteResults(doc, p)
	}
	return &protocol.CompletionList{Items: []protocol.CompletionItem{}}
}

func (s *Server) configLens(snap *Snapshot, doc *analysis.Document) []protocol.CodeLens {
	if f, ok := s.configFile(snap, doc); ok {
		return f.Lenses()
	}
	return []protocol.CodeLens{}
}

func (s *Server) configSymbols(snap *Snapshot, doc *analysis.Document) protocol.DocumentSymbolResult {
	if f, ok := s.configFile(snap, doc); ok {
		return f.Symbols()
	}
	return protocol.DocumentSymbolSlice{}
}

func (s *Server) configActions(snap *Snapshot, doc *analysis.Document, p *protocol.CodeActionParams) []protocol.CodeAction {
	if f, ok := s.configFile(snap, doc); ok {
		return f.Actions(p)
	}
	return nil
}

func (s *Server) configDiagnostics(snap *Snapshot, doc *analysis.Document) (all []protocol.Diagnostic, ok bool) {
	f, ok := s.configFile(snap, doc)
	if !ok {
		return nil, false
	}
	return f.Diagnostics(), true
}
