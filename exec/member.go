package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/internal/rawjson"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// admitMember answers a use of tools["$codemode"]. It needs no permission: it
// reaches no server. It is answered in the order of the script, so that a load
// sees the store before it; what takes time is left for the call's own goroutine
// (call.later).
func (x *run) admitMember(sc sandbox.Call, name string) (*call, jsontext.Value, error) {
	pool := x.r.Pool()
	offer := x.offer(pool)
	if _, ok := pool.Offering(offer).Member(name); !ok {
		message := unavailable(name)
		if message == "" {
			message = fold(catalog.Check(name, sc.Arguments).Error())
		}
		return nil, nil, &sandbox.CallError{Message: message, Tool: reserved + shown(name), Code: CodeUnknownTool}
	}
	c, err := x.count(sc, nil)
	if err != nil {
		return c, nil, err
	}
	arguments := c.record.Arguments
	if name == "image" && offer.Extended {
		if arguments, err = foreignImage(arguments); err != nil {
			return c, nil, x.fail(c, CallFailed, CodeArguments, err.Error(), nil)
		}
	}
	if err := catalog.Check(name, arguments); err != nil {
		return c, nil, x.fail(c, CallFailed, CodeArguments, err.Error(), nil)
	}
	if x.later(c, name, arguments) {
		return c, nil, nil
	}
	x.status(c, CallRunning)
	value, err := x.member(c, name, arguments)
	return c, value, x.ended(c, err)
}

// unavailable says why a member cannot be used in this run; "" for a name that no
// member has.
func unavailable(name string) string {
	for _, m := range catalog.Members() {
		switch {
		case m.Name != name:
		case m.Needs == catalog.FileAccess:
			return m.CallForm() + " is switched off: scripts may use files only when the setting codemode.exec.files is on"
		case m.Needs == catalog.Models:
			return m.CallForm() + ": " + errNoModels.Error()
		}
	}
	return ""
}

// ended ends the record of a member's use and makes the error that the script
// sees.
func (x *run) ended(c *call, err error) error {
	if err == nil {
		x.status(c, CallCompleted)
		return nil
	}
	rejection := x.fail(c, CallFailed, CodeToolError, err.Error(), nil)
	var r rangeError
	if errors.As(err, &r) {
		rejection.Code, rejection.Name = CodeRange, "RangeError"
	}
	return rejection
}

// later prepares what a member does in the goroutine of its call: files and
// models. false is a member that is answered at once.
func (x *run) later(c *call, name string, arguments jsontext.Value) bool {
	var a struct {
		Path string `json:"path"`
		Text string `json:"text"`
		ModelRequest
	}
	operation, isModel := strings.CutPrefix(name, "models.")
	if !isModel && name != "readText" && name != "writeText" {
		return false
	}
	if err := json.Unmarshal(arguments, &a, lenient); err != nil {
		return false // the check has let it pass, so it can be read
	}
	c.later = func(ctx context.Context) (jsontext.Value, error) {
		if isModel {
			q := a.ModelRequest
			q.Operation, q.Text = operation, a.Text
			if x.sample != nil {
				value, err := sampleModel(q).value(q)
				return value, x.ended(c, err)
			}
			return x.model(ctx, c, q)
		}
		x.status(c, CallRunning)
		var text string
		var err error
		if name == "readText" {
			text, err = x.files().read(a.Path)
		} else {
			x.r.scratchOnce.Do(func() {
				if x.r.ScratchDir != "" && x.limits.ArtifactDays > 0 {
					cleanScratch(x.r.ScratchDir, time.Now().AddDate(0, 0, -x.limits.ArtifactDays))
				}
			})
			text, err = x.files().write(a.Path, a.Text, x.sample != nil)
		}
		return quote(text), x.ended(c, err)
	}
	return true
}

