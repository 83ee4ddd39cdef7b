package lsp

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// section of the client's settings that is this program's.
const section = "codemode"

// configurationTime is how long a client may take to answer
// workspace/configuration; then what was known before counts.
const configurationTime = 10 * time.Second

// workspaceMember of the section is the part that a workspace's own files set.
const workspaceMember = "$workspace"

// settings are the values of the editor's `codemode` section.
type settings struct {
	Editor jsontext.Value // those of the user and the workspace, merged; none of a client that does not split them
	// EditorWorkspace is the part that a workspace's own files may have set, and that
	// is therefore not trusted (TRUST-1).
	EditorWorkspace jsontext.Value
}

// readSettings splits a value of the section. ok is false when it is none.
//
// Most clients merge files of the workspace into their settings, and which do is not
// for their names to tell. The user's part is believed only of a client that has said
// in initialize that it splits, and does. The member alone is no proof, since a
// workspace's file can contain it; what a client can do comes from its code.
func readSettings(value jsontext.Value, splits bool) (_ settings, ok bool) {
	if value.Kind() != '{' {
		return settings{}, false
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(value, &members); err != nil {
		return settings{}, false
	}
	s := settings{Editor: jsontext.Value("{}"), EditorWorkspace: jsontext.Value("{}")}
	all := &s.EditorWorkspace
	if workspace := members[workspaceMember]; splits && workspace.Kind() == '{' {
		s.EditorWorkspace = workspace
		all = &s.Editor
	}
	delete(members, workspaceMember)
	merged, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return settings{}, false
	}
	*all = merged
	return s, true
}

// initialSettings reads initializationOptions: the section itself, or an object
// that has it under its name.
func initialSettings(options jsontext.Value, splits bool) settings {
	s, _ := readSettings(inSection(options), splits)
	return s
}

// inSection looks into {"codemode": …}; a value without it is the section itself.
func inSection(value jsontext.Value) jsontext.Value {
	if value.Kind() != '{' {
		return nil
	}
	var in struct {
		Codemode jsontext.Value `json:"codemode"`
	}
	if json.Unmarshal(value, &in) == nil && in.Codemode != nil {
		return in.Codemode
	}
	return value
}

// register asks the client to tell about changes of settings and of the files
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
	poke(s.settingsChanged)
	return nil
}

func (s *Server) didChangeWatchedFiles(context.Context, *protocol.DidChangeWatchedFilesParams) error {
	poke(s.settingsChanged)
	return nil
}

func (s *Server) didChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = changeFolders(s.folders, p.Event)
	poke(s.settingsChanged)
	return nil
}
