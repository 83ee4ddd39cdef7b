package lsp

import (
	"context"
	"fmt"
	"path"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// The methods of this file are all that changes documents. They run on the read
// loop, so that edits apply in the order in which they were sent, and hand each
// change on to the TypeScript engine in the same order.

// didOpenEndpoint also keeps how the client writes the document's URI.
func didOpenEndpoint(s *Server, ctx context.Context, m *incoming) (any, error) {
	s.spelled.learn(m.Params())
	return notice((*Server).didOpen)(s, ctx, m)
}

func (s *Server) didOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	t := p.TextDocument
	snap := s.session.Snapshot()
	language, isScript := languageOf(string(t.URI), string(t.LanguageID))
	d := newDocument(string(t.URI), t.Version, language, t.Text, snap.Client.Encoding)
	d.Script = isScript
	_, reopened := snap.Docs[d.URI]
	s.expire(d.URI)
	s.session.setDocument(d)
	if s.engine == nil || !d.Script {
		return nil
	}
	if reopened {
		s.engine.Close(d.URI)
	}
	s.engine.Open(d.URI, d.Language, d.Version, d.Text)
	return nil
}

// languageOf goes by the name, and for documents without a telling one (unsaved,
// notebook cells) by the language that the client gave.
func languageOf(uri, languageID string) (_ script.Language, isScript bool) {
	if l, ok := script.LanguageOf(path.Base(uri)); ok {
		return l, true
	}
	switch languageID {
	case "codemode", "codemode-typescript":
		return script.TypeScript, true
	case "codemode-javascript":
		return script.JavaScript, true
	}
	return "", false
}

func (s *Server) didChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	snap := s.session.Snapshot()
	old, err := snap.document(p.TextDocument.URI)
	if err != nil {
		return err
	}
	if p.TextDocument.Version <= old.Version {
		// The changes are real all the same: leaving them out would put every later
		// position in the wrong place.
		s.log.Warn("document version does not grow", "uri", old.URI, "from", old.Version, "to", p.TextDocument.Version)
	}
	next, err := old.edited(p.TextDocument.Version, p.ContentChanges)
	if err != nil {
		return err
	}
	s.expire(next.URI)
	s.session.setDocument(next)
	if s.engine != nil && next.Script {
		s.engine.Change(next.URI, next.Version, next.Text)
	}
	return nil
}

// didSave reads the configuration again when a file of it was saved: not every
// client watches files.
func (s *Server) didSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	if d, err := s.session.Snapshot().document(p.TextDocument.URI); err == nil {
		if _, ok := s.configFile(d); ok {
			poke(s.settingsChanged)
		}
	}
	return nil
}

func (s *Server) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	d, err := s.session.Snapshot().document(p.TextDocument.URI)
	if err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	s.expire(d.URI)
	s.session.removeDocument(d.URI)
	s.states.forget(d.URI)
	s.breakage.forget(d.URI)
	s.tokens.forget(d.URI)
	if s.engine != nil && d.Script {
		s.engine.Close(d.URI)
	}
	return nil
}
