package lsp

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// register asks the client to report changes of settings and of the files
// that configuration is read from.
func (s *Server) register() {
	client := s.session.Snapshot().Client
	var list []protocol.Registration
	if client.ConfigurationDynamic {
		list = append(list, protocol.Registration{
			ID: "codemode.configuration", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: jsontext.Value(`{"section":"codemode"}`),
		})
	}
	if client.WatchedFilesDynamic {
		list = append(list, protocol.Registration{
			ID: "codemode.files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: jsontext.Value(`{"watchers":[{"globPattern":"**/.codemode/*.json"},{"globPattern":"**/{.mcp,mcp,opencode}.json"},{"globPattern":"**/opencode.jsonc"},{"globPattern":"**/.{zed,gemini}/settings.json"},{"globPattern":"**/.claude/{settings,settings.local}.json"},{"globPattern":"**/.codex/config.toml"}]}`),
		})
	}
	if len(list) == 0 {
		return
	}
	// The answer says nothing that anything depends on.
	s.spawn(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, configurationTime)
		defer cancel()
		if err := s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: list}); err != nil && ctx.Err() == nil {
			s.log.Warn("registration refused", "err", err)
		}
	})
}

// fetchSettings asks the client for its settings and reports whether it had any.
func (s *Server) fetchSettings(ctx context.Context) bool {
	client := s.session.Snapshot().Client
	if !client.Configuration {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, configurationTime)
	defer cancel()
	name := section
	values, err := s.client.Configuration(ctx, &protocol.ConfigurationParams{
		Items: []protocol.ConfigurationItem{{Section: &name}},
	})
	if err != nil {
		s.log.Warn("settings not answered", "err", err)
		return false
	}
	if len(values) == 0 {
		return false
	}
	got, ok := readSettings(values[0], client.splitsSettings())
	if ok {
		s.setSettings(got)
	}
	return ok
}

func (s *Server) setSettings(next settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = next
}

// followSettings reads the settings again and hands them to the workspace each
// time that something may have changed.
func (s *Server) followSettings(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.settingsChanged:
		}
		s.fetchSettings(ctx)
		s.mu.Lock()
		w, settings, folders := s.workspace, s.settings, s.folders
		s.mu.Unlock()
		w.Reconfigure(settings, folders)
	}
}

func (s *Server) didChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
	client := s.session.Snapshot().Client
	if pushed, ok := readSettings(inSection(p.Settings), client.splitsSettings()); ok {
		s.setSettings(pushed)
	}
	notify(s.settingsChanged)
	return nil
}

func (s *Server) didChangeWatchedFiles(context.Context, *protocol.DidChangeWatchedFilesParams) error {
	notify(s.settingsChanged)
	return nil
}

func (s *Server) didChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = changeFolders(s.folders, p.Event)
	notify(s.settingsChanged)
	return nil
}
