package gateway

import (
	"context"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

// startPatience is how long the first requests wait for servers to connect. Agents
// give up on a server that does not answer in 10 s or more.
const startPatience = 5 * time.Second

// summaryTokens is the budget of the catalog in the instructions, where it only shows
// what there is.
const summaryTokens = 400

// Local is a workspace of this process as a Host.
type Local struct {
	w       *workspace.Workspace
	started time.Time

	mu       sync.Mutex
	watchers map[int]func()
	next     int
}

// OpenLocal opens a workspace for a gateway; Close closes it.
func OpenLocal(ctx context.Context, o workspace.Options) *Local {
	l := &Local{started: time.Now(), watchers: map[int]func(){}}
	o.Changed = l.changed
	l.w = workspace.Open(ctx, o)
	return l
}

// Workspace is the workspace itself.
func (l *Local) Workspace() *workspace.Workspace { return l.w }

func (l *Local) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, notify := range l.watchers {
		notify()
	}
}

// Watch implements Host.
func (l *Local) Watch(ctx context.Context, changed func()) {
	l.mu.Lock()
	id := l.next
	l.next++
	l.watchers[id] = changed
	l.mu.Unlock()
	context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, id)
	})
}

// settle waits for servers that are connecting, within startPatience of the start.
func (l *Local) settle(ctx context.Context) error {
	patient, cancel := context.WithDeadline(ctx, l.started.Add(startPatience))
	defer cancel()
	if l.w.Settled(patient) != nil {
		return ctx.Err()
	}
	return nil
}

// Offer implements Host.
func (l *Local) Offer(ctx context.Context, mode catalog.Mode) (*Offer, error) {
	if err := l.settle(ctx); err != nil {
		return nil, err
	}
	s := l.w.Snapshot()
	declared, err := l.w.Declarations(ctx, mode, nil)
	if err != nil {
		return nil, err
	}
	render := catalog.RenderOptions{
		BudgetTokens: s.Config.Catalog.BudgetTokens, MaxDepth: s.Config.Catalog.MaxDepth, DescriptionWidth: s.Config.Catalog.DescriptionWidth,
	}
	o := &Offer{Mode: declared.Mode, Tools: declared.Tools, Catalog: s.Catalog.Render(render).Text}
	render.BudgetTokens = min(render.BudgetTokens, summaryTokens)
	o.Summary = s.Catalog.Render(render).Text
	for _, v := range s.Servers {
		if v.State == upstream.Connecting {
			o.Pending = append(o.Pending, v.Server.Name)
		}
	}
	return o, nil
}

// Announce implements Host.
func (l *Local) Announce(_ context.Context, markers []jsontext.Value) (*catalog.Announcement, error) {
	s := l.w.Snapshot()
	return s.Catalog.Announce(catalog.AnnounceRequest{
		Markers: markers, Declared: !s.ExecOff(),
		Render: catalog.RenderOptions{
			BudgetTokens: s.Config.Catalog.BudgetTokens, MaxDepth: s.Config.Catalog.MaxDepth, DescriptionWidth: s.Config.Catalog.DescriptionWidth,
		},
	}), nil
}

// Exec implements Host.
func (l *Local) Exec(ctx context.Context, r Run) (*exec.Result, error) {
	return l.w.Runner().Run(ctx, exec.Request{
		Code: r.Code, Language: script.TypeScript, SessionID: r.Session, Asker: r.Asker, Person: r.Session, Events: r.Events,
	}), nil
}

// Call implements Host.
func (l *Local) Call(ctx context.Context, c Call) (*exec.CallResult, error) {
	results := l.w.Runner().CallDirect(ctx, exec.DirectRequest{
		Calls: []exec.DirectCall{{Name: c.Name, Arguments: c.Arguments}},
		Agent: l.w.Snapshot().Agent(c.Mode, nil), SessionID: c.Session, Asker: c.Asker, Person: c.Session, Events: c.Events,
	})
	return &results[0], nil
}

// Asks implements Host.
func (*Local) Asks() string { return "" }

// Close implements Host.
func (l *Local) Close() { l.w.Close() }
