package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Kinds of spans in OTLP.
const (
	kindInternal = 1
	kindClient   = 3
)

// Unknown stands for a name that a model has made up.
const Unknown = "unknown"

// attribute is a name with a string, an int64 or a bool.
type attribute struct {
	key   string
	value any
}

// Span is one span until it ends. A nil span does nothing.
type Span struct {
	t      *Tracer
	trace  [16]byte
	id     [8]byte
	parent *[8]byte
	name   string
	kind   int

	mu         sync.Mutex // guards what follows
	start, end time.Time
	attributes []attribute
	failed     bool
}

// Run begins the span of a run, the root of its trace. It is nil when the tracer
// is or the run is not sampled.
func (t *Tracer) Run(start time.Time, attributes ...any) *Span {
	if t == nil {
		return nil
	}
	s := &Span{t: t, name: "codemode.exec", kind: kindInternal, start: start}
	_, _ = rand.Read(s.trace[:]) // never fails
	_, _ = rand.Read(s.id[:])
	if t.s.sample < 1 {
		// The same part of the trace's id as other SDKs look at.
		if float64(binary.BigEndian.Uint64(s.trace[8:])>>1) >= t.s.sample*float64(1<<63) {
			return nil
		}
	}
	s.Set(attributes...)
	return s
}

// Call begins the span of a call in a run. tool is the name in the pool, or
// Unknown.
func (s *Span) Call(tool string, start time.Time, attributes ...any) *Span {
	if s == nil {
		return nil
	}
	c := &Span{t: s.t, trace: s.trace, parent: &s.id, name: "tools/call " + strings.ToValidUTF8(tool, "\ufffd"), kind: kindClient, start: start}
	_, _ = rand.Read(c.id[:])
	c.Set("mcp.method.name", "tools/call", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", tool)
	c.Set(attributes...)
	return c
}

// Set adds attributes: names and values in turn, the values strings, ints, int64s
// or bools.
func (s *Span) Set(attributes ...any) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; i+1 < len(attributes); i += 2 {
		key, _ := attributes[i].(string)
		switch v := attributes[i+1].(type) {
		case int:
			s.attributes = append(s.attributes, attribute{key, int64(v)})
		case string:
			s.attributes = append(s.attributes, attribute{key, strings.ToValidUTF8(v, "\ufffd")}) // as OTLP requires
		case int64, bool:
			s.attributes = append(s.attributes, attribute{key, v})
		}
	}
}

// Fail marks the span as failed; kind is a code such as TIMEOUT, never a message:
// messages hold what others have written.
func (s *Span) Fail(kind string) {
	if s == nil {
		return
	}
	s.Set("error.type", kind)
	s.mu.Lock()
	s.failed = true
	s.mu.Unlock()
}

// End hands the span to the exporter; what follows changes nothing.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	ended := !s.end.IsZero()
	if !ended {
		s.end = time.Now()
	}
	s.mu.Unlock()
	if !ended {
		s.t.add(s)
	}
}

// Bounds of the exporter.
const (
	maxQueued = 2048
	maxBatch  = 512
)

// Tracer collects ended spans and sends them. Close must be called.
type Tracer struct {
	s       settings
	version string
	log     *slog.Logger
	ctx     context.Context // of requests
	cancel  context.CancelFunc
	owner   sync.WaitGroup

	mu      sync.Mutex // guards what follows
	queue   []*Span
	dropped int
	closed  bool
	wake    chan struct{} // capacity 1: a whole batch is there, or all is to end
	started bool
}

func newTracer(s settings, version string, log *slog.Logger) *Tracer {
	t := &Tracer{s: s, version: version, log: log, wake: make(chan struct{}, 1)}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

func (t *Tracer) add(s *Span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.queue) >= maxQueued {
		t.dropped++
		return
	}
	t.queue = append(t.queue, s)
	if !t.started {
		t.started = true
		t.owner.Go(t.send)
	}
	if len(t.queue) >= maxBatch {
		t.signal()
	}
}

func (t *Tracer) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// send sends batches until Close.
func (t *Tracer) send() {
	timer := time.NewTimer(t.s.delay)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-t.wake:
		}
		for {
			batch, last := t.take()
			if len(batch) > 0 {
				t.export(batch)
				continue
			}
			if last {
				return
			}
			break
		}
		timer.Reset(t.s.delay)
	}
}

// take takes a batch out of the queue; last says that no more will come.
func (t *Tracer) take() (batch []*Span, last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.queue), maxBatch)
	batch, t.queue = t.queue[:n:n], t.queue[n:]
	if t.dropped > 0 {
		t.log.Warn("spans dropped: the collector is too slow", "spans", t.dropped)
		t.dropped = 0
	}
	return batch, t.closed
}

// closeTime is how long a collector may take for the last spans.
const closeTime = 2 * time.Second

// Close sends what is left, for a short time, and waits.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.closed = true
	t.signal()
	t.mu.Unlock()
	limit := time.AfterFunc(closeTime, t.cancel)
	defer limit.Stop()
	t.owner.Wait()
	t.cancel()
	t.s.client.CloseIdleConnections()
}
