package config

import (
	"time"
)

// Setting describes one setting. The editor's section, the user's configuration
// file and docs/settings.md all follow from the table Settings.
type Setting struct {
	// Name without the prefix "codemode.", such as "exec.timeoutMs".
	Name string
	// Type is "integer", "boolean", "string", "array" (of strings) or "object".
	Type string
	// Unit of an integer: "ms", "MB", "bytes", "characters", "tokens", or "".
	Unit string
	// On is the default of a boolean.
	On bool
	// Default, Minimum and Ceiling of an integer. A value outside is clamped, with
	// a finding.
	Default, Minimum, Ceiling int
	// Values are the allowed values of a string, the default first; of the elements
	// of an array, which has all of them by default.
	Values []string
	// Trusted settings count only where a workspace cannot set them: the user's
	// configuration, the editor's user settings.
	Trusted bool
	// Doc is one or two sentences for display.
	Doc string

	// number is where an integer goes.
	number func(*Config) *int
	// duration is where an integer of milliseconds goes.
	duration func(*Config) *time.Duration
}

// Settings are all settings, in the order of their documentation. The numbers
// are those of spec 09.
func Settings() []Setting {
	return []Setting{
		{
			Name: "mcpServers", Type: "object",
			Doc: "MCP servers by name. A server has `command`, `args`, `env`, `envFile` and `cwd`, or `url` and `headers`; `type` is `stdio`, `http` or `sse`; `disabled` switches it off; `protocol` `legacy` skips the probe for newer protocol versions. Values may name variables: `${env:NAME}`, `${NAME}`, `${NAME:-default}`, `${workspaceFolder}`.",
		},
		{
			Name: "demo", Type: "boolean",
			Doc: "Adds the built-in demo server, a few harmless tools to try things out with.",
		},
		{
			Name: "import", Type: "array", Values: ClientNames(), Trusted: true,
			Doc: "The other programs whose MCP servers are used too, from their own files; all of them when it is not set, none for `[]`. Servers of files in a workspace need approval, those of the user's own files do not.",
		},
		{
			Name: "exclude", Type: "array",
			Doc: "Patterns of full tool names, such as `mcp__github__delete_*`, that are in no pool: not in the catalog, not in the types, not callable. The lists of all layers count together.",
		},
		{
			Name: "exposure", Type: "object",
			Doc: "How agents reach the tools of a server, or one tool by its full name, which counts more: `{ \"github\": \"direct\", \"mcp__github__delete_repo\": \"hidden\" }`. `code` (default): from scripts; `direct`: also declared to agents beside Exec and called by themselves; `hidden`: not at all, as if excluded.",
		},
		{
			Name: "trust.workspace", Type: "string", Values: []string{"ask", "always"}, Trusted: true,
			Doc: "Whether servers that a workspace's own files name may be started without a person's approval. `always` is for containers and CI.",
		},
		{
			Name: "permissions.readOnly", Type: "object", Trusted: true,
			Doc: "Servers whose read-only annotations are trusted: `{ \"github\": \"allow\" }` runs the tools that this server marks as read-only without asking.",
		},
		{
			Name: "permissions.toolChanges", Type: "object", Trusted: true,
			Doc: "Servers whose tools remain allowed when they change: `{ \"clock\": \"allow\" }` for a server whose descriptions hold a date, or that you develop. All others ask once more for a tool that has changed since it was allowed.",
		},
		{
			Name: "hooks", Type: "object", Trusted: true,
			Doc: "Commands that are run before and after tool calls, by event, as `docs/hooks.md` describes.",
		},
		{
			Name: "log.level", Type: "string", Values: []string{"warn", "info", "debug", "off", "error"},
			Doc: "The lowest level of what is logged to the editor's output channel.",
		},
		{
			Name: "permissions.promptTimeoutMs", Type: "integer", Unit: "ms", Default: 300_000, Minimum: 1_000, Ceiling: 3_600_000,
			Doc:      "How long a plain prompt may stay unanswered before the call counts as denied. Some editors let a prompt vanish without an answer.",
			duration: func(c *Config) *time.Duration { return &c.PromptTimeout },
		},
		{
			Name: "exec.enabled", Type: "boolean", On: true,
			Doc: "Whether Exec is declared to agents. Switched off, the MCP tools are declared one by one and called directly. A remote value (`$remote` in the editor's section) counts more than the workspace's, that more than the user's.",
		},
		{
			Name: "exec.timeoutMs", Type: "integer", Unit: "ms", Default: 120_000, Minimum: 1, Ceiling: 1_800_000,
			Doc:      "Time from a script's start to its end. Waiting for a person is not counted.",
			duration: func(c *Config) *time.Duration { return &c.Limits.Timeout },
		},
		{
			Name: "exec.activeMs", Type: "integer", Unit: "ms", Default: 30_000, Minimum: 1, Ceiling: 600_000,
			Doc:      "Time that a script may compute; waiting for tools is not counted.",
			duration: func(c *Config) *time.Duration { return &c.Limits.Active },
		},
		{
			Name: "exec.memoryMB", Type: "integer", Unit: "MB", Default: 256, Minimum: 16, Ceiling: 4_096,
			Doc:    "Memory of a script.",
			number: func(c *Config) *int { return &c.Limits.MemoryMB },
		},
		{
			Name: "exec.maxToolCalls", Type: "integer", Default: 100, Minimum: 0, Ceiling: 1_000,
			Doc:    "Tool calls in one script.",
			number: func(c *Config) *int { return &c.Limits.MaxToolCalls },
		},
		{
			Name: "exec.maxConcurrentCalls", Type: "integer", Default: 8, Minimum: 1, Ceiling: 64,
			Doc:    "Tool calls of one script at the same time.",
			number: func(c *Config) *int { return &c.Limits.MaxConcurrent },
		},
		{
			Name: "exec.concurrency", Type: "object", Trusted: true,
			Doc: "Servers whose tools may all be called at the same time, whatever their annotations say: `{ \"github\": \"together\" }`. Of the others, destructive tools are called alone, read-only and idempotent ones together, and all the rest one after the other (`annotations`).",
		},
		{
			Name: "exec.maxRuns", Type: "integer", Default: 4, Minimum: 1, Ceiling: 64,
			Doc:    "Scripts at the same time; more wait in a queue.",
			number: func(c *Config) *int { return &c.Limits.MaxRuns },
		},
		{
			Name: "exec.maxCodeBytes", Type: "integer", Unit: "bytes", Default: 128 << 10, Minimum: 1, Ceiling: 1 << 20,
			Doc:    "Size of a script.",
			number: func(c *Config) *int { return &c.Limits.MaxCodeBytes },
		},
		{
			Name: "exec.maxLogChars", Type: "integer", Unit: "characters", Default: 65_536, Minimum: 0, Ceiling: 1 << 20,
			Doc:    "Collected logs of a script.",
			number: func(c *Config) *int { return &c.Limits.MaxLogChars },
		},
		{
			Name: "exec.maxLogEntries", Type: "integer", Default: 2_000, Minimum: 0, Ceiling: 20_000,
			Doc:    "Collected log entries of a script.",
			number: func(c *Config) *int { return &c.Limits.MaxLogEntries },
		},
		{
			Name: "exec.maxResultChars", Type: "integer", Unit: "characters", Default: 262_144, Minimum: 1, Ceiling: 4 << 20,
			Doc:    "Length of the return value in a result's text.",
			number: func(c *Config) *int { return &c.Limits.MaxResultChars },
		},
		{
			Name: "exec.maxOutputTokens", Type: "integer", Unit: "tokens", Default: 10_000, Minimum: 1, Ceiling: 200_000,
			Doc:    "Length of a result's whole text.",
			number: func(c *Config) *int { return &c.Limits.MaxOutputTokens },
		},
		{
			Name: "exec.maxImages", Type: "integer", Default: 10, Minimum: 0, Ceiling: 50,
			Doc:    "Images attached to a result.",
			number: func(c *Config) *int { return &c.Limits.MaxImages },
		},
		{
			Name: "exec.maxImageBytes", Type: "integer", Unit: "bytes", Default: 16 << 20, Minimum: 0, Ceiling: 64 << 20,
			Doc:    "Size of all images attached to a result.",
			number: func(c *Config) *int { return &c.Limits.MaxImageBytes },
		},
		{
			Name: "exec.maxValueBytes", Type: "integer", Unit: "bytes", Default: 64 << 20, Minimum: 1 << 10, Ceiling: 256 << 20,
			Doc:    "Size of one value that goes into a script or comes out of it.",
			number: func(c *Config) *int { return &c.Limits.MaxValueBytes },
		},
		{
			Name: "exec.maxInlineBytes", Type: "integer", Unit: "bytes", Default: 20_000, Minimum: 1, Ceiling: 1 << 20,
			Doc:    "Size of the result of a direct call that is answered whole. A larger one is written to a file, and its beginning is answered with the file's path.",
			number: func(c *Config) *int { return &c.Limits.MaxInlineBytes },
		},
		{
			Name: "exec.files", Type: "boolean", Trusted: true,
			Doc: "Lets scripts read UTF-8 text files under the workspace's folders, and read and write such files in the session's scratch folder: `readText` and `writeText` of `tools[\"$codemode\"]`.",
		},
		{
			Name: "exec.maxFileBytes", Type: "integer", Unit: "bytes", Default: 1 << 20, Minimum: 1, Ceiling: 16 << 20,
			Doc:    "Size of a text file that a script reads or writes.",
			number: func(c *Config) *int { return &c.Limits.MaxFileBytes },
		},
		{
			Name: "exec.globals", Type: "string", Values: []string{"strict", "extended"},
			Doc: "`extended` also offers scripts what `tools[\"$codemode\"]` has under the global names of other hosts of code mode: `ALL_TOOLS`, `searchTools`, `describeTool`, `describeNamespace`, `store`, `load`, `text`, `image`, `files`, `models`.",
		},
		{
			Name: "exec.artifactDays", Type: "integer", Default: 14, Minimum: 0, Ceiling: 365, Trusted: true,
			Doc:    "Days for which results that were too long for an answer are kept as files in the user's cache directory.",
			number: func(c *Config) *int { return &c.Limits.ArtifactDays },
		},
		{
			Name: "exec.artifactMB", Type: "integer", Unit: "MB", Default: 512, Minimum: 0, Ceiling: 16_384, Trusted: true,
			Doc:    "Size of all those files together; the oldest go first. Files of a session that is still in use stay.",
			number: func(c *Config) *int { return &c.Limits.ArtifactMB },
		},
		{
			Name: "mcp.callTimeoutMs", Type: "integer", Unit: "ms", Default: 300_000, Minimum: 1, Ceiling: 3_600_000,
			Doc:      "Time for one tool call, counted from its approval.",
			duration: func(c *Config) *time.Duration { return &c.Limits.CallTimeout },
		},
		{
			Name: "mcp.toolTimeoutMs", Type: "object", Unit: "ms", Minimum: 1, Ceiling: 3_600_000,
			Doc: "Time for one call of a tool of a server, or of one tool by its full name, which counts more, in place of `mcp.callTimeoutMs`: `{ \"github\": 60000, \"mcp__github__clone\": 1800000 }`.",
		},
		{
			Name: "mcp.connectTimeoutMs", Type: "integer", Unit: "ms", Default: 30_000, Minimum: 1, Ceiling: 600_000,
			Doc:      "Time for a server to start, to connect and to list its tools.",
			duration: func(c *Config) *time.Duration { return &c.Limits.ConnectTimeout },
		},
		{
			Name: "mcp.inherit", Type: "array", Trusted: true,
			Doc: "Names of environment variables that every MCP server with a command inherits beside the basics (`docs/servers.md` lists them): `[\"HTTPS_PROXY\", \"NO_PROXY\", \"NODE_EXTRA_CA_CERTS\", \"SSH_AUTH_SOCK\"]`. A `*` at the end stands for any rest.",
		},
		{
			Name: "mcp.roots", Type: "object", Trusted: true,
			Doc: "Servers that are not offered the folders of the workspace as MCP roots: `{ \"fs\": \"none\" }`. Some servers take roots in place of the folders in their arguments. `workspace` (default) offers them.",
		},
		{
			Name: "catalog.budgetTokens", Type: "integer", Unit: "tokens", Default: 2_000, Minimum: 0, Ceiling: 200_000,
			Doc:    "Size of the tools in the catalog text; a larger pool is shown in part. Each tool counts as its own text, four characters a token. The header, and what follows the tools of a part (how many there are, how to search), are not counted.",
			number: func(c *Config) *int { return &c.Catalog.BudgetTokens },
		},
		{
			Name: "catalog.maxDepth", Type: "integer", Default: 6, Minimum: 1, Ceiling: 32,
			Doc:    "Depth of types in the catalog text; deeper parts are `unknown`.",
			number: func(c *Config) *int { return &c.Catalog.MaxDepth },
		},
		{
			Name: "catalog.descriptionWidth", Type: "integer", Unit: "characters", Default: 160, Minimum: 1, Ceiling: 1_000,
			Doc:    "Width of a tool's own description in the catalog text.",
			number: func(c *Config) *int { return &c.Catalog.DescriptionWidth },
		},
		{
			Name: "catalog.seenResults", Type: "boolean", Trusted: true,
			Doc: "Shows in the catalog text what results of tools looked like whose server declares none, marked as seen. Without it such tools return `unknown` there.",
		},
		{
			Name: "results.seen", Type: "boolean", On: true, Trusted: true,
			Doc: "Keeps what results of tools look like whose server declares none, types and never values, in the user's cache folder, so that the next script has types for them (`docs/results.md`).",
		},
		{
			Name: "results.exclude", Type: "array", Trusted: true,
			Doc: "Servers, by their configured names, of whose results nothing is kept.",
		},
		{
			Name: "agents.join", Type: "boolean", On: true, Trusted: true,
			Doc: "Lets agents of the same user that run in this workspace (`codemode-ls mcp`) use this editor's servers: the person at the editor is asked, and sees what they run.",
		},
		{
			Name: "inlayHints.parameterNames", Type: "string", Values: []string{"literals", "none", "all"},
			Doc: "At which arguments of calls in a script an editor shows the parameter's name.",
		},
		{
			Name: "inlayHints.variableTypes", Type: "boolean",
			Doc: "Shows the types of variables that do not name one.",
		},
		{
			Name: "inlayHints.parameterTypes", Type: "boolean",
			Doc: "Shows the types of parameters that do not name one.",
		},
		{
			Name: "inlayHints.returnTypes", Type: "boolean",
			Doc: "Shows what functions return that do not say it.",
		},
		{
			Name: "inlayHints.enumValues", Type: "boolean",
			Doc: "Shows the values of members of enums.",
		},
		{
			Name: "inlayHints.annotations", Type: "boolean", On: true,
			Doc: "Marks, at the end of a line, calls of tools that their server calls destructive or open to the world.",
		},
		{
			Name: "inlayHints.permissions", Type: "boolean", On: true,
			Doc: "Shows, at the end of a line, whether a call is allowed, will ask or is denied, in scripts whose calls differ in that.",
		},
		{
			Name: "inlayHints.results", Type: "boolean", On: true,
			Doc: "Shows, at the end of a line, how its calls went in the last run and how long they took.",
		},
		{
			Name: "codeLens.run", Type: "boolean", On: true,
			Doc: "Offers to run a script, to run it dry and to stop it above its first line.",
		},
		{
			Name: "codeLens.lastRun", Type: "boolean", On: true,
			Doc: "Shows above a script how its last run went.",
		},
		{
			Name: "codeLens.tools", Type: "boolean", On: true,
			Doc: "Shows above a script how many tools it uses, and what the permission rules say of them.",
		},
	}
}

// set stores an integer setting's value, already within its bounds.
func (s Setting) set(c *Config, value int) {
	switch {
	case s.duration != nil:
		*s.duration(c) = time.Duration(value) * time.Millisecond
	case s.number != nil:
		*s.number(c) = value
	}
}

// In is the value of an integer setting in a configuration.
func (s Setting) In(c *Config) int {
	switch {
	case s.duration != nil:
		return int(s.duration(c).Milliseconds())
	case s.number != nil:
		return *s.number(c)
	}
	return 0
}

// defaults is a Config with the default of every setting.
func defaults() *Config {
	c := &Config{Import: ClientNames(), ExecEnabled: true, JoinAgents: true, SeenResults: true, InlayHints: InlayHintSettings{ParameterNames: "literals"}, Marks: MarkSettings{true, true, true, true, true, true}}
	for _, s := range Settings() {
		s.set(c, s.Default)
	}
	return c
}
