package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/workspace"

	"golang.org/x/term"
)

// isTerminal reports whether w or r is a terminal.
func isTerminal(v any) bool {
	if o, ok := v.(*output); ok {
		v = o.Writer
	}
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// asker is who answers questions: the person at the terminal, or nobody
// (CLI-3).
func (a *app) asker(t *terminal, w *workspace.Workspace) exec.Asker {
	if t == nil {
		return nobody{w.Rules()}
	}
	return &terminalAsker{t, w}
}

// onDescriptor calls do with f's descriptor, and leaves f as it is: after Fd its
// deadlines would not work any more.
func onDescriptor(f *os.File, do func(fd uintptr) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var done error
	if err := raw.Control(func(fd uintptr) { done = do(fd) }); err != nil {
		return err
	}
	return done
}

// nobody denies, and says what would have let the call pass.
type nobody struct{ rules exec.Rules }

func (n nobody) Ask(_ context.Context, q exec.Question) (exec.Answer, error) {
	if d := n.rules.Rules().Decide(q.Tool); d.Effect == permission.Ask && d.Rule != nil { // no --allow lifts it (PERM-1)
		if d.Rule.File == "" {
			return exec.Answer{}, fmt.Errorf("%w, and a rule asks for this call (%s)", errNoTerminal, d.Rule.Match)
		}
		return exec.Answer{}, fmt.Errorf("%w, and %s, line %d, asks for this call", errNoTerminal, d.Rule.File, d.Rule.Range.Start.Line+1)
	}
	return exec.Answer{}, fmt.Errorf("%w; --allow '%s' would have let it pass", errNoTerminal, q.Tool)
}

// asked is what a person is asked, with the tool's hints and the arguments as they
// are shown.
func asked(q exec.Question, hints, arguments string) string {
	about := "server " + single(q.Server)
	if hints != "" {
		about += "; " + hints
	}
	text := fmt.Sprintf("\nThe script wants to call %s (%s)%s\n%s\n", single(q.Tool), about, place(q.Range), arguments)
	if q.Changed != "" {
		text += fmt.Sprintf("Its server has changed this tool since you allowed it:\n%s\n", printable(q.Changed))
	}
	if q.Note != "" {
		text += fmt.Sprintf("A hook says: %s\n", single(q.Note))
	}
	return text
}

// terminalAsker asks the person at the terminal.
type terminalAsker struct {
	*terminal
	workspace *workspace.Workspace
}

// maxShownArguments is how many characters of the arguments a question shows.
const maxShownArguments = 4000

func (t *terminalAsker) Ask(ctx context.Context, q exec.Question) (exec.Answer, error) {
	release, err := t.take(ctx)
	if err != nil {
		return exec.Answer{}, err
	}
	defer release()

	arguments := q.Arguments.Clone()
	if arguments.Indent() != nil {
		arguments = q.Arguments
	}
	shown := []rune(printable(string(arguments)))
	if len(shown) > maxShownArguments {
		shown = append(shown[:maxShownArguments], []rune(fmt.Sprintf("\n… (%d characters more)", len(shown)-maxShownArguments))...)
	}
	fmt.Fprint(t.tty, asked(q, t.workspace.Snapshot().Catalog.Hints(q.Tool), string(shown)))
	lines := bufio.NewReader(t.tty)
	for {
		fmt.Fprint(t.tty, choices(q.Loop))
		line, err := lines.ReadString('\n')
		if err != nil {
			fmt.Fprintln(t.tty) // nobody has pressed Enter
		}
		if ctx.Err() != nil {
			return exec.Answer{}, context.Cause(ctx)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return exec.Answer{Decision: "deny"}, nil
			}
			return exec.Answer{}, fmt.Errorf("reading the answer: %w", err)
		}
		if answer, ok := answerOf(line, q.Loop); ok {
			t.kept(answer, q.Tool)
			return answer, nil
		}
		fmt.Fprintln(t.tty, "Type what stands in brackets, then Enter.")
	}
}

// kept says where an answer for later runs is stored, and how to take it back.
func (t *terminalAsker) kept(answer exec.Answer, tool string) {
	layer, flag := permission.Workspace, ""
	switch answer.Scope {
	case "workspace":
	case "user":
		layer, flag = permission.User, " --layer user"
	default:
		return
	}
	if file := t.workspace.Rules().File(layer); file != "" {
		fmt.Fprintf(t.tty, "Kept in %s; to take it back: codemode-ls permissions remove %s%s\n", printable(file), shellWord(single(tool)), flag)
	}
}

// choices is the line that a question ends with. From the second question about
// a tool on it offers grants for a loop (PERM-12).
func choices(loop *exec.LoopOffer) string {
	rest := "for this [r]un  [a]lways in this workspace  [e]verywhere  [d]eny  deny and [s]top ? "
	if loop == nil {
		return "[o]nce  " + rest
	}
	while := ""
	if len(loop.Suggestions) > 0 {
		while = "[w]hile " + single(loop.Suggestions[0].String()) + "  "
	}
	return "[o]nce  the next [10] calls, or any number  " + while + rest
}

// answerOf is what a line means; false when it means nothing.
func answerOf(line string, loop *exec.LoopOffer) (exec.Answer, bool) {
	word := strings.ToLower(strings.TrimSpace(line))
	switch word {
	case "o", "once", "y", "yes":
		return exec.Answer{Decision: "allow", Scope: "once"}, true
	case "r", "run":
		return exec.Answer{Decision: "allow", Scope: "run"}, true
	case "a", "always":
		return exec.Answer{Decision: "allow", Scope: "workspace"}, true
	case "e", "everywhere":
		return exec.Answer{Decision: "allow", Scope: "user"}, true
	case "d", "deny", "n", "no":
		return exec.Answer{Decision: "deny"}, true
	case "s", "stop":
		return exec.Answer{Decision: "deny", Stop: true}, true
	case "w", "while":
		if loop != nil && len(loop.Suggestions) > 0 {
			return exec.Answer{Decision: "allow", Scope: "loop", While: &loop.Suggestions[0]}, true
		}
	}
	if n, err := strconv.Atoi(word); err == nil && n > 0 && loop != nil {
		return exec.Answer{Decision: "allow", Scope: "loop", Calls: n}, true
	}
	return exec.Answer{}, false
}
