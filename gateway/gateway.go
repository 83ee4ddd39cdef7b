package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"codemode-ls/catalog"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Name is what the server calls itself to agents.
const Name = "codemode-ls"

// CatalogURI is the resource with the catalog of the moment.
const CatalogURI = "codemode://catalog"

// Options of a gateway.
type Options struct {
	Host    Host
	Mode    catalog.Mode
	Version string
	Log     *slog.Logger

	patience patience // tests have a shorter one
}

// patience is how long an agent waits for the result of a call. Agents give up: some
// after 60 s, those that hear of progress later, but one after 300 s in any case. An
// answer before that, which says how to go on, is better than a call that fails.
type patience struct {
	silent   time.Duration // the agent does not want to hear of progress
	progress time.Duration
	orphan   time.Duration // how long a run is kept for an agent that does not come back for it
	tick     time.Duration // between progress notifications while nothing happens
}

var usualPatience = patience{silent: 50 * time.Second, progress: 4 * time.Minute, orphan: 15 * time.Minute, tick: time.Second}

// A Gateway is one MCP server. Its sessions share the host and nothing else.
type Gateway struct {
	o    Options
	host Host
	log  *slog.Logger
	mcp  *server.MCPServer

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	owner  sync.WaitGroup

	version atomic.Uint64 // counts changes of what is offered
	wake    chan struct{} // capacity 1
	long    chan struct{} // has one for each long message that is being answered

	declaring sync.Mutex // held while the tools are set
	set       string     // what was declared last; guarded by declaring

	mu       sync.Mutex          // guards what follows
	known    map[string]declared // by name
	sessions map[string]*session
	flights  map[string]*flight
	watching map[server.ClientSession]bool // that subscribe to the catalog
}

// New makes a gateway; Close ends it. The host stays the caller's.
func New(o Options) *Gateway {
	g := &Gateway{
		o: o, host: o.Host, log: o.Log, wake: make(chan struct{}, 1), long: make(chan struct{}, maxLongMessages),
		known: map[string]declared{}, sessions: map[string]*session{}, flights: map[string]*flight{}, watching: map[server.ClientSession]bool{},
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	if g.o.patience == (patience{}) {
		g.o.patience = usualPatience
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	hooks := new(server.Hooks)
	// Before the session counts as initialised: a client must not hear of changes that
	// it has not seen the state before of.
	hooks.AddBeforeInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest) { _, _ = g.declare(ctx) })
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, r *mcp.InitializeResult) {
		r.Instructions = g.instructions(ctx)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, r *mcp.DiscoverResult) {
		r.Instructions = g.instructions(ctx)
	})
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) { g.list(ctx, r) })
	hooks.AddOnUnregisterSession(func(_ context.Context, s server.ClientSession) { g.forget(s) })
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, r *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		g.subscribe(ctx, r.Params.URI, true)
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, r *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		g.subscribe(ctx, r.Params.URI, false)
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, r *mcp.SubscriptionsListenRequest) {
		for _, uri := range r.Params.Notifications.ResourceSubscriptions {
			g.subscribe(ctx, uri, true)
		}
	})
	hooks.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		g.subscribe(ctx, CatalogURI, false)
	})
	g.mcp = server.NewMCPServer(Name, o.Version,
		server.WithTitle("Code Mode"), server.WithDescription("Runs scripts that call MCP tools."), server.WithHooks(hooks), server.WithRecovery(),
		server.WithToolCapabilities(true), server.WithResourceCapabilities(true, false))
	g.mcp.AddResource(mcp.Resource{
		URI: CatalogURI, Name: "catalog", Title: "MCP tools", MIMEType: "text/plain",
		Description: "The catalog of the MCP tools that a script can call at this moment.",
	}, g.readCatalog)
	g.host.Watch(g.ctx, func() {
		g.version.Add(1)
		select {
		case g.wake <- struct{}{}:
		default:
		}
	})
	g.owner.Go(g.follow)
	return g
}

// Close ends all runs and waits for them.
func (g *Gateway) Close() {
	g.cancel()
	g.owner.Wait()
}

// follow declares tools again when something has changed.
func (g *Gateway) follow() {
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-g.wake:
		}
		if offer, err := g.declare(g.ctx); err == nil {
			g.log.Debug("the offer has changed", "tools", len(offer.Tools))
		} else if g.ctx.Err() == nil {
			g.log.Warn("what is offered to agents is not known", "err", err)
		}
	}
}

// declare makes the tools of this moment those of the server, which announces the
// change, and gives what is offered.
func (g *Gateway) declare(ctx context.Context) (*Offer, error) {
	g.declaring.Lock()
	defer g.declaring.Unlock()
	offer, err := g.host.Offer(ctx, g.o.Mode)
	if err != nil {
		return nil, err
	}
	var tools []server.ServerTool
	known := map[string]declared{}
	for _, t := range g.tools(offer, true) {
		known[t.Name] = declared{output: t.RawOutputSchema != nil}
		tools = append(tools, server.ServerTool{Tool: t, Handler: g.call})
	}
	encoded, err := json.Marshal(g.tools(offer, true))
	if err != nil {
		return nil, fmt.Errorf("declaring tools: %w", err)
	}
	if string(encoded) == g.set {
		return offer, nil
	}
	first := g.set == ""
	g.set = string(encoded)
	g.mu.Lock()
	g.known = known
	g.mu.Unlock()
	g.mcp.SetTools(tools...)
	if !first {
		g.catalogUpdated()
	}
	return offer, nil
}

