package editortest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
)

// A scenario is the editor of one script.
type scenario struct {
	env    *testscript.Env
	editor *Editor
	server *Server
	log    *lockedBuffer // the server's standard error
	runs   map[string]*Request
	// settings before the editor starts
	settings jsontext.Value
}

type scenarioKey struct{}

// Setup prepares a script for the commands; call it in testscript's Setup.
func Setup(env *testscript.Env) error {
	s := &scenario{env: env, runs: map[string]*Request{}, settings: jsontext.Value("null")}
	env.Values[scenarioKey{}] = s
	env.Defer(func() { s.end() })
	return nil
}

// Commands are the commands of the package's documentation.
func Commands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	table := map[string]func(*scenario, *testscript.TestScript, []string) (string, error){
		"editor":            (*scenario).control,
		"open":              (*scenario).open,
		"close":             (*scenario).close,
		"save":              (*scenario).save,
		"edit":              (*scenario).edit,
		"text":              (*scenario).text,
		"complete":          (*scenario).complete,
		"accept":            (*scenario).accept,
		"hover":             (*scenario).hover,
		"signature":         (*scenario).signature,
		"definition":        (*scenario).definition,
		"references":        (*scenario).references,
		"lens":              (*scenario).lens,
		"command":           (*scenario).command,
		"run":               (*scenario).run,
		"result":            (*scenario).result,
		"cancel":            (*scenario).cancel,
		"prompt":            (*scenario).prompt,
		"answer":            (*scenario).answer,
		"answers":           (*scenario).answers,
		"withdrawn":         (*scenario).withdrawn,
		"settings":          (*scenario).changeSettings,
		"call":              (*scenario).call,
		"notify":            (*scenario).notify,
		"wait-notification": (*scenario).waitNotification,
		"documents":         (*scenario).documents,
	}
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"diagnostics": diagnostics,
	}
	for name, run := range table {
		commands[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value(scenarioKey{}).(*scenario)
			if name != "editor" && name != "settings" && s.editor == nil {
				ts.Fatalf("%s: no editor is running; see `editor start`", name)
			}
			shown, err := run(s, ts, args)
			fmt.Fprint(ts.Stdout(), line(shown))
			switch {
			case err != nil && neg:
				fmt.Fprintln(ts.Stderr(), err)
			case err != nil:
				s.fail(ts, name, err)
			case neg:
				ts.Fatalf("%s succeeded: %s", name, shown)
			}
		}
	}
	return commands
}

// fail ends the script with what the server logged.
func (s *scenario) fail(ts *testscript.TestScript, name string, err error) {
	if s.log != nil {
		ts.Logf("[server's standard error]\n%s", s.log)
	}
	ts.Fatalf("%s: %v", name, err)
}

// line ends a text with one line break, unless it is empty.
func line(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// lockedBuffer takes a child's output while others read it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (s *scenario) control(ts *testscript.TestScript, args []string) (string, error) {
	if len(args) == 0 {
		return "", fmt.Errorf("usage: editor start PROFILE [COMMAND…] | stop | kill")
	}
	switch args[0] {
	case "start":
		if len(args) < 2 {
			return "", fmt.Errorf("usage: editor start PROFILE [COMMAND…]")
		}
		command := args[2:]
		if len(command) == 0 {
			command = []string{"codemode-ls", "lsp"}
		}
		return "", s.start(ts, args[1], command)
	case "stop":
		if err := s.editor.Shutdown(context.Background()); err != nil {
			return "", err
		}
		return s.exit()
	case "kill":
		if err := s.server.Close(); err != nil {
			return "", err
		}
		return s.exit()
	}
	return "", fmt.Errorf("usage: editor start PROFILE [COMMAND…] | stop | kill")
}

