package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The methods of this file are all that changes documents. They run on the read
// loop, so that edits apply in the order in which they were sent, and hand each
// change on to the TypeScript engine in the same order.

// openedDocument are the params of didOpen and didChange, read by ourselves: a
// version that cannot be read is no reason to lose a text, while one that is not
// there must not become an empty one (LSP-5).
type openedDocument struct {
	TextDocument struct {
		URI        uri.URI        `json:"uri"`
		LanguageID jsontext.Value `json:"languageId"`
		Version    jsontext.Value `json:"version"`
		Text       *string        `json:"text"`
	} `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type contentChange struct {
	Range *struct {
		Start *wirePosition `json:"start"`
		End   *wirePosition `json:"end"`
	} `json:"range"`
	Text *string `json:"text"`
}

type wirePosition struct {
	Line      *uint32 `json:"line"`
	Character *uint32 `json:"character"`
}

// version is the client's, or the one after the last that could be read.
func (p *openedDocument) version(last int32) int32 {
	if v, err := strconv.ParseInt(string(p.TextDocument.Version), 10, 32); err == nil {
		return int32(v)
	}
	if last == math.MaxInt32 {
		return last
	}
	return last + 1
}

// changes are those of the protocol; an error when one of them is not whole.
func (p *openedDocument) changes() ([]protocol.TextDocumentContentChangeEvent, error) {
	if p.ContentChanges == nil {
		return nil, errors.New("the change has no contentChanges")
	}
	var all []protocol.TextDocumentContentChangeEvent
	for i, c := range p.ContentChanges {
		if c.Text == nil {
			return nil, fmt.Errorf("contentChanges[%d] has no text", i)
		}
		if c.Range == nil {
			all = append(all, &protocol.TextDocumentContentChangeWholeDocument{Text: *c.Text})
			continue
		}
		start, end := c.Range.Start, c.Range.End
		if start == nil || end == nil || start.Line == nil || start.Character == nil || end.Line == nil || end.Character == nil {
			return nil, fmt.Errorf("the range of contentChanges[%d] is not complete", i)
		}
		all = append(all, &protocol.TextDocumentContentChangePartial{Text: *c.Text, Range: protocol.Range{
			Start: protocol.Position{Line: *start.Line, Character: *start.Character},
			End:   protocol.Position{Line: *end.Line, Character: *end.Character},
		}})
	}
	return all, nil
}

// unreadable takes out of use the document that a message which cannot be read was
// about; all documents when the message does not even name one.
func (s *Server) unreadable(ctx context.Context, m *incoming, err error) error {
	about, readErr := decode[struct {
		TextDocument struct {
			URI uri.URI `json:"uri"`
		} `json:"textDocument"`
	}](m)
	snap := s.session.Snapshot()
	var names []string
	for _, u := range slices.Sorted(maps.Keys(snap.Docs)) {
		if readErr == nil && about.TextDocument.URI != "" && u != string(about.TextDocument.URI) {
			continue
		}
		d := snap.Docs[u]
		next := *d
		next.Unreadable = fmt.Sprintf("a %s could not be read (%v)", m.Method(), err)
		s.expire(u)
		s.session.setDocument(&next)
		if d.Unreadable == "" {
			names = append(names, analysis.Plain(path.Base(uri.URI(u).Path()), 80))
		}
	}
	const most = 5
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("and %d more", n))
	}
	if len(names) > 0 {
		s.ask(snap.Client.pulls(), s.client.DiagnosticRefresh)
		s.showMessage(ctx, protocol.MessageTypeError, fmt.Sprintf("codemode-ls: a change from the editor could not be read, so its text of %s may differ from yours. Close it and open it again; until then it is neither checked nor run.", strings.Join(names, ", ")))
	}
	return err
}

// didOpenEndpoint also keeps how the client writes the document's URI.
func didOpenEndpoint(s *Server, ctx context.Context, m *incoming) (any, error) {
	s.spelled.learn(m.params)
	p, err := decode[openedDocument](m)
	if err == nil && p.TextDocument.Text == nil {
		err = errors.New("the document has no text")
	}
	if err != nil {
		return nil, s.unreadable(ctx, m, err)
	}
	s.didOpen(p)
	return nil, nil
}

func (s *Server) didOpen(p *openedDocument) {
	t := p.TextDocument
	snap := s.session.Snapshot()
	var languageID string
	if t.LanguageID != nil {
		_ = json.Unmarshal(t.LanguageID, &languageID) // the name may show it as well
	}
	language, isScript := languageOf(string(t.URI), languageID)
	d := analysis.NewDocument(string(t.URI), p.version(-1), language, *t.Text, snap.Client.Encoding)
	d.Script = isScript
	_, reopened := snap.Docs[d.URI]
	s.expire(d.URI)
	s.session.setDocument(d)
	if s.engine == nil || !d.Script {
		return
	}
	if reopened {
		s.engine.Close(d.URI)
	}
	s.engine.Open(d.URI, d.Language, d.Version, d.Source)
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

func didChangeEndpoint(s *Server, ctx context.Context, m *incoming) (any, error) {
	p, err := decode[openedDocument](m)
	if err == nil {
		err = s.didChange(p)
	}
	if err != nil {
		return nil, s.unreadable(ctx, m, err)
	}
	return nil, nil
}

func (s *Server) didChange(p *openedDocument) error {
	if p.TextDocument.URI == "" {
		return badParams("it does not name a document")
	}
	old, ok := s.session.Snapshot().Docs[string(p.TextDocument.URI)]
	if !ok {
		return badParams("%s is not open", p.TextDocument.URI)
	}
	version := p.version(old.Version)
	if version <= old.Version {
		// The changes are real all the same: leaving them out would put every later
		// position in the wrong place.
		s.log.Warn("document version does not grow", "uri", old.URI, "from", old.Version, "to", version)
	}
	changes, err := p.changes()
	if err != nil {
		return err
	}
	next, err := old.Edited(version, changes)
	if err != nil {
		return err
	}
	s.expire(next.URI)
	s.session.setDocument(next)
	if s.engine != nil && next.Script {
		s.engine.Change(next.URI, next.Version, next.Source)
	}
	return nil
}

// didSave reads the configuration again when a file of it was saved: not every
// client watches files.
func (s *Server) didSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	snap := s.session.Snapshot()
	if d, err := snap.document(p.TextDocument.URI); err == nil {
		if _, ok := s.configFile(snap, d); ok {
			notify(s.settingsChanged)
		}
	}
	return nil
}

func (s *Server) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	d, open := s.session.Snapshot().Docs[string(p.TextDocument.URI)]
	if !open {
		return fmt.Errorf("closing: %s is not open", p.TextDocument.URI)
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
