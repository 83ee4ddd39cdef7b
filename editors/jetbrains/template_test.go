// Package jetbrains holds the server definition for JetBrains IDEs. Its Go code
// is a test: no IDE runs where the project is built, so the rules of LSP4IJ's
// loader are stated here, and the server is started as that plugin would.
package jetbrains

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
)

var update = flag.Bool("update", false, "rewrite settings.schema.json")

const folder = "lsp4ij-template"

// template is what the loader reads of template.json; it knows no other member.
type template struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	URL         string            `json:"url,omitempty"`
	ProgramArgs map[string]string `json:"programArgs"`
	WorkingDir  string            `json:"workingDir,omitempty"`
	Env         *struct {
		Include   bool              `json:"includeSystemEnvironmentVariables"`
		Variables map[string]string `json:"variables"`
	} `json:"env,omitempty"`
	Expand           bool `json:"expandConfiguration"`
	FileTypeMappings []struct {
		FileType struct {
			Name     string   `json:"name,omitempty"`
			Patterns []string `json:"patterns"`
		} `json:"fileType"`
		LanguageID string `json:"languageId"`
	} `json:"fileTypeMappings"`
}

// read decodes a file of the folder and refuses what the type does not have.
func read(t *testing.T, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("%s: more than one value", name)
	}
}

// JB-1: the loader takes files by their exact names and ignores all others.
func TestFilesAreThoseOfTheLoader(t *testing.T) {
	known := []string{
		"README.md", "clientSettings.json", "experimental.json", "initializationOptions.json", "installer.json",
		"settings.json", "settings.schema.json", "template.json", "workspaceFolderSettings.json",
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() || !slices.Contains(known, e.Name()) {
			t.Errorf("the loader ignores %s", e.Name())
		}
		names = append(names, e.Name())
	}
	for _, required := range []string{"template.json", "README.md"} {
		if !slices.Contains(names, required) {
			t.Errorf("%s is missing", required)
		}
	}
}

// JB-1: what the loader needs of template.json.
func TestTemplate(t *testing.T) {
	var v template
	read(t, "template.json", &v)
	if v.ID == "" || v.Name == "" {
		t.Error("id and name are required")
	}
	if v.ProgramArgs["default"] == "" {
		t.Error("programArgs is required, with a default")
	}
	for system := range v.ProgramArgs {
		if !slices.Contains([]string{"default", "windows", "mac", "unix"}, system) {
			t.Errorf("programArgs knows no system %q", system)
		}
	}
	var patterns []string
	for _, m := range v.FileTypeMappings {
		if m.FileType.Name != "" {
			t.Errorf("a named file type has to exist in the IDE: %q", m.FileType.Name)
		}
		if m.LanguageID == "" {
			t.Error("a mapping without a language")
		}
		patterns = append(patterns, m.FileType.Patterns...)
	}
	slices.Sort(patterns)
	if !slices.Equal(patterns, []string{"*.exec.js", "*.exec.ts"}) {
		t.Errorf("patterns are %q", patterns)
	}
}

// The IDE hides what a client does not announce, and the server shows results
// and asks in plain ways exactly to clients that do not announce its own
// methods. LSP4IJ cannot answer those without a plugin.
func TestAnnouncesNoMethodOfOurs(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(folder, "experimental.json"))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte(`"codemode"`)) {
		t.Error("experimental.json must not name codemode")
	}
}

// The installer may look, and say what to do; it must download and run nothing.
func TestInstallerOnlyChecks(t *testing.T) {
	var v struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		OnBoot bool   `json:"executeOnStartServer"`
		Check  struct {
			Exec struct {
				Name    string            `json:"name"`
				Command map[string]string `json:"command"`
			} `json:"exec"`
		} `json:"check"`
		Run struct {
			Show struct {
				Name    string `json:"name"`
				Message string `json:"message"`
			} `json:"showMessage"`
		} `json:"run"`
	}
	read(t, "installer.json", &v)
	if v.OnBoot || v.Check.Exec.Command["default"] == "" || v.Run.Show.Message == "" {
		t.Errorf("%+v", v)
	}
}

// The settings are those that the server reads; -update rewrites the schema.
func TestSettingsSchema(t *testing.T) {
	properties := map[string]any{}
	for _, s := range config.Settings() {
		p := map[string]any{"type": s.Type, "description": s.Doc}
		if s.Type == "integer" {
			p["minimum"], p["maximum"], p["default"] = s.Minimum, s.Ceiling, s.Default
		}
		switch {
		case len(s.Values) > 0 && s.Type == "array":
			p["items"] = map[string]any{"type": "string", "enum": s.Values}
		case len(s.Values) > 0:
			p["enum"] = s.Values
		}
		properties[s.Name] = p
	}
	schema := map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"title":   "Settings of codemode-ls",
		"type":    "object",
		"properties": map[string]any{
			"codemode": map[string]any{"type": "object", "additionalProperties": false, "properties": properties},
		},
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "settings.schema.json")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, b.Bytes()) {
		t.Fatalf("settings.schema.json is not that of config.Settings (%v); run: go test ./editors/jetbrains -update", err)
	}

	var settings map[string]map[string]any
	read(t, "settings.json", &settings)
	for name := range settings["codemode"] {
		if properties[name] == nil {
			t.Errorf("settings.json has %q, which is no setting", name)
		}
	}
}

