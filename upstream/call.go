package upstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"codemode-ls/config"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Call calls one tool. Arguments are sent as they are, byte for byte over
// stdio. The time limit of a call begins when the server is connected, and
// begins again with each progress notification up to the setting's ceiling
// (TIME-3). A server that connects, or is about to be started again, is waited
// for (see server.await). A result
// with isError is a Result; an error is a failure of the call itself:
// *CallError.
func (s *Set) Call(ctx context.Context, c Call) (*Result, error) {
	server := s.find(c.Server)
	if server == nil {
		return nil, &CallError{Reason: Unavailable, Server: c.Server, Message: fmt.Sprintf("there is no server %q", c.Server)}
	}
	arguments, err := frameArguments(c.Arguments)
	if err != nil {
		return nil, &CallError{Reason: Rejected, Server: c.Server, Message: fmt.Sprintf("the arguments for %q are not JSON: %v", c.Tool, err), Err: err}
	}
	var last *session
	for {
		session, err := s.await(ctx, server, want{last: last, waits: c.sent})
		if err != nil {
			if failed := (*CallError)(nil); errors.As(err, &failed) {
				return nil, failed
			}
			return nil, ended(ctx, c, err)
		}
		r, err := session.call(ctx, c, arguments, cmp.Or(c.Timeout, s.limits().CallTimeout))
		// A call that the server did not take, because it had forgotten the session or
		// had ended, was not carried out, and is made once more.
		if last != nil || !errors.Is(err, errForgotten) && !errors.Is(err, errNotTaken) {
			return r, err
		}
		last = session
	}
}

// frameArguments are arguments that fit into one line. Only white space between
// tokens ever changes.
func frameArguments(v jsontext.Value) (jsontext.Value, error) {
	if len(v) == 0 {
		return jsontext.Value("{}"), nil // EXEC-5
	}
	v = v.Clone()
	if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)); err != nil {
		return nil, err
	}
	return v, nil
}

// ended distinguishes a cancelled call from one whose caller's time ran out.
func ended(ctx context.Context, c Call, err error) *CallError {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &CallError{Reason: TimedOut, Server: c.Server, Message: fmt.Sprintf("tool %q of server %q did not answer in time", c.Tool, c.Server), Err: err}
	}
	return &CallError{Reason: Cancelled, Server: c.Server, Message: fmt.Sprintf("the call of %q was cancelled", c.Tool), Err: err}
}

// errTooLate is the cause of a call whose own time ran out.
var errTooLate = errors.New("the time for the call has run out")

// errSessionEnded is the cause of a call whose session is gone.
var errSessionEnded = errors.New("the session has ended")

// errNotTaken is the cause of a call that the server has read nothing of, because
// its process had ended before, or because nobody listens at its address.
var errNotTaken = errors.New("the server had ended before the call")

// callCeiling bounds a call however much progress it reports.
var callCeiling = func() time.Duration {
	for _, s := range config.Settings() {
		if s.Name == "mcp.callTimeoutMs" {
			return time.Duration(s.Ceiling) * time.Millisecond
		}
	}
	return time.Hour
}()

func (s *session) call(ctx context.Context, c Call, arguments jsontext.Value, limit time.Duration) (*Result, error) {
	defer s.begin()()
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, tap := tapped(ctx)
	var taken func() bool

	begin := time.Now()
	timer := time.AfterFunc(limit, func() { cancel(errTooLate) })
	defer timer.Stop()
	var held atomic.Int64 // how long the clock has stood still
	token, release := s.expectProgress(func(p progress) {
		if left := callCeiling - time.Since(begin) + time.Duration(held.Load()); left > 0 && ctx.Err() == nil && timer.Stop() {
			timer.Reset(min(limit, left))
		}
		c.report(p)
	})
	defer release()
	defer s.underWay(func() func() {
		since, release := time.Now(), func() {}
		timer.Stop()
		if c.Asked != nil {
			release = c.Asked()
		}
		return func() {
			release()
			held.Add(int64(time.Since(since)))
			if ctx.Err() == nil {
				timer.Reset(limit)
			}
		}
	})()

	var request mcp.CallToolRequest
	request.Params.Name = c.Tool
	request.Params.Meta = &mcp.Meta{ProgressToken: token}
	if s.process != nil {
		placeholder := rand.Text()
		defer s.process.stdin.hold(placeholder, arguments, c.sent)()
		request.Params.Arguments = placeholder
		taken = func() bool { return !s.process.stdin.holds(placeholder) }
	} else {
		request.Params.Arguments = json.RawMessage(arguments)
		// A server that does not take the request must not hold up others.
		defer time.AfterFunc(sendGrace, c.sent).Stop()
		var reached atomic.Bool
		taken = reached.Load
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn:      func(string) { reached.Store(false) }, // once more, when a connection turned out to be closed
			GotConn:      func(httptrace.GotConnInfo) { reached.Store(true) },
			WroteRequest: func(httptrace.WroteRequestInfo) { c.sent() },
		})
	}

	// An answer that has arrived already when the session ends still counts.
	if s.cutOff() {
		defer context.AfterFunc(s.life, func() {
			time.AfterFunc(drainGrace, func() { cancel(errSessionEnded) })
		})()
	}
	_, err := s.client.CallTool(ctx, request)
	timer.Stop()
	release()
	r, err := s.outcome(caller, ctx, c, tap, err, limit)
	if failed := (*CallError)(nil); errors.As(err, &failed) && failed.Reason == Unavailable && !taken() && (s.process == nil || s.process.within(drainGrace)) {
		if s.process == nil {
			s.end(failed.Err) // nobody is there
		}
		failed.Err = errNotTaken
	}
	return r, err
}

