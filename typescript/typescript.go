package typescript

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"codemode-ls/script"
	"codemode-ls/typescript/project"
)

// ChildCommand is the hidden subcommand that runs the engine.
const ChildCommand = "ts-engine"

// DeclarationsURI is what locations in the .d.ts carry.
const DeclarationsURI = "codemode:///tools.d.ts"

// ErrUnavailable is in the error of every request that the engine could not
// answer because it is dead, hangs or cannot be started. Asking again later may
// work.
var ErrUnavailable = errors.New("the TypeScript engine is not available")

// ErrNotOpen is in the error of requests for a document that is not open.
var ErrNotOpen = errors.New("the document is not open")

const defaultTimeout = 10 * time.Second

// Options of an Engine.
type Options struct {
	// Command starts the engine: program and arguments. Nil: this executable with
	// ChildCommand. It may be npm's `tsc --lsp --stdio`.
	Command []string
	// Timeout of one request; 0 is 10 seconds. An engine that exceeds it is
	// restarted.
	Timeout time.Duration
	Log     *slog.Logger
	// Changed is called, from any goroutine, when Status has changed; it must
	// return at once.
	Changed func()
	// OnDemand starts the engine with the first text that it is given: an editor
	// without a script open holds no memory for it (PERF-8).
	OnDemand bool
}

// Status is how the engine's process is doing.
type Status struct {
	Running  bool
	Restarts int
	Err      error // why it is not running, or what the last one died of
}

// Engine is a running TypeScript engine. All methods are safe for concurrent
// use; documents are named by the author's URI.
//
// Open, Change, Close and SetDeclarations only record what is required, so they
// never block. What the child has received is compared with that before every
// request, and soon after every change; a new child therefore gets everything.
type Engine struct {
	o       Options
	command []string
	own     bool // the command is our engine
	log     *slog.Logger
	stop    context.CancelFunc
	done    chan struct{} // closed when the supervisor has ended
	wake    chan struct{} // capacity 1: there may be something to send to the child
	needed  chan struct{} // closed when there is a first text
	need    sync.Once     // closes needed

	mu           sync.Mutex    // guards what follows
	child        *child        // nil while there is none
	turn         chan struct{} // closed when child or noChildSoon changes
	noChildSoon  bool          // no child, and none within a second
	status       Status
	ended        bool
	names        map[string]string    // virtual URI by author's
	documents    map[string]*document // by virtual URI; replaced, never modified
	declarations *declarations
	preferences  *preferences
	lastName     int
	lastVersion  int32
	blame        map[string]*blame // by virtual URI
}

// declarations are one version of the .d.ts. They never change.
type declarations struct {
	version int32
	text    string
}

// blame counts the children that died while they worked on a document.
type blame struct {
	document *document
	last     *child // the latest of them, to count it once
	deaths   int
	kills    int // of those, how many said nothing: something else may have killed them
}

// maxDeaths is how many children a version of a document may take with it
// before requests on it are refused; maxKills, how many of them without a word.
const (
	maxDeaths = 3
	maxKills  = 12
)

// New starts the engine in the background.
func New(o Options) *Engine {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	ctx, cancel := context.WithCancel(context.Background()) // ended by Shutdown
	e := &Engine{
		o: o, command: o.Command, own: isOwn(o.Command), log: o.Log, stop: cancel,
		done: make(chan struct{}), needed: make(chan struct{}), wake: make(chan struct{}, 1), turn: make(chan struct{}),
		names: map[string]string{}, documents: map[string]*document{},
		declarations: &declarations{version: 1}, preferences: newPreferences(InlayHints{}), lastVersion: 1, blame: map[string]*blame{},
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	go e.supervise(ctx)
	return e
}

// Shutdown ends the child and waits for it. Requests under way fail.
func (e *Engine) Shutdown() {
	e.stop()
	<-e.done
}

// Status of the engine's process now.
func (e *Engine) Status() Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.status
}

// Restarts is how often the engine was restarted, for status and tests.
func (e *Engine) Restarts() int { return e.Status().Restarts }

// OnChange replaces Options.Changed.
func (e *Engine) OnChange(changed func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.o.Changed = changed
}

// SetDeclarations replaces the .d.ts that every script is checked against.
func (e *Engine) SetDeclarations(text string) {
	e.mu.Lock()
	if e.declarations.text != text {
		e.lastVersion++
		e.declarations = &declarations{version: e.lastVersion, text: text}
		clear(e.blame)
	}
	e.mu.Unlock()
	e.notify()
}

// Open, Change and Close mirror the open documents. The text is the author's;
// version must grow.
func (e *Engine) Open(uri string, l script.Language, version int32, source *script.Source) {
	e.put(uri, l, source, asBody)
	e.notify()
}

// Change replaces the text of an open document.
func (e *Engine) Change(uri string, version int32, source *script.Source) {
	e.mu.Lock()
	d := e.documents[e.names[uri]]
	e.mu.Unlock()
	if d == nil {
		return
	}
	e.put(uri, d.language, source, asBody)
	e.notify()
}

// Close forgets a document.
func (e *Engine) Close(uri string) {
	e.drop(uri)
	e.drop(looseName(uri))
	e.notify()
}

