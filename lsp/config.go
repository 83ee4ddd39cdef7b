package lsp

import (
	"slices"
	"strconv"
	"strings"

	"codemode-ls/config"
	"codemode-ls/upstream"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Documents that are configuration files of MCP servers, this program's own or
// another client's, have features of their own (CFG-1), one file each:
// config_*.go.

// sources are what the workspace's configuration is read from.
func (s *Server) sources() config.Sources {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.o.Workspace.Sources
	o.Folders, o.Inputs = s.folders, s.answered
	return o
}

// configFile reads an open document as the configuration file that it is; ok is
// false when it is none.
func (s *Server) configFile(doc *Document) (_ *config.File, ok bool) {
	if doc.Script {
		return nil, false
	}
	u := uri.URI(doc.URI)
	if !u.IsFile() {
		return nil, false
	}
	sources := s.sources()
	kind, ok := sources.Recognize(u.FsPath())
	if !ok {
		return nil, false
	}
	return config.Check(sources, kind, doc.Text), true
}

// span is a place of a configuration file as the client counts.
func (d *Document) span(s config.Span) protocol.Range { return d.Range(s.Start, s.End) }

// statusOf is the state of the server that an entry defines; ok is false when
// that definition is not in use: it is new, or another one comes first.
func statusOf(snap *Snapshot, e config.Entry) (upstream.Status, bool) {
	for _, v := range snap.Workspace.Servers {
		if v.Server.Name == e.Server.Name && v.Server.File == e.Server.File {
			return v, true
		}
	}
	return upstream.Status{}, false
}

// before is the server that has the name of an entry which is not used.
func before(snap *Snapshot, e config.Entry) (config.Server, bool) {
	if !slices.ContainsFunc(snap.Workspace.Shadowed(), func(v config.Server) bool {
		return v.Name == e.Server.Name && v.File == e.Server.File
	}) {
		return config.Server{}, false
	}
	for _, v := range snap.Workspace.Config.Servers {
		if v.Name == e.Server.Name {
			return v, true
		}
	}
	return config.Server{}, false
}

// statusWords say how a server is, in a few words.
func statusWords(v upstream.Status) string {
	switch v.State {
	case upstream.Connected:
		return "connected, " + count(v.Tools, "tool")
	case upstream.Connecting:
		if v.Cached {
			return "connecting, " + count(v.Tools, "tool") + " of last time"
		}
		return "connecting"
	case upstream.Untrusted:
		if v.Refused {
			return "refused by you"
		}
		return "waits for your approval"
	case upstream.Stopped:
		if v.Server.Disabled {
			return "switched off"
		}
		if v.Error != "" {
			return "not started: " + plain(v.Error, 120)
		}
		return "stopped"
	}
	if len(v.Server.NeedsInput) > 0 {
		return "needs an answer"
	}
	return "failed: " + plain(v.Error, 120)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// lastLines are the last n lines of a text.
func lastLines(text string, n int) []string {
	lines := strings.Split(strings.TrimRight(printable(text), "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}
