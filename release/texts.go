package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/template"
)

//go:embed formula.rb.tmpl
var formula string

//go:embed notes.md.tmpl
var notes string

const description = "Language server, sandbox and catalog for Code Mode scripts over MCP tools"

// formulae writes what Homebrew and Scoop install from.
func (m *maker) formulae(chosen []target) error {
	type archive struct{ Processor, URL, Sum string }
	type system struct {
		Name     string
		Archives []archive
	}
	macos, linux := system{Name: "macos"}, system{Name: "linux"}
	scoop := map[string]map[string]string{}
	for _, t := range chosen {
		base := fmt.Sprintf("codemode-ls_%s_%s_%s", m.version, t.os, t.arch)
		name := base + ".tar.gz"
		a := archive{map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch], m.download + "/" + name, m.sums[name]}
		switch t.os {
		case "darwin":
			macos.Archives = append(macos.Archives, a)
		case "linux":
			linux.Archives = append(linux.Archives, a)
		case "windows":
			architecture := map[string]string{"amd64": "64bit", "arm64": "arm64"}[t.arch]
			scoop[architecture] = map[string]string{"url": m.download + "/" + base + ".zip", "hash": m.sums[base+".zip"], "extract_dir": base}
		}
	}
	systems := slices.DeleteFunc([]system{macos, linux}, func(s system) bool { return len(s.Archives) == 0 })
	if len(systems) > 0 {
		if err := m.render("codemode-ls.rb", formula, map[string]any{"Version": m.version, "Description": description, "Systems": systems}); err != nil {
			return err
		}
	}
	if len(scoop) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(map[string]any{
		"version": m.version, "description": description, "license": "MIT", "architecture": scoop, "bin": "codemode-ls.exe",
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.out, "codemode-ls.json"), append(data, '\n'), 0o644)
}

// notes writes the release notes, and what version --check reads.
func (m *maker) notes(chosen []target) error {
	latest := fmt.Sprintf("{\"version\": %q}\n", m.version)
	if err := os.WriteFile(filepath.Join(m.out, "latest.json"), []byte(latest), 0o644); err != nil {
		return err
	}
	return m.render("RELEASE_NOTES.md", notes, map[string]any{"Version": m.version, "Commit": m.commit, "Targets": chosen})
}

func (m *maker) render(name, text string, data any) error {
	parsed, err := template.New(name).Parse(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.out, name), out.Bytes(), 0o644)
}
