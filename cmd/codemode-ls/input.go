package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codemode-ls/exec/input"
	"codemode-ls/script"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

// inputFlags give a script its input (EXEC-18).
type inputFlags struct {
	Input    string   `help:"What the script's default function gets, as JSON; --input.NAME=VALUE gives one field." placeholder:"JSON|@FILE|-"`
	Fields   []string `name:"input-field" hidden:"" sep:"none"` // what inputArguments makes of --input.NAME=VALUE
	Describe bool     `hidden:""`                               // what inputArguments makes of --help behind a script
}

// inputArguments rewrites what the flags of a command line cannot say: a field's name is
// the script's own, and the help of a script is about its input.
func inputArguments(args []string) []string {
	if len(args) == 0 || !slices.Contains(args, "run") {
		return args
	}
	args = slices.Clone(args)
	help, named := -1, false
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if field, ok := input.FieldOfFlag(arg); ok {
			args[i] = "--input-field=" + field
		}
		if arg == "--help" || arg == "-h" {
			help = i
		}
		named = named || !strings.HasPrefix(arg, "-") && (strings.HasSuffix(arg, ".ts") || strings.HasSuffix(arg, ".js"))
	}
	if help >= 0 && named {
		args[help] = "--describe"
	}
	return args
}

// given is the input as JSON, nil for none. The workspace and its checker say what the
// fields of flags mean.
func (f *inputFlags) given(a *app, scriptIsStdin bool) (jsontext.Value, error) {
	if f.Input == "" {
		return nil, nil
	}
	text := []byte(f.Input)
	var err error
	switch name, isFile := strings.CutPrefix(f.Input, "@"); {
	case f.Input == "-" && scriptIsStdin:
		return nil, &exitError{exitUsage, errors.New("standard input cannot be both the script and its input; name a file for one of them")}
	case f.Input == "-":
		text, err = io.ReadAll(a.stdin)
	case isFile:
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("reading --input: %w", err)}
	}
	value, err := input.Parse(text)
	if err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("--input: %w", err)}
	}
	return value, nil
}

// withFields adds the fields of flags to an input.
func (f *inputFlags) withFields(a *app, w *workspace.Workspace, c *checker, code string, l script.Language, base jsontext.Value) (jsontext.Value, error) {
	if len(f.Fields) == 0 {
		return base, nil
	}
	contract, err := c.Contract(a.ctx, script.Read(code).Body(), l, w.Snapshot().Catalog)
	if err != nil {
		return nil, fmt.Errorf("reading the type of the script's input: %w", err)
	}
	schema := contract.Input
	if schema == nil {
		schema = jsontext.Value("{}") // the run says what is wrong
	}
	value, err := input.Set(schema, base, f.Fields)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return value, nil
}

// describe prints what a script takes and returns: `run --help SCRIPT`.
func (c *runCommand) describe(a *app) error {
	code, language, _, err := a.readScript(c.Script)
	if err != nil {
		return err
	}
	checker := newChecker(a.log)
	defer checker.Close()
	a.quietDemo = true
	w, err := a.open(needsOf(false), func(o *workspace.Options) { o.Offline = true })
	if err != nil {
		return err
	}
	defer w.Close()
	contract, err := checker.Contract(a.ctx, script.Read(code).Body(), language, w.Snapshot().Catalog)
	if err != nil {
		return fmt.Errorf("reading the type of the script's input: %w", err)
	}
	name := filepath.Base(c.Script)
	fmt.Fprintln(a.stdout, printable(name))
	if contract.Description != "" {
		fmt.Fprintln(a.stdout, indented(contract.Description))
	}
	fmt.Fprintln(a.stdout)
	switch {
	case !contract.Takes:
		fmt.Fprintln(a.stdout, "It takes no input.")
		return nil
	case len(contract.Problems) > 0:
		fmt.Fprintln(a.stdout, "The type of its input cannot be given as JSON:")
		for _, p := range contract.Problems {
			fmt.Fprintf(a.stdout, "  %s: %s%s\n", printable(p.Path), printable(p.Message), place(&p.Range))
		}
		return &exitError{exitFailed, nil}
	}
	if fields := input.Fields(contract.Input); len(fields) > 0 {
		fmt.Fprintln(a.stdout, "Input:")
		printFields(a.stdout, fields, screenWidth(a.stdout))
	} else {
		fmt.Fprintln(a.stdout, "Input: "+printable(input.Type(contract.Input)))
	}
	for _, d := range input.Definitions(contract.Input) {
		wrapped(a.stdout, "  "+oneLine(d.Path)+" is ", strings.Fields(oneLine(d.Type)), 4, screenWidth(a.stdout))
	}
	if contract.Output != nil {
		fmt.Fprintln(a.stdout)
		wrapped(a.stdout, "Returns: ", strings.Fields(oneLine(input.Type(contract.Output))), 2, screenWidth(a.stdout))
	}
	if len(contract.Examples) > 0 {
		fmt.Fprintln(a.stdout, "\nExamples:")
	}
	for _, x := range contract.Examples {
		if x.Input == nil {
			continue
		}
		value := x.Input.Clone()
		_ = value.Compact()
		flags := " --input " + shellWord(string(value))
		if fields, ok := input.Simple(value); ok {
			flags = ""
			for _, f := range fields {
				flags += " --input." + f[0] + "=" + shellWord(f[1])
			}
		}
		if x.Name != "" {
			fmt.Fprintf(a.stdout, "  # %s\n", printable(x.Name))
		}
		fmt.Fprintf(a.stdout, "  codemode-ls run %s%s\n", printable(shellWord(c.Script)), printable(flags))
	}
	return nil
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(printable(text), "\n", "\n  ")
}

// printFields prints the table of an input, its descriptions wrapped to the width.
func printFields(w io.Writer, fields []input.Field, width int) {
	maxName, maxType := 28, min(max(20, width/3), 36)
	name, kind := 0, 0
	for _, f := range fields {
		name, kind = max(name, columns(fieldName(f))), max(kind, columns(oneLine(f.Type)))
	}
	name, kind = min(name, maxName), min(kind, maxType)
	indent := 2 + name + 2 + kind + 2
	for _, f := range fields {
		var words []string
		if f.Description != "" {
			words = append(words, strings.Fields(oneLine(f.Description))...)
		}
		if f.Default != "" {
			words = append(words, strings.Fields("Default: "+oneLine(f.Default))...)
		}
		first := fmt.Sprintf("  %s  %s  ", padded(fieldName(f), name), padded(oneLine(f.Type), kind))
		if columns(first) > indent { // what follows begins on a line of its own
			fmt.Fprintln(w, strings.TrimRight(first, " "))
			first = strings.Repeat(" ", indent)
		}
		wrapped(w, first, words, indent, width)
	}
}

// wrapped prints words behind what the first line begins with; later lines are indented.
func wrapped(w io.Writer, first string, words []string, indent, width int) {
	for {
		n, used := 0, columns(first)
		for n < len(words) && (n == 0 || used+1+columns(words[n]) < width) {
			used += columns(words[n]) + 1
			n++
		}
		if line := strings.TrimRight(first+strings.Join(words[:n], " "), " "); line != "" {
			fmt.Fprintln(w, line)
		}
		if words = words[n:]; len(words) == 0 {
			return
		}
		first = strings.Repeat(" ", indent)
	}
}

// fieldName marks a field that may be left out.
func fieldName(f input.Field) string {
	if f.Required {
		return oneLine(f.Path)
	}
	return oneLine(f.Path) + "?"
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-columns(s)))
}
