package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// DECL-7: the remote value of exec.enabled over the workspace's, over the
// user's, over the default.
func TestDecl7Layers(t *testing.T) {
	for _, test := range []struct {
		name, file, editor, workspace string
		want                          bool
	}{
		{"default", ``, ``, ``, true},
		{"the user's file", `{"exec": {"enabled": false}}`, ``, ``, false},
		{"the editor over the file", `{"exec.enabled": false}`, `{"exec":{"enabled":true}}`, ``, true},
		{"the workspace off over the user on", `{"exec.enabled": true}`, `{"exec":{"enabled":true}}`, `{"exec":{"enabled":false}}`, false},
		{"the workspace on over the user off", `{"exec.enabled": false}`, ``, `{"exec":{"enabled":true}}`, true},
		{"remote off over all", `{"exec.enabled": true}`, `{"exec":{"enabled":true},"$remote":{"exec.enabled":false}}`, `{"exec":{"enabled":true}}`, false},
		{"remote on over all", `{"exec.enabled": false}`, `{"exec":{"enabled":false},"$remote":{"exec":{"enabled":true}}}`, `{"exec":{"enabled":false}}`, true},
		{"a remote value of another type is none", ``, `{"$remote":{"exec.enabled":"no"}}`, `{"exec":{"enabled":false}}`, false},
		{"remote null is none", ``, `{"exec":{"enabled":false},"$remote":{"exec.enabled":null}}`, ``, false},
		{"no other setting is taken from there", ``, `{"$remote":{"demo":true,"exec.enabled":true}}`, ``, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Sources{UserDir: t.TempDir(), Editor: jsontext.Value(test.editor), EditorWorkspace: jsontext.Value(test.workspace)}
			if test.file != "" {
				if err := os.WriteFile(filepath.Join(s.UserDir, UserFile), []byte(test.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c := Load(s)
			if c.ExecEnabled != test.want || c.Demo {
				t.Errorf("enabled %v, demo %v; want %v, false", c.ExecEnabled, c.Demo, test.want)
			}
		})
	}
}

// DECL-9, SCHED-1: words for servers and tools; layers add up by name, and a
// word that does not exist costs only itself.
func TestExposureAndConcurrency(t *testing.T) {
	c := Load(Sources{
		Editor:          jsontext.Value(`{"exposure":{"a":"direct","mcp__a__x":"hidden","b":"loud"},"exec":{"concurrency":{"z":"together","a":"together","b":"annotations"}}}`),
		EditorWorkspace: jsontext.Value(`{"exposure":{"c":"hidden"},"exec":{"concurrency":{"evil":"together"}}}`),
	})
	// What the workspace sets hides the same setting of the merged section.
	if diff := cmp.Diff(map[string]string{"c": "hidden"}, c.Exposure); diff != "" {
		t.Error(diff)
	}
	c = Load(Sources{Editor: jsontext.Value(`{"exposure":{"a":"direct","mcp__a__x":"hidden","b":"loud"},"exec":{"concurrency":{"z":"together","a":"together","b":"annotations"}}}`)})
	if diff := cmp.Diff(map[string]string{"a": "direct", "mcp__a__x": "hidden"}, c.Exposure); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "z"}, c.Together); diff != "" || len(c.Findings) != 1 || c.Findings[0].Code != "wrong-type" {
		t.Errorf("%s %+v", diff, c.Findings)
	}
}

// TIME-1: values by server and tool are settings, within the bounds of the one for
// all.
func TestTime1ToolTimeouts(t *testing.T) {
	c := Load(Sources{Editor: jsontext.Value(`{"mcp":{"toolTimeoutMs":{"github":1500,"mcp__github__clone":99999999,"a":"soon","b":0.5}},"mcp.callTimeoutMs":7}`)})
	want := map[string]time.Duration{"github": 1500 * time.Millisecond, "mcp__github__clone": time.Hour}
	if diff := cmp.Diff(want, c.ToolTimeouts); diff != "" || len(c.Findings) != 3 || c.Limits.CallTimeout != 7*time.Millisecond {
		t.Errorf("%s %+v", diff, c.Findings)
	}
	if c := Load(Sources{Editor: jsontext.Value(`{"mcp.toolTimeoutMs":5}`)}); len(c.Findings) != 1 || c.ToolTimeouts != nil {
		t.Errorf("%+v", c.Findings)
	}
}
