package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Limits of one connection.
const (
	maxMessage  = 4 << 20 // bytes of one message
	maxRequests = 256     // that are answered at the same time
)

// A long message costs many times its size until it is answered: a few at a time bound
// the memory of the gateway.
const (
	longMessage     = 256 << 10 // bytes
	maxLongMessages = 8         // of all sessions
)

// lastAnswers is how long requests in progress may take when the input has ended: the
// agent may only have closed its end.
const lastAnswers = 5 * time.Second

// Serve speaks MCP on in and out, one message a line, until in ends or ctx does.
//
// The library's own transport shares one session between all servers of a process,
// writes its requests past the lock of its answers, and reads lines of any length.
func (g *Gateway) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &stream{g: g, out: out, notes: make(chan mcp.JSONRPCNotification, 256), flushes: make(chan chan struct{}), asked: map[string]chan reply{}, busy: map[string]context.CancelFunc{}}
	if err := g.mcp.RegisterSession(ctx, s); err != nil {
		return fmt.Errorf("registering the session: %w", err)
	}
	defer g.mcp.UnregisterSession(ctx, s.SessionID())
	answering, stop := context.WithCancel(server.WithSupportedProtocolVersions(g.mcp.WithContext(ctx, s), mcp.ValidProtocolVersions))
	defer stop()

	var notifying sync.WaitGroup
	notifying.Go(func() {
		for {
			select {
			case <-answering.Done():
				return
			case n := <-s.notes:
				s.write(s.tagged(n))
			case done := <-s.flushes:
				for len(s.notes) > 0 { // nobody else takes any
					s.write(s.tagged(<-s.notes))
				}
				close(done)
			}
		}
	})
	// A read that is parked in the kernel cannot be ended: the process ends without it.
	ended := make(chan error, 1)
	go func() { ended <- s.read(answering, in) }()
	var err error
	select {
	case err = <-ended:
		idle := make(chan struct{})
		go func() {
			s.requests.Wait()
			close(idle)
		}()
		select {
		case <-idle:
		case <-time.After(lastAnswers):
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	stop()
	notifying.Wait()
	return err
}

// stream is one connection, and its session.
type stream struct {
	info
	g        *Gateway
	requests sync.WaitGroup
	notes    chan mcp.JSONRPCNotification
	flushes  chan chan struct{} // each closed when what was in notes is written

	writing sync.Mutex
	out     io.Writer

	mu     sync.Mutex // guards what follows
	next   int64
	asked  map[string]chan reply // by the id of our request
	busy   map[string]context.CancelFunc
	filter mcp.SubscriptionFilter
	listen any // the id of the request that listens; nil for none
}

// reply is the answer to a request of ours.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// message is what all messages have.
type message struct {
	reply
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// errTooLong is what a line over the limit is answered with.
var errTooLong = fmt.Errorf("the message is longer than %d bytes", maxMessage)

// errManyLong is what a long message is answered with while there are too many.
var errManyLong = fmt.Errorf("%d messages of more than %d bytes are being answered; try again later", maxLongMessages, longMessage)

// enterLong lets a message in, unless it is long and too many such are; leave lets it
// out.
func (g *Gateway) enterLong(size int) (leave func(), ok bool) {
	if size < longMessage {
		return func() {}, true
	}
	select {
	case g.long <- struct{}{}:
		return func() { <-g.long }, true
	default:
		return nil, false
	}
}

// read reads messages until the input ends.
func (s *stream) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	slots := make(chan struct{}, maxRequests)
	for ctx.Err() == nil {
		line, err := readLine(lines)
		switch {
		case errors.Is(err, errTooLong):
			s.write(invalid(mcp.INVALID_REQUEST, err.Error()))
			continue
		case err != nil && len(bytes.TrimSpace(line)) == 0:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("reading a message: %w", err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			s.take(ctx, line, slots)
		}
	}
	return nil
}

// readLine reads a line; of one that is too long nothing is kept.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxMessage; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			return nil, errTooLong
		}
		return line, err
	}
}

func invalid(code int, text string) mcp.JSONRPCError {
	return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(nil), Error: mcp.NewJSONRPCErrorDetails(code, text, nil)}
}

// take handles a line: requests beside each other, all else in order. slots bound how
// many there are; reading waits for a free one, and the client for reading.
func (s *stream) take(ctx context.Context, line []byte, slots chan struct{}) {
	if line[0] == '[' { // 2025-03-26 has batches
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
			s.write(invalid(mcp.PARSE_ERROR, "the message is not JSON"))
			return
		}
		leave, ok := s.g.enterLong(len(line))
		if !ok {
			s.write(invalid(mcp.INVALID_REQUEST, errManyLong.Error()))
			return
		}
		slots <- struct{}{}
		s.requests.Go(func() {
			defer func() { <-slots }()
			defer leave()
			var answers []mcp.JSONRPCMessage
			for _, one := range batch {
				if a := s.handle(ctx, one); a != nil {
					answers = append(answers, a)
				}
			}
			if len(answers) > 0 {
				s.write(answers)
			}
		})
		return
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		s.write(invalid(mcp.PARSE_ERROR, "the message is not JSON"))
		return
	}
	switch {
	case m.Method == "":
		s.answered(m)
	case len(m.ID) == 0 || string(m.ID) == "null":
		if m.Method == string(mcp.MethodNotificationCancelled) {
			s.cancelRequest(m.Params.RequestID)
		}
		s.handle(ctx, line)
	default:
		leave, ok := s.g.enterLong(len(line))
		if !ok {
			refused := invalid(mcp.INVALID_REQUEST, errManyLong.Error())
			_ = json.Unmarshal(m.ID, &refused.ID)
			s.write(refused)
			return
		}
		// Registered here, so that a cancellation right behind it finds it.
		connection := ctx
		ctx, cancel := context.WithCancel(ctx)
		s.mu.Lock()
		s.busy[string(m.ID)] = cancel
		s.mu.Unlock()
		slots <- struct{}{}
		answer := func() {
			defer func() { <-slots }()
			defer leave()
			result := s.handle(ctx, line)
			cancelled := ctx.Err() != nil
			s.mu.Lock()
			delete(s.busy, string(m.ID))
			s.mu.Unlock()
			cancel()
			if !cancelled { // nobody expects the answer to a cancelled request
				s.flush(connection)
				s.write(result)
			}
		}
		if m.Method == string(mcp.MethodInitialize) { // what is behind it depends on what it says
			answer()
		} else {
			s.requests.Go(answer)
		}
	}
}

