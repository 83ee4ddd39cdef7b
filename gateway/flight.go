package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/plaintext"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Limits of what agents can have in progress.
const (
	maxFlights        = 1000 // of a gateway
	maxSessionFlights = 100
	maxNotes          = 64 // progress messages that wait to be sent
)

// A flight is a run, or a direct call, that may take longer than the request that began
// it: the agent can come back for the result.
type flight struct {
	token  string // for coming back; cannot be guessed
	owner  *session
	exec   bool // of Exec
	goesOn bool // it can be continued: its agent has Exec
	output bool // the tool has an output schema, which every result that is no error must fit
	cancel context.CancelFunc
	asks   string // who else answers questions, as Host.Asks
	woken  chan struct{}
	done   chan struct{}
	result *mcp.CallToolResult // once done is closed
	err    error               // likewise

	mu       sync.Mutex // guards what follows
	request  context.Context
	client   client
	question *pending // for a client that answers by calling again
	waits    string   // the tool that waits for permission, "" for none
	notes    []string // for progress notifications
	step     int      // of progress
	expiry   *time.Timer
}

// live is the newest request that waits for the flight, and its client.
func (f *flight) live() (context.Context, client) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.request, f.client
}

func (f *flight) wake() {
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

// continues finds the token in the only text that continues a run.
var continues = regexp.MustCompile(`^\s*// @continue: ([A-Z2-7]{26})\s*$`)

// call answers tools/call.
func (g *Gateway) call(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := clientOf(ctx)
	var arguments struct {
		Code *string `json:"code"`
	}
	token := r.Params.RequestState // a client that answers a question comes back so
	if r.Params.Name == catalog.ExecName && token == "" {
		if json.Unmarshal(r.Params.RawArguments, &arguments) == nil && arguments.Code != nil {
			if m := continues.FindStringSubmatch(*arguments.Code); m != nil {
				token = m[1]
			}
		}
	}
	s := g.session(ctx)
	if token != "" {
		f := g.flight(s, token, c)
		if f == nil {
			return failure("there is no such run of this session any more: it was collected, cancelled or given up"), nil
		}
		if len(r.Params.InputResponses) > 0 {
			f.answer(r.Params.InputResponses)
		}
		return g.await(ctx, r, f, c)
	}
	f, err := g.begin(ctx, s, r, c)
	if err != nil {
		return failure(err.Error()), nil
	}
	return g.await(ctx, r, f, c)
}

// failure is a result that the model reads as an error.
func failure(text string) *mcp.CallToolResult { return mcp.NewToolResultError(text) }

// flight is the session's own run with that token. Where the protocol has no sessions,
// the token alone says whose it is.
func (g *Gateway) flight(s *session, token string, c client) *flight {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.flights[token]
	if f == nil || f.owner != s && !c.modern {
		return nil
	}
	return f
}

// begin starts what a request asks for.
func (g *Gateway) begin(ctx context.Context, s *session, r mcp.CallToolRequest, c client) (*flight, error) {
	f := &flight{
		token: rand.Text(), owner: s, exec: r.Params.Name == catalog.ExecName, asks: g.host.Asks(),
		woken: make(chan struct{}, 1), done: make(chan struct{}), request: ctx, client: c,
	}
	tool, _ := g.declared(r.Params.Name)
	f.output, f.goesOn = tool.output, f.exec
	if strings.HasPrefix(r.Params.Name, config.ScriptTool) {
		f.goesOn = g.knows(catalog.ExecName)
	}
	running, cancel := context.WithCancel(g.ctx)
	f.cancel = cancel
	g.mu.Lock()
	own := 0
	for _, other := range g.flights {
		if other.owner == s {
			own++
		}
	}
	if g.ctx.Err() != nil || own >= maxSessionFlights || len(g.flights) >= maxFlights {
		g.mu.Unlock()
		cancel()
		return nil, fmt.Errorf("too many runs are in progress (%d of this session); wait for one of them", own)
	}
	g.flights[f.token] = f
	g.owner.Go(func() {
		defer cancel()
		defer close(f.done)
		defer func() {
			if p := recover(); p != nil {
				g.log.Error("panic in a run of an agent", "panic", p)
				f.err = fmt.Errorf("internal error")
			}
		}()
		f.result, f.err = g.run(running, f, r, c)
	})
	g.mu.Unlock()
	return f, nil
}

// run does what a request asks for.
func (g *Gateway) run(ctx context.Context, f *flight, r mcp.CallToolRequest, c client) (*mcp.CallToolResult, error) {
	caller := Caller{Agent: c.name, Session: f.owner.id, Asker: &asker{g: g, s: f.owner, f: f}, Events: f.event}
	if !f.exec {
		result, err := g.host.Call(ctx, Call{Caller: caller, Mode: g.o.Mode, Name: r.Params.Name, Arguments: jsontext.Value(r.Params.RawArguments)})
		if err != nil {
			return nil, err
		}
		return callResult(result, c, f.output), nil
	}
	var arguments struct {
		Code *string `json:"code"`
	}
	if json.Unmarshal(r.Params.RawArguments, &arguments) != nil || arguments.Code == nil {
		return failure(catalog.ExecName + ` takes one argument, "code": the text of a script`), nil
	}
	result, err := g.host.Exec(ctx, Run{Caller: caller, Code: *arguments.Code})
	if err != nil {
		return nil, err
	}
	return execResult(result, c), nil
}

// event notes what happens for the agent that waits.
func (f *flight) event(e exec.Event) {
	if e.Call == nil {
		return
	}
	text := plaintext.Line(e.Call.Tool, 200) + ": " + string(e.Call.Status)
	if e.Progress != nil && e.Progress.Message != "" {
		text = plaintext.Line(e.Call.Tool, 200) + ": " + plaintext.Line(e.Progress.Message, 200)
	}
	f.mu.Lock()
	switch {
	case e.Call.Status == exec.CallWaiting:
		f.waits = e.Call.Tool
	case f.waits == e.Call.Tool:
		f.waits = ""
	}
	if len(f.notes) < maxNotes {
		f.notes = append(f.notes, text)
	}
	f.mu.Unlock()
	f.wake()
}

// await waits for the end of a flight as long as its agent does, and reports progress.
func (g *Gateway) await(ctx context.Context, r mcp.CallToolRequest, f *flight, c client) (*mcp.CallToolResult, error) {
	f.mu.Lock()
	f.request, f.client = ctx, c
	if f.expiry != nil {
		f.expiry.Stop()
	}
	f.mu.Unlock()
	var token mcp.ProgressToken
	limit := g.o.patience.silent
	if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
		token, limit = r.Params.Meta.ProgressToken, g.o.patience.progress
	}
	var over <-chan time.Time
	if f.goesOn {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	tick := time.NewTicker(g.o.patience.tick)
	defer tick.Stop()
	for {
		if ask := f.asking(); ask != nil && c.modern {
			g.leave(f)
			return server.NewInputRequestBuilder(f.token).Elicit(questionID, ask.form).ToolResult(), nil
		}
		select {
		case <-f.done:
			return g.finish(ctx, f, token)
		case <-f.woken:
			f.progress(ctx, token, "")
		case <-tick.C:
			f.progress(ctx, token, f.state())
		case <-over:
			g.leave(f)
			return f.unfinished(), nil
		case <-ctx.Done():
			// Whoever has cancelled, or hung up, has no use for the result.
			f.cancel()
			<-f.done
			g.remove(f)
			return nil, ctx.Err()
		}
	}
}

func (f *flight) asking() *pending {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.question
}

// state says what is going on.
func (f *flight) state() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waits == "" {
		return "running"
	}
	where := "here"
	if f.asks != "" {
		where = "in " + f.asks
	}
	return fmt.Sprintf("waiting for a person's permission to call %s, asked %s", plaintext.Line(f.waits, 200), where)
}

