// Package vscode holds the VS Code extension; its only Go code is the test that
// keeps the settings which the extension declares those which the server reads.
package vscode

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"codemode-ls/config"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var update = flag.Bool("update", false, "rewrite the settings in package.json")

// groupsAt is where package.json declares the settings, in titled groups. The
// first is the extension's own.
const groupsAt = jsontext.Pointer("/contributes/configuration")

// groups are the titles under which people find the server's settings, and what
// their names begin with. The last takes the rest.
var groups = []struct {
	title    string
	prefixes []string
}{
	{"MCP servers", []string{"mcpServers", "demo", "import", "exclude", "trust.", "mcp.", "$remote", "remote"}},
	{"Permissions", []string{"permissions.", "hooks", "exposure"}},
	{"Runs", []string{"exec."}},
	{"Catalog", []string{"catalog."}},
	{"In the editor", []string{"inlayHints.", "codeLens.", "lens.", "completion.", "diagnostics.", "format."}},
	{"Other", []string{""}},
}

type group struct {
	Title      string         `json:"title"`
	Order      int            `json:"order"`
	Properties jsontext.Value `json:"properties"`
}

// property is one setting as VS Code wants it declared.
type property struct {
	Type        string         `json:"type"`
	Items       *items         `json:"items,omitzero"`
	Members     jsontext.Value `json:"additionalProperties,omitzero"`
	Enum        []string       `json:"enum,omitzero"`
	Default     jsontext.Value `json:"default"`
	Minimum     *int           `json:"minimum,omitzero"`
	Maximum     *int           `json:"maximum,omitzero"`
	Scope       string         `json:"scope"`
	Description string         `json:"markdownDescription"`
}

// serverSchema helps people who write a server into settings.json; the server
// itself reads more than it names.
const serverSchema = `{
	"type": "object",
	"description": "How the server is started or reached.",
	"properties": {
		"command": {"type": "string", "description": "Program to start."},
		"args": {"type": "array", "items": {"type": "string"}, "description": "Its arguments."},
		"env": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}, "description": "Environment variables; null removes one."},
		"cwd": {"type": "string", "description": "Folder to start it in. Default: the workspace's first folder."},
		"url": {"type": "string", "description": "Address of a server that is reached over HTTP."},
		"headers": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Headers of each request to it."},
		"type": {"enum": ["stdio", "http", "sse"], "description": "Only needed where it is not clear from the other fields."},
		"disabled": {"type": "boolean", "description": "Keeps the definition without starting the server."}
	}
}`

type items struct {
	Type string   `json:"type"`
	Enum []string `json:"enum,omitzero"`
}

// TestSettings compares package.json with config.Settings; -update rewrites it.
func TestSettings(t *testing.T) {
	manifest, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	start, end := find(t, manifest, groupsAt)
	want := bytes.Join([][]byte{manifest[:start], declare(t, manifest[start:end]), manifest[end:]}, nil)
	if bytes.Equal(manifest, want) {
		return
	}
	if !*update {
		t.Fatal("package.json does not declare the settings of config.Settings; run: go test ./editors/vscode -update")
	}
	if err := os.WriteFile("package.json", want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// declare renders all groups, indented for their place in package.json; the first
// is kept as it is.
func declare(t *testing.T, present []byte) []byte {
	var kept []jsontext.Value
	if err := json.Unmarshal(present, &kept); err != nil {
		t.Fatal(err)
	}
	all := kept[:1]
	taken := map[string]bool{}
	for i, g := range groups {
		if properties := properties(t, g.prefixes, taken); properties != nil {
			raw, err := json.Marshal(group{Title: g.title, Order: i + 1, Properties: properties})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, raw)
		}
	}
	raw, err := json.Marshal(all, jsontext.WithIndent("  "), jsontext.WithIndentPrefix("    "), jsontext.EscapeForHTML(false))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(raw)
}

// properties declares the settings whose names begin so and are not taken yet; nil
// when there are none.
func properties(t *testing.T, prefixes []string, taken map[string]bool) jsontext.Value {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b, jsontext.EscapeForHTML(false))
	write := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	write(e.WriteToken(jsontext.BeginObject))
	some := false
	for _, s := range config.Settings() {
		if taken[s.Name] || !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s.Name, p) }) {
			continue
		}
		taken[s.Name], some = true, true
		write(e.WriteToken(jsontext.String("codemode." + s.Name)))
		write(json.MarshalEncode(e, declaration(t, s)))
	}
	write(e.WriteToken(jsontext.EndObject))
	if !some {
		return nil
	}
	return b.Bytes()
}

func declaration(t *testing.T, s config.Setting) property {
	// A trusted setting is one that VS Code itself keeps out of workspace settings.
	p := property{Type: s.Type, Scope: "resource", Description: s.Doc}
	if s.Trusted {
		p.Scope = "machine"
	}
	var value any
	switch s.Type {
	case "integer":
		p.Minimum, p.Maximum, value = &s.Minimum, &s.Ceiling, s.Default
	case "boolean":
		value = s.On
	case "string":
		p.Enum, value = s.Values, s.Values[0]
	case "array":
		p.Items, value = &items{Type: "string", Enum: s.Values}, []string{}
		if len(s.Values) > 0 {
			value = s.Values
		}
	case "object":
		value = struct{}{}
	default:
		t.Fatalf("%s: no idea how to declare type %q", s.Name, s.Type)
	}
	if s.Name == "mcpServers" {
		p.Members = jsontext.Value(serverSchema)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	p.Default = raw
	return p
}

// find returns the bounds of the value at a pointer.
func find(t *testing.T, text []byte, at jsontext.Pointer) (start, end int) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.ReadToken(); err != nil {
			t.Fatalf("package.json has nothing at %s: %v", at, err)
		}
		// After the name of a member the pointer is that of its value to come.
		if d.StackPointer() != at {
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		end = int(d.InputOffset())
		return end - len(value), end
	}
}
