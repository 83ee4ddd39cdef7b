package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// tolerant are the options for reading what servers send: one odd name or
// character costs nothing else.
var tolerant = []jsonv2.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// A tap keeps what the server really answered to the last request made with its
// context, because mcp-go's typed results drop what they do not model, and fail
// on what they do not expect (MCP-7).
type tap struct {
	result jsontext.Value
	fault  *mcp.JSONRPCErrorDetails
	// emptyCursor has the request say that its cursor is "", which the library
	// leaves out.
	emptyCursor bool
	// asksInput: the result is no result yet, but asks for input.
	asksInput bool
}

type tapKey struct{}

func tapped(ctx context.Context) (context.Context, *tap) {
	t := new(tap)
	return context.WithValue(ctx, tapKey{}, t), t
}

// begin forgets an earlier answer, so that what the tap has is the last one's.
func begin(ctx context.Context) {
	if t, ok := ctx.Value(tapKey{}).(*tap); ok {
		t.result, t.fault, t.asksInput = nil, nil, false
	}
}

// record stores an answer in the context's tap, and repairs what would make
// mcp-go refuse a server altogether.
func record(ctx context.Context, req transport.JSONRPCRequest, resp *transport.JSONRPCResponse, err error) {
	if err != nil || resp == nil {
		return
	}
	if t, ok := ctx.Value(tapKey{}).(*tap); ok {
		t.result, t.fault = jsontext.Value(resp.Result), resp.Error
		if req.Method == string(mcp.MethodToolsCall) && resp.Error == nil {
			if t.asksInput = stringOf(part(t.result, "resultType")) == "input_required"; !t.asksInput {
				// Whoever called reads the bytes; the library would decode them again, with
				// many times their size in values (TRUST-4).
				resp.Result = json.RawMessage(`{"content":[]}`)
			}
		}
	}
	if resp.Error != nil {
		return
	}
	switch mcp.MCPMethod(req.Method) {
	case mcp.MethodInitialize:
		resp.Result = repairInitialize(resp.Result)
	case mcp.MethodServerDiscover:
		if !discovered(resp.Result) {
			resp.Error = &mcp.JSONRPCErrorDetails{Code: mcp.METHOD_NOT_FOUND, Message: "the answer to server/discover names no newer protocol version"}
		}
	}
}

// discovered reports whether an answer to server/discover names a protocol version
// that we speak and that knows this request. Some servers answer requests that they
// do not know with {}.
func discovered(raw json.RawMessage) bool {
	var versions []string
	for version := range elements(part(jsontext.Value(raw), "supportedVersions")) {
		versions = append(versions, stringOf(version))
	}
	return mcp.IsModernProtocol(mcp.NegotiateMutuallySupportedVersion(versions))
}

// repairInitialize keeps what can be read of an initialize result that mcp-go
// cannot decode, such as one with "tools": true among the capabilities.
func repairInitialize(raw json.RawMessage) json.RawMessage {
	if json.Unmarshal(raw, new(mcp.InitializeResult)) == nil {
		return raw
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	var kept mcp.InitializeResult
	_ = json.Unmarshal(fields["protocolVersion"], &kept.ProtocolVersion)
	_ = json.Unmarshal(fields["instructions"], &kept.Instructions)
	_ = json.Unmarshal(fields["serverInfo"], &kept.ServerInfo)
	repaired, err := json.Marshal(kept)
	if err != nil {
		return raw
	}
	return repaired
}

// answering answers what a server asks of us. What no client of ours can show is
// declined in the protocol's own words (MCP-6); the rest is mcp-go's. later, when set,
// sends an answer that a person takes their time for.
func (s *session) answering(next transport.RequestHandler, later func(*transport.JSONRPCResponse)) transport.RequestHandler {
	return func(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		switch req.Method {
		case string(mcp.MethodElicitationCreate):
			params, err := json.Marshal(req.Params)
			if err != nil {
				return nil, fmt.Errorf("the parameters cannot be read: %w", err)
			}
			if kept := s.takeParams(req.ID); kept != nil {
				params = kept
			}
			if later == nil {
				return transport.NewJSONRPCResultResponse(req.ID, s.elicit(ctx, params)), nil
			}
			s.inBackground(func() { later(transport.NewJSONRPCResultResponse(req.ID, s.elicit(s.ctx, params))) })
			return nil, nil
		case string(mcp.MethodSamplingCreateMessage):
			const rejected = -1 // the code of the MCP specification's own example
			return transport.NewJSONRPCErrorResponse(req.ID, rejected, "sampling is not available", nil), nil
		case string(mcp.MethodPing), string(mcp.MethodListRoots):
			return next(ctx, req)
		}
		return transport.NewJSONRPCErrorResponse(req.ID, mcp.METHOD_NOT_FOUND, fmt.Sprintf("method %q is not supported", req.Method), nil), nil
	}
}

// roundTrip is how a transport sends a request and waits for the answer.
type roundTrip func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error)

