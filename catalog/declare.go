package catalog

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Mode is what is declared to an agent.
type Mode string

const (
	CodeMode   Mode = "code"   // Exec alone: the default
	NativeMode Mode = "native" // the MCP tools alone, flat
	BothModes  Mode = "both"
)

// ParseMode reads a mode; "" is CodeMode.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case "":
		return CodeMode, nil
	case CodeMode, NativeMode, BothModes:
		return m, nil
	}
	return "", fmt.Errorf("mode %q is none of code, native, both", s)
}

// Agent says how the pool is shown to one agent's request (DECL-5: each again).
type Agent struct {
	Mode Mode // "" is CodeMode
	// ExecOff is Exec denied, excluded or switched off (DECL-3, DECL-7).
	ExecOff bool
	// Disallowed says which names this request must not get, Exec and full
	// names of tools; nil is none.
	Disallowed func(name string) bool
	// Direct says which tools are declared flat beside Exec (DECL-9); nil is none.
	Direct func(fullName string) bool
	// Script says which names are scripts that are offered as tools (GATE-5); nil is none.
	Script func(name string) bool
}

// mode is the mode that applies: without Exec the tools are flat (DECL-3).
func (a Agent) mode() Mode {
	switch {
	case a.ExecOff || a.disallows(ExecName):
		return NativeMode
	case a.Mode == "":
		return CodeMode
	}
	return a.Mode
}

func (a Agent) disallows(name string) bool { return a.Disallowed != nil && a.Disallowed(name) }

// Flat reports whether a tool with this full name is declared itself when the pool
// has it.
func (a Agent) Flat(fullName string) bool {
	if a.disallows(fullName) {
		return false
	}
	return a.mode() != CodeMode || a.Direct != nil && a.Direct(fullName)
}

// RunsScript reports whether the name is that of a script which the agent may run as a
// tool, in any mode.
func (a Agent) RunsScript(name string) bool {
	return a.Script != nil && !a.ExecOff && !a.disallows(name) && a.Script(name)
}

// AgentTools is what an agent is given: the answer of codemode/declarations.
type AgentTools struct {
	Mode  Mode        `json:"mode"` // the mode that applies
	Tools []AgentTool `json:"tools"`
}

// AgentTool is one declared tool.
type AgentTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema jsontext.Value `json:"inputSchema"` // an object always
	// OutputSchema is that of a script: an object always, or nothing.
	OutputSchema jsontext.Value `json:"outputSchema,omitzero"`
	Annotations  jsontext.Value `json:"annotations,omitzero"`
	// Grammar is for models that write the tool's input as free text (DECL-8).
	Grammar *Grammar `json:"grammar,omitzero"`
}

// Grammar describes free text.
type Grammar struct {
	Syntax     string `json:"syntax"` // "lark"
	Definition string `json:"definition"`
}

// For says what to declare to an agent now (DECL-1…5, DECL-9): Exec first, then
// flat tools in the order of the catalog.
func (c *Catalog) For(a Agent) AgentTools {
	declared := AgentTools{Mode: a.mode(), Tools: []AgentTool{}}
	for _, t := range c.find(Query{}) {
		if a.disallows(t.Name) {
			continue
		}
		if len(declared.Tools) == 0 && a.mode() != NativeMode {
			declared.Tools = append(declared.Tools, Exec())
		}
		if a.Flat(t.Name) {
			declared.Tools = append(declared.Tools, AgentTool{
				Name:        t.Name,
				Description: t.Description,
				InputSchema: t.flatInput(),
				Annotations: t.RawAnnotations,
			})
		}
	}
	return declared
}

// DirectCall reports whether an agent may name a tool in a call of its own, not
// inside a script (COL-1): Exec where it is declared, and tools where they are
// declared flat. Everything else is unknown, whether or not the pool has it.
// Exec stays callable while the pool is empty, so that a call that was made
// just before a server went away is answered by its script.
func (c *Catalog) DirectCall(a Agent, name string) bool {
	if name == ExecName {
		return a.mode() != NativeMode
	}
	if a.RunsScript(name) {
		return true
	}
	t, ok := c.Find(name)
	return ok && a.Flat(t.Name)
}

// ExecName is the name of the tool that runs scripts.
const ExecName = "Exec"

// Exec declares the tool that runs scripts: the same bytes for any pool (DECL-6).
func Exec() AgentTool {
	return AgentTool{
		Name:        ExecName,
		Description: execDescription,
		InputSchema: jsontext.Value(execInput),
		Annotations: jsontext.Value(execAnnotations),
		Grammar:     &Grammar{Syntax: "lark", Definition: execGrammar},
	}
}

const execDescription = `Runs a TypeScript or JavaScript script that calls MCP tools.

- The code is the body of an async function: await and return work at its top level. Return what you want to read; console.log adds output. Without imports: there is no file system, network, process or timer.
- Tools are functions of the object tools. The catalog of MCP tools, given separately, has their names, parameters and results. Each takes one object and returns a promise of the tool's output: structured data if it has some, else its text. A call that fails rejects, and can be caught.
- Use the value of one call as an argument of the next, loops for many, and Promise.all for calls that do not depend on each other. Filter and shorten results in the script, so that only what matters is returned.
- tools["$codemode"].search({ query }) finds MCP tools by words, and lists all of them without a query. tools["$codemode"].describe({ name }) tells everything about one.
- The first line may set limits: // @options: {"timeout_ms": N, "max_tool_calls": N, "max_output_tokens": N}
- Calls may need a person's permission. What a script has called stays done, even if the script fails later.`

const execInput = `{"type":"object","properties":{"code":{"type":"string","description":"The script: TypeScript or JavaScript source, without a Markdown fence."}},"required":["code"],"additionalProperties":false}`

// execAnnotations say that Exec may do whatever the tools may, so that no agent
// runs it beside anything else (SCHED-3).
const execAnnotations = `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`

// optionsPrefix begins the line that sets limits (EXEC-15).
const optionsPrefix = "// @options:"

// execGrammar is any text, but a first line that begins like an options line
// has to be one.
var execGrammar = strings.Join([]string{
	`start: SCRIPT | OPTIONS (NEWLINE REST?)?`,
	`OPTIONS: /` + optionsPattern() + `/`,
	`NEWLINE: /\r?\n/`,
	`REST: /[\s\S]+/`,
	`SCRIPT: /` + notBeginningWith(optionsPrefix) + `/`,
}, "\n") + "\n"

func optionsPattern() string {
	const field = `"(timeout_ms|max_tool_calls|max_output_tokens)"[ \t]*:[ \t]*[0-9]+`
	return escapeSlashes(optionsPrefix) + `[ \t]*\{[ \t]*(` + field + `([ \t]*,[ \t]*` + field + `)*[ \t]*)?\}[ \t]*`
}

// notBeginningWith is a regular expression for all texts but those that begin
// with prefix, and but the empty one. Grammars have no look-ahead: it goes
// through the prefix and lets any character differ.
func notBeginningWith(prefix string) string {
	pattern := ""
	for i := len(prefix) - 1; i >= 0; i-- {
		c := escapeSlashes(prefix[i : i+1])
		other := `[^` + c + `][\s\S]*`
		switch {
		case i == len(prefix)-1:
			pattern = other
		default:
			pattern = other + `|` + c + `(` + pattern + `)?`
		}
	}
	return pattern
}

func escapeSlashes(s string) string { return strings.ReplaceAll(s, "/", `\/`) }
