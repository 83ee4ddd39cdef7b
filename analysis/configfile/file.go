package configfile

import (
	"slices"
	"strconv"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/config"
	"codemode-ls/upstream"

	"go.lsp.dev/uri"
)

// File is an open configuration file of MCP servers, this program's own or another
// client's, with all that its features depend on.
type File struct {
	*analysis.View
	Doc    *analysis.Document
	Parsed *config.File
	// Page is where an editor can open the page on a diagnostic's code, or "".
	Page func(code string) uri.URI
}

// statusOf is the state of the server that an entry defines; ok is false when
// that definition is not in use: it is new, or another one comes first.
func statusOf(snap *analysis.View, e config.Entry) (upstream.Status, bool) {
	for _, v := range snap.Workspace.Servers {
		if v.Server.Name == e.Server.Name && v.Server.File == e.Server.File {
			return v, true
		}
	}
	return upstream.Status{}, false
}

// before is the server that has the name of an entry which is not used.
func before(snap *analysis.View, e config.Entry) (config.Server, bool) {
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

// StatusWords say how a server is, in a few words.
func StatusWords(v upstream.Status) string {
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
			return "not started: " + analysis.Plain(v.Error, 120)
		}
		return "stopped"
	}
	if len(v.Server.NeedsInput) > 0 {
		return "needs an answer"
	}
	return "failed: " + analysis.Plain(v.Error, 120)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// lastLines are the last n lines of a text.
func lastLines(text string, n int) []string {
	lines := strings.Split(strings.TrimRight(analysis.Printable(text), "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}
