package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"golang.org/x/term"
)

// inputAnswers are what a person has answered to ${input:…} of configuration files, for
// as long as the command runs.
type inputAnswers struct {
	mu     sync.Mutex
	values map[[2]string]string // by file and id
}

func (i *inputAnswers) get(file, id string) (string, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	value, ok := i.values[[2]string{file, id}]
	return value, ok
}

func (i *inputAnswers) set(file, id, value string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.values == nil {
		i.values = map[[2]string]string{}
	}
	i.values[[2]string{file, id}] = value
}

// errInterruptedQuestion is Ctrl-C where the terminal passes it on as a key.
var errInterruptedQuestion = &exitError{exitInterrupted, errors.New("interrupted")}

// prepare asks the person at the terminal about the servers that the command uses: for
// the approval of those that the workspace names, then for what their files ask (CLI-12).
func (t *terminal) prepare(ctx context.Context, w *workspace.Workspace, n needs, inputs *inputAnswers) error {
	if err := w.Recalled(ctx); err != nil {
		return err
	}
	uses := func(name string) bool {
		all := w.Snapshot().Servers
		i := slices.IndexFunc(all, func(st upstream.Status) bool { return st.Server.Name == name })
		return i >= 0 && n.uses(all, all[i])
	}
	for _, s := range w.Pending() {
		if !uses(s.Name) {
			continue
		}
		decision, err := t.approval(ctx, s)
		if err != nil {
			return err
		}
		if decision != "later" {
			if err := w.Approve(s.Name, s.ApprovalHash(), decision == "approve"); err != nil {
				return err
			}
		}
	}
	answered := false
	for _, st := range w.Snapshot().Servers {
		if st.State != upstream.Failed || !uses(st.Server.Name) {
			continue
		}
		for _, in := range st.Server.NeedsInput {
			if _, known := inputs.get(in.File, in.ID); known { // two servers share it
				continue
			}
			value, ok, err := t.input(ctx, st.Server.Name, in)
			if err != nil {
				return err
			}
			if ok {
				inputs.set(in.File, in.ID, value)
				answered = true
			}
		}
	}
	if answered {
		w.Reconfigure(nil, nil, nil)
	}
	return nil
}

// approval asks whether a server of the workspace may be started; all of its definition
// is in view (TRUST-1).
func (t *terminal) approval(ctx context.Context, s config.Server) (decision string, _ error) {
	release, err := t.take(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	fmt.Fprintln(t.tty, "\nA file of this workspace names an MCP server that the script uses. It is not started before you approve it:")
	showDefinition(t.tty, s)
	if s.Resembles != "" {
		fmt.Fprintf(t.tty, "Beware: %s\n", printable(s.Resembles))
	}
	lines := bufio.NewReader(t.tty)
	for {
		fmt.Fprint(t.tty, "[a]pprove  [r]efuse  [l]ater ? ")
		line, err := lines.ReadString('\n')
		switch {
		case ctx.Err() != nil:
			fmt.Fprintln(t.tty)
			return "", context.Cause(ctx)
		case errors.Is(err, io.EOF):
			fmt.Fprintln(t.tty)
			return "later", nil
		case err != nil:
			return "", fmt.Errorf("reading the answer: %w", err)
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "a", "approve":
			return "approve", nil
		case "r", "refuse":
			return "refuse", nil
		case "l", "later":
			return "later", nil
		}
		fmt.Fprintln(t.tty, "Type a, r or l, then Enter.")
	}
}

// input asks for the answer to ${input:…}; false leaves it open.
func (t *terminal) input(ctx context.Context, server string, in config.Input) (value string, ok bool, _ error) {
	release, err := t.take(ctx)
	if err != nil {
		return "", false, err
	}
	defer release()
	fmt.Fprintf(t.tty, "\nServer %s needs an answer that %s asks for; %s answers it, too.\n", single(server), single(in.File), in.Variable())
	prompt := single(in.ID)
	if d := single(in.Description); d != "" {
		prompt += " (" + shortened(d, 300) + ")"
	}
	for i, option := range in.Options {
		fmt.Fprintf(t.tty, "  %d %s\n", i+1, single(option))
	}
	if in.Default != "" {
		prompt += " [" + single(in.Default) + "]"
	}
	read := bufio.NewReader(t.tty).ReadString
	for {
		var line string
		if in.Password {
			line, err = t.hidden(prompt + ", not shown: ")
		} else {
			fmt.Fprint(t.tty, prompt+": ")
			line, err = read('\n')
		}
		switch {
		case ctx.Err() != nil:
			fmt.Fprintln(t.tty)
			return "", false, context.Cause(ctx)
		case errors.Is(err, io.EOF) && in.Password: // Ctrl-C and Ctrl-D are the same to it
			return "", false, errInterruptedQuestion
		case errors.Is(err, io.EOF):
			fmt.Fprintln(t.tty)
			return "", false, nil
		case err != nil:
			return "", false, fmt.Errorf("reading the answer: %w", err)
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "" {
			line = in.Default
		}
		if line == "" && len(in.Options) == 0 {
			return "", false, nil
		}
		if value, ok := chosen(in.Options, line); ok {
			return value, true, nil
		}
		fmt.Fprintln(t.tty, "Type one of them, or its number.")
	}
}

// chosen is the option that an answer names, by its text or its number; without options
// any answer is good.
func chosen(options []string, answer string) (string, bool) {
	if len(options) == 0 || slices.Contains(options, answer) {
		return answer, true
	}
	for i, option := range options {
		if fmt.Sprint(i+1) == strings.TrimSpace(answer) {
			return option, true
		}
	}
	return "", false
}

// hidden reads a line that is not shown.
func (t *terminal) hidden(prompt string) (line string, err error) {
	var before *term.State
	err = onDescriptor(t.tty, func(fd uintptr) (err error) {
		before, err = term.MakeRaw(int(fd))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hiding the answer: %w", err)
	}
	defer func() {
		err = errors.Join(err, onDescriptor(t.tty, func(fd uintptr) error { return term.Restore(int(fd), before) }))
	}()
	return term.NewTerminal(t.tty, "").ReadPassword(prompt)
}

// promptVariable keeps questions away from the terminal: for programs that run this one
// on theirs.
const promptVariable = "CODEMODE_LS_PROMPT"

// openTerminal is where a person can be asked; nil for nowhere. Not standard input: a
// script may come from there, and all standard streams may be redirected (CLI-12). A
// job in the background must not be stopped by its own question.
func (a *app) openTerminal() *terminal {
	if os.Getenv(promptVariable) == "off" {
		return nil
	}
	tty, err := os.OpenFile(terminalPath, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if !inForeground(tty) {
		tty.Close()
		return nil
	}
	return &terminal{tty: tty}
}
