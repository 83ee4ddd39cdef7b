package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/members.md follows from the members' schemas and the table of globals.
func TestMembersDocument(t *testing.T) {
	path := filepath.Join("..", "docs", "members.md")
	want := membersDocument()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("docs/members.md is stale: run go test ./catalog -run TestMembersDocument -update (%v)", err)
	}
}

func membersDocument() string {
	var b strings.Builder
	b.WriteString(`# What a script has beside MCP tools

<!-- Generated from catalog/members.go and catalog/globals.go by a test; do not edit. -->

` + "`tools[\"$codemode\"]`" + ` holds everything that is no MCP tool. Each function takes one object, checks it against its schema, and returns a
promise. Each use counts against ` + "`exec.maxToolCalls`" + ` and is listed among the run's calls. None needs a permission: none reaches an MCP
server. A session is an editor's or an agent's; each ` + "`codemode-ls run`" + ` has one of its own, which begins with nothing stored.

`)
	for _, m := range Members() {
		fmt.Fprintf(&b, "## %s\n\n%s", m.Name, m.Description)
		switch m.Needs {
		case FileAccess:
			b.WriteString(" Only when the setting `codemode.exec.files` is on.")
		case Models:
			b.WriteString(" Only where the editor offers models.")
		}
		fmt.Fprintf(&b, "\n\n```ts\n%s\n```\n\n", m.Signature())
	}
	b.WriteString(`## Files

Off unless the user's own settings say ` + "`codemode.exec.files`" + `; a workspace cannot switch it on. Reading is possible under the workspace's
folders and in the session's scratch folder, writing in the scratch folder alone. The real path decides: a link that leads out of
these folders is refused, also when it changes while the file is opened. Files are UTF-8 text of at most ` + "`codemode.exec.maxFileBytes`" + `
bytes; more is a ` + "`RangeError`" + `, anything else an error that says what is wrong. A write replaces the file as a whole, takes effect at
once, and stays when the script fails; a session's folder in which nothing was written for ` + "`codemode.exec.artifactDays`" + ` is removed. In a
dry run nothing is written.

## Models

An editor says by the capability ` + "`experimental.codemode.models`" + ` that it runs models for scripts, and is asked by ` + "`codemode/model`" + `
([protocol.md](protocol.md)). At most four requests are under way at a time; the others wait their turn, and the run's clock is
still for them as for calls in the queue of tools. While the editor works the clock runs, as it does for a tool: a model that does not
answer within ` + "`codemode.mcp.callTimeoutMs`" + ` has the stopReason "timeout". A model that fails does not throw; only a list that cannot be
had does. The end of a run cancels its requests. The run's result counts them and the tokens that the editor reported, under
` + "`usage`" + `. In a dry run no model is asked.

## Global names of other hosts

With ` + "`codemode.exec.globals`" + ` ` + "`\"extended\"`" + ` scripts that were written for other hosts of code mode run unchanged: the members are there
under these names too, with positional arguments or with the member's own object. In ` + "`\"strict\"`" + `, the default, none of the names exists.

| global | member | arguments | returns |
| --- | --- | --- | --- |
| ` + "`ALL_TOOLS`" + ` | list | | the array itself, when first looked at; it does not count as a call |
`)
	for _, g := range Globals() {
		arguments := strings.Join(g.Fields, ", ")
		if g.Options {
			arguments += ", options"
		}
		returns := "a promise"
		if g.Now {
			returns = "at once"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", g.Name, g.Member, arguments, returns)
	}
	b.WriteString(`
What returns at once throws at once; ` + "`null`" + ` is ` + "`undefined`" + ` there. ` + "`text`" + ` takes any value (an object that has ` + "`value`" + ` and nothing else is
the member's own argument) and shows what is no plain data as ` + "`console.log`" + ` does. ` + "`image`" + ` takes a data URL, an object with
` + "`image_url`" + `, or an image of MCP (` + "`{ type, data, mimeType }`" + `); it fetches nothing.
`)
	return b.String()
}
