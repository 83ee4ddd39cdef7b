package lsp

import (
	"context"
	"log/slog"

	"codemode-ls/config"
	"codemode-ls/typescript"
	"codemode-ls/workspace"
)

// Options of a server.
type Options struct {
	// Workspace has everything but what the client sends at initialize: folders,
	// editor settings, Changed.
	Workspace workspace.Options
	// TypeScript starts the engine for a session.
	TypeScript func() *typescript.Engine
	// UserDir and CacheDir of this program.
	UserDir, CacheDir string
	Version           string
	Log               *slog.Logger
	Limits            config.Limits
	// Agents lets gateways of the same user join a session (GATE-3).
	Agents bool
	// Session, when set, completes Workspace for one session: with what a workspace
	// closes at its end, as the tracer is.
	Session func(*workspace.Options)

	// openForTest replaces the workspace.
	openForTest func(context.Context, workspace.Options) opened
}
