package main

import (
	"fmt"
	"slices"
	"strings"

	"codemode-ls/config"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" help:"${enum}." enum:"bash,zsh,fish,powershell"`
}

func (completionCommand) Help() string {
	return `Examples:
  bash        source <(codemode-ls completion bash)            in ~/.bashrc
  zsh         source <(codemode-ls completion zsh)             in ~/.zshrc, after compinit
  fish        codemode-ls completion fish > ~/.config/fish/completions/codemode-ls.fish
  PowerShell  codemode-ls completion powershell | Out-String | Invoke-Expression      in $PROFILE`
}

func (c completionCommand) Run(a *app) error {
	_, err := fmt.Fprint(a.stdout, completionScripts[c.Shell])
	return err
}

// completionScripts ask the program itself what may come next, so that they do not
// age. Its answer is a candidate on each line; a line with a colon alone says
// that names of files are candidates too.
var completionScripts = map[string]string{
	"bash": `# Completion of codemode-ls for bash.
_codemode_ls() {
  local word="${COMP_WORDS[COMP_CWORD]}" line files=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":" ]; then files=1; else COMPREPLY+=("$line"); fi
  done < <(command "${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ -n "$files" ]; then
    [ "$word" = "=" ] && word=
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _codemode_ls codemode-ls
`,
	"zsh": `#compdef codemode-ls
# Completion of codemode-ls for zsh.
_codemode_ls() {
  local line
  local -a candidates
  local files=
  while IFS= read -r line; do
    if [[ "$line" == ":" ]]; then files=1; else candidates+=("$line"); fi
  done < <(command "${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#candidates} )) && compadd -a candidates
  [[ -n "$files" ]] && _files
}
compdef _codemode_ls codemode-ls
`,
	"fish": `# Completion of codemode-ls for fish.
function __codemode_ls
    set -l words (commandline -opc) (commandline -ct)
    for line in (command $words[1] complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c codemode-ls -f -a '(__codemode_ls)'
`,
	"powershell": `# Completion of codemode-ls for PowerShell.
Register-ArgumentCompleter -Native -CommandName codemode-ls -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $program = $words[0]
  $arguments = @($words | Select-Object -Skip 1) + @($word)
  & $program complete '--' @arguments 2>$null | ForEach-Object {
    if ($_ -eq ':') {
      Get-ChildItem -Path "$word*" -Name -ErrorAction SilentlyContinue | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
    } else {
      [System.Management.Automation.CompletionResult]::new($_)
    }
  }
}
`,
}

// completeCommand answers the scripts above. The last word is the one that is
// being typed; it may be empty.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

func (c completeCommand) Run(a *app, k *kong.Kong) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	candidates, files := complete(k.Model.Node, words)
	candidates = append(candidates, a.stored(words)...)
	for _, s := range candidates {
		fmt.Fprintln(a.stdout, s)
	}
	if files {
		fmt.Fprintln(a.stdout, ":")
	}
	return nil
}

// stored is what trust and permissions know by name. It starts no server.
func (a *app) stored(words []string) (names []string) {
	if len(words) != 3 {
		return nil
	}
	switch strings.Join(words[:2], " ") {
	case "trust allow", "trust deny":
		_, c, err := a.trust()
		if err != nil {
			return nil
		}
		for _, s := range c.Servers {
			if s.Layer == config.Workspace {
				names = append(names, s.Name)
			}
		}
		for _, h := range c.Hooks {
			if h.Layer == config.Workspace {
				names = append(names, h.Name())
			}
		}
	case "permissions remove":
		store, _, err := a.rules()
		if err != nil {
			return nil
		}
		for _, r := range store.Rules().All() {
			names = append(names, r.Match)
		}
	}
	// A name may come from a workspace's file: only what is harmless to a terminal
	// and a shell is offered.
	ours := strings.NewReplacer("*", "", ":", "") // of rules and hooks
	return slices.DeleteFunc(names, func(s string) bool {
		plain := ours.Replace(s)
		return !strings.HasPrefix(s, words[2]) || shellWord(plain) != plain
	})
}

