package upstream

import (
	"errors"
	"net/http"

	"codemode-ls/config"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
)

// remote makes the transport for a URL. Old servers announce changes only on a
// stream of their own, which mcp-go allows in a legacy connection alone.
func (d dialer) remote(def config.Server, onlyLegacy bool, s *session) (transport.Interface, error) {
	if def.Transport == config.SSE {
		t, err := transport.NewSSE(def.URL, transport.WithHeaders(def.Headers), transport.WithSSELogger(d.log))
		if err != nil {
			return nil, err
		}
		return sseTransport{t, s}, nil
	}
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(&http.Client{Transport: statusRecorder{http.DefaultTransport}}),
		transport.WithHTTPHeaders(def.Headers), transport.WithHTTPLogger(d.log)}
	if onlyLegacy {
		//lint:ignore SA1019 servers of the older protocol still use it (MCP-3)
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(def.URL, options...)
	if err != nil {
		return nil, err
	}
	return httpTransport{t, s}, nil
}

// statusRecorder tells the tap of a request what status it was answered with.
type statusRecorder struct{ next http.RoundTripper }

func (r statusRecorder) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if t, ok := req.Context().Value(tapKey{}).(*tap); ok && err == nil {
		t.status.Store(int32(resp.StatusCode))
	}
	return resp, err
}

// forgotten says whether an answer means that the server does not know our
// session any more: 404 as the specification has it, 400 as many servers do.
// The request was then not carried out.
func (s *session) forgotten(t *tap, err error) bool {
	if s.process != nil || s.modern {
		return false
	}
	status := t.status.Load()
	return errors.Is(err, transport.ErrSessionTerminated) || (err != nil && (status == http.StatusBadRequest || status == http.StatusNotFound))
}

var (
	_ client.RootsHandler              = rootsHandler(nil)
	_ transport.BidirectionalInterface = (*stdioTransport)(nil)
	_ transport.BidirectionalInterface = httpTransport{}
	_ transport.HTTPConnection         = httpTransport{}
)
