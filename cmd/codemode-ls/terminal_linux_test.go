package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A console is the program on a terminal: standard error is it, and so is
// /dev/tty; standard output is a pipe.
type console struct {
	t      *testing.T
	cmd    *osexec.Cmd
	keys   *os.File
	stdout bytes.Buffer

	mu     sync.Mutex // guards what follows
	seen   bytes.Buffer
	more   chan struct{} // closed when there is more
	closed chan struct{}
}

// onTerminal starts the program on a pseudo-terminal.
func onTerminal(t *testing.T, script string, environment []string, args ...string) *console {
	t.Helper()
	return onTerminalWith(t, map[string]string{"s.exec.ts": script}, environment, append(append([]string{"codemode-ls"}, args...), "s.exec.ts")...)
}

// onTerminalWith starts a command in a folder with these files.
func onTerminalWith(t *testing.T, files map[string]string, environment []string, command ...string) *console {
	t.Helper()
	program, err := osexec.LookPath(command[0]) // testscript.Main has put it there
	if err != nil {
		t.Fatal(err)
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}); err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := &console{t: t, keys: master, more: make(chan struct{}), closed: make(chan struct{})}
	c.cmd = osexec.Command(program, command[1:]...)
	c.cmd.Dir = dir
	c.cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/config", "XDG_CACHE_HOME="+dir+"/cache", "TERM=xterm", "NO_COLOR=")
	c.cmd.Env = append(c.cmd.Env, environment...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = terminal, &c.stdout, terminal
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go c.read()
	return c
}

func (c *console) read() {
	defer close(c.closed)
	buffer := make([]byte, 4096)
	for {
		n, err := c.keys.Read(buffer)
		c.mu.Lock()
		c.seen.Write(buffer[:n])
		close(c.more)
		c.more = make(chan struct{})
		c.mu.Unlock()
		if err != nil { // the program's end closes its side
			return
		}
	}
}

// see waits until the terminal has shown a text.
func (c *console) see(text string) {
	c.t.Helper()
	late := time.After(60 * time.Second)
	for {
		c.mu.Lock()
		seen, more := c.seen.String(), c.more
		c.mu.Unlock()
		if strings.Contains(seen, text) {
			return
		}
		select {
		case <-more:
		case <-late:
			_ = c.cmd.Process.Kill()
			c.t.Fatalf("%q was not shown:\n%q", text, seen)
		}
	}
}

