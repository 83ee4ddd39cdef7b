package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/typegen/seen"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"
)

// Bounds of what is kept of results.
const (
	maxSeenTools = 500     // of one server
	maxSeenBytes = 4 << 20 // of one server's file
	maxSeenValue = 4 << 20 // of one result; of larger ones nothing is learned
	maxSeenQueue = 64      // results that wait to be looked at; more are let go
)

// seenTool is what is kept of one tool: what its results looked like, never a value.
type seenTool struct {
	Shape *seen.Shape `json:"shape"`
	Times int         `json:"times"`
	Last  time.Time   `json:"last"`
}

// seenServer is what is kept of one server's definition, in a file of its own.
type seenServer struct {
	Version int                  `json:"version"`
	Server  string               `json:"server"`
	Tools   map[string]*seenTool `json:"tools"` // by full name
	changed map[string]bool      // tools that have more than the file
	times   map[string]int       // that they were seen since the file was read
	onDisk  time.Time            // when the file that this was read from was written
}

const seenVersion = 1

// results keeps what results look like that no server declares: one file for each
// definition of a server, in the user's cache. It is safe for concurrent use, and
// several processes may share the files.
type results struct {
	dir string // "" keeps them for the process only
	log *slog.Logger

	queue chan observation

	mu      sync.Mutex // guards what follows
	servers map[string]*seenServer
	folder  time.Time // when something was last written in dir, as far as is known
	version int       // counts changes of types
}

// An observation is a result that has yet to be looked at.
type observation struct {
	definition, server, tool string
	result                   seen.Result
}

func newResults(cacheDir string, log *slog.Logger) *results {
	r := &results{log: log, queue: make(chan observation, maxSeenQueue), servers: map[string]*seenServer{}}
	if cacheDir != "" {
		r.dir = filepath.Join(cacheDir, "results")
	}
	return r
}

// offer takes in a result without waiting for anything.
func (r *results) offer(o observation) {
	if len(o.result.Structured) > maxSeenValue || len(o.result.Text) > maxSeenValue {
		return
	}
	select {
	case r.queue <- o:
	default: // calls come faster than they can be looked at: others will follow
	}
}

// learn looks at an observation, and reports whether a type has changed.
func (r *results) learn(o observation) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.server(o.definition, o.server)
	t := s.Tools[o.tool]
	if t == nil {
		if len(s.Tools) >= maxSeenTools {
			return false
		}
		t = &seenTool{Shape: &seen.Shape{}}
		s.Tools[o.tool] = t
	}
	wider := t.Shape.Observe(o.result)
	t.Times++
	t.Last = time.Now().UTC().Truncate(time.Second)
	s.times[o.tool]++
	if wider {
		s.changed[o.tool] = true
		r.version++
	}
	return wider
}

// server is what is known of a definition, read when it is first asked for. r.mu
// is held.
func (r *results) server(definition, name string) *seenServer {
	s := r.servers[definition]
	if s == nil {
		s = r.read(definition)
		r.servers[definition] = s
	}
	if name != "" {
		s.Server = name
	}
	return s
}

func (r *results) path(definition string) string {
	return filepath.Join(r.dir, definition+".json")
}

// read reads a definition's file. What is wrong with it is logged; it is written
// again with the next result.
func (r *results) read(definition string) *seenServer {
	empty := &seenServer{Tools: map[string]*seenTool{}, changed: map[string]bool{}, times: map[string]int{}}
	if r.dir == "" {
		return empty
	}
	info, err := os.Stat(r.path(definition))
	if errors.Is(err, fs.ErrNotExist) {
		return empty
	}
	s := &seenServer{}
	if err == nil && (info.Size() > maxSeenBytes || !info.Mode().IsRegular()) {
		err = errors.New("it is too large, or no file")
	}
	var data []byte
	if err == nil {
		empty.onDisk = info.ModTime()
		data, err = os.ReadFile(r.path(definition))
	}
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err == nil && (s.Version != seenVersion || s.Tools == nil || len(s.Tools) > maxSeenTools) {
		err = errors.New("it is of another version, or was not written by this program")
	}
	if err != nil {
		r.log.Warn("types of results not read", "path", r.path(definition), "err", err)
		return empty
	}
	s.changed, s.times, s.onDisk = empty.changed, empty.times, empty.onDisk
	for name, t := range s.Tools {
		if t == nil || t.Shape == nil || !strings.HasPrefix(name, "mcp__") {
			delete(s.Tools, name)
			continue
		}
		t.Shape.Clean()
	}
	return s
}