func (s *scenario) start(ts *testscript.TestScript, name string, command []string) error {
	s.end()
	profile, err := FindProfile(name)
	if err != nil {
		return err
	}
	path, err := lookPath(command[0], ts.Getenv("PATH"))
	if err != nil {
		return err
	}
	cmd := exec.Command(path, command[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, v := range s.env.Vars {
		key, _, _ := strings.Cut(v, "=")
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	s.log = new(lockedBuffer)
	if s.server, err = StartServer(cmd, s.log); err != nil {
		return err
	}
	s.editor = New(profile, s.server)
	s.editor.SetSettings(s.settings)
	_, err = s.editor.Initialize(context.Background(), cmd.Dir)
	return err
}

// exit waits for the server's end.
func (s *scenario) exit() (string, error) {
	limit := Patience
	if s.editor.profile.KillsSlowServers {
		limit = 10 * time.Second
	}
	timer := time.AfterFunc(limit, s.server.Kill)
	defer timer.Stop()
	<-s.editor.done
	code, err := s.server.Wait()
	s.editor, s.server = nil, nil
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("exit %d", code), nil
}

// end ends whatever still runs at the end of a script.
func (s *scenario) end() {
	if s.server == nil {
		return
	}
	s.server.Close()
	_, _ = s.exit()
}

// lookPath finds a command in a script's PATH.
func lookPath(name, path string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		full := filepath.Join(dir, name)
		if info, err := os.Stat(full); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return full, nil
		}
	}
	return "", fmt.Errorf("%s is not in PATH", name)
}

// uri is that of a file of the scenario.
func (s *scenario) uri(ts *testscript.TestScript, file string) string { return URI(ts.MkAbs(file)) }

func want(args []string, n int, usage string) error {
	if len(args) < n {
		return fmt.Errorf("usage: %s", usage)
	}
	return nil
}

func (s *scenario) open(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "open FILE"); err != nil {
		return "", err
	}
	return "", s.editor.Open(s.uri(ts, args[0]), ts.ReadFile(args[0]))
}

func (s *scenario) close(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "close FILE"); err != nil {
		return "", err
	}
	return "", s.editor.CloseDocument(s.uri(ts, args[0]))
}

func (s *scenario) save(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "save FILE"); err != nil {
		return "", err
	}
	return "", s.editor.notify("textDocument/didSave", about(s.uri(ts, args[0])))
}

var escapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\r`, "\r")

func (s *scenario) edit(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 3, "edit FILE OLD NEW"); err != nil {
		return "", err
	}
	u := s.uri(ts, args[0])
	text, err := s.editor.Text(u)
	if err != nil {
		return "", err
	}
	old := escapes.Replace(args[1])
	at := strings.Index(text, old)
	if at < 0 {
		return "", fmt.Errorf("%q is not in %s:\n%s", old, args[0], text)
	}
	return "", s.editor.Edit(u, at, at+len(old), escapes.Replace(args[2]))
}

func (s *scenario) text(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "text FILE"); err != nil {
		return "", err
	}
	return s.editor.Text(s.uri(ts, args[0]))
}

func (s *scenario) run(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "run FILE [&NAME] [FIELD=JSON…]"); err != nil {
		return "", err
	}
	quoted, err := json.Marshal(s.uri(ts, args[0]))
	if err != nil {
		return "", err
	}
	params, name := `"textDocument":{"uri":`+string(quoted)+`}`, ""
	for _, a := range args[1:] {
		if n, ok := strings.CutPrefix(a, "&"); ok {
			name = n
		} else if field, value, ok := strings.Cut(a, "="); ok {
			params += "," + strconv.Quote(field) + ":" + value
		} else {
			return "", fmt.Errorf("%q is neither &NAME nor FIELD=JSON", a)
		}
	}
	r := s.editor.Start("codemode/exec", jsontext.Value("{"+params+"}"))
	if name == "" {
		return s.show(ts, r)
	}
	s.runs[name] = r
	return "", nil
}

// show waits for a run's result.
func (s *scenario) show(ts *testscript.TestScript, r *Request) (string, error) {
	raw, err := r.Wait(context.Background())
	if err != nil {
		return "", err
	}
	var result struct {
		Status string         `json:"status"`
		Text   string         `json:"text"`
		Value  jsontext.Value `json:"value"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", err
	}
	fmt.Fprint(ts.Stderr(), line(string(result.Value)))
	return result.Status + "\n" + result.Text, nil
}

func (s *scenario) named(args []string) (*Request, error) {
	if len(args) == 1 {
		if r, ok := s.runs[args[0]]; ok {
			return r, nil
		}
	}
	return nil, fmt.Errorf("expected the name of a run in the background, not %q", args)
}

func (s *scenario) result(ts *testscript.TestScript, args []string) (string, error) {
	r, err := s.named(args)
	if err != nil {
		return "", err
	}
	return s.show(ts, r)
}

func (s *scenario) cancel(_ *testscript.TestScript, args []string) (string, error) {
	r, err := s.named(args)
	if err != nil {
		return "", err
	}
	return "", r.Cancel()
}