func (c *console) press(keys string) {
	c.t.Helper()
	if _, err := c.keys.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// end waits for the program's end, and is what the terminal has shown.
func (c *console) end() (shown string, code int) {
	c.t.Helper()
	_ = c.cmd.Wait()
	<-c.closed
	return strings.ReplaceAll(c.seen.String(), "\r\n", "\n"), c.cmd.ProcessState.ExitCode()
}

const threeCalls = `for (const b of [1, 2, 3]) await tools.mcp__demo__add({ a: 1, b });
console.log("printed");
return "returned"`

// CLI-4: on a terminal a run shows its calls with state and time, in colours
// unless NO_COLOR says otherwise; a dumb terminal gets neither.
func TestCli4Terminal(t *testing.T) {
	for _, c := range []struct {
		name, environment string
		live, colour      bool
	}{{"colours", "", true, true}, {"NO_COLOR", "NO_COLOR=1", true, false}, {"dumb", "TERM=dumb", false, false}} {
		t.Run(c.name, func(t *testing.T) {
			p := onTerminal(t, threeCalls, []string{c.environment}, "run")
			shown, code := p.end()
			if code != 0 || p.stdout.String() != "returned\n" {
				t.Fatalf("exit code %d, standard output %q, terminal %q", code, p.stdout.String(), shown)
			}
			if live := strings.Contains(shown, "3 tool calls\n... mcp__demo__add "); live != c.live {
				t.Errorf("live is %v: %q", live, shown)
			}
			if erases := strings.Contains(shown, "\x1b["); erases != c.live {
				t.Errorf("erases is %v: %q", erases, shown)
			}
			if colour := strings.Contains(shown, "\x1b[32mcompleted\x1b[0m"); colour != c.colour {
				t.Errorf("colour is %v: %q", colour, shown)
			}
			if strings.Count(shown, "printed\n") != 1 {
				t.Errorf("%q", shown)
			}
		})
	}
}

// CLI-3: permission is asked on the terminal; the line of the call waits.
func TestCli3Terminal(t *testing.T) {
	p := onTerminal(t, `return (await tools.mcp__mine__add({ a: 1, b: 2 })).sum`, nil, "run", "--server", "mine=codemode-ls demo")
	p.see("The script wants to call mcp__mine__add")
	p.see("deny and [s]top ?")
	p.press("?\n")
	p.see("what stands in brackets, then Enter")
	p.press("o\n")
	shown, code := p.end()
	if code != 0 || p.stdout.String() != "3\n" {
		t.Errorf("exit code %d, standard output %q, terminal %q", code, p.stdout.String(), shown)
	}
}

// CLI-3: what is typed before a question is shown does not answer it, nor do keys that
// were pressed while another question was being answered.
func TestCli3TypedAhead(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	p := onTerminal(t, `await tools.mcp__mine__add({ a: 1, b: 2 }); return (await tools.mcp__mine__add({ a: 1, b: 3 })).sum`, nil,
		"run", "--check", "off", "--server", `mine=sh -c "read line < `+gate+`; exec codemode-ls demo"`)
	p.press("y\nalw")
	p.see("y\r\nalw") // the terminal has it, and echoes it
	if err := os.WriteFile(gate, []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.see(`"b": 2`)
	p.see("deny and [s]top ?")
	p.press("o\ny\n")
	p.see(`"b": 3`)
	p.press("d\n")
	shown, code := p.end()
	if code != exitDenied || strings.Count(shown, "The script wants to call") != 2 {
		t.Errorf("exit code %d, standard output %q, terminal %q", code, p.stdout.String(), shown)
	}
}

// PERM-12: from the second question on, a number allows so many calls, and "w"
// those that meet the condition.
func TestPerm12Terminal(t *testing.T) {
	const script = `for (const b of [1, 2, 3, 4, 5]) await tools.mcp__mine__add({ a: 1, b });
for (const name of ["team/a", "team/b", "team/c", "elsewhere"]) await tools.mcp__mine__echo({ message: name }).catch(() => 0);
return "done"`
	p := onTerminal(t, script, nil, "run", "--check", "off", "--server", "mine=codemode-ls demo")
	p.see(`"b": 1`)
	p.see("deny and [s]top ?")
	p.press("3\n") // means nothing yet
	p.see("3\r\nType what stands in brackets, then Enter.\r\n[o]nce  for")
	p.press("o\n")
	p.see(`"b": 2`)
	p.see("the next [10] calls, or any number")
	p.press("4\n")
	p.see(`"message": "team/a"`)
	p.see("deny and [s]top ?")
	p.press("o\n")
	p.see(`"message": "team/b"`)
	p.see(`[w]hile message starts with "team/"`)
	p.press("w\n")
	p.see(`"message": "elsewhere"`)
	p.see("deny and [s]top ?")
	p.press("d\n")
	shown, code := p.end()
	if code != 0 || p.stdout.String() != "done\n" {
		t.Errorf("exit code %d, standard output %q, terminal %q", code, p.stdout.String(), shown)
	}
	if n := strings.Count(shown, "The script wants to call"); n != 5 {
		t.Errorf("asked %d times, want 5: %q", n, shown)
	}
}

// CLI-4: Ctrl-C cancels the run, and its end is told.
func TestCli4Interrupt(t *testing.T) {
	p := onTerminal(t, `console.log("begun"); for (;;) await tools.mcp__demo__add({ a: 1, b: 2 })`, nil, "run")
	p.see("begun")
	p.press("\x03")
	shown, code := p.end()
	if code != exitInterrupted || !strings.Contains(shown, "Script cancelled") {
		t.Errorf("exit code %d, terminal %q", code, shown)
	}
}

// CLI-4, DIST-2: an interrupt that a launcher passes on, beside the terminal's own,
// is no second one.
func TestCli4DoubledInterrupt(t *testing.T) {
	p := onTerminal(t, `console.log("begun"); for (;;) await tools.mcp__demo__add({ a: 1, b: 2 })`, nil, "run")
	p.see("begun")
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} { // two of a kind could become one
		if err := p.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	shown, code := p.end()
	if code != exitInterrupted || !strings.Contains(shown, "Script cancelled") {
		t.Errorf("exit code %d, terminal %q", code, shown)
	}
}

// CLI-4: what takes long to end says how to end it at once, and does.
func TestCli4SecondInterrupt(t *testing.T) {
	server := filepath.Join(t.TempDir(), "stuck.sh")
	if err := os.WriteFile(server, []byte("#!/bin/sh\ntrap '' HUP INT TERM\necho stuck >&2\nwhile :; do sleep 1; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := onTerminal(t, `return await tools.mcp__stuck__x({})`, nil, "run", "--server", "stuck=sh "+server)
	p.see("connecting to stuck")
	p.press("\x03")
	p.see("interrupt again to end at once")
	p.press("\x03")
	shown, code := p.end()
	if code != exitInterrupted || !strings.Contains(shown, "ended at once") {
		t.Errorf("exit code %d, terminal %q", code, shown)
	}
}

// CLI-10: a value is data; only a terminal gets it cleaned.
func TestCli10Data(t *testing.T) {
	c := onTerminal(t, `return "one\r\ntwo \u200f \u2028 \u0085 \x1b[31m end"`, nil, "run", "--check", "off")
	if shown, code := c.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, shown)
	}
	if got, want := c.stdout.String(), "one\r\ntwo \u200f \u2028 \u0085 \x1b[31m end\n"; got != want {
		t.Errorf("in a pipe: %q, want %q", got, want)
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	defer terminal.Close()
	a := &app{stdout: &output{Writer: terminal}}
	if got, want := a.data("one\r\ntwo \u200f\x1b[31m\u009b32m\u202ethree\x1bend\u2028"), "one\ntwo \uFFFDthree\uFFFDend\uFFFD"; got != want {
		t.Errorf("on a terminal: %q, want %q", got, want)
	}
}

// A workspace's server that asks for a secret and a choice.
var asking = map[string]string{
	".vscode/mcp.json": `{
  "inputs": [
    { "type": "promptString", "id": "token", "description": "API token", "password": true },
    { "type": "pickString", "id": "region", "options": ["eu", "us"] }
  ],
  "servers": { "d": { "command": "codemode-ls", "args": ["demo"], "env": { "TOKEN": "${input:token}", "REGION": "${input:region}" } } }
}`,
	"s.exec.ts": "return await tools.mcp__d__add({ a: 1, b: 2 })",
}

// CLI-12, TRUST-1: trust, inputs and permission are asked on the controlling terminal,
// with all standard streams redirected. What is secret is not shown.
func TestCli12Redirected(t *testing.T) {
	c := onTerminalWith(t, asking, nil, "sh", "-c", "codemode-ls run s.exec.ts </dev/null >out 2>err; code=$?; cat out; cat err >/dev/tty; exit $code")
	c.see("TOKEN")
	c.see("[a]pprove  [r]efuse  [l]ater ? ")
	c.press("a\n")
	c.see("2 us")
	c.see("region: ")
	c.press("3\n")
	c.see("or its number")
	c.press("2\n")
	c.see("API token), not shown: ")
	c.press("hunter2\r")
	c.see("[a]lways")
	c.press("a\n")
	shown, code := c.end()
	if code != 0 || !strings.Contains(c.stdout.String(), `"sum": 3`) {
		t.Errorf("code %d, %q\n%s", code, c.stdout.String(), shown)
	}
	if strings.Contains(shown, "hunter2") {
		t.Errorf("the secret is shown:\n%s", shown)
	}
	if !strings.Contains(shown, "config/codemode-ls/workspaces/") || !strings.Contains(shown, "codemode-ls permissions remove mcp__d__add") {
		t.Errorf("where the rule is kept is not shown:\n%s", shown)
	}
}

// CLI-12: a refused server is not started, and Ctrl-C ends the question.
func TestCli12Refused(t *testing.T) {
	c := onTerminalWith(t, asking, nil, "codemode-ls", "run", "s.exec.ts")
	c.see("[a]pprove")
	c.press("r\n")
	if shown, code := c.end(); code == 0 || strings.Contains(shown, "not shown:") || !strings.Contains(shown, "was refused") {
		t.Errorf("code %d\n%s", code, shown)
	}
	c = onTerminalWith(t, asking, nil, "codemode-ls", "run", "s.exec.ts")
	c.see("[a]pprove")
	c.press("\x03")
	if shown, code := c.end(); code != exitInterrupted {
		t.Errorf("code %d\n%s", code, shown)
	}
	c = onTerminalWith(t, asking, []string{promptVariable + "=off"}, "codemode-ls", "run", "s.exec.ts")
	if shown, code := c.end(); code == 0 || strings.Contains(shown, "[a]pprove") {
		t.Errorf("code %d\n%s", code, shown)
	}
}

// CLI-13: a watched script runs again when it changes, with the permissions granted so
// far; the first Ctrl-C ends it.
func TestCli13Watch(t *testing.T) {
	script := func(n int) string {
		return fmt.Sprintf("const r = await tools.mcp__mine__add({ a: %d, b: 0 });\nconsole.log(`sum is ${r.sum}`)", n)
	}
	c := onTerminalWith(t, map[string]string{"s.exec.ts": script(11)}, nil, "codemode-ls", "run", "--server", "mine=codemode-ls demo", "--watch", "s.exec.ts")
	c.see("[a]lways")
	c.press("r\n")
	c.see("sum is 11")
	c.see("Waiting for a change")
	path := filepath.Join(c.cmd.Dir, "s.exec.ts")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(script(2222))
	c.see("The script changed:")
	c.see("sum is 2222")
	write("throw new Error('broken on purpose')")
	c.see("broken on purpose")
	write("console.log('spins'); await tools.mcp__mine__add({ a: 4444, b: 0 }); console.log('spins on'); for (;;) {}")
	c.see("spins on")
	time.Sleep(2 * lookAtFiles)
	write(script(33333))
	c.see("sum is 33333")
	c.press("\x03")
	shown, code := c.end()
	if code != exitInterrupted {
		t.Errorf("code %d\n%s", code, shown)
	}
	if n := strings.Count(shown, "[a]lways"); n != 1 {
		t.Errorf("asked %d times:\n%s", n, shown)
	}
}