// sendGrace is how long a request over HTTP may take to be written before it
// counts as sent.
const sendGrace = 100 * time.Millisecond

func (c Call) sent() {
	if c.Sent != nil {
		c.Sent()
	}
}

func (c Call) report(p progress) {
	if c.Progress != nil {
		c.Progress(p.progress, p.total, p.message)
	}
}

// outcome makes of a call's end what the caller sees. What the tap has counts
// more than what mcp-go made of it.
func (s *session) outcome(caller, ctx context.Context, c Call, tap *tap, err error, limit time.Duration) (*Result, error) {
	if errors.Is(err, errForgotten) {
		return nil, &CallError{Reason: Unavailable, Server: c.Server, Message: fmt.Sprintf("server %q has forgotten the session", c.Server), Err: errForgotten}
	}
	switch {
	case tap.fault != nil:
		return nil, &CallError{Reason: Rejected, Server: c.Server, Message: faultMessage(tap.fault), Err: err}
	case tap.result != nil && !tap.asksInput:
		return s.result(c, tap.result)
	case caller.Err() != nil:
		return nil, ended(caller, c, caller.Err())
	case errors.Is(context.Cause(ctx), errTooLate):
		return nil, &CallError{
			Reason: TimedOut, Server: c.Server, Err: errTooLate,
			Message: fmt.Sprintf("tool %q of server %q did not answer within %s", c.Tool, c.Server, limit),
		}
	case err == nil:
		err = errors.New("the server answered nothing")
	}
	if unread := (*unreadableError)(nil); errors.As(err, &unread) {
		return nil, &CallError{Reason: Rejected, Server: c.Server, Err: err, Message: fmt.Sprintf("server %q answered the call of %q, but %s", c.Server, c.Tool, unread)}
	}
	if s.hasEnded() && errors.Is(context.Cause(ctx), errSessionEnded) {
		err = s.why
	}
	err = s.explain(err)
	failed := &CallError{Reason: Unavailable, Server: c.Server, Err: err, Message: fmt.Sprintf("server %q: %s", c.Server, err)}
	switch {
	case tap.result != nil:
		// It asks for input that nobody can give.
		failed.Reason = Rejected
	case s.process == nil: // its own failure: the session and the calls beside it go on
	default:
		switch {
		case s.wire.reason() != nil:
			failed.Message = fmt.Sprintf("server %q failed during the call: %s", c.Server, s.silence())
		case s.process.within(drainGrace):
			failed.Message = fmt.Sprintf("server %q ended during the call: %s", c.Server, s.lastWords(s.process.state))
		case errors.Is(err, transport.ErrTransportClosed):
			failed.Message = fmt.Sprintf("server %q failed during the call: %s", c.Server, s.silence())
		}
	}
	return nil, failed
}

// result reads a result. Its size and its depth are checked first: what does not
// fit into a script is decoded nowhere (TRUST-4).
func (s *session) result(c Call, raw jsontext.Value) (*Result, error) {
	if structured := part(raw, "structuredContent"); len(structured) > s.maxValue {
		return nil, &CallError{Reason: TooLarge, Server: c.Server, Message: fmt.Sprintf(
			"the result of tool %q of server %q has %d bytes, and at most %d may be in a value (exec.maxValueBytes)", c.Tool, c.Server, len(structured), s.maxValue)}
	}
	if err := unreadable(raw); err != nil {
		err = &unreadableError{err.Error()}
		return nil, &CallError{Reason: Rejected, Server: c.Server, Err: err, Message: fmt.Sprintf("server %q answered the call of %q, but %s", c.Server, c.Tool, err)}
	}
	if n := count(part(raw, "content")); n > maxContent {
		return nil, &CallError{Reason: TooLarge, Server: c.Server, Message: fmt.Sprintf(
			"the content of the result of tool %q of server %q is larger than %d parts: it has %d", c.Tool, c.Server, maxContent, n)}
	}
	return parseResult(raw), nil
}