// reload takes over what other processes have written, or removed, and reports
// whether there was anything. It looks at one folder.
func (r *results) reload() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == "" {
		return false
	}
	info, err := os.Stat(r.dir)
	if err != nil || info.ModTime().Equal(r.folder) {
		return false
	}
	r.folder = info.ModTime()
	changed := false
	for definition, s := range r.servers {
		now := time.Time{}
		if info, err := os.Stat(r.path(definition)); err == nil {
			now = info.ModTime()
		}
		if now.Equal(s.onDisk) {
			continue
		}
		changed = true
		if now.IsZero() {
			delete(r.servers, definition) // forgotten
			continue
		}
		r.servers[definition] = r.joined(s, definition)
	}
	if changed {
		r.version++
	}
	return changed
}

// joined is what a definition's file has, with what s has more.
func (r *results) joined(s *seenServer, definition string) *seenServer {
	now := r.read(definition)
	now.Server = s.Server
	now.changed, now.times = s.changed, s.times
	for name := range s.times {
		mine, theirs := s.Tools[name], now.Tools[name]
		if mine == nil {
			continue
		}
		if theirs == nil {
			if len(now.Tools) < maxSeenTools {
				now.Tools[name] = mine
			}
			continue
		}
		theirs.Shape.Add(mine.Shape)
		theirs.Times += s.times[name]
		if mine.Last.After(theirs.Last) {
			theirs.Last = mine.Last
		}
	}
	return now
}

// save writes the files that have something new; all says that also how often
// results were seen counts as new.
func (r *results) save(all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == "" {
		return
	}
	for _, definition := range slices.Sorted(maps.Keys(r.servers)) {
		s := r.servers[definition]
		if len(s.changed) == 0 && (!all || len(s.times) == 0) {
			continue
		}
		if err := r.write(definition, s); err != nil {
			r.log.Warn("types of results not kept", "path", r.path(definition), "err", err)
		}
	}
}

// write replaces a definition's file, with what others have written meanwhile.
func (r *results) write(definition string, s *seenServer) error {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(r.dir, ".lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close()
	if info, err := os.Stat(r.path(definition)); err == nil && !info.ModTime().Equal(s.onDisk) {
		s = r.joined(s, definition)
		r.servers[definition] = s
		r.version++
	}
	clear(s.changed)
	clear(s.times)
	s.Version = seenVersion
	data, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return err
	}
	if len(data) > maxSeenBytes {
		return errors.New("there is too much")
	}
	f, err := os.CreateTemp(r.dir, ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), r.path(definition))
	}
	if err != nil {
		return err
	}
	if info, err := os.Stat(r.path(definition)); err == nil {
		s.onDisk = info.ModTime()
	}
	return nil
}

// forget removes what is kept of a definition: of one tool, or of all for "". It
// reports how many tools that were.
func (r *results) forget(definition, tool string) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.server(definition, "")
	n := len(s.Tools)
	r.version++
	if tool != "" {
		if s.Tools[tool] == nil {
			return 0, nil
		}
		delete(s.Tools, tool)
		n -= len(s.Tools)
	} else {
		clear(s.Tools)
	}
	if r.dir == "" || n == 0 {
		return n, nil
	}
	if len(s.Tools) > 0 {
		return n, r.write(definition, s)
	}
	delete(r.servers, definition)
	if err := os.Remove(r.path(definition)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("forgetting results: %w", err)
	}
	return n, nil
}

// of is what was seen of a definition's tools: their shapes as text, and their
// history.
func (r *results) of(definition string, tool func(name string, t *seenTool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.server(definition, "")
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		tool(name, s.Tools[name])
	}
}

// seenOf is how often results of a tool were seen.
func (r *results) seenOf(definition, tool string) (catalog.Seen, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.server(definition, "").Tools[tool]
	if t == nil {
		return catalog.Seen{}, false
	}
	return catalog.Seen{Times: t.Times, Last: t.Last}, true
}

// learnAll looks at observations until ctx ends, and at those that are left then.
func (r *results) learnAll(ctx context.Context, changed func()) {
	for {
		select {
		case o := <-r.queue:
			if r.learn(o) {
				changed()
			}
		case <-ctx.Done():
			for {
				select {
				case o := <-r.queue:
					r.learn(o)
				default:
					return
				}
			}
		}
	}
}

