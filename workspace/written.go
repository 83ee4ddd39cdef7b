package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typegen/seen"
)

// ResultsFile is where types of results stand that people write: in a workspace,
// and, by its base name, in the user's folder.
const ResultsFile = ".codemode/results.d.ts"

// maxWritten bounds a file of types, in bytes.
const maxWritten = 256 << 10

// written are the types of results that people wrote, of all files. A file is types
// and nothing else, so that one of a workspace that nobody vouches for is taken,
// too: all that it can do is be wrong.
type written struct {
	mu      sync.Mutex // guards what follows
	files   []writtenFile
	version int // counts changes
}

type writtenFile struct {
	path      string
	namespace string // that it stands in
	modified  time.Time
	size      int64
	text      string
	entries   []seen.Entry // none when the file cannot be used
	broken    string       // why it cannot be used, or ""
}

// ResultsFiles are the paths of files with types of results, those of the workspace
// first: of several types for a tool the first counts.
func (w *Workspace) ResultsFiles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return ResultsFiles(w.loaded.sources)
}

// ResultsFiles are those of a workspace with these sources.
func ResultsFiles(s config.Sources) []string {
	var paths []string
	for _, folder := range s.Folders {
		paths = append(paths, filepath.Join(folder, filepath.FromSlash(ResultsFile)))
	}
	if dir := s.UserDir; dir != "" {
		paths = append(paths, filepath.Join(dir, filepath.Base(ResultsFile)))
	}
	return paths
}

// readWritten reads the files of types that have changed, and reports whether any
// has.
func (w *Workspace) readWritten() (changed bool) {
	paths := w.ResultsFiles()
	x := &w.written
	x.mu.Lock()
	defer x.mu.Unlock()
	var files []writtenFile
	for i, path := range paths {
		namespace := "WorkspaceResults"
		if i == len(paths)-1 && filepath.Base(filepath.Dir(path)) != filepath.Dir(ResultsFile) {
			namespace = "UserResults"
		} else if i > 0 {
			namespace = fmt.Sprint(namespace, i+1)
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.log.Debug("types of results not read", "path", path, "err", err)
			}
			continue
		}
		old := slices.IndexFunc(x.files, func(f writtenFile) bool { return f.path == path })
		if old >= 0 && x.files[old].modified.Equal(info.ModTime()) && x.files[old].size == info.Size() && x.files[old].namespace == namespace {
			files = append(files, x.files[old])
			continue
		}
		f := writtenFile{path: path, namespace: namespace, modified: info.ModTime(), size: info.Size()}
		changed = true
		if f.text, err = readText(path); err == nil {
			var parsed seen.Written
			parsed, err = seen.ParseWritten(f.text)
			f.entries = parsed.Entries
		}
		if err != nil {
			w.log.Warn("types of results not used", "path", path, "err", err)
			f.text, f.entries, f.broken = "", nil, err.Error()
		}
		files = append(files, f)
	}
	changed = changed || len(files) != len(x.files)
	x.files = files
	if changed {
		x.version++
	}
	return changed
}

// readText reads a file of types that is not too large.
func readText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWritten+1))
	if err == nil && len(data) > maxWritten {
		err = fmt.Errorf("it is larger than %d bytes", maxWritten)
	}
	return string(data), err
}

// results adds the types of files to those that are known, and returns the
// declarations that these mention.
func (x *written) results(of map[string]catalog.Result) (texts []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, f := range slices.Backward(x.files) {
		for _, e := range f.entries {
			of[e.Tool] = catalog.Result{
				Type:  f.namespace + "." + seen.ResultsInterface + "[" + strconv.Quote(e.Tool) + "]",
				Short: e.Type, File: f.path,
			}
		}
	}
	for _, f := range x.files {
		if len(f.entries) > 0 {
			texts = append(texts, "\ndeclare namespace "+f.namespace+" {\n"+f.text+"\n}\n")
		}
	}
	return texts
}

// problems are types that nothing comes of. Of tools of a server that has none in
// the pool nothing is said: it may be away.
func (x *written) problems(pool *catalog.Catalog) []permission.Problem {
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []permission.Problem
	for _, f := range x.files {
		if f.broken != "" {
			all = append(all, permission.Problem{File: f.path, Message: "The types of this file are not used: " + f.broken})
		}
		for _, e := range f.entries {
			p := permission.Problem{File: f.path, Range: script.Range{Start: place(f.text, e.Start), End: place(f.text, e.End)}}
			t, ok := pool.Find(e.Tool)
			switch {
			case ok && t.OutputSchema != nil:
				p.Message = fmt.Sprintf("The server of %s declares by now what it returns, so that this type is not used.", e.Tool)
			case ok, strings.HasPrefix(e.Tool, "mcp__") && !slices.ContainsFunc(pool.Servers(), func(s *catalog.Server) bool { return strings.HasPrefix(e.Tool, s.Namespace+"__") }):
				continue
			default:
				p.Message = fmt.Sprintf("There is no tool %q.", e.Tool)
				if closest := pool.Closest(e.Tool, 3); len(closest) > 0 {
					p.Message += " Did you mean " + strings.Join(closest, ", ") + "?"
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// place is the position of an offset, in UTF-16 units.
func place(text string, offset int) script.Position {
	before := text[:offset]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	units := 0
	for _, r := range line {
		units += utf16.RuneLen(r)
	}
	return script.Position{Line: strings.Count(before, "\n"), Character: units}
}

func (x *written) current() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.version
}