func (s *scenario) prompt(_ *testscript.TestScript, args []string) (string, error) {
	match, err := matcher(args)
	if err != nil {
		return "", err
	}
	p, err := s.editor.Prompt(context.Background(), match)
	if err != nil {
		return "", err
	}
	return p.Text, nil
}

// matcher of an optional regular expression.
func matcher(args []string) (func(string) bool, error) {
	if len(args) == 0 {
		return func(string) bool { return true }, nil
	}
	re, err := regexp.Compile(`(?m)` + args[0])
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}

func (s *scenario) answer(_ *testscript.TestScript, args []string) (string, error) {
	return "", s.editor.Answer(context.Background(), strings.Join(args, " "))
}

func (s *scenario) answers(_ *testscript.TestScript, args []string) (string, error) {
	words := strings.Join(args, " ")
	if words == "by hand" {
		words = ""
	}
	return "", s.editor.AnswerAll(words)
}

func (s *scenario) withdrawn(*testscript.TestScript, []string) (string, error) {
	return "", s.editor.Withdrawn(context.Background())
}

func (s *scenario) changeSettings(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "settings FILE"); err != nil {
		return "", err
	}
	s.settings = jsontext.Value(ts.ReadFile(args[0]))
	if err := s.settings.Compact(); err != nil {
		return "", err
	}
	if s.editor == nil {
		return "", nil
	}
	s.editor.SetSettings(s.settings)
	return "", s.editor.Notify("workspace/didChangeConfiguration", jsontext.Value(`{"settings":{"codemode":`+string(s.settings)+`}}`))
}

// params reads the file that a message's params are in; none is null.
func params(ts *testscript.TestScript, args []string) (jsontext.Value, error) {
	if len(args) < 2 {
		return jsontext.Value("null"), nil
	}
	v := jsontext.Value(ts.ReadFile(args[1]))
	return v, v.Compact()
}

func (s *scenario) call(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "call METHOD [FILE]"); err != nil {
		return "", err
	}
	p, err := params(ts, args)
	if err != nil {
		return "", err
	}
	answer, err := s.editor.Call(context.Background(), args[0], p)
	return string(answer), err
}

func (s *scenario) notify(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "notify METHOD [FILE]"); err != nil {
		return "", err
	}
	p, err := params(ts, args)
	if err != nil {
		return "", err
	}
	return "", s.editor.Notify(args[0], p)
}

func (s *scenario) waitNotification(_ *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "wait-notification METHOD [REGEXP]"); err != nil {
		return "", err
	}
	match, err := matcher(args[1:])
	if err != nil {
		return "", err
	}
	p, err := s.editor.Notification(context.Background(), args[0], match)
	return string(p), err
}

func (s *scenario) documents(*testscript.TestScript, []string) (string, error) {
	var paths []string
	for _, u := range s.editor.Shown() {
		paths = append(paths, pathOf(u))
	}
	return strings.Join(paths, "\n"), nil
}

func (s *scenario) command(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "command NAME [JSON | @FILE]… [&NAME]"); err != nil {
		return "", err
	}
	list, background := slices.Clone(args[1:]), ""
	if n := len(list); n > 0 {
		if name, ok := strings.CutPrefix(list[n-1], "&"); ok {
			list, background = list[:n-1], name
		}
	}
	for i, a := range list {
		if file, ok := strings.CutPrefix(a, "@"); ok {
			list[i] = strconv.Quote(s.uri(ts, file))
		}
	}
	p := fmt.Sprintf(`{"command":%q,"arguments":[%s]}`, args[0], strings.Join(list, ","))
	if background != "" {
		s.runs[background] = s.editor.Start("workspace/executeCommand", jsontext.Value(p))
		return "", nil
	}
	answer, err := s.editor.Call(context.Background(), "workspace/executeCommand", jsontext.Value(p))
	return string(answer), err
}

func diagnostics(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(scenarioKey{}).(*scenario)
	if s.editor == nil || len(args) == 0 {
		ts.Fatalf("usage, with an editor running: diagnostics FILE [REGEXP]")
	}
	match, err := matcher(args[1:])
	ts.Check(err)
	lines, err := s.editor.Diagnostics(context.Background(), s.uri(ts, args[0]), func(lines []string) bool {
		if len(args) == 1 {
			return true
		}
		for _, l := range lines {
			if match(l) {
				return !neg
			}
		}
		return neg
	})
	fmt.Fprint(ts.Stdout(), line(strings.Join(lines, "\n")))
	if err != nil {
		s.fail(ts, "diagnostics", err)
	}
}
