package upstream

import (
	"codemode-ls/config"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
)

// remote makes the transport for a URL. Old servers announce changes only on a
// stream of their own, which mcp-go allows in a legacy connection alone.
func (d dialer) remote(def config.Server, onlyLegacy bool) (transport.Interface, error) {
	if def.Transport == config.SSE {
		t, err := transport.NewSSE(def.URL, transport.WithHeaders(def.Headers), transport.WithSSELogger(d.log))
		if err != nil {
			return nil, err
		}
		return sseTransport{t}, nil
	}
	options := []transport.StreamableHTTPCOption{transport.WithHTTPHeaders(def.Headers), transport.WithHTTPLogger(d.log)}
	if onlyLegacy {
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(def.URL, options...)
	if err != nil {
		return nil, err
	}
	return httpTransport{t}, nil
}

var (
	_ client.RootsHandler              = rootsHandler(nil)
	_ transport.BidirectionalInterface = stdioTransport{}
	_ transport.BidirectionalInterface = httpTransport{}
	_ transport.HTTPConnection         = httpTransport{}
)
