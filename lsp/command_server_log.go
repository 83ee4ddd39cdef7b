package lsp

import (
	"context"
	"fmt"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/analysis/configfile"
	"codemode-ls/config"
	"codemode-ls/internal/plaintext"

	"go.lsp.dev/protocol"
)

// commandShowServerLog opens what is known of one server: its state, its
// definition without values, and the last that it wrote.
func (s *Server) commandShowServerLog(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	name, _, err := argument[string](p, 0)
	if err != nil {
		return nil, err
	}
	for _, v := range snap.Workspace.Servers {
		if v.Server.Name != name {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s\n", analysis.Plain(name, 200), configfile.StatusWords(v))
		fmt.Fprintf(&b, "from %s\n%s\n", plaintext.Exact(config.Origin(v.Server)), strings.Join(configfile.DefinitionLines(v.Server), "\n"))
		if v.Error != "" {
			fmt.Fprintf(&b, "\n%s\n", analysis.Printable(v.Error))
		}
		if v.Stderr != "" {
			fmt.Fprintf(&b, "\nIts standard error ended with:\n%s\n", analysis.Printable(v.Stderr))
		}
		return s.showText(ctx, snap, "server-"+fileName(name)+".log", b.String())
	}
	return nil, failure(CodeUnknownServer, "no server %q is configured", name)
}

// fileName is a name that can be a part of a file's.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, analysis.Plain(name, 60))
}