// sendTapped sends a request and leaves its answer in the context's tap.
func sendTapped(ctx context.Context, req transport.JSONRPCRequest, send roundTrip) (*transport.JSONRPCResponse, error) {
	begin(ctx)
	if t, ok := ctx.Value(tapKey{}).(*tap); ok && t.emptyCursor && req.Method == string(mcp.MethodToolsList) {
		params, err := withEmptyCursor(req.Params)
		if err != nil {
			return nil, err
		}
		req.Params = params
	}
	resp, err := send(ctx, req)
	record(ctx, req, resp, err)
	return resp, err
}

// withEmptyCursor are the parameters of a list with the cursor "".
func withEmptyCursor(params any) (map[string]json.RawMessage, error) {
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	fields["cursor"] = json.RawMessage(`""`)
	return fields, nil
}

// The HTTP transports embed mcp-go's concrete ones, so that their optional
// interfaces stay visible.

// errLegacyOnly is that of a connection whose server speaks no protocol version
// without sessions. It opens none, because the one that is used needs a connection
// of another kind.
var errLegacyOnly = errors.New("the server speaks no newer protocol version")

type httpTransport struct {
	*transport.StreamableHTTP
	s     *session
	g     *gate
	probe bool // for the newest protocol version alone
}

func (t httpTransport) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if t.probe && req.Method == string(mcp.MethodInitialize) {
		return nil, errLegacyOnly
	}
	resp, err := t.g.send(ctx, req, t.StreamableHTTP.SendRequest)
	t.s.cancelled(ctx, req, err, t.StreamableHTTP.SendNotification)
	return resp, err
}

func (t httpTransport) SetRequestHandler(h transport.RequestHandler) {
	t.StreamableHTTP.SetRequestHandler(t.s.answering(h, t.answer))
}

// answer sends an answer to a request of the server: the library's own way gives up
// after half a minute, sooner than a person can read.
func (t httpTransport) answer(response *transport.JSONRPCResponse) {
	ctx, cancel := context.WithTimeout(t.s.ctx, answerTimeout)
	defer cancel()
	body, err := json.Marshal(response)
	if err == nil {
		err = t.g.post(ctx, t.s.url, t.GetSessionId(), body)
	}
	if err != nil {
		t.g.log.Warn("cannot answer a question of the server", "server", t.s.name, "err", t.s.explain(err))
	}
}

// answerTimeout bounds the sending of an answer.
const answerTimeout = 30 * time.Second

func (t httpTransport) SetProtocolVersion(version string) {
	t.StreamableHTTP.SetProtocolVersion(version)
	t.g.setVersion(version)
}

type sseTransport struct {
	*transport.SSE
	s *session
	g *gate
}

func (t sseTransport) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	resp, err := t.g.send(ctx, req, t.SSE.SendRequest)
	t.s.cancelled(ctx, req, err, t.SSE.SendNotification)
	return resp, err
}

var (
	_ client.RootsHandler              = rootsHandler(nil)
	_ transport.BidirectionalInterface = (*stdioTransport)(nil)
	_ transport.BidirectionalInterface = httpTransport{}
	_ transport.HTTPConnection         = httpTransport{}
)
