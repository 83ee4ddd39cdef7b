package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
)

// load reads the configuration, or the recordings that stand in for servers.
func (w *Workspace) load(sources config.Sources) loaded {
	l := loaded{sources: sources, config: config.Load(w.known.watch(sources))}
	if w.o.ConnectTimeout > 0 {
		l.config.Limits.ConnectTimeout = w.o.ConnectTimeout
	}
	w.known.servers(l.config.Servers)
	w.known.servers(l.config.Shadowed)
	w.hide()
	if len(w.o.Recordings) > 0 {
		l.recorded = readRecordings(w.o.Recordings, l.config)
	} else if !w.o.Offline {
		l.servers = l.config.Servers
		if w.o.Only != "" {
			l.servers = slices.DeleteFunc(slices.Clone(l.servers), func(s config.Server) bool { return s.Name != w.o.Only })
		}
	}
	if w.o.DemoWhenEmpty && !w.o.Offline && len(w.o.Recordings) == 0 && len(l.servers) == 0 && !hasErrors(l.config) {
		l.servers = []config.Server{config.DemoServer(sources.Executable)}
		l.usesDemo = true
	}
	var exclude []permission.Rule
	for _, pattern := range l.config.Exclude {
		if err := permission.Valid(pattern); err != nil {
			l.config.Findings = append(l.config.Findings, config.Finding{
				Severity: "error", Code: "bad-pattern", Message: fmt.Sprintf("exclude: %q excludes nothing: %v", pattern, err),
			})
			continue
		}
		exclude = append(exclude, permission.Rule{Effect: permission.Deny, Match: pattern})
	}
	l.exclude = permission.NewRules(exclude)
	return l
}

// hasErrors reports whether something was configured that could not be read; the
// demo server must not hide that.
func hasErrors(c *config.Config) bool {
	return slices.ContainsFunc(c.Findings, func(f config.Finding) bool { return f.Severity == "error" })
}

// use makes what was read the configuration in force. w.configuring is held.
func (w *Workspace) use(l loaded) {
	startable := func(s config.Server) bool {
		return !w.o.Restricted && (l.config.TrustWorkspace || w.verdict(s) == config.Approved)
	}
	l.used, l.waiting = choose(l, startable)
	l.definitions = definitionsOf(l)
	w.mu.Lock()
	l.generation = w.loaded.generation + 1
	w.loaded = l
	w.mu.Unlock()
	w.readWritten()
	w.store.SetFolder(firstFolder(l.sources.Folders))
	w.set.SetLimits(l.config.Limits)
	w.set.SetRoots(l.sources.Folders)
	w.set.Configure(l.used, startable)
	w.changed()
}

// readRecordings reads --tools files and folders. What cannot be read is a
// finding.
func readRecordings(paths []string, c *config.Config) []*catalog.Server {
	var servers []*catalog.Server
	trouble := func(file string, err error) {
		c.Findings = append(c.Findings, config.Finding{File: file, Severity: "error", Code: "bad-recording", Message: err.Error()})
	}
	for _, path := range paths {
		files, err := recordingFiles(path)
		if err != nil {
			trouble(path, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				trouble(file, err)
				continue
			}
			name, tools, instructions, err := catalog.ReadRecording(data)
			if err != nil {
				trouble(file, err)
				continue
			}
			if name == "" {
				name = strings.TrimSuffix(filepath.Base(file), ".json")
			}
			servers = append(servers, catalog.NewServer(name, tools, instructions, false))
		}
	}
	return servers
}

// recordingFiles are a file itself, or the JSON files of a folder by name.
func recordingFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no *.json files", path)
	}
	return files, nil
}
