package lsp

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// section of the client's settings that is this program's.
const section = "codemode"

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
// for their names to show. The user's part is believed only of a client that has said
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