// handle has a message answered.
func (s *stream) handle(ctx context.Context, raw json.RawMessage) (answer mcp.JSONRPCMessage) {
	var m message
	_ = json.Unmarshal(raw, &m)
	defer func() {
		if p := recover(); p != nil {
			s.g.log.Error("panic in a request", "method", m.Method, "panic", p)
			answer = invalid(mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	if m.Method == string(mcp.MethodSubscriptionsListen) {
		var id any
		_ = json.Unmarshal(m.ID, &id)
		s.mu.Lock()
		s.listen = id
		s.mu.Unlock()
	}
	if a := s.g.unknown(ctx, []byte(raw)); a != nil {
		return a
	}
	return s.g.mcp.HandleMessage(ctx, raw)
}

// cancelRequest cancels a request of the client.
func (s *stream) cancelRequest(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.busy[string(id)]; cancel != nil {
		cancel()
	}
}

// flush has what was to be said before an answer written.
func (s *stream) flush(ctx context.Context) {
	done := make(chan struct{})
	select {
	case s.flushes <- done:
		<-done
	case <-ctx.Done():
	}
}

// write writes a message as one line. An error is the end of the connection, which
// reading notices.
func (s *stream) write(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		s.g.log.Error("a message cannot be written", "err", err)
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.out.Write(append(line, '\n')); err != nil {
		s.g.log.Debug("a message was not written", "err", err)
	}
}

// tagged is a notification as the client's protocol has it: from 2026-07-28 on it names
// the request that listens.
func (s *stream) tagged(n mcp.JSONRPCNotification) mcp.JSONRPCNotification {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listen == nil || !slices.Contains([]string{
		mcp.MethodNotificationToolsListChanged, mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationResourceUpdated,
	}, n.Method) {
		return n
	}
	n.Params.Meta = map[string]any{mcp.MetaKeySubscriptionID: s.listen}
	return n
}

// RequestElicitation asks the client's person.
func (s *stream) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	answer := make(chan reply, 1)
	s.mu.Lock()
	s.next++
	id := fmt.Sprintf("codemode-%d", s.next)
	s.asked[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, id)
	}()
	s.write(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id, "method": mcp.MethodElicitationCreate, "params": r.Params})
	select {
	case a := <-answer:
		if a.Error != nil {
			return nil, errors.New(a.Error.Message)
		}
		result := new(mcp.ElicitationResult)
		if err := json.Unmarshal(a.Result, result); err != nil {
			return nil, fmt.Errorf("the answer cannot be read: %w", err)
		}
		return result, nil
	case <-ctx.Done():
		s.write(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": mcp.MethodNotificationCancelled, "params": map[string]any{
			"requestId": id, "reason": "the question need not be answered any more",
		}})
		return nil, ctx.Err()
	}
}

// answered hands an answer to whoever asked.
func (s *stream) answered(m message) {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	s.mu.Lock()
	answer := s.asked[id]
	delete(s.asked, id)
	s.mu.Unlock()
	if answer != nil {
		answer <- m.reply
	}
}

// SessionID implements server.ClientSession. A gateway can have several streams.
func (s *stream) SessionID() string { return fmt.Sprintf("stream-%p", s) }

// NotificationChannel implements server.ClientSession.
func (s *stream) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notes }

// SetSubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (s *stream) SetSubscriptionFilter(f mcp.SubscriptionFilter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.filter = f; f.IsEmpty() {
		s.listen = nil
	}
}

// SubscriptionFilter implements server.SessionWithSubscriptionFilter. A client of
// 2026-07-28 receives nothing that it did not ask for.
func (s *stream) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filter, s.ProtocolVersion() == ""
}

// info is what a session knows of its client.
type info struct {
	mu           sync.Mutex
	client       mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
	initialized  atomic.Bool
}

func (i *info) Initialize()       { i.initialized.Store(true) }
func (i *info) Initialized() bool { return i.initialized.Load() }

func (i *info) GetClientInfo() mcp.Implementation {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.client
}

func (i *info) SetClientInfo(c mcp.Implementation) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.client = c
}

func (i *info) GetClientCapabilities() mcp.ClientCapabilities {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.capabilities
}

func (i *info) SetClientCapabilities(c mcp.ClientCapabilities) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.capabilities = c
}

func (i *info) ProtocolVersion() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.version
}

// SetProtocolVersion notes what was negotiated by initialize.
func (i *info) SetProtocolVersion(v string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.version = strings.Clone(v)
}

var (
	_ server.SessionWithClientInfo         = (*stream)(nil)
	_ server.SessionWithElicitation        = (*stream)(nil)
	_ server.SessionWithSubscriptionFilter = (*stream)(nil)
)
