package install

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"codemode-ls/config"

	"github.com/tailscale/hujson"
	"golang.org/x/tools/txtar"
)

var gateway = Command{Program: "/opt/a b/codemode-ls", Args: []string{"mcp"}}

// user is a person's home with one client's file in it.
type user struct {
	config.Sources
	target Target
	file   string
	text   []byte
}

func home(t *testing.T, client string, text []byte) user {
	t.Helper()
	dir := t.TempDir()
	u := user{text: text, Sources: config.Sources{
		Home: dir, UserDir: filepath.Join(dir, "own"), System: "linux", Executable: "/opt/codemode-ls",
		LookupEnv: func(name string) (string, bool) { return "of-" + name, name == "HOME" || name == "GITHUB_TOKEN" },
	}}
	var err error
	if u.target, err = Find(u.Sources, client); err != nil {
		t.Fatal(err)
	}
	u.file = u.target.Files[0]
	if err := os.MkdirAll(filepath.Dir(u.file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(u.file, text, 0o640); err != nil {
		t.Fatal(err)
	}
	return u
}

func (u user) now(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(u.file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (u user) install(t *testing.T, move bool) *Plan {
	t.Helper()
	p, err := u.target.Plan("", gateway, move)
	if err == nil {
		err = p.Apply(u.UserDir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (u user) uninstall(t *testing.T) {
	t.Helper()
	r, err := u.target.Undo(u.UserDir)
	if err == nil {
		err = r.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// servers are those that this program knows of, the gateway itself left out.
func (u user) servers() map[string]config.Server {
	found := map[string]config.Server{}
	for _, s := range config.Load(u.Sources).Servers {
		if s.Name != ServerName {
			s.File, s.Line, s.Written = "", 0, nil
			found[s.Name] = s
		}
	}
	return found
}

// variants are the text as other editors would have saved it.
func variants(text []byte) map[string][]byte {
	return map[string][]byte{
		"":            text,
		" (CRLF)":     bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")),
		" (no end)":   bytes.TrimRight(text, "\n"),
		" (with BOM)": append([]byte("\ufeff"), text...),
	}
}

// GATE-4: into each file and out again, byte for byte; with --move no server is lost.
func TestGate4RoundTrip(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		client, _, _ := strings.Cut(f.Name, "/")
		for variant, text := range variants(f.Data) {
			for _, move := range []bool{false, true} {
				if move && (client == "continue" || client == "qwen") {
					continue
				}
				if client == "continue" && strings.Contains(variant, "BOM") {
					continue
				}
				name := f.Name + variant
				if move {
					name += ", moved"
				}
				t.Run(name, func(t *testing.T) {
					u := home(t, client, text)
					before := u.servers()
					p := u.install(t, move)
					after := u.now(t)
					if !bytes.Equal(after, p.After) || !bytes.Contains(after, []byte(ServerName)) || !bytes.Contains(after, []byte("/opt/a b/codemode-ls")) {
						t.Errorf("%s", after)
					}
					// Nothing but the servers is touched.
					for _, line := range []string{"// Zed settings", "# the good one", "# as the team agreed", "// dark, of course", `"oauthAccount"`, "[profiles.fast]"} {
						if bytes.Contains(text, []byte(line)) && !bytes.Contains(after, []byte(line)) {
							t.Errorf("%q is lost:\n%s", line, after)
						}
					}
					if crlf := strings.Contains(variant, "CRLF"); crlf && bytes.Contains(bytes.ReplaceAll(after, []byte("\r\n"), nil), []byte("\n")) {
						t.Errorf("line ends are mixed: %q", after)
					}
					if left := u.servers(); !reflect.DeepEqual(before, left) {
						t.Errorf("servers before %+v\nand after %+v\n%s", before, left, after)
					}
					if _, err := u.target.Plan("", gateway, move); err == nil {
						t.Error("installed twice")
					}
					u.uninstall(t)
					if got := u.now(t); !bytes.Equal(got, text) {
						t.Errorf("not as it was:\n%q\n%q", text, got)
					}
					if info, err := os.Stat(u.file); err != nil || info.Mode().Perm() != 0o640 {
						t.Errorf("%v %v", info.Mode(), err)
					}
					left, _ := filepath.Glob(filepath.Join(u.UserDir, "*", "*"))
					if beside, _ := filepath.Glob(u.file + ".*"); len(left)+len(beside) > 0 {
						t.Errorf("left behind: %v %v", left, beside)
					}
				})
			}
		}
	}
}

// GATE-4: what was changed meanwhile stays; where it is not clear what to take out, nothing
// is.
func TestGate4ChangedMeanwhile(t *testing.T) {
	const text = "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"fs\": { \"command\": \"fs\" }\n  }\n}\n"
	for _, move := range []bool{false, true} {
		u := home(t, "cursor", []byte(text))
		u.install(t, move)
		changed := bytes.Replace(u.now(t), []byte(`"dark"`), []byte(`"light", "new": [1, 2]`), 1)
		if err := os.WriteFile(u.file, changed, 0o640); err != nil {
			t.Fatal(err)
		}
		u.uninstall(t)
		if got, want := string(u.now(t)), strings.Replace(text, `"dark"`, `"light", "new": [1, 2]`, 1); got != want {
			t.Errorf("%s", got)
		}
		u = home(t, "cursor", []byte(text))
		u.install(t, move)
		if err := os.WriteFile(u.file, bytes.ReplaceAll(u.now(t), []byte("mcp"), []byte("pcm")), 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := u.target.Undo(u.UserDir); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%v", err)
		}
	}
	u := home(t, "cursor", []byte(text))
	if err := os.Remove(u.file); err != nil {
		t.Fatal(err)
	}
	u.install(t, true) // a client that has no file yet
	u.uninstall(t)
	if _, err := os.Stat(u.file); err == nil {
		t.Error("the file that was created is left")
	}
}

// GATE-4: what is not understood is not changed.
func TestGate4Refused(t *testing.T) {
	for client, text := range map[string]string{
		"cursor": `{"mcpServers": {"a": }`, "windsurf": `[]`, "vscode": `{"servers": []}`, "codex": "[mcp_servers\n",
		"continue": "mcpServers: [{name: a}]\n", "gemini": `{"mcpServers": {}, "mcpServers": {}}`,
	} {
		u := home(t, client, []byte(text))
		if _, err := u.target.Plan("", gateway, false); err == nil || !strings.Contains(err.Error(), u.file) {
			t.Errorf("%s: %v", client, err)
		}
	}
	u := home(t, "codex", []byte("mcp_servers = { a = { command = \"a\" } }\n"))
	if _, err := u.target.Plan("", gateway, true); err == nil {
		t.Error("an inline table was moved")
	}
	if _, err := Find(u.Sources, "emacs"); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("%v", err)
	}
}

// What is to be pasted is valid, and says what the client's file would.
func TestGate4Print(t *testing.T) {
	u := home(t, "cursor", nil)
	for _, target := range Targets(u.Sources) {
		text := target.Print(gateway)
		if !strings.Contains(text, gateway.Program) {
			t.Errorf("%s: %s", target.Name, text)
		}
		if target.format == jsonFormat {
			standard, err := hujson.Standardize([]byte(text))
			if err != nil || !json.Valid(standard) {
				t.Errorf("%s: %v: %s", target.Name, err, text)
			}
		}
	}
}
