package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/internal/rendezvous"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxRemoteMessage bounds a message of an editor's server.
const maxRemoteMessage = 256 << 20

// errGone is the error of what was in progress when the editor ended.
var errGone = errors.New("the editor that ran this has closed; what the script had called is done, and nothing more was called")

// Remote is the server of an editor that has the workspace open, as a Host: its person is
// asked, and sees what runs.
type Remote struct {
	conn  net.Conn
	ended chan struct{} // closed with the connection
	owner sync.WaitGroup

	writing sync.Mutex

	mu       sync.Mutex // guards what follows
	next     int
	waiting  map[string]*remoteCall
	watchers map[int]func()
}

// remoteCall is a request that waits for its answer.
type remoteCall struct {
	answer chan remoteMessage // capacity 1
	events func(exec.Event)
}

// remoteMessage is any message on the connection, one line each.
type remoteMessage struct {
	ID     jsontext.Value `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params jsontext.Value `json:"params,omitzero"`
	Agent  *remoteAgent   `json:"agent,omitzero"`
	Result jsontext.Value `json:"result,omitzero"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error,omitzero"`
}

type remoteAgent struct {
	Name    string `json:"name"`
	Session string `json:"session"`
}

// Join connects to the editor's server that has the folder open, or one above it.
func Join(folder string) (*Remote, error) {
	conn, err := rendezvous.Dial(folder)
	if err != nil {
		return nil, err
	}
	r := &Remote{conn: conn, ended: make(chan struct{}), waiting: map[string]*remoteCall{}, watchers: map[int]func(){}}
	r.owner.Go(r.read)
	return r, nil
}

func (r *Remote) read() {
	defer close(r.ended)
	defer r.conn.Close()
	lines := bufio.NewScanner(r.conn)
	lines.Buffer(nil, maxRemoteMessage)
	for lines.Scan() {
		var m remoteMessage
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			return
		}
		switch m.Method {
		case "":
			r.mu.Lock()
			call := r.waiting[string(m.ID)]
			delete(r.waiting, string(m.ID))
			r.mu.Unlock()
			if call != nil {
				m.Result = m.Result.Clone()
				call.answer <- m
			}
		case "codemode/catalogChanged":
			r.changed()
		case "codemode/execEvent":
			var p struct {
				Request jsontext.Value `json:"request"`
				Event   exec.Event     `json:"event"`
			}
			if json.Unmarshal(m.Params, &p) != nil {
				continue
			}
			r.mu.Lock()
			call := r.waiting[string(p.Request)]
			r.mu.Unlock()
			if call != nil && call.events != nil {
				call.events(p.Event)
			}
		}
	}
}

func (r *Remote) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, notify := range r.watchers {
		notify()
	}
}

func (r *Remote) send(m remoteMessage) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err = r.conn.Write(append(line, '\n'))
	return err
}

// ask makes a request and waits for its answer.
func (r *Remote) ask(ctx context.Context, caller Caller, method string, params, result any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return err
	}
	call := &remoteCall{answer: make(chan remoteMessage, 1), events: caller.Events}
	r.mu.Lock()
	r.next++
	id := fmt.Sprint(r.next)
	r.waiting[id] = call
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting, id)
	}()
	if err := r.send(remoteMessage{ID: jsontext.Value(id), Method: method, Params: encoded, Agent: &remoteAgent{caller.Agent, caller.Session}}); err != nil {
		return errGone
	}
	var answer remoteMessage
	select {
	case answer = <-call.answer:
	case <-r.ended:
		select {
		case answer = <-call.answer: // it came with the end
		default:
			return errGone
		}
	case <-ctx.Done():
		_ = r.send(remoteMessage{Method: "$/cancelRequest", Params: jsontext.Value(`{"id":` + id + `}`)})
		select { // what was called has to end before this is said to have
		case <-call.answer:
		case <-r.ended:
		}
		return ctx.Err()
	}
	if answer.Error != nil {
		return errors.New(answer.Error.Message)
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("the answer of the editor's server to %s is not understood; is it of another version? %w", method, err)
	}
	return nil
}

// Offer implements Host.
func (r *Remote) Offer(ctx context.Context, mode catalog.Mode) (*Offer, error) {
	var declared catalog.AgentTools
	if err := r.ask(ctx, Caller{}, "codemode/declarations", map[string]any{"mode": mode}, &declared); err != nil {
		return nil, err
	}
	o := &Offer{Mode: declared.Mode, Tools: declared.Tools}
	var err error
	if o.Catalog, err = r.catalog(ctx, map[string]any{"namesOnly": true}); err != nil {
		return nil, err
	}
	o.Summary, err = r.catalog(ctx, map[string]any{"namesOnly": true, "budgetTokens": summaryTokens})
	return o, err
}

func (r *Remote) catalog(ctx context.Context, params map[string]any) (string, error) {
	var c struct {
		Text string `json:"text"`
	}
	err := r.ask(ctx, Caller{}, "codemode/catalog", params, &c)
	return c.Text, err
}

// Announce implements Host.
func (r *Remote) Announce(ctx context.Context, markers []jsontext.Value) (*catalog.Announcement, error) {
	var answer struct {
		Message *catalog.Announcement `json:"message"`
	}
	err := r.ask(ctx, Caller{}, "codemode/announce", map[string]any{"markers": markers}, &answer)
	return answer.Message, err
}

// Exec implements Host.
func (r *Remote) Exec(ctx context.Context, q Run) (*exec.Result, error) {
	result := new(exec.Result)
	return result, r.ask(ctx, q.Caller, "codemode/exec", map[string]any{"code": q.Code}, result)
}

// Call implements Host.
func (r *Remote) Call(ctx context.Context, c Call) (*exec.CallResult, error) {
	result := new(exec.CallResult)
	return result, r.ask(ctx, c.Caller, "codemode/callTool", map[string]any{"name": c.Name, "arguments": c.Arguments, "mode": c.Mode}, result)
}

// Asks implements Host.
func (*Remote) Asks() string { return "the editor" }

// Watch implements Host.
func (r *Remote) Watch(ctx context.Context, changed func()) {
	r.mu.Lock()
	r.next++
	id := r.next
	r.watchers[id] = changed
	r.mu.Unlock()
	context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watchers, id)
	})
}

// Close implements Host.
func (r *Remote) Close() {
	r.conn.Close()
	r.owner.Wait()
}
