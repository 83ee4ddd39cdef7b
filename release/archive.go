package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// licences is the file with the licences of all that is linked.
const licences = "THIRD_PARTY_LICENSES.txt"

// file is an entry of an archive.
type file struct {
	name string
	data []byte
	mode int64
}

// common is what all archives have beside the program.
func (m *maker) common(host target, chosen []target) ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, data, 0o644})
	}
	linked, err := m.licences(chosen)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(m.out, licences), linked, 0o644); err != nil {
		return nil, err
	}
	files = append(files, file{licences, linked, 0o644})
	for shell, name := range map[string]string{"bash": "codemode-ls.bash", "zsh": "_codemode-ls", "fish": "codemode-ls.fish", "powershell": "codemode-ls.ps1"} {
		text, err := m.output(m.binary(host), "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + name, []byte(text + "\n"), 0o644})
	}
	page, err := m.man(host)
	if err != nil {
		return nil, err
	}
	files = append(files, file{"man/codemode-ls.1", page, 0o644})
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return files, nil
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z-]+(?: [a-z-]+)*)(?: [<\[].*?)?(?:  .*)?$`)

// man is the manual page: the program's own help, command by command.
func (m *maker) man(host target) ([]byte, error) {
	help, err := m.output(m.binary(host), "help")
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, ".TH CODEMODE-LS 1 %s \"codemode-ls %s\"\n.SH NAME\ncodemode-ls \\- write, check and run scripts that call MCP tools (Code Mode)\n", m.date.Format(time.DateOnly), m.version)
	section := func(title, text string) {
		fmt.Fprintf(&page, ".SH %s\n.nf\n", roff(title))
		for line := range strings.Lines(text) {
			page.WriteString(roff(strings.TrimRight(line, " \n")) + "\n")
		}
		page.WriteString(".fi\n")
	}
	section("SYNOPSIS", help)
	_, list, _ := strings.Cut(help, "Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	commands := commandLine.FindAllStringSubmatch(list, -1)
	if len(commands) < 10 {
		return nil, fmt.Errorf("found only %d commands in the help", len(commands))
	}
	for _, command := range commands {
		text, err := m.output(m.binary(host), append(strings.Fields(command[1]), "--help")...)
		if err != nil {
			return nil, err
		}
		section(command[1], text)
	}
	return page.Bytes(), nil
}

// roff is a line of text, without a meaning for troff.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

// modules are what the program is linked from, itself first.
func (m *maker) modules(t target) ([]*debug.Module, *debug.BuildInfo, error) {
	info, err := buildinfo.ReadFile(m.binary(t))
	if err != nil {
		return nil, nil, err
	}
	return info.Deps, info, nil
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|third[-_]?party)`)

// licences are the licences of Go and of all modules that are linked into a program.
func (m *maker) licences(chosen []target) ([]byte, error) {
	linked := map[string]bool{}
	for _, t := range chosen {
		deps, _, err := m.modules(t)
		if err != nil {
			return nil, err
		}
		for _, dep := range deps {
			linked[dep.Path] = true
		}
	}
	listed, err := m.output("go", "list", "-m", "-json", "all")
	if err != nil {
		return nil, err
	}
	root, err := m.output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "codemode-ls %s is linked from the following. Its own licence is in LICENSE.\n", m.version)
	if err := appendLicences(&text, "Go, the standard library and runtime", root); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(listed))
	for {
		var module struct {
			Path, Version, Dir string
			Replace            *struct{ Path string }
		}
		if err := decoder.Decode(&module); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if !linked[module.Path] || module.Replace != nil && strings.HasPrefix(module.Replace.Path, ".") { // a part of this repository
			continue
		}
		if err := appendLicences(&text, module.Path+" "+module.Version, module.Dir); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

func appendLicences(text *bytes.Buffer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("licence of %s: %w", title, err)
	}
	found := false
	for _, entry := range entries {
		if entry.IsDir() || !licenceName.MatchString(entry.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(text, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), title, entry.Name(), bytes.TrimSpace(data))
	}
	if !found {
		return fmt.Errorf("%s has no licence file", title)
	}
	return nil
}

// pack makes what one platform gets: an archive, its bill of materials, the VS Code
// extension.
func (m *maker) pack(t target, common []file) error {
	program, err := os.ReadFile(m.binary(t))
	if err != nil {
		return err
	}
	base := fmt.Sprintf("codemode-ls_%s_%s_%s", m.version, t.os, t.arch)
	files := append([]file{{t.program(), program, 0o755}}, common...)
	name, write := base+".tar.gz", writeTar
	if t.os == "windows" {
		name, write = base+".zip", writeZip
	}
	var archive bytes.Buffer
	if err := write(&archive, base, files, m.date); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.sums[name] = sum(archive.Bytes())
	if err := os.WriteFile(filepath.Join(m.out, name), archive.Bytes(), 0o644); err != nil {
		return err
	}
	bill, err := m.bill(t, sum(program))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(m.out, base+".cdx.json"), bill, 0o644); err != nil {
		return err
	}
	return m.vsix(t)
}

func writeTar(w io.Writer, folder string, files []file, date time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		if err := archive.WriteHeader(&tar.Header{Name: folder + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: date}); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func writeZip(w io.Writer, folder string, files []file, date time.Time) error {
	archive := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(os.FileMode(f.mode))
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

// bill is the software bill of materials, in the form of CycloneDX 1.6: what the
// program itself says that it is linked from.
func (m *maker) bill(t target, hash string) ([]byte, error) {
	type contents struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	type component struct {
		Type    string     `json:"type"`
		Ref     string     `json:"bom-ref"`
		Name    string     `json:"name"`
		Version string     `json:"version"`
		Purl    string     `json:"purl,omitempty"`
		Hashes  []contents `json:"hashes,omitempty"`
	}
	deps, info, err := m.modules(t)
	if err != nil {
		return nil, err
	}
	components := []component{{
		Type: "library", Ref: "pkg:golang/std@" + info.GoVersion, Name: "std", Version: info.GoVersion, Purl: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, dep := range deps {
		if dep.Replace != nil && strings.HasPrefix(dep.Replace.Path, ".") { // a part of this repository
			continue
		}
		purl := "pkg:golang/" + dep.Path + "@" + dep.Version
		c := component{Type: "library", Ref: purl, Name: dep.Path, Version: dep.Version, Purl: purl}
		// Go's checksum of a module is one of the list of its files, not of an archive.
		if encoded, ok := strings.CutPrefix(dep.Sum, "h1:"); ok {
			if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				c.Hashes = []contents{{"SHA-256", hex.EncodeToString(raw)}}
			}
		}
		components = append(components, c)
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{
			"timestamp": m.date.Format(time.RFC3339),
			"component": component{Type: "application", Ref: "codemode-ls", Name: "codemode-ls", Version: m.version, Hashes: []contents{{"SHA-256", hash}}},
			"properties": []map[string]string{
				{"name": "commit", "value": m.commit}, {"name": "platform", "value": t.String()},
			},
		},
		"components": components,
	}, "", "  ")
}
