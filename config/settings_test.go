package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/settings.md again")

// docs/settings.md follows from the table of settings.
func TestSettingsDocument(t *testing.T) {
	path := filepath.Join("..", "docs", "settings.md")
	want := settingsDocument()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/settings.md is stale: run go test ./config -run TestSettingsDocument -update")
	}
}

func settingsDocument() string {
	var b strings.Builder
	b.WriteString(`# Settings

<!-- Generated from the table in config/settings.go by its test; do not edit. -->

Every setting can stand in the editor's settings (with the prefix ` + "`codemode.`" + `) and, without the prefix, in the user's
configuration file ` + "`config.json`" + `, which is JSON with comments; nested objects and dotted names mean the same. The editor's
user settings come over the file, and its workspace settings over those. A number outside its bounds is moved to the nearest
bound, with a warning.

Only the VS Code extension and the Neovim plugin tell the user's settings from the workspace's. Settings of all other editors count as workspace settings,
because a file of the workspace may have set them (` + "`.dir-locals.el`" + `, ` + "`.zed/settings.json`" + `, ` + "`coc-settings.json`" + ` and the like): put your own
servers, and what is marked *trusted*, into ` + "`config.json`" + `, or name servers with ` + "`codemode-ls lsp --server`" + `.

A workspace's ` + "`.codemode/mcp.json`" + ` has ` + "`mcpServers`" + ` and, for ` + "`${input:id}`" + `, ` + "`inputs`" + ` alone. Servers that it or the
editor's workspace settings name are started only after a person has approved them. Settings marked *trusted* are ignored in
workspace settings.

Servers are also read from the files of the programs that ` + "`codemode.import`" + ` names, each in its own dialect and with its own variables.
Of servers with one name the first counts: command line, editor, ` + "`.codemode/mcp.json`" + `, ` + "`config.json`" + `, then these, those in the workspace
before those of the user. ` + "`codemode-ls servers`" + ` shows what was found where.

| program | in a workspace | of the user |
| --- | --- | --- |
` + clientFiles() + `
Lists of tools and servers in these files count here too: ` + "`enabled_tools`, `disabled_tools`" + ` and ` + "`enabled`" + ` of Codex; ` + "`includeTools`, `excludeTools`" + `,
` + "`mcp.allowed` and `mcp.excluded`" + ` of Gemini CLI; ` + "`disabledTools` and `disabled`" + ` of Windsurf; ` + "`disabled`" + ` of Cline; ` + "`disabledMcpjsonServers`" + ` (in
` + "`.claude/settings.json`, `.claude/settings.local.json`, `~/.claude/settings.json` and `~/.claude.json`" + `) and ` + "`disabledMcpServers`" + ` of Claude Code. In
this program's own files, a server can have ` + "`enabledTools` and `disabledTools`" + `. Tools are named as the server names them. A list only
narrows: none approves a server (` + "`enabledMcpjsonServers`" + ` means nothing here), and a list in a workspace changes nothing of your own
servers. ` + "`codemode-ls servers`" + ` says how many tools a list leaves out, and which list it is.

An answer to ` + "`${input:id}`" + ` is asked for once by the editor and kept until the session ends. On the command line, and where the
editor cannot ask, ` + "`CODEMODE_INPUT_ID`" + ` in the environment answers it.

` + "`config.json`" + ` is in ` + "`$XDG_CONFIG_HOME/codemode-ls`" + ` (else ` + "`~/.config/codemode-ls`" + `); on macOS in ` + "`~/Library/Application Support/codemode-ls`" + `, on
Windows in ` + "`%AppData%\\codemode-ls`" + `. ` + "`codemode-ls doctor`" + ` names the folder.

Spans of runs and their calls go to an OpenTelemetry collector, without arguments and results, when the environment says so:
` + "`OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 codemode-ls run …`" + `. The protocols are ` + "`http/protobuf`" + ` and ` + "`http/json`" + `;
` + "`OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`" + ` and the like count too.

Secrets of the configuration are replaced by ` + "`[redacted]`" + ` in logs, errors, events, results, records of calls, artifacts and cassettes. For
secrets are taken: answers to ` + "`${input:id}`" + `; headers but for ordinary ones such as ` + "`Accept` and `User-Agent`" + `; variables of the
environment, query parameters of URLs and arguments (` + "`--api-key VALUE`, `--api-key=VALUE`, `-e API_KEY=VALUE`, `Authorization: VALUE`" + `) by
a name that says so (` + "`TOKEN`, `KEY`, `SECRET`, `PASSWORD`, `AUTH`, `CREDENTIALS`, `COOKIE`" + ` and the like as a word of it, but not
` + "`KEY_FILE`" + ` and other names of places); passwords in URLs; and values with the form of a credential (` + "`ghp_…`, `sk-…`" + `, a JSON Web Token, a
private key). All other values of ` + "`env`" + ` and of URLs are taken out of logs and errors alone: a result may well have the word
` + "`production`" + ` in it. Servers get, and the question for a permission shows, what is really sent. What is shorter than four characters is
never replaced: give secrets names that say so, and some length. A secret is found in the spellings of JSON, URLs, forms, HTML,
hexadecimal and base64, and by its larger part where a text has been cut.

| setting | type | default | bounds | meaning |
| --- | --- | --- | --- | --- |
`)
	for _, s := range Settings() {
		typ, value, bounds := s.Type, "", ""
		switch s.Type {
		case "integer":
			if s.Unit != "" {
				typ = s.Unit
			}
			value, bounds = grouped(s.Default), grouped(s.Minimum)+" – "+grouped(s.Ceiling)
		case "boolean":
			value = fmt.Sprintf("`%v`", s.On)
		case "string":
			value, bounds = "`"+s.Values[0]+"`", "`"+strings.Join(s.Values, "`, `")+"`"
		case "array":
			value = "`[]`"
			if len(s.Values) > 0 {
				value, bounds = "all", "`"+strings.Join(s.Values, "`, `")+"`"
			}
		case "object":
			value = "`{}`"
		}
		doc := s.Doc
		if s.Trusted {
			doc += " *Trusted.*"
		}
		fmt.Fprintf(&b, "| `codemode.%s` | %s | %s | %s | %s |\n", s.Name, typ, value, bounds, strings.ReplaceAll(doc, "|", "\\|"))
	}
	return b.String()
}

// clientFiles are the rows of the table of other programs' files, on Linux.
func clientFiles() string {
	var b strings.Builder
	list := func(paths []string) string {
		for i, p := range paths {
			paths[i] = "`" + p + "`"
		}
		return strings.Join(paths, ", ")
	}
	home := places{system: "linux", home: "/~", lookup: func(string) (string, bool) { return "", false }}
	for _, c := range Clients() {
		var user []string
		for _, path := range c.ofUser(home) {
			user = append(user, strings.TrimPrefix(filepath.ToSlash(path), "/"))
		}
		fmt.Fprintf(&b, "| %s (`%s`) | %s | %s |\n", c.Title, c.Name, list(slices.Clone(c.inFolder)), list(user))
	}
	return b.String()
}

// grouped writes 120000 as 120,000.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
