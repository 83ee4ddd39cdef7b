package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TRUST-1: every variable that a definition reads is named with the place where its
// value goes, in each dialect; no value is in a summary; another value asks nothing.
func TestTrust1VariablesRead(t *testing.T) {
	for _, test := range []struct{ file, text, summary string }{
		{".mcp.json", `{"mcpServers":{"s":{"type":"http","url":"http://h:9/mcp?k=${SECRET}","headers":{"X-Client":"${TOKEN}"}}}}`,
			"'http://h:9/mcp?k=${SECRET}' in FOLDER (headers: X-Client) (reads: SECRET → URL of http://h:9, TOKEN → header X-Client of http://h:9)"},
		{".codemode/mcp.json", `{"mcpServers":{"s":{"command":"c","args":["a","b","--t=${env:TOKEN}"],"env":{"E":"${SECRET:-none}"}}}}`,
			"c a b '--t=${env:TOKEN}' in FOLDER (environment: E) (reads: TOKEN → argument 3, SECRET → variable E)"},
		{".codex/config.toml", "[mcp_servers.s]\nurl = \"https://h/\"\nbearer_token_env_var = \"TOKEN\"\n[mcp_servers.s.env_http_headers]\nX-A = \"SECRET\"\n",
			"https://h/ in FOLDER (headers: Authorization, X-A) (reads: TOKEN → header Authorization of https://h, SECRET → header X-A of https://h)"},
		{"opencode.json", `{"mcp":{"s":{"type":"local","command":["c","{env:TOKEN}"],"environment":{"E":"{env:SECRET}"}}}}`,
			"c {env:TOKEN} in FOLDER (environment: E) (reads: TOKEN → argument 1, SECRET → variable E)"},
		{".gemini/settings.json", `{"mcpServers":{"s":{"httpUrl":"https://h/$SECRET/","headers":{"A":"$TOKEN"}}}}`,
			"'https://h/$SECRET/' in FOLDER (headers: A) (reads: SECRET → URL of https://h, TOKEN → header A of https://h)"},
		{".codemode/mcp.json", `{"mcpServers":{"s":{"command":"c","args":["${input:key}"],"envFile":".env"}}}`,
			"c '${input:key}' in FOLDER (environment: K) (reads: input:key → argument 1, 'K of .env' → variable K)"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, test.file), test.text)
		write(t, filepath.Join(dir, ".env"), "K=envfilevalue")
		at := func(n int) Server {
			return find(t, Load(Sources{Folders: []string{dir}, LookupEnv: environment(map[string]string{
				"TOKEN": fmt.Sprintf("tokenvalue%d", n), "SECRET": fmt.Sprintf("secretvalue%d", n)})}), "s")
		}
		one, two := at(1), at(2)
		summary := strings.ReplaceAll(one.Summary(), " in "+dir, " in FOLDER")
		if summary = strings.ReplaceAll(summary, " in '"+dir+"'", " in FOLDER"); summary != test.summary {
			t.Errorf("%s\n%s", test.file, cmp.Diff(test.summary, summary))
		}
		if strings.Contains(fmt.Sprintf("%+v", one.Shown()), "value1") {
			t.Errorf("a value is shown: %+v", one.Shown())
		}
		if one.ApprovalHash() != two.ApprovalHash() {
			t.Errorf("%s: another value asks again", test.file)
		}
	}
}

// TRUST-1: a newly named variable asks, as does what changes in a file of variables
// that the workspace has.
func TestTrust1ChangeAsks(t *testing.T) {
	dir := t.TempDir()
	hashOf := func(definition string) string {
		write(t, filepath.Join(dir, ".mcp.json"), `{"mcpServers":{"s":`+definition+`}}`)
		return find(t, Load(Sources{Folders: []string{dir}, LookupEnv: environment(map[string]string{"A": "x", "B": "x"})}), "s").ApprovalHash()
	}
	hashes := map[string]string{}
	add := func(what, hash string) {
		if other, ok := hashes[hash]; ok {
			t.Errorf("%s and %s have one hash", what, other)
		}
		hashes[hash] = what
	}
	add("literal", hashOf(`{"command":"c","args":["x"]}`))
	add("A", hashOf(`{"command":"c","args":["${A}"]}`))
	add("B", hashOf(`{"command":"c","args":["${B}"]}`))
	add("default", hashOf(`{"command":"c","args":["${B:-y}"]}`))
	write(t, filepath.Join(dir, ".env"), "NODE_OPTIONS=a")
	add("file", hashOf(`{"command":"c","envFile":".env"}`))
	write(t, filepath.Join(dir, ".env"), "NODE_OPTIONS=--require ./evil.js")
	add("changed file", hashOf(`{"command":"c","envFile":".env"}`))
}

// TRUST-1: secrets that stand in a URL itself are masked, its variables are not.
func TestTrust1LiteralSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"https://me:hunter2@h/x":                   "https://***@h/x",
		"https://h/x?a=1&api_key=hunter2&b=2":      "https://h/x?a=1&api_key=***&b=2",
		"https://h/x?access_token=${env:T}&sig=h2": "https://h/x?access_token=${env:T}&sig=***",
		"https://h/x?page=2#at":                    "https://h/x?page=2#at",
		"https://h/x#token=hunter2":                "https://h/x#token=***",
	} {
		if got := (Server{URL: url, Args: []string{"--url=" + url}}).Shown(); got.URL != want || got.Args[0] != "--url="+want {
			t.Errorf("%s: %s, %s", url, got.URL, got.Args[0])
		}
	}
}

// TRUST-1: secrets that stand in arguments are masked, what could be started is not.
func TestTrust1LiteralSecretsInArguments(t *testing.T) {
	for _, test := range []struct{ given, want string }{
		{"--api-key sk-live-abcdef0123456789", "--api-key ***"},
		{"--token=ghp_0123456789abcdefghij x", "--token=*** x"},
		{"--auth-token eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl", "--auth-token ***"},
		{"--key ./evil0123456789.js", "--key ./evil0123456789.js"},
		{"--token ${env:TOKEN0123456789}", "--token ${env:TOKEN0123456789}"},
		{"-c credential.helper=!evil0123456789", "-c credential.helper=!evil0123456789"},
		{"--password correcthorsebattery", "--password correcthorsebattery"},
		{"run abcdef0123456789abcdef", "run abcdef0123456789abcdef"},
	} {
		if got := strings.Join((Server{Command: "c", Args: strings.Fields(test.given)}).Shown().Args, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.given, got, test.want)
		}
	}
}