// put records a document's text. A document of another language than before is
// another file for the engine.
func (e *Engine) put(uri string, l script.Language, source *script.Source, form form) *document {
	e.mu.Lock()
	e.lastVersion++
	version := e.lastVersion
	virtual := e.names[uri]
	if old := e.documents[virtual]; old == nil || old.language != l {
		e.lastName++
		virtual = virtualURI(e.lastName, l)
	}
	e.mu.Unlock()

	e.need.Do(func() { close(e.needed) })
	d := newDocument(uri, virtual, l, version, source, form) // reads the text: not under the lock

	e.mu.Lock()
	defer e.mu.Unlock()
	next := maps.Clone(e.documents)
	if current := next[virtual]; current != nil && current.version > version {
		return current // somebody was faster with a newer text
	}
	if old := e.names[uri]; old != virtual {
		delete(next, old)
		delete(e.blame, old)
	}
	next[virtual] = d
	e.names[uri], e.documents = virtual, next
	return d
}

func (e *Engine) drop(uri string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	virtual, ok := e.names[uri]
	if !ok {
		return
	}
	next := maps.Clone(e.documents)
	delete(next, virtual)
	delete(e.names, uri)
	delete(e.blame, virtual)
	e.documents = next
}

// notify has the supervisor send the child what has changed.
func (e *Engine) notify() {
	select {
	case e.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// A world is what the child should know. It never changes.
type world struct {
	preferences  *preferences
	declarations *declarations
	documents    map[string]*document // by virtual URI
}

// world is the present one.
func (e *Engine) world() world {
	e.mu.Lock()
	defer e.mu.Unlock()
	return world{e.preferences, e.declarations, e.documents}
}

// opened is the present version of an open document.
func (e *Engine) opened(uri string) (*document, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.documents[e.names[uri]]
	if d == nil {
		return nil, fmt.Errorf("typescript: %s: %w", uri, ErrNotOpen)
	}
	if b := e.blame[d.virtual]; b != nil && b.document == d && (b.deaths-b.kills >= maxDeaths || b.deaths >= maxKills) {
		return nil, fmt.Errorf("typescript: %s: %w: it has crashed on this text %d times", uri, ErrUnavailable, b.deaths)
	}
	return d, nil
}

// blamed notes that c died while it worked on d; silent, without a word.
func (e *Engine) blamed(d *document, c *child, silent bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.blame[d.virtual]
	if b == nil || b.document != d {
		b = &blame{document: d}
		e.blame[d.virtual] = b
	}
	if b.last != c {
		b.last, b.deaths = c, b.deaths+1
		if silent {
			b.kills++
		}
	}
}

// request asks the engine about an open document. params makes the parameters
// from the document as the engine will see it; the same document is returned,
// for mapping the answer back. An engine that dies meanwhile is asked once
// more when it is back.
func (e *Engine) request(ctx context.Context, uri, method string, params func(*document) any, result any) (*document, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.o.Timeout, errTimeout)
	defer cancel()
	for attempt := 0; ; attempt++ {
		d, err := e.once(ctx, uri, method, params, result)
		if errors.Is(err, errGone) && attempt == 0 {
			continue
		}
		if errors.Is(err, errGone) {
			err = fmt.Errorf("typescript: %s: %w: %w", method, ErrUnavailable, err)
		}
		return d, err
	}
}

var errTimeout = errors.New("the TypeScript engine did not answer in time")

func (e *Engine) once(ctx context.Context, uri, method string, params func(*document) any, result any) (*document, error) {
	c, err := e.running(ctx)
	if err != nil {
		return nil, err
	}
	d, err := e.exchange(ctx, c, uri, method, params, result)
	switch {
	case errors.Is(err, errGone):
		select {
		case <-c.gone: // so that running does not return it again
		case <-ctx.Done():
		}
		if d != nil {
			e.blamed(d, c, c.complaint.String() == "")
		}
	case errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) == errTimeout:
		if d != nil {
			e.blamed(d, c, false)
		}
		c.kill()
		err = fmt.Errorf("typescript: %s: %w: %w", method, ErrUnavailable, errTimeout)
	}
	return d, err
}

// exchange sends one request to c, after everything that it should know first.
func (e *Engine) exchange(ctx context.Context, c *child, uri, method string, params func(*document) any, result any) (*document, error) {
	unblock := context.AfterFunc(ctx, func() {
		if context.Cause(ctx) == errTimeout {
			c.kill() // ends a write that nobody reads
		}
	})
	defer unblock()
	if err := c.lock(ctx); err != nil {
		return nil, err
	}
	w := e.world()
	d, err := e.opened(uri)
	if err == nil && w.documents[d.virtual] != d {
		w.documents = maps.Clone(w.documents) // an edit came in between
		w.documents[d.virtual] = d
	}
	if err == nil {
		err = c.update(e.own, w)
	}
	var q inquiry
	if err == nil {
		q, err = c.ask(method, params(d))
	}
	c.unlock()
	if err != nil {
		return d, err
	}
	return d, c.wait(ctx, q, method, result)
}

// running waits for a child that can be asked.
func (e *Engine) running(ctx context.Context) (*child, error) {
	for {
		e.mu.Lock()
		c, turn, noChildSoon, ended, cause := e.child, e.turn, e.noChildSoon, e.ended, e.status.Err
		e.mu.Unlock()
		switch {
		case ended:
			return nil, fmt.Errorf("typescript: %w: it was shut down", ErrUnavailable)
		case c != nil && !c.isGone():
			return c, nil
		case noChildSoon:
			return nil, fmt.Errorf("typescript: %w: %w", ErrUnavailable, cause)
		}
		select {
		case <-turn:
		case <-ctx.Done():
			if context.Cause(ctx) == errTimeout {
				return nil, fmt.Errorf("typescript: %w: it has not started in time", ErrUnavailable)
			}
			return nil, ctx.Err()
		}
	}
}

// fileURI of a path on the engine's disk.
func fileURI(path string) string { return "file://" + path }

var declarationsFile = fileURI(project.Declarations)
