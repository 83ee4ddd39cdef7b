package lsp

import (
	"context"
	"io"
	"log/slog"

	"codemode-ls/config"
	"codemode-ls/typescript"
	"codemode-ls/workspace"
)

// Options of a server.
type Options struct {
	// Workspace has everything but what the client tells at initialize: folders,
	// editor settings, Changed.
	Workspace workspace.Options
	// TypeScript starts the engine for a session.
	TypeScript func() *typescript.Engine
	// UserDir and CacheDir of this program.
	UserDir, CacheDir string
	Version           string
	Log               *slog.Logger
	Limits            config.Limits
}

// Serve speaks LSP on rwc until the client says exit, hangs up, or ctx ends. The
// result is the process's exit code: 0 when shutdown came before exit.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) (exitCode int) { panic("not built") }