// complete is what may stand in place of the last word, and whether names of
// files may.
func complete(program *kong.Node, words []string) (candidates []string, files bool) {
	words = joinedByEquals(words)
	at := program
	flags := slices.Clone(program.Flags)
	positional, onlyArguments := 0, false
	var waiting *kong.Flag // whose value comes next
	last := words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		switch {
		case waiting != nil:
			waiting = nil
		case w == "--":
			onlyArguments = true
		case !onlyArguments && strings.HasPrefix(w, "--"):
			name, _, valued := strings.Cut(w[2:], "=")
			if f := flagOf(flags, name); f != nil && !f.IsBool() && !valued {
				waiting = f
			}
		case !onlyArguments && len(w) > 1 && w[0] == '-':
			// -o FILE, and also -oFILE
			if f := shortFlagOf(flags, w[1:]); f != nil && !f.IsBool() {
				waiting = f
			}
		default:
			if child := childOf(at, w); child != nil && positional == 0 {
				at = child
				flags = append(flags, child.Flags...)
			} else {
				positional++
			}
		}
	}
	switch {
	case waiting != nil:
		return ofValue(waiting.Value, last, "")
	case !onlyArguments && strings.HasPrefix(last, "-"):
		if name, value, valued := strings.Cut(strings.TrimPrefix(last, "--"), "="); valued {
			if f := flagOf(flags, name); f != nil {
				return ofValue(f.Value, value, "--"+name+"=")
			}
			return nil, false
		}
		for _, f := range flags {
			if name := "--" + f.Name; !f.Hidden && strings.HasPrefix(name, last) {
				candidates = append(candidates, name)
			}
		}
		slices.Sort(candidates)
		return slices.Compact(candidates), false
	}
	for _, child := range at.Children {
		if !child.Hidden && child.Type == kong.CommandNode && strings.HasPrefix(child.Name, last) {
			candidates = append(candidates, child.Name)
		}
	}
	if len(at.Positional) > 0 {
		p := at.Positional[min(positional, len(at.Positional)-1)]
		if positional < len(at.Positional) || p.IsSlice() {
			values, isFile := ofValue(p, last, "")
			return append(candidates, values...), isFile
		}
	}
	return candidates, false
}

// ofValue is what a flag's or argument's value may be.
func ofValue(v *kong.Value, typed, before string) (candidates []string, files bool) {
	if v.Enum == "" {
		switch v.Tag.PlaceHolder {
		case "FILE", "DIR", "FILE|DIR", "PATH", "SCRIPT", "SCRIPT|-":
			return nil, true
		}
		return nil, false
	}
	for _, s := range v.EnumSlice() {
		if s != "" && strings.HasPrefix(s, typed) {
			candidates = append(candidates, before+s)
		}
	}
	slices.Sort(candidates)
	return candidates, false
}

// joinedByEquals puts --flag = value, as bash cuts it, together: the value is then
// completed as a word of its own.
func joinedByEquals(words []string) []string {
	var out []string
	for i, w := range words {
		if w == "=" && i > 0 && strings.HasPrefix(words[i-1], "--") {
			if i == len(words)-1 {
				out = append(out, "")
			}
			continue
		}
		out = append(out, w)
	}
	return out
}

func flagOf(flags []*kong.Flag, name string) *kong.Flag {
	i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// shortFlagOf is the flag with that one letter; nil when there are more letters.
func shortFlagOf(flags []*kong.Flag, letter string) *kong.Flag {
	i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Short != 0 && string(f.Short) == letter })
	if i < 0 {
		return nil
	}
	return flags[i]
}

func childOf(n *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(n.Children, func(c *kong.Node) bool {
		return c.Type == kong.CommandNode && (c.Name == name || slices.Contains(c.Aliases, name))
	})
	if i < 0 {
		return nil
	}
	return n.Children[i]
}
