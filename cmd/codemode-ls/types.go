package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/exec/cassette"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type typesCommand struct {
	Fresh    bool   `help:"List the servers' tools again first instead of using the kept lists."`
	Output   string `short:"o" help:"Write to this file." placeholder:"FILE" type:"path"`
	Seen     string `help:"Print what results of this tool looked like, and when they were seen." placeholder:"TOOL" xor:"do"`
	Forget   string `help:"Forget what results of this tool looked like, or of all tools with 'all'." placeholder:"TOOL" xor:"do"`
	Examples string `help:"Learn from the example results in this folder: files <full tool name>.json, .txt or .md, folders of such names, and recordings." placeholder:"DIR" type:"existingdir" xor:"do"`
}

func (typesCommand) Help() string {
	return `Examples:
  codemode-ls types
  codemode-ls types -o .codemode/tools.d.ts
  codemode-ls types --seen mcp__tracker__list
  codemode-ls types --forget all
  codemode-ls types --examples examples/

Results that no server declares get their types from earlier runs: see docs/results.md.`
}

func (c *typesCommand) Run(a *app) error {
	w, err := a.open(needs{fresh: c.Fresh}, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	switch pool := w.Snapshot().Catalog; {
	case c.Forget != "":
		tool := c.Forget
		if tool == "all" {
			tool = ""
		}
		n, err := w.ForgetResults(tool)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "Forgot the results of %d tools.\n", n)
		return nil
	case c.Examples != "":
		return c.learn(a, w)
	case c.Seen != "":
		return printSeen(a, pool, c.Seen)
	}
	text := w.Snapshot().Catalog.Declarations().Text
	if c.Output != "" {
		if err := os.MkdirAll(filepath.Dir(c.Output), 0o755); err != nil {
			return err
		}
		return os.WriteFile(c.Output, []byte(text), 0o644)
	}
	_, err = fmt.Fprint(a.stdout, a.data(text))
	return err
}

// printSeen prints the type of a tool's results, with where it comes from.
func printSeen(a *app, pool *catalog.Catalog, name string) error {
	t, ok := pool.Find(name)
	if !ok {
		closest := strings.Join(pool.Closest(name, 3), ", ")
		return &exitError{exitUsage, fmt.Errorf("there is no tool %q; close to it are: %s", name, closest)}
	}
	if t.OutputSchema != nil {
		fmt.Fprintf(a.stderr, "The server declares the result of %s, so nothing is kept of it.\n", t.Name)
		return nil
	}
	r, known := pool.Result(t)
	if !known {
		fmt.Fprintf(a.stderr, "No result of %s was seen. Call it once: codemode-ls call %s\n", t.Name, t.Name)
		return nil
	}
	if r.File != "" {
		fmt.Fprintf(a.stderr, "Written in %s.\n", r.File)
	} else if s, ok := pool.Seen(t); ok {
		fmt.Fprintf(a.stderr, "Results seen: %d, the last on %s.\n", s.Times, s.Last.Local().Format("2 January 2006 at 15:04"))
	}
	_, err := fmt.Fprintln(a.stdout, a.data(r.Short))
	return err
}

// maxExample bounds an example, in bytes.
const maxExample = 4 << 20

// learn takes over example results from a folder.
func (c *typesCommand) learn(a *app, w *workspace.Workspace) error {
	root, err := os.OpenRoot(c.Examples)
	if err != nil {
		return err
	}
	defer root.Close()
	pool := w.Snapshot().Catalog
	learned, others := 0, 0
	take := func(name string, value jsontext.Value) {
		t, ok := pool.Find(name)
		switch {
		case !ok:
			others++
			fmt.Fprintf(a.stderr, "There is no tool %s: its example is left out.\n", printable(name))
		case t.OutputSchema != nil:
			others++
			fmt.Fprintf(a.stderr, "The server declares the result of %s: its example is left out.\n", t.Name)
		default:
			w.LearnResult(t, value)
			learned++
		}
	}
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		ending := filepath.Ext(path)
		if ending != ".json" && ending != ".txt" && ending != ".md" {
			return nil
		}
		f, err := root.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxExample+1))
		if err != nil {
			return err
		}
		if len(data) > maxExample {
			fmt.Fprintf(a.stderr, "%s is larger than %d bytes: it is left out.\n", path, maxExample)
			return nil
		}
		if ending == ".json" && bytes.Contains(data, []byte(`"cassette"`)) {
			if recording, err := cassette.Parse(data); err == nil {
				for _, call := range recording.Calls {
					if call.Status == cassette.Completed && strings.HasPrefix(call.Tool, "mcp__") {
						take(call.Tool, call.Value)
					}
				}
				return nil
			}
		}
		name := strings.TrimSuffix(filepath.Base(path), ending)
		if folder := filepath.Base(filepath.Dir(path)); strings.HasPrefix(folder, "mcp__") {
			name = folder
		}
		value, err := exampleValue(data, ending == ".json")
		if err != nil {
			fmt.Fprintf(a.stderr, "%s is no JSON: it is left out.\n", path)
			return nil
		}
		take(name, value)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading examples: %w", err)
	}
	fmt.Fprintf(a.stderr, "Learned from %d examples; %d left out.\n", learned, others)
	return nil
}

// exampleValue is what a script gets for an example: the value itself, or that of a
// result of MCP.
func exampleValue(data []byte, isJSON bool) (jsontext.Value, error) {
	if !isJSON {
		return json.Marshal(string(data))
	}
	value := jsontext.Value(bytes.TrimSpace(data))
	var result struct {
		Content []struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		} `json:"content"`
		Structured jsontext.Value `json:"structuredContent"`
	}
	if !value.IsValid() {
		return nil, fmt.Errorf("no JSON")
	}
	if json.Unmarshal(value, &result) != nil || result.Content == nil {
		return value, nil
	}
	if result.Structured != nil {
		return result.Structured, nil
	}
	var texts []string
	for _, c := range result.Content {
		if c.Text != nil {
			texts = append(texts, *c.Text)
		}
	}
	if texts == nil {
		return jsontext.Value("null"), nil
	}
	return json.Marshal(strings.Join(texts, "\n"))
}
