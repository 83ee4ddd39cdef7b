package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"codemode-ls/analysis"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// showMessage shows a sentence to the person at the editor.
func (s *Server) showMessage(ctx context.Context, kind protocol.MessageType, text string) {
	if err := s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: kind, Message: text}); err != nil && ctx.Err() == nil {
		s.log.Debug("message not shown", "err", err)
	}
}

// showText opens a text for reading: in a file of the cache directory, since no
// client but a few can show what is in none.
func (s *Server) showText(ctx context.Context, snap *Snapshot, name, text string) (any, error) {
	if s.o.CacheDir == "" {
		s.showMessage(ctx, protocol.MessageTypeInfo, analysis.Plain(text, 2000))
		return &Done{}, nil
	}
	path := filepath.Join(s.o.CacheDir, "shown", filepath.Base(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, failure(CodeNotWritten, "%v", err)
	}
	if err := writeFile(path, text); err != nil {
		return nil, failure(CodeNotWritten, "%v", err)
	}
	u := uri.File(path)
	return &Opened{URI: string(u)}, s.showDocument(ctx, snap, u)
}

// showDocument opens a document; for a client that cannot, a message says where it is.
func (s *Server) showDocument(ctx context.Context, snap *Snapshot, u uri.URI) error {
	if snap.Client.ShowDocument {
		ctx, cancel := context.WithTimeout(ctx, configurationTime)
		defer cancel()
		focus := true
		shown, err := s.client.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: u, TakeFocus: &focus})
		if err == nil && shown != nil && shown.Success {
			return nil
		}
		s.log.Debug("document not shown", "uri", u, "err", err)
	}
	s.showMessage(ctx, protocol.MessageTypeInfo, "Written to "+u.FsPath())
	return nil
}

// Opened is the answer of a command that opened a document.
type Opened struct {
	URI string `json:"uri"`
}

// cannotAsk says that an error means that the client has no prompts, rather than
// that somebody closed one.
func cannotAsk(err error) bool {
	var coded *jsonrpc2.Error
	return errors.As(err, &coded) && coded.Code == jsonrpc2.MethodNotFound
}
