package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ScriptsFolder holds the scripts of a workspace folder that agents are offered as
// tools, relative to the folder. The user's own are in scripts/ of the user's directory.
const ScriptsFolder = ".codemode/scripts"

// ScriptTool begins the names of tools that are scripts.
const ScriptTool = "script__"

const (
	maxScripts     = 100 // of all folders
	maxScriptBytes = 256 << 10
	maxScriptName  = 40 // agents put a prefix before names, and models take 64 characters
)

// Script is a script that agents are offered as a tool, if it has an input. One of a
// workspace is offered only after a person has approved it (TRUST-1).
type Script struct {
	Tool   string // script__close_issues
	Layer  Layer
	File   string // absolute path
	Folder string // of the Workspace layer: the workspace's folder that it belongs to
	Text   string
}

// Hash identifies the text, what it is called and where it comes from: any change asks again.
func (s Script) Hash() string {
	d := definitionHash{sha256.New()}
	d.text("codemode-ls script 1")
	for _, field := range []string{s.Tool, string(s.Layer), s.File, s.Text} {
		d.text(field)
	}
	return hex.EncodeToString(d.Sum(nil))
}

// Name is how people name the script when they decide on it.
func (s Script) Name() string { return "script:" + strings.TrimPrefix(s.Tool, ScriptTool) }

// Summary is one line for a person who decides on the script.
func (s Script) Summary() string {
	return fmt.Sprintf("offer the script to agents as the tool %s (%d lines)", s.Tool, strings.Count(strings.TrimSuffix(s.Text, "\n"), "\n")+1)
}

// scriptPlace is a folder with scripts.
type scriptPlace struct {
	files  fs.FS
	under  string // in files
	layer  Layer
	folder string // that files begins at
	close  func() error
}

// scriptPlaces are the folders with scripts, the user's own first: a workspace cannot
// take the name of one of these.
func scriptPlaces(s Sources) []scriptPlace {
	var all []scriptPlace
	if s.UserDir != "" {
		all = append(all, scriptPlace{os.DirFS(s.UserDir), "scripts", User, s.UserDir, func() error { return nil }})
	}
	for _, folder := range s.Folders {
		// A link in a workspace leads nowhere else.
		if root, err := os.OpenRoot(folder); err == nil {
			all = append(all, scriptPlace{root.FS(), ScriptsFolder, Workspace, folder, root.Close})
		}
	}
	return all
}

// FindScripts reads the scripts that may be offered to agents; problems are those that
// cannot be.
func FindScripts(s Sources) (found []Script, problems []string) {
	for _, p := range scriptPlaces(s) {
		entries, _ := fs.ReadDir(p.files, p.under)
		for _, e := range entries {
			file := filepath.Join(p.folder, filepath.FromSlash(path.Join(p.under, e.Name())))
			name := toolOfScript(e.Name())
			if name == "" {
				continue
			}
			text, err := readScript(p.files, path.Join(p.under, e.Name()))
			switch i := slices.IndexFunc(found, func(other Script) bool { return other.Tool == name }); {
			case err != nil:
			case len(name) > len(ScriptTool)+maxScriptName:
				err = fmt.Errorf("its name is longer than %d characters", maxScriptName)
			case i >= 0:
				err = fmt.Errorf("%s has the name %s already", found[i].File, name)
			case len(found) == maxScripts:
				err = fmt.Errorf("there are more than %d scripts", maxScripts)
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s is not offered to agents: %v", file, err))
				continue
			}
			script := Script{Tool: name, Layer: p.layer, File: file, Text: text}
			if p.layer == Workspace {
				script.Folder = p.folder
			}
			found = append(found, script)
		}
		_ = p.close()
	}
	return found, problems
}

var noNamePart = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// toolOfScript is the name of a script's tool, "" when the file is no script.
func toolOfScript(file string) string {
	base, ok := strings.CutSuffix(file, ".exec.ts")
	if !ok {
		base, ok = strings.CutSuffix(file, ".exec.js")
	}
	if base = noNamePart.ReplaceAllString(base, "_"); !ok || base == "" {
		return ""
	}
	return ScriptTool + base
}

func readScript(files fs.FS, name string) (string, error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("it is not a regular file")
	}
	f, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxScriptBytes+1))
	if err == nil && len(text) > maxScriptBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxScriptBytes)
	}
	return string(text), err
}

// ScriptsStamp changes with the scripts that FindScripts would find.
func ScriptsStamp(s Sources) string {
	var b strings.Builder
	for _, p := range scriptPlaces(s) {
		entries, _ := fs.ReadDir(p.files, p.under)
		for _, e := range entries {
			if info, err := fs.Stat(p.files, path.Join(p.under, e.Name())); err == nil && toolOfScript(e.Name()) != "" {
				fmt.Fprintln(&b, p.folder, e.Name(), info.ModTime().UnixNano(), info.Size())
			}
		}
		_ = p.close()
	}
	return b.String()
}
