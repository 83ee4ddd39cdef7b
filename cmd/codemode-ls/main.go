// Command codemode-ls is the editor's side of Code Mode: a language server for
// Exec scripts, a runner for them, and the catalog of MCP tools they can call.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"codemode-ls/internal/plaintext"
	"codemode-ls/internal/redact"
	"codemode-ls/sandbox"
	"codemode-ls/sandbox/guest"
	"codemode-ls/script/esbuild"
	"codemode-ls/typescript"
	"codemode-ls/typescript/engine"

	"github.com/alecthomas/kong"
)

func main() {
	// The children come first: they must do nothing else, least of all read
	// configuration or arguments.
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case sandbox.CompilerCommand:
			os.Exit(guest.CompilerMain(esbuild.Transform))
		case typescript.ChildCommand:
			os.Exit(engine.Main())
		}
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes (CLI-2).
const (
	exitOK            = 0
	exitFailed        = 1
	exitUsage         = 2
	exitConfiguration = 3
	exitDenied        = 4
	exitBudget        = 124
	exitInterrupted   = 130
)

// exitError is an error with the exit code that it stands for. A nil err means
// that everything has been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// commands is the command line (spec 10).
type commands struct {
	globals

	Lsp         lspCommand         `cmd:"" help:"Speak LSP with an editor on standard input and output."`
	Run         runCommand         `cmd:"" help:"Run a script and print what it returns."`
	Call        callCommand        `cmd:"" help:"Call one tool and print its result."`
	Check       checkCommand       `cmd:"" help:"Check scripts: syntax, types and Code Mode's own rules. Runs nothing."`
	Test        testCommand        `cmd:"" help:"Replay scripts against their cassettes and compare the results."`
	Catalog     catalogCommand     `cmd:"" help:"Print the catalog as a model reads it."`
	Types       typesCommand       `cmd:"" help:"Print the tools as TypeScript declarations."`
	Search      searchCommand      `cmd:"" help:"Search the tools, as a script can."`
	Servers     serversCommand     `cmd:"" help:"Show where each MCP server comes from, its state and its tools."`
	Trust       trustCommand       `cmd:"" help:"Approve or refuse MCP servers and hooks that workspace files name."`
	Auth        authCommand        `cmd:"" help:"Sign in to MCP servers that require it, and sign out."`
	Permissions permissionsCommand `cmd:"" help:"List and change the rules for calls."`
	Mcp         mcpCommand         `cmd:"" help:"Serve Code Mode to any agent, as an MCP server."`
	Demo        demoCommand        `cmd:"" help:"Run the built-in demo MCP server on standard input and output."`
	Init        initCommand        `cmd:"" help:"Create .codemode/ with an example script and configuration."`
	Doctor      doctorCommand      `cmd:"" help:"Report what works on this machine, what does not, and what to do."`
	RenewLists  renewCommand       `cmd:"" name:"renew-lists" hidden:"" help:"List the tools of all servers and keep them, for the next command."`
	Completion  completionCommand  `cmd:"" help:"Print the completion script of a shell."`
	Complete    completeCommand    `cmd:"" hidden:"" help:"Complete a command line, for the scripts of completion."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// globals are the flags that every command takes (CLI-1, CLI-7).
type globals struct {
	Config    string   `help:"Configuration file to use in place of the user's own." placeholder:"FILE" type:"path"`
	Workspace string   `help:"Workspace folder. Default: the closest one upwards from the script, or from the current folder, with .codemode, an MCP file or .git." placeholder:"DIR" type:"path"`
	Server    []string `help:"MCP server to use, as 'NAME=COMMAND ARGS'. Repeatable. Trusted because you typed it." placeholder:"'NAME=COMMAND ARGS'" sep:"none"`
	Tools     []string `help:"Recorded tools/list answers, a file or a folder, to use in place of servers. Repeatable." placeholder:"FILE|DIR" sep:"none" type:"path"`
	// ConnectTimeout is 0 for the setting.
	ConnectTimeout time.Duration `help:"How long a server may take to start, such as 5s. Default: the setting mcp.connectTimeoutMs." placeholder:"D"`
	LogLevel       string        `help:"Lowest level to log to standard error: ${enum}." enum:"debug,info,warn,error" default:"warn"`
}

// app is what a command works with.
type app struct {
	globals
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	log    *slog.Logger
	redact *redact.Redactor // that log goes through
	force  *force

	person *terminal    // who answers what has to be known before servers start; nil for nobody
	inputs inputAnswers // theirs

	replays     bool   // nothing is called: the user's own files are not needed
	quietDemo   bool   // nobody needs a notice that the demo server is used
	script      string // absolute, of the script or folder that the command is about; "" for none
	stale       bool   // kept lists of tools are old
	showsFaults bool   // a configuration that leaves nothing to work with is what the command shows
}

// force is what must not outlive the program when it ends at once.
type force struct {
	mu   sync.Mutex
	kill func()
}

func (f *force) set(kill func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kill = kill
}

func (f *force) use() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kill != nil {
		f.kill()
	}
}

// output remembers that writing failed: a full disk is no success.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// run is the whole program but for the children; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	if len(args) > 0 && args[0] == "help" {
		if len(args) > 1 && args[1] == "help" {
			args = args[:1] // help on help is the help
		}
		args = append(args[1:len(args):len(args)], "--help")
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if args[0] == "--version" {
		args = []string{"version"}
	}
	var c commands
	ended := -1
	parser, err := kong.New(&c,
		kong.Name("codemode-ls"),
		kong.Description("Write, check and run scripts that call MCP tools (Code Mode)."),
		kong.Writers(stdout, stderr),
		kong.Vars{"clients": installClients()},
		kong.Exit(func(code int) { ended = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "codemode-ls:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(inputArguments(args))
	if ended >= 0 { // --help was printed
		return ended
	}
	if err != nil {
		fmt.Fprintf(stderr, "codemode-ls: %v\nTry: codemode-ls help%s\n", err, commandOf(err))
		return exitUsage
	}

	var f force
	ctx, stop := interruptible(stderr, &f)
	defer stop()
	// The wire of lsp and demo stays the file that it is.
	out := &output{Writer: stdout}
	if command := parsed.Command(); command != "lsp" && command != "demo" && command != "mcp serve" {
		stdout = out
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelWarn
	}
	redactor := new(redact.Redactor)
	a := &app{
		globals: c.globals, ctx: ctx, force: &f,
		stdin: stdin, stdout: stdout, stderr: stderr,
		log:    slog.New(redactor.Handler(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))),
		redact: redactor,
	}
	err = parsed.Run(a)
	a.renewBehind()
	if err == nil && out.err != nil {
		err = fmt.Errorf("writing the result: %w", out.err)
	}
	var exit *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		if exit.err != nil {
			fmt.Fprintln(stderr, "codemode-ls:", printable(exit.err.Error()))
		}
		return exit.code
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "codemode-ls: interrupted")
		return exitInterrupted
	default:
		fmt.Fprintln(stderr, "codemode-ls:", printable(err.Error()))
		return exitFailed
	}
}

// commandOf is the command, with a space before it, that a usage error is about.
func commandOf(err error) string {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return ""
	}
	if words := strings.Fields(parse.Context.Command()); len(words) > 0 {
		return " " + words[0]
	}
	return ""
}

// doubled is the time within which a second signal is the first one once more: a
// terminal signals the launchers in front of the program too (npx, a wrapper of
// Node.js), and they pass theirs on.
const doubled = 250 * time.Millisecond

// endingNotice is how long what was interrupted may take to end in silence.
const endingNotice = time.Second

// interruptible is a context that the first interrupt ends; the second one ends
// the program, and the servers it has started, at once (CLI-4).
func interruptible(stderr io.Writer, f *force) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP) // a closed terminal leaves no servers behind
	}
	done := make(chan struct{})
	stopped := make(chan struct{})
	var hint <-chan time.Time
	go func() {
		defer close(stopped)
		var first time.Time
		for {
			select {
			case <-done:
				return
			case <-hint:
				fmt.Fprintln(stderr, "codemode-ls: ending; interrupt again to end at once")
			case <-signals:
				if ctx.Err() != nil {
					if time.Since(first) < doubled {
						continue
					}
					fmt.Fprintln(stderr, "codemode-ls: ended at once")
					f.use()
					os.Exit(exitInterrupted)
				}
				first = time.Now()
				cancel(errors.New("interrupted"))
				if isTerminal(stderr) {
					hint = time.After(endingNotice)
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-stopped
		cancel(nil)
	}
}

// printable is text from servers and scripts, harmless on a terminal.
func printable(s string) string { return plaintext.Lines(s) }