// progress sends what has happened since the last time, or else the state if there is
// one.
func (f *flight) progress(ctx context.Context, token mcp.ProgressToken, state string) {
	f.mu.Lock()
	notes := f.notes
	f.notes = nil
	f.mu.Unlock()
	if token == nil {
		return
	}
	if len(notes) == 0 && state != "" {
		notes = []string{state}
	}
	for _, text := range notes {
		f.mu.Lock()
		f.step++
		step := f.step
		f.mu.Unlock()
		// One that cannot be sent is made up for by the next.
		_ = server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": token, "progress": step, "message": text,
		})
	}
}

// unfinished is what an agent gets before it gives up waiting.
func (f *flight) unfinished() *mcp.CallToolResult {
	result := mcp.NewToolResultText(fmt.Sprintf("The script has not finished: it is %s. It goes on by itself. To wait for its result, call %s with exactly this code:\n\n// @continue: %s\n\nDo not run the script again: what it has called is done.",
		f.state(), catalog.ExecName, f.token))
	result.IsError = f.output // which needs no structured content
	return result
}

// finish is the result of a flight that has ended.
func (g *Gateway) finish(ctx context.Context, f *flight, token mcp.ProgressToken) (*mcp.CallToolResult, error) {
	f.progress(ctx, token, "")
	g.remove(f)
	if f.err != nil {
		return failure(f.err.Error()), nil
	}
	result := f.result
	if f.exec {
		if news := f.owner.news(ctx, g.host, g.version.Load()); news != "" {
			result.Content = append([]mcp.Content{mcp.NewTextContent(news)}, result.Content...)
		}
	}
	return result, nil
}

func (g *Gateway) remove(f *flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.flights, f.token)
}

// leave gives up a flight if nobody comes back for it.
func (g *Gateway) leave(f *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expiry = time.AfterFunc(g.o.patience.orphan, func() {
		f.cancel()
		g.remove(f)
	})
}
