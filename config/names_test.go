package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// TRUST-1: look-alikes of a name, and names that only have something in common.
func TestTrust1LookAlike(t *testing.T) {
	for _, name := range []string{
		"github ", "GitHub", "git-hub", "git_hub", "gіthub", "githυb", "ｇithub", "g1thub", "git\u200bhub", "gith\u0301ub", "gɪthub", "githuḅ",
	} {
		if !lookAlike("github", name) {
			t.Errorf("%q", name)
		}
	}
	for _, pair := range [][2]string{{"linear", "1inear"}, {"model", "rnodel"}, {"fooI", "fool"}, {"сосо", "coco"}, {"Google", "G00gle"}} {
		if !lookAlike(pair[0], pair[1]) {
			t.Errorf("%q", pair)
		}
	}
	for _, name := range []string{"gitlab", "github2", "git", "сервер", "日本語日本語", "", "gitbub"} {
		if lookAlike("github", name) {
			t.Errorf("%q is taken for a look-alike", name)
		}
	}
}

// TRUST-1, POOL-2: which names fall into the rules of the user's own server, and
// that its tools keep their names.
func TestTrust1Resembles(t *testing.T) {
	for name, says := range map[string]string{
		"github": "has the name of", "github ": "falls into the rules", "github__evil": "falls into the rules", "github_": "falls into the rules",
		"gi.hub": "", "gitHub": "looks like", "gіthub": "looks like", "other": "",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "user", UserFile), `{"mcpServers":{"github":{"command":"x"}}}`)
		write(t, filepath.Join(dir, "ws", ".codemode", "mcp.json"), `{"mcpServers":{"`+name+`":{"command":"y"}}}`)
		c := Load(Sources{UserDir: filepath.Join(dir, "user"), Folders: []string{filepath.Join(dir, "ws")}})
		found := false
		for i, s := range c.Servers {
			if s.Layer != Workspace {
				if s.Resembles != "" {
					t.Errorf("the user's own server: %s", s.Resembles)
				}
				continue
			}
			found = true
			if (s.Resembles == "") != (says == "") || !strings.Contains(s.Resembles, says) {
				t.Errorf("%q: %q", name, s.Resembles)
			}
			if says == "falls into the rules" && i != len(c.Servers)-1 {
				t.Errorf("%q comes before the user's own", name)
			}
		}
		reported := false
		for _, f := range c.Findings {
			reported = reported || f.Code == "name-of-another" && f.File != ""
		}
		if !found || reported != (says != "" && name != "github") {
			t.Errorf("%q: found %v, reported %v", name, found, reported)
		}
	}
}
