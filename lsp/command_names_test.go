package lsp

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// CMD-1: every command that a lens or an action names is one that the server runs.
func TestCommandsOfFeaturesExist(t *testing.T) {
	name := regexp.MustCompile(`Command += "(codemode\.\w+)"`)
	found := 0
	for _, file := range []string{"analysis/command_names.go", "analysis/configfile/commands.go"} {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			found++
			if commands()[m[1]] == nil {
				t.Errorf("%s: no command %s", file, m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d commands found", found)
	}
}
