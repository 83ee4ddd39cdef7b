package workspace

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"codemode-ls/catalog"
	"codemode-ls/typegen"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what is kept of results.
const (
	maxObservedTools = 1_000
	maxObservedBytes = 4 << 20 // of the file
	maxObservedValue = 4 << 20 // bytes of one result; of larger ones nothing is learned
)

// shapes keeps what the JSON results of tools without a declared output looked
// like (catalog.observedShapes), types and never values, in a file of the user's
// cache for each workspace. It is safe for concurrent use.
type shapes struct {
	path string // "" keeps them for the process only
	log  *slog.Logger

	mu    sync.Mutex // guards what follows
	tools map[string]*observedTool
	read  bool // tools has what the file has
	view  *catalog.Observed
	dirty bool // tools has more than the file
}

// observedTool is what is kept of one tool.
type observedTool struct {
	Text  bool           `json:"text,omitzero"` // of results that are texts
	Shape *typegen.Shape `json:"shape"`
}

// observe learns from one result, and tells whether there was something to learn.
func (s *shapes) observe(tool string, structured jsontext.Value, text string) bool {
	value, isText := structured, false
	if value == nil {
		text = strings.TrimSpace(text)
		if text == "" || text[0] != '{' && text[0] != '[' {
			return false
		}
		value, isText = jsontext.Value(text), true
	}
	if kind := value.Kind(); kind != '{' && kind != '[' || len(value) > maxObservedValue {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	t := s.tools[tool]
	if t == nil {
		if len(s.tools) >= maxObservedTools {
			return false
		}
		t = &observedTool{Text: isText, Shape: &typegen.Shape{}}
	}
	wider := t.Shape.Observe(value)
	if wider && s.tools[tool] == nil {
		s.tools[tool] = t
	}
	if t.Text && !isText {
		t.Text, wider = false, true
	}
	if wider {
		s.view, s.dirty = nil, true
	}
	return wider
}

// observed is what is known now.
func (s *shapes) observed() *catalog.Observed {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	if s.view == nil {
		view := make(map[string]catalog.ObservedShape, len(s.tools))
		for name, t := range s.tools {
			view[name] = catalog.ObservedShape{Schema: t.Shape.Schema(), Text: t.Text}
		}
		s.view = catalog.NewObserved(view)
	}
	return s.view
}

// load reads the file when that has not been done. What is wrong with it is
// logged; it is written anew with the next shape.
func (s *shapes) load() {
	if s.read {
		return
	}
	s.read, s.tools = true, map[string]*observedTool{}
	if s.path == "" {
		return
	}
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var data []byte
	if err == nil && info.Size() > maxObservedBytes {
		err = errors.New("it is too large")
	}
	if err == nil {
		data, err = os.ReadFile(s.path)
	}
	if err == nil {
		err = json.Unmarshal(data, &s.tools)
	}
	if err != nil {
		s.log.Warn("observed shapes not read", "path", s.path, "err", err)
	}
	if err != nil || s.tools == nil || len(s.tools) > maxObservedTools {
		s.tools = map[string]*observedTool{}
	}
	for name, t := range s.tools {
		if t == nil || t.Shape == nil || !strings.HasPrefix(name, "mcp__") {
			delete(s.tools, name)
			continue
		}
		t.Shape.Clean()
	}
}

// save writes the file when there is something new, whole or not at all.
func (s *shapes) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty || s.path == "" {
		return
	}
	s.dirty = false
	if err := s.write(); err != nil {
		s.log.Warn("observed shapes not kept", "path", s.path, "err", err)
	}
}

func (s *shapes) write() error {
	data, err := json.Marshal(s.tools, json.Deterministic(true))
	if err != nil {
		return err
	}
	if len(data) > maxObservedBytes {
		return errors.New("there are too many")
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path)
}