// files are what the run's scripts may reach.
func (x *run) files() files {
	f := files{max: x.limits.MaxFileBytes}
	if x.r.Folders != nil {
		f.folders = x.r.Folders()
	}
	if x.r.ScratchDir != "" {
		f.scratch = filepath.Join(x.r.ScratchDir, short([]byte(x.request.SessionID)))
	}
	return f
}

// member does what one member of the reserved namespace is for; its arguments
// have been checked.
func (x *run) member(c *call, name string, arguments jsontext.Value) (jsontext.Value, error) {
	var a struct {
		Name     string         `json:"name"`
		Key      string         `json:"key"`
		Value    jsontext.Value `json:"value"`
		Data     string         `json:"data"`
		MIMEType string         `json:"mimeType"`
	}
	if name != "search" && name != "list" {
		if err := json.Unmarshal(arguments, &a, lenient); err != nil {
			return nil, err
		}
	}
	pool := x.r.Pool()
	switch name {
	case "search":
		q, err := catalog.ParseQuery(arguments)
		if err != nil {
			return nil, err
		}
		matches, remaining := pool.Search(q)
		return marshal(struct {
			Value     []catalog.Match `json:"value"`
			Remaining int             `json:"remaining"`
		}{matches, remaining})
	case "list":
		return marshal(pool.List())
	case "describe":
		d, ok := pool.Describe(a.Name)
		if !ok {
			_, err := lookUp(pool, a.Name, x.r.away(a.Name))
			return nil, err
		}
		return rawjson.Marshal(d, lenient)
	case "namespace":
		d, ok := pool.DescribeNamespace(a.Name)
		if !ok {
			if away := x.r.away(catalog.ToolOf(a.Name)); away != nil {
				return nil, fmt.Errorf("the MCP server %s has no tools now: %w", shown(a.Name), away)
			}
			message := fmt.Sprintf("there is no MCP server %s here; there are %s", shown(a.Name), namespaces(pool))
			if close := pool.ClosestNamespaces(shown(a.Name), 3); len(close) > 0 {
				message += ". Did you mean " + strings.Join(close, " or ") + "?"
			}
			return nil, errors.New(message)
		}
		return marshal(d)
	case "store":
		return x.store(a.Key, a.Value)
	case "load":
		x.mu.Lock()
		defer x.mu.Unlock()
		if v, ok := x.session.load(x.writes, a.Key); ok {
			return v, nil
		}
		return nothing, nil
	case "text":
		return x.addText(c, a.Value)
	case "image":
		return x.addImage(c, a.Data, a.MIMEType)
	}
	return nil, fmt.Errorf(`tools["$codemode"].%s is not available here`, name)
}

// store remembers a value, or with none a deletion, until the script completes.
func (x *run) store(key string, value jsontext.Value) (jsontext.Value, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if value != nil {
		if err := x.session.fits(x.writes, key, value); err != nil {
			return nil, rangeError(err.Error())
		}
	}
	if x.writes == nil {
		x.writes = writes{}
	}
	x.writes[key] = value.Clone()
	return nothing, nil
}

func (x *run) addText(c *call, value jsontext.Value) (jsontext.Value, error) {
	text := plain(value)
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.output.text(c.order, text) {
		return nil, rangeError("there is no room for more output")
	}
	x.emit(Event{Kind: "output", Output: &Output{Type: "text", Text: text}})
	return nothing, nil
}

func (x *run) addImage(c *call, data, mimeType string) (jsontext.Value, error) {
	mimeType, problem := upstream.CheckMedia("image", mimeType, data)
	if problem != "" {
		return nil, errors.New("image was given " + fold(problem))
	}
	out := Output{Type: "image", MIMEType: mimeType, Data: data}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.output.attach(c.order, out) {
		x.emit(Event{Kind: "output", Output: &out})
	}
	return nothing, nil
}

func namespaces(pool *catalog.Catalog) string {
	names := ""
	for i, s := range pool.Servers() {
		if i == 20 {
			return names + ", …"
		}
		if i > 0 {
			names += ", "
		}
		names += s.Namespace
	}
	if names == "" {
		return "none"
	}
	return names
}