// tools are the tools of an offer, as MCP declares them. Exec is among them while the
// pool is empty if callable is set: a call that was made just before is answered by
// its script.
func (g *Gateway) tools(o *Offer, callable bool) []mcp.Tool {
	var tools []mcp.Tool
	has := func(name string) bool {
		return slices.ContainsFunc(o.Tools, func(t catalog.AgentTool) bool { return t.Name == name })
	}
	// A server that is still connecting will have tools, and many agents list once.
	if o.Mode != catalog.NativeMode && !has(catalog.ExecName) && (callable || len(o.Pending) > 0) {
		tools = append(tools, execTool(catalog.Exec(), o))
	}
	for _, t := range o.Tools {
		if t.Name == catalog.ExecName {
			tools = append(tools, execTool(t, o))
		} else {
			tools = append(tools, toolOf(t))
		}
	}
	return tools
}

// toolOf is a declared tool, its schema byte for byte.
func toolOf(t catalog.AgentTool) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(t.Name, t.Description, json.RawMessage(t.InputSchema))
	tool.RawOutputSchema = json.RawMessage(t.OutputSchema)
	var hints mcp.ToolAnnotation
	if len(t.Annotations) > 0 && json.Unmarshal(t.Annotations, &hints) == nil {
		tool.Annotations = hints
	}
	return tool
}

// execTool is Exec with the catalog in its description: the one text that every agent
// shows to its model.
func execTool(t catalog.AgentTool, o *Offer) mcp.Tool {
	tool := toolOf(t)
	tool.Title = "Run a script over MCP tools"
	tool.Description += "\n\n" + o.Catalog
	if len(o.Pending) > 0 {
		tool.Description += "\n\nStill connecting, so that their tools may be missing here: " + strings.Join(o.Pending, ", ") + "."
	}
	return tool
}

// list answers tools/list in the order of the catalog.
func (g *Gateway) list(ctx context.Context, r *mcp.ListToolsResult) {
	version := g.version.Load()
	offer, err := g.declare(ctx)
	if err != nil {
		return // the caller has gone; the tools of before will do
	}
	r.Tools = g.tools(offer, false)
	if r.Tools == nil {
		r.Tools = []mcp.Tool{}
	}
	g.session(ctx).hasSeen(ctx, g.host, version)
}

// instructions are what agents show of the server, if they do.
func (g *Gateway) instructions(ctx context.Context) string {
	offer, err := g.declare(ctx)
	if err != nil {
		return ""
	}
	if offer.Mode == catalog.NativeMode {
		return "These are tools of several MCP servers. Some calls need a person's permission; a call that waits for it reports so."
	}
	return "The tool " + catalog.ExecName + " runs a TypeScript script that calls MCP tools; its description says how, and has the catalog. " +
		"Prefer one script with several calls over one call each. Some calls need a person's permission; a run that waits for it reports so, and how to go on. " +
		"The resource " + CatalogURI + " has the catalog of the moment.\n\n" + offer.Summary
}

func (g *Gateway) readCatalog(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	offer, err := g.host.Offer(ctx, g.o.Mode)
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: offer.Catalog}}, nil
}

// subscribe notes who wants to hear of changes of the catalog.
func (g *Gateway) subscribe(ctx context.Context, uri string, on bool) {
	s := server.ClientSessionFromContext(ctx)
	if s == nil || uri != CatalogURI {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if on {
		g.watching[s] = true
	} else {
		delete(g.watching, s)
	}
}

// catalogUpdated notifies subscribers of the resource.
func (g *Gateway) catalogUpdated() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.watching {
		note := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
			Method: mcp.MethodNotificationResourceUpdated,
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": CatalogURI}},
		}}
		select {
		case s.NotificationChannel() <- note:
		default: // it does not read; it will see the next one
		}
	}
}

// unknown is the answer to a call of a tool that is not declared, null for any other
// message: the library would only say that there is none (COL-1).
func (g *Gateway) unknown(ctx context.Context, message jsontext.Value) mcp.JSONRPCMessage {
	var m struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.ID == nil || m.Method != string(mcp.MethodToolsCall) {
		return nil
	}
	if g.knows(m.Params.Name) {
		return nil
	}
	offer, err := g.declare(ctx)
	if err != nil || g.knows(m.Params.Name) {
		return nil
	}
	text := fmt.Sprintf("there is no tool %q", m.Params.Name)
	if offer.Mode != catalog.NativeMode {
		text += fmt.Sprintf(" to call directly; MCP tools are called inside of scripts, as tools[%q]({ … }), and %s runs scripts", m.Params.Name, catalog.ExecName)
	}
	return mcp.JSONRPCError{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(m.ID),
		Error: mcp.NewJSONRPCErrorDetails(mcp.INVALID_PARAMS, text, map[string]any{"code": "UNKNOWN_TOOL"}),
	}
}

func (g *Gateway) knows(tool string) bool {
	_, ok := g.declared(tool)
	return ok
}

// declared is what matters of a tool's declaration when it is called.
type declared struct{ output bool } // it has an output schema, which clients hold results to

func (g *Gateway) declared(tool string) (d declared, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	d, ok = g.known[tool]
	return d, ok
}
