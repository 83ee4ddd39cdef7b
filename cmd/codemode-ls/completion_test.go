package main

import (
	osexec "os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// CLI-5: what may come next follows from the declarations of the commands.
func TestCli5Complete(t *testing.T) {
	var c commands
	parser, err := kong.New(&c, kong.Name("codemode-ls"), kong.Vars{"clients": installClients()})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		words string
		want  []string
		files bool
	}{
		{"che", []string{"check"}, false},
		{"compl", []string{"completion"}, false}, // and not the hidden one
		{"completion ", []string{"bash", "fish", "powershell", "zsh"}, false},
		{"completion p", []string{"powershell"}, false},
		{"run ", nil, true},
		{"run --check ", []string{"error", "hint", "off"}, false},
		{"run --check=h", []string{"--check=hint"}, false},
		{"run --check = h", []string{"hint"}, false}, // as bash cuts it
		{"run --check =", []string{"error", "hint", "off"}, false},
		{"run --rec", []string{"--record"}, false},
		{"run --record ", nil, true},
		{"run --dry-run ", nil, true},
		{"run s.exec.ts ", nil, false},
		{"check a.exec.ts ", nil, true},
		{"types -o ", nil, true},
		{"types -oout.d.ts ", nil, false},
		{"types -o out.d.ts ", nil, false},
		{"types -o out.d.ts --ou", []string{"--output"}, false},
		{"check --format s", []string{"sarif"}, false},
		{"--log-level debug che", []string{"check"}, false},
		{"run -- --ch", nil, true},
		{"nonsense --ch", nil, false},
		{"test --log", []string{"--log-level"}, false},
	} {
		got, files := complete(parser.Model.Node, strings.Split(test.words, " "))
		if !slices.Equal(got, test.want) || files != test.files {
			t.Errorf("%q: %q, files %v; want %q, %v", test.words, got, files, test.want, test.files)
		}
	}
	all, _ := complete(parser.Model.Node, []string{""})
	if slices.Contains(all, "complete") || !slices.Contains(all, "run") {
		t.Errorf("commands: %q", all)
	}
}

// The help of every command shows real examples (spec 10).
func TestEveryCommandHasExamples(t *testing.T) {
	var c commands
	parser, err := kong.New(&c, kong.Name("codemode-ls"), kong.Vars{"clients": installClients()})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	_ = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && n.Type == kong.CommandNode && !n.Hidden {
			seen++
			if _, examples, ok := strings.Cut(n.Detail, "Examples:\n"); !ok || !strings.Contains(examples, "codemode-ls ") {
				t.Errorf("no example for %s", n.FullPath())
			}
		}
		return next(nil)
	})
	if seen < 15 {
		t.Errorf("%d commands", seen)
	}
}

// shells run their completion script for a command line and print what it offers.
// PowerShell's was not run: it is on no machine that this project is tested on.
var shells = map[string]string{
	"bash": `source <(codemode-ls completion bash); complete -p codemode-ls >/dev/null || exit 1
COMP_WORDS=(codemode-ls run --check h); COMP_CWORD=3; _codemode_ls; echo "${COMPREPLY[@]}"
COMP_WORDS=(codemode-ls run --check = h); COMP_CWORD=4; _codemode_ls; echo "${COMPREPLY[@]}"
COMP_WORDS=(codemode-ls doc); COMP_CWORD=1; _codemode_ls; echo "${COMPREPLY[@]}"
COMP_WORDS=(codemode-ls run /etc/host); COMP_CWORD=2; _codemode_ls; printf '%s\n' "${COMPREPLY[@]}" | grep -x /etc/hosts`,
	"zsh": `compdef() { :; }; source <(codemode-ls completion zsh)
compadd() { print -r -- ${(P)2} }; _files() { print /etc/hosts }
words=(codemode-ls run --check h); CURRENT=4; _codemode_ls; words=(codemode-ls run --check h); _codemode_ls
words=(codemode-ls doc); CURRENT=2; _codemode_ls; words=(codemode-ls run /etc/host); CURRENT=3; _codemode_ls`,
	"fish": `codemode-ls completion fish | source
complete -C 'codemode-ls run --check h'; complete -C 'codemode-ls run --check=h' | string replace -- --check= ''; complete -C 'codemode-ls doc'
complete -C 'codemode-ls run /etc/host' | grep -x /etc/hosts`,
}

func TestCli5Shells(t *testing.T) {
	for name, script := range shells {
		t.Run(name, func(t *testing.T) {
			shell, err := osexec.LookPath(name)
			if err != nil {
				t.Skip(err)
			}
			out, err := osexec.Command(shell, "-c", script).CombinedOutput()
			if want := "hint\nhint\ndoctor\n/etc/hosts\n"; err != nil || string(out) != want {
				t.Errorf("%v\n%s\nwant\n%s", err, out, want)
			}
		})
	}
}
