package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// contractTime is how long the types of a script may take to be read.
const contractTime = 10 * time.Second

// scripts are those that agents may be offered as tools (GATE-5).
type scripts struct {
	mu                  sync.Mutex // guards what follows
	stamp               string     // of what was found
	found               []config.Script
	approved, undecided []config.Script
	// tools are by the hash of the script, for the declarations of MCP tools with the
	// hash types; one that cannot be a tool has no name.
	tools map[string]catalog.AgentTool
	types string
}

func (s *scripts) decided() (approved, undecided []config.Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.approved, s.undecided
}

// readScripts looks for scripts and the decisions on them, and reports whether
// something has changed.
func (w *Workspace) readScripts() (changed bool) {
	w.mu.Lock()
	sources, always := w.loaded.sources, w.loaded.config.TrustWorkspace
	w.mu.Unlock()
	if w.o.Restricted {
		sources.Folders = nil
	}
	x := &w.scripts
	x.mu.Lock()
	defer x.mu.Unlock()
	if stamp := config.ScriptsStamp(sources); stamp != x.stamp {
		var problems []string
		x.stamp = stamp
		x.found, problems = config.FindScripts(sources)
		for _, p := range problems {
			w.log.Warn("a script is no tool", "err", p)
		}
	}
	var approved, undecided []config.Script
	for _, s := range x.found {
		switch {
		case s.Layer != config.Workspace || always:
			approved = append(approved, s)
		case w.trust == nil:
			undecided = append(undecided, s)
		default:
			switch w.trust.ScriptVerdict(s) {
			case config.Approved:
				approved = append(approved, s)
			case config.Undecided:
				undecided = append(undecided, s)
			}
		}
	}
	changed = !slices.Equal(approved, x.approved) || !slices.Equal(undecided, x.undecided)
	x.approved, x.undecided = approved, undecided
	return changed
}

// ApproveScript stores a person's decision on the script with that hash; an error when
// it has changed meanwhile.
func (w *Workspace) ApproveScript(hash string, approve bool) error {
	w.scripts.mu.Lock()
	found := w.scripts.found
	w.scripts.mu.Unlock()
	i := slices.IndexFunc(found, func(s config.Script) bool { return s.Hash() == hash })
	switch {
	case i < 0:
		return fmt.Errorf("the script has changed since it was shown; look at it again")
	case w.trust == nil:
		return fmt.Errorf("the decision on %s cannot be kept: there is no configuration directory", found[i].Name())
	}
	if err := w.trust.DecideScript(found[i], approve); err != nil {
		return err
	}
	w.readScripts()
	w.changed()
	return nil
}

// Script is the script that is the tool of that name.
func (s *Snapshot) Script(tool string) (config.Script, bool) {
	if !strings.HasPrefix(tool, config.ScriptTool) {
		return config.Script{}, false
	}
	i := slices.IndexFunc(s.Scripts, func(s config.Script) bool { return s.Tool == tool })
	if i < 0 {
		return config.Script{}, false
	}
	return s.Scripts[i], true
}

// Declarations are the tools to declare to an agent now: those of the catalog, and the
// scripts that have an input, in every mode.
func (w *Workspace) Declarations(ctx context.Context, mode catalog.Mode, disallowed []string) (catalog.AgentTools, error) {
	s := w.Snapshot()
	agent := s.Agent(mode, disallowed)
	declared := s.Catalog.For(agent)
	for _, script := range s.Scripts {
		if !agent.RunsScript(script.Tool) {
			continue
		}
		t, err := w.scriptTool(ctx, s.Catalog, script)
		switch {
		case ctx.Err() != nil:
			return declared, ctx.Err()
		case err != nil:
			w.log.Warn("a script is no tool", "file", script.File, "err", err)
		case t.Name != "":
			declared.Tools = append(declared.Tools, t)
		}
	}
	return declared, nil
}

// scriptTool declares a script; a tool without a name is none. An error is not the
// script's.
func (w *Workspace) scriptTool(ctx context.Context, pool *catalog.Catalog, s config.Script) (catalog.AgentTool, error) {
	x, hash, types := &w.scripts, s.Hash(), pool.Declarations().Hash
	x.mu.Lock()
	if x.types != types || len(x.tools) > 10*len(x.found) {
		x.tools, x.types = map[string]catalog.AgentTool{}, types
	}
	t, ok := x.tools[hash]
	x.mu.Unlock()
	if ok || w.o.Check == nil {
		return t, nil
	}
	source := script.Read(s.Text)
	if source.MayTakeInput() {
		ctx, cancel := context.WithTimeout(ctx, contractTime)
		defer cancel()
		language, _ := script.LanguageOf(s.File)
		contract, err := w.o.Check.Contract(ctx, source, language, pool)
		if err != nil {
			return t, fmt.Errorf("reading the types of %s: %w", s.File, err)
		}
		var why string
		if t, why = toolOf(s, contract); why != "" {
			w.log.Warn("a script is no tool", "file", s.File, "err", why)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.types == types {
		x.tools[hash] = t
	}
	return t, nil
}

// toolOf declares a script by what its types and comments say; why it cannot be a tool
// otherwise.
func toolOf(s config.Script, c *script.Contract) (t catalog.AgentTool, why string) {
	switch {
	case !c.Takes:
		return t, "" // an ordinary script
	case len(c.Problems) > 0:
		return t, fmt.Sprintf("the type of its input cannot be given as JSON: %s: %s", c.Problems[0].Path, c.Problems[0].Message)
	}
	t.InputSchema = objectSchema(c.Input)
	if t.InputSchema == nil {
		return t, "its input is not an object"
	}
	t.Name, t.Description, t.OutputSchema = s.Tool, c.Description, objectSchema(c.Output)
	if t.Description == "" {
		t.Description = "Runs the script " + filepath.Base(s.File) + "."
	}
	t.Annotations = catalog.Exec().Annotations
	return t, ""
}

// objectSchema is a schema of objects with its type said at the root, where MCP wants
// it; nil for any other schema.
func objectSchema(schema jsontext.Value) jsontext.Value {
	var root map[string]jsontext.Value
	if json.Unmarshal(schema, &root) != nil || !objectsOnly(root, root, 0) {
		return nil
	}
	if string(root["type"]) == `"object"` {
		return schema
	}
	return append(jsontext.Value(`{"type":"object",`), strings.TrimSpace(string(schema))[1:]...)
}

// objectsOnly reports whether a schema describes nothing but objects: by its type, as a
// union, or by a reference to a definition of the root.
func objectsOnly(root, schema map[string]jsontext.Value, depth int) bool {
	if string(schema["type"]) == `"object"` {
		return true
	}
	if depth > 10 || schema["type"] != nil {
		return false
	}
	var reference string
	if json.Unmarshal(schema["$ref"], &reference) == nil {
		var definitions map[string]map[string]jsontext.Value
		name, ok := strings.CutPrefix(reference, "#/$defs/")
		return ok && json.Unmarshal(root["$defs"], &definitions) == nil && objectsOnly(root, definitions[name], depth+1)
	}
	var union []map[string]jsontext.Value
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if json.Unmarshal(schema[keyword], &union) == nil && len(union) > 0 {
			return !slices.ContainsFunc(union, func(one map[string]jsontext.Value) bool { return !objectsOnly(root, one, depth+1) })
		}
	}
	return false
}