// recordedDefinition stands for the definition of a server that is only recorded.
func recordedDefinition(server string) string {
	sum := sha256.Sum256([]byte("recording\x00" + server))
	return hex.EncodeToString(sum[:])
}

// definitionsOf are the definitions of the servers in use, by configured name.
func definitionsOf(l loaded) map[string]string {
	all := map[string]string{}
	for _, s := range l.recorded {
		all[s.Name] = recordedDefinition(s.Name)
	}
	for _, s := range l.used {
		all[s.Name] = s.Hash()
	}
	return all
}

// observe keeps what a result looks like, unless the settings say otherwise or
// nobody vouches for the workspace.
func (w *Workspace) observe(t *catalog.Tool, result seen.Result) {
	w.mu.Lock()
	c := w.loaded.config
	definition := w.loaded.definitions[t.Server]
	w.mu.Unlock()
	if w.o.Restricted || definition == "" || !c.SeenResults || slices.Contains(c.NotSeen, t.Server) {
		return
	}
	w.results.offer(observation{definition: definition, server: t.Server, tool: t.Name, result: w.withoutSecrets(about(t, result))})
}

// about adds what the tool's author says.
func about(t *catalog.Tool, result seen.Result) seen.Result {
	result.About = []string{t.MCPName, t.Title, t.Description, string(t.InputSchema)}
	return result
}

// withoutSecrets is a result as it may leave a run: a name may be a secret, too.
func (w *Workspace) withoutSecrets(r seen.Result) seen.Result {
	if r.Structured != nil {
		r.Structured = w.redact.JSON(r.Structured)
	}
	r.Text, r.Arguments = w.redact.Known(r.Text), w.redact.JSON(r.Arguments)
	return r
}

// knownResults are the types of results that no server declares: what people wrote
// comes before what was seen. w.mu is held.
func (w *Workspace) knownResults() *catalog.Results {
	key := fmt.Sprint(w.results.current(), w.written.current(), w.loaded.generation)
	if key == w.resultsKey {
		return w.knownTypes
	}
	c := w.loaded.config
	of := map[string]catalog.Result{}
	if c.SeenResults {
		for server, definition := range w.loaded.definitions {
			if slices.Contains(c.NotSeen, server) {
				continue
			}
			w.results.of(definition, func(name string, t *seenTool) {
				typ, jsonText := t.Shape.Type(0)
				short, _ := t.Shape.Type(c.Catalog.MaxDepth)
				of[name] = catalog.Result{Type: typ, Short: short, JSONText: jsonText}
			})
		}
	}
	texts := w.written.results(of)
	w.resultsKey, w.knownTypes = key, nil
	if len(of) > 0 {
		results, definitions := w.results, maps.Clone(w.loaded.definitions)
		w.knownTypes = catalog.NewResults(of, texts, func(tool string) (catalog.Seen, bool) {
			for _, definition := range definitions {
				if s, ok := results.seenOf(definition, tool); ok {
					return s, ok
				}
			}
			return catalog.Seen{}, false
		})
	}
	return w.knownTypes
}

func (r *results) current() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

// ForgetResults removes what was seen of a tool's results, or of all tools of the
// servers in use for "". It reports of how many tools.
func (w *Workspace) ForgetResults(tool string) (int, error) {
	w.mu.Lock()
	definitions := slices.Sorted(maps.Values(w.loaded.definitions))
	w.mu.Unlock()
	all := 0
	for _, definition := range definitions {
		n, err := w.results.forget(definition, tool)
		if err != nil {
			return all, err
		}
		all += n
	}
	w.changed()
	return all, nil
}

// LearnResult takes over a result of a tool that somebody hands in, such as an
// example. It reports whether the tool's type has changed.
func (w *Workspace) LearnResult(t *catalog.Tool, value jsontext.Value) bool {
	w.mu.Lock()
	definition := w.loaded.definitions[t.Server]
	w.mu.Unlock()
	if w.o.Restricted || definition == "" {
		return false
	}
	wider := w.results.learn(observation{definition: definition, server: t.Server, tool: t.Name, result: w.withoutSecrets(about(t, seen.Of(value)))})
	w.changed()
	return wider
}
