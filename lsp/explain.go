package lsp

import (
	"context"
	"os"
	"path/filepath"

	"codemode-ls/analysis"
	"codemode-ls/docs/diagnostics"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// explanation is where an editor can open the page on a diagnostic's code, or ""
// when there is none. Pages are written to the cache when first pointed at.
func (s *Server) explanation(code string) uri.URI {
	text, ok := diagnostics.Page(code)
	if !ok || s.o.CacheDir == "" {
		return ""
	}
	path := filepath.Join(s.o.CacheDir, "diagnostics", code+".md")
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(text)) {
		return uri.File(path)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = writeFile(path, text)
	}
	if err != nil {
		s.log.Warn("explanation not written", "code", code, "err", err)
		return ""
	}
	return uri.File(path)
}

// showExplanation shows the page on a diagnostic's code: as a document, or in a
// message where there is no folder for it.
func (s *Server) showExplanation(ctx context.Context, snap *Snapshot, code string) (any, error) {
	text, ok := diagnostics.Page(code)
	if !ok {
		return nil, badParams("there is no page on %q", code)
	}
	if page := s.explanation(code); page != "" {
		return &Opened{URI: string(page)}, s.showDocument(ctx, snap, page)
	}
	s.showMessage(ctx, protocol.MessageTypeInfo, analysis.Unmarked(text))
	return &Done{}, nil
}
