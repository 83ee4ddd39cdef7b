package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/exec/input"
	"codemode-ls/script"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

type callCommand struct {
	Allow   []string      `help:"Rule: calls to allow without asking, such as 'mcp__github__*'. Repeatable." placeholder:"RULE" sep:"none"`
	Deny    []string      `help:"Rule: calls to deny. Repeatable." placeholder:"RULE" sep:"none"`
	JSON    bool          `name:"json" help:"Print the whole result as JSON."`
	Timeout time.Duration `help:"Time for the call, such as 30s. Connecting to the server before it does not count." placeholder:"D"`
	Words   []string      `arg:"" name:"tool" passthrough:"partial" help:"The tool: its full name, or its server and its name; then its arguments, as JSON, @FILE, - for standard input, or flags --NAME=VALUE."`
}

func (callCommand) Help() string {
	return `Flags of this command come before the tool; what follows the tool are its arguments.

Examples:
  codemode-ls call demo add --a=1 --b=2
  codemode-ls call mcp__demo__add '{ "a": 1, "b": 2 }'
  codemode-ls call --allow 'mcp__git__*' git git_log --repo_path=. --max_count=3
  echo '{ "a": 1, "b": 2 }' | codemode-ls call demo add -

One call, through the same rules as those of scripts. Output and exit codes are those of codemode-ls run.`
}

func (c *callCommand) Run(a *app) error {
	if err := validTimeout(c.Timeout); err != nil {
		return err
	}
	name, rest, err := toolOf(c.Words)
	if err != nil {
		return err
	}
	given, fields, err := a.callArguments(rest)
	if err != nil {
		return err
	}
	terminal := a.openTerminal()
	w, err := a.open(needs{calls: true, some: true, names: []string{name}}, func(o *workspace.Options) {
		o.Allow, o.Deny = c.Allow, c.Deny
		if terminal != nil {
			o.Asker = terminal
		}
		o.WarmSandboxes = 1
	})
	if err != nil {
		return err
	}
	defer w.Close()
	if len(fields) > 0 {
		tool, ok := w.Snapshot().Catalog.Find(name)
		schema := jsontext.Value("{}") // the call says what is wrong
		if ok {
			schema = tool.InputSchema
		}
		if given, err = input.Set(schema, given, fields); err != nil {
			return &exitError{exitUsage, errors.New(strings.ReplaceAll(err.Error(), "--input.", "--"))}
		}
	}
	progress := newProgress(a.stderr)
	progress.Await(func() string { return connecting(w.Snapshot()) })
	if terminal != nil {
		terminal.progress = progress
	}
	result := w.Runner().Run(a.ctx, exec.Request{
		Code: fmt.Sprintf("return await tools[%s]({ ...JSON.parse(%s) })", quoted(name), quoted(string(given))), Language: script.JavaScript,
		Check: "off", WholeValue: true, TimeoutMs: int(c.Timeout.Milliseconds()),
		Asker: a.asker(terminal, w), Events: progress.Event,
	})
	progress.Finish()
	a.deniedTool(result, w.Rules().Rules())
	switch {
	case c.JSON:
		err = printJSON(a.stdout, result)
	case result.Error != nil: // the text is about a script
		return &exitError{exitCode(exitOf(result)), errors.New(result.Error.Message)}
	default:
		err = a.printResult(result, "-")
	}
	if err != nil {
		return err
	}
	return exitOf(result)
}

// toolOf is the full name of the tool that words begin with, and what follows it.
func toolOf(words []string) (name string, rest []string, _ error) {
	switch {
	case strings.HasPrefix(words[0], "mcp__") && strings.Count(words[0], "__") > 1:
		return words[0], words[1:], nil
	case len(words) > 1 && !strings.HasPrefix(words[1], "-") && !strings.HasPrefix(words[1], "{"):
		return strings.TrimSuffix(catalog.ToolOf(words[0]), "_") + words[1], words[2:], nil
	}
	return "", nil, &exitError{exitUsage, fmt.Errorf("%q is no tool: give its full name, such as mcp__demo__add, or its server and its name; codemode-ls search lists them", words[0])}
}

// callArguments are the words behind a tool: one JSON object, and flags.
func (a *app) callArguments(words []string) (given jsontext.Value, fields []string, err error) {
	given = jsontext.Value("{}")
	seen := false
	for i := 0; i < len(words); i++ {
		word := words[i]
		if flag, ok := strings.CutPrefix(word, "--"); ok && flag != "" {
			if !strings.Contains(flag, "=") && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
				flag += "=" + words[i]
			}
			fields = append(fields, flag)
			continue
		}
		if seen {
			return nil, nil, &exitError{exitUsage, fmt.Errorf("%q is one argument too many: a tool takes one JSON object, and flags", word)}
		}
		seen = true
		text := []byte(word)
		if word == "-" {
			text, err = io.ReadAll(a.stdin)
		} else if file, ok := strings.CutPrefix(word, "@"); ok {
			text, err = os.ReadFile(file)
		}
		if err != nil {
			return nil, nil, &exitError{exitUsage, fmt.Errorf("reading the arguments: %w", err)}
		}
		if given, err = input.Parse(text); err != nil {
			return nil, nil, &exitError{exitUsage, fmt.Errorf("the arguments: %w", err)}
		}
		if given.Kind() != '{' {
			return nil, nil, &exitError{exitUsage, errors.New("the arguments must be one JSON object, such as '{ \"a\": 1 }'")}
		}
	}
	return given, fields, nil
}

// quoted is a JavaScript string.
func quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // it is not UTF-8
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return string(b)
}

// exitCode is the code of an error that carries one.
func exitCode(err error) int {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	return exitFailed
}
