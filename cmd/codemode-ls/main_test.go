package main

import (
	"os"
	"path/filepath"
	"testing"

	"codemode-ls/internal/editortest"
	"codemode-ls/sandbox"
	"codemode-ls/typescript"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is the program: scenarios run it under the program's name, and
// it starts its children by running itself, under whatever name.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == sandbox.CompilerCommand || os.Args[1] == typescript.ChildCommand) {
		main()
	}
	testscript.Main(m, map[string]func(){"codemode-ls": main})
}

// TestCommandLine runs testdata/script/*.txtar: what a person does on the
// command line. TestEditors runs testdata/editor/*.txtar: what an editor and its
// user do, in the language of internal/editortest (TEST-2).
func TestCommandLine(t *testing.T) { scenarios(t, "script") }

func TestEditors(t *testing.T) { scenarios(t, "editor") }

// TestRealServers runs testdata/servers/*.txtar: the same on servers of npm
// (TEST-7).
func TestRealServers(t *testing.T) {
	servers := os.Getenv("CODEMODE_NPM_SERVERS")
	if servers == "" {
		t.Skip("CODEMODE_NPM_SERVERS does not name a folder with node_modules of the servers; .ci/run installs them")
	}
	filesystem := filepath.Join(servers, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
	if _, err := os.Stat(filesystem); err != nil {
		t.Fatal(err)
	}
	scenarios(t, "servers", "NPM_SERVERS="+servers, "FS=fs=node "+filesystem+" .")
}

func scenarios(t *testing.T, folder string, variables ...string) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", folder),
		RequireExplicitExec: true,
		Cmds:                editortest.Commands(),
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, variables...)
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
			env.Setenv(promptVariable, "off")
			env.Setenv(renewVariable, "off") // no process outlives its scenario
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			return editortest.Setup(env)
		},
	})
}
