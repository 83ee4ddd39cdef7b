package lsp

import (
	"log/slog"

	"codemode-ls/typescript"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A Server is one connection with one client.
type Server struct {
	o       Options
	log     *slog.Logger
	session *Session
	// engine is the TypeScript engine; nil when this server has none. Set once, at
	// initialize, before any request that can use it.
	engine *typescript.Engine

	conn   jsonrpc2.Conn
	client protocol.Client // requests and notifications to the client
}
