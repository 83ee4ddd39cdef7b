// Package vscode holds the VS Code extension; its only Go code is the test that
// keeps the settings which the extension declares those which the server reads.
package vscode

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"codemode-ls/config"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var update = flag.Bool("update", false, "rewrite the settings in package.json")

// settingsAt is where package.json declares the server's settings.
const settingsAt = jsontext.Pointer("/contributes/configuration/1/properties")

// property is one setting as VS Code wants it declared.
type property struct {
	Type        string         `json:"type"`
	Items       *items         `json:"items,omitzero"`
	Enum        []string       `json:"enum,omitzero"`
	Default     jsontext.Value `json:"default"`
	Minimum     *int           `json:"minimum,omitzero"`
	Maximum     *int           `json:"maximum,omitzero"`
	Scope       string         `json:"scope"`
	Description string         `json:"markdownDescription"`
}

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
	start, end := find(t, manifest, settingsAt)
	want := bytes.Join([][]byte{manifest[:start], declare(t), manifest[end:]}, nil)
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

// declare renders the settings, indented for their place in package.json.
func declare(t *testing.T) []byte {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b, jsontext.WithIndent("  "), jsontext.WithIndentPrefix("        "), jsontext.EscapeForHTML(false))
	write := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	write(e.WriteToken(jsontext.BeginObject))
	for _, s := range config.Settings() {
		write(e.WriteToken(jsontext.String("codemode." + s.Name)))
		write(json.MarshalEncode(e, declaration(t, s)))
	}
	write(e.WriteToken(jsontext.EndObject))
	return bytes.TrimSpace(b.Bytes())
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