// JB-1: the server, started by exactly the template's command line, serves a
// client that behaves as LSP4IJ does.
func TestServerAsLSP4IJStartsIt(t *testing.T) {
	binary := os.Getenv("CODEMODE_LS")
	if binary == "" {
		t.Skip("CODEMODE_LS names no built server")
	}
	c := start(t, binary)

	var options json.RawMessage
	read(t, "initializationOptions.json", &options)
	dir := t.TempDir()
	answer := c.call("initialize", map[string]any{
		"processId": os.Getpid(), "clientInfo": map[string]any{"name": "IntelliJ IDEA"},
		"rootUri": "file://" + dir, "workspaceFolders": []any{map[string]any{"uri": "file://" + dir, "name": "project"}},
		"initializationOptions": options,
		"capabilities": map[string]any{
			"textDocument": map[string]any{
				"publishDiagnostics": map[string]any{},
				"completion":         map[string]any{"completionItem": map[string]any{"snippetSupport": true}},
			},
			"workspace": map[string]any{"configuration": true, "executeCommand": map[string]any{}},
			"window":    map[string]any{"showMessage": map[string]any{"messageActionItem": map[string]any{"additionalPropertiesSupport": false}}},
		},
	})
	var initialized struct {
		Capabilities struct {
			CodeLens json.RawMessage `json:"codeLensProvider"`
			Commands struct {
				Commands []string `json:"commands"`
			} `json:"executeCommandProvider"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(answer, &initialized); err != nil {
		t.Fatal(err)
	}
	c.notify("initialized", map[string]any{})

	uri := "file://" + dir + "/hello.exec.ts"
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "codemode", "version": 1,
		"text": "const { sum } = await tools.mcp__demo__add({ a: \"one\", b: 2 });\nreturn sum;\n",
	}})
	// The demo server of settings.json connects, and its types find the mistake.
	c.await("a wrong argument is found", func(method string, params []byte) bool {
		return method == "textDocument/publishDiagnostics" && bytes.Contains(params, []byte("'string'"))
	})

	// A lens that names a command which executeCommandProvider lacks is dead in
	// this client.
	lenses := c.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}})
	var list []struct {
		Command struct {
			Title   string `json:"title"`
			Command string `json:"command"`
		} `json:"command"`
	}
	if err := json.Unmarshal(lenses, &list); err != nil || len(list) == 0 {
		t.Fatalf("no lens: %s (%v)", lenses, err)
	}
	for _, l := range list {
		if !slices.Contains(initialized.Capabilities.Commands.Commands, l.Command.Command) {
			t.Errorf("the lens %q names %q, which is not in executeCommandProvider", l.Command.Title, l.Command.Command)
		}
	}

	c.call("shutdown", nil)
	c.notify("exit", nil)
	if err := c.wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// client is a small LSP client: requests one after the other, answers to the
// server's own as LSP4IJ gives them.
type client struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	messages chan message
	settings map[string]json.RawMessage
	next     int
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

func start(t *testing.T, binary string) *client {
	var v template
	read(t, "template.json", &v)
	binary, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(bin, "codemode-ls")); err != nil {
		t.Fatal(err)
	}
	args := words(v.ProgramArgs["default"])
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	home := t.TempDir()
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home}
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, cmd: cmd, in: in, messages: make(chan message, 1000)}
	read(t, "settings.json", &c.settings)
	go c.read(bufio.NewReader(out))
	return c
}

// words splits a command line at spaces outside of double quotes.
func words(line string) []string {
	var list []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

func (c *client) read(r *bufio.Reader) {
	defer close(c.messages)
	for {
		length := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			_, _ = fmt.Sscanf(line, "Content-Length: %d", &length)
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m message
		if json.Unmarshal(body, &m) == nil {
			c.messages <- m
		}
	}
}

func (c *client) send(v map[string]any) {
	v["jsonrpc"] = "2.0"
	body, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) notify(method string, params any) {
	c.send(map[string]any{"method": method, "params": params})
}

func (c *client) call(method string, params any) []byte {
	c.next++
	id := fmt.Sprint(c.next)
	c.send(map[string]any{"id": c.next, "method": method, "params": params})
	for m := range c.messages {
		if m.Method == "" && string(m.ID) == id {
			if m.Error != nil {
				c.t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		}
		c.answer(m)
	}
	c.t.Fatalf("%s: the server has hung up", method)
	return nil
}

// await reads until a notification is the one that was waited for.
func (c *client) await(what string, is func(method string, params []byte) bool) {
	for m := range c.messages {
		if m.ID == nil && is(m.Method, m.Params) {
			return
		}
		c.answer(m)
	}
	c.t.Fatalf("%s: the server has hung up", what)
}

// answer answers a request of the server: settings by section, from the object
// of settings.json; closed prompts are errors in this client.
func (c *client) answer(m message) {
	if m.ID == nil || m.Method == "" {
		return
	}
	switch m.Method {
	case "workspace/configuration":
		var p struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.t.Fatal(err)
		}
		answers := []any{}
		for _, i := range p.Items {
			answers = append(answers, c.settings[i.Section])
		}
		c.send(map[string]any{"id": m.ID, "result": answers})
	case "window/showMessageRequest":
		c.send(map[string]any{"id": m.ID, "error": map[string]any{"code": -32800, "message": "cancelled"}})
	default:
		c.send(map[string]any{"id": m.ID, "result": nil})
	}
}

func (c *client) wait() error {
	for range c.messages {
	}
	return c.cmd.Wait()
}
