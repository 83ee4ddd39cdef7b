package permission

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/internal/growth"

	"pgregory.net/rapid"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func want(t *testing.T, s *Store, leaf string, effect Effect) {
	t.Helper()
	if got := s.Rules().Decide(leaf); got.Effect != effect {
		t.Errorf("%s: %s, want %s (rule %v)", leaf, got.Effect, effect, got.Rule)
	}
}

// PERM-1, PERM-4: each layer counts, and a set rule is in force at once.
func TestStoreLayers(t *testing.T) {
	user, folder := t.TempDir(), t.TempDir()
	write(t, filepath.Join(folder, ".codemode", "permissions.json"), `{
		// comes with the repository
		"permissions": {
			"allow": ["mcp__evil__*", "Exec"],
			"ask": ["mcp__a__push"],
			"deny": ["mcp__a__drop",],
		},
	}`)
	changes := 0
	s := OpenStore(StoreOptions{UserDir: user, Folder: folder, Fixed: []Rule{{Effect: Allow, Layer: Builtin, Match: "mcp__demo__*"}}, Changed: func() { changes++ }})
	want(t, s, "mcp__evil__x", Ask) // a repository cannot allow itself anything
	want(t, s, "mcp__a__push", Ask)
	want(t, s, "mcp__a__drop", Deny)
	want(t, s, "mcp__demo__add", Allow)
	want(t, s, "mcp__a__read", Ask)
	if p := s.Problems(); len(p) != 0 {
		t.Fatalf("problems: %v", p)
	}

	before := s.Rules()
	if s.Rules() != before {
		t.Error("the same rules are another value")
	}
	for i, layer := range []Layer{Session, Workspace, User} {
		leaf := "mcp__a__read" + strconv.Itoa(i)
		if err := s.Set(layer, Allow, leaf); err != nil {
			t.Fatal(err)
		}
		want(t, s, leaf, Allow)
	}
	if changes != 3 {
		t.Errorf("%d changes were told, want 3", changes)
	}
	if err := s.Set(User, Allow, "mcp__a__drop"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__a__drop", Deny) // whatever the layer
	if err := s.Set(User, Allow, "mcp__a__push"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__a__push", Ask)

	// Another process, or a person, sees the stored ones; the session's are gone.
	again := OpenStore(StoreOptions{UserDir: user, Folder: folder})
	want(t, again, "mcp__a__read0", Ask)
	want(t, again, "mcp__a__read1", Allow)
	want(t, again, "mcp__a__read2", Allow)
	other := OpenStore(StoreOptions{UserDir: user, Folder: t.TempDir()})
	want(t, other, "mcp__a__read1", Ask)
	want(t, other, "mcp__a__read2", Allow)

	if err := s.Set(User, "", "mcp__a__read2"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__a__read2", Ask)
	want(t, again, "mcp__a__read2", Ask) // seen because the file has changed
	for _, path := range []string{filepath.Join(user, "permissions.json"), workspaceFile(user, folder)} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	leftovers, _ := filepath.Glob(filepath.Join(user, ".permissions-*"))
	if len(leftovers) > 0 {
		t.Errorf("temporary files are left: %v", leftovers)
	}
}

func TestSetRefuses(t *testing.T) {
	s := OpenStore(StoreOptions{UserDir: t.TempDir()})
	for _, c := range []struct {
		layer  Layer
		effect Effect
		match  string
	}{
		{User, Allow, "mcp__github__push(main)"},
		{User, "maybe", "mcp__a__b"},
		{Repository, Allow, "mcp__a__b"},
		{Managed, Allow, "mcp__a__b"},
		{Workspace, Allow, "mcp__a__b"}, // no folder
	} {
		if err := s.Set(c.layer, c.effect, c.match); err == nil {
			t.Errorf("%v was accepted", c)
		}
	}
	if rules := s.Rules().All(); len(rules) != 0 {
		t.Errorf("rules: %v", rules)
	}
}

// PERM-10: comments and unknown fields survive.
func TestPerm10EditKeepsTheRest(t *testing.T) {
	for _, c := range []struct{ name, old, effect, match, want string }{
		{"new file", "", "allow", "mcp__a__b", `{
  "permissions": {
    "allow": [
      "mcp__a__b"
    ],
    "ask": [],
    "deny": []
  }
}
`},
		{"append", `// mine
{
  "$schema": "x", // keep
  "permissions": {
    "deny": ["mcp__x__y"],
    "allow": [
      // first
      "mcp__a__a", // one
      "mcp__a__b" // two
    ],
    "other": {"n": 1e3}
  }
}
`, "allow", "mcp__a__c", `// mine
{
  "$schema": "x", // keep
  "permissions": {
    "deny": ["mcp__x__y"],
    "allow": [
      // first
      "mcp__a__a", // one
      "mcp__a__b", // two
      "mcp__a__c"
    ],
    "other": {"n": 1e3}
  }
}
`},
		{"trailing comma", `{"permissions": {"allow": [
	"mcp__a__a", // one
	],},}`, "allow", "mcp__a__b", `{"permissions": {"allow": [
	"mcp__a__a", // one
	"mcp__a__b",
	],},}`},
		{"move", `{
  "permissions": {
    "allow": [
      // why
      "mcp__a__a",
      "mcp__a__b"
    ]
  }
}`, "deny", "mcp__a__a", `{
  "permissions": {
    "allow": [
      // why
      "mcp__a__b"
    ],
    "deny": [
      "mcp__a__a"
    ]
  }
}`},
		{"remove the last", `{"permissions":{"allow":["mcp__a__a" /* x */]}}`, "", "mcp__a__a", `{"permissions":{"allow":[ /* x */]}}`},
		{"already there", `{"permissions":{"allow":["mcp__a__a"]}}`, "allow", "mcp__a__a", `{"permissions":{"allow":["mcp__a__a"]}}`},
		{"no section", `{ /* nothing */ }`, "ask", "mcp__a__a", `{ /* nothing */
  "permissions": {
    "ask": [
      "mcp__a__a"
    ]
  }
}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit([]byte(c.old), "f", User, Effect(c.effect), c.match, "")
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "append" {
				// hujson keeps a comment behind the last element with the bracket; the
				// comma goes before or after it, both are right.
				if gotN, wantN := strip(string(got)), strip(c.want); gotN != wantN {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
				return
			}
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func strip(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, ",", " ")), " ")
}

// PERM-10: whatever edits are made, every comment and every other rule is still
// there, and the file says what was set.
func TestPerm10RandomEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]string{
			"{ // c0\n \"x\": [1, /* c1 */ 2],\n \"permissions\": { /* c2 */ \"deny\": [ // c3\n \"mcp__k__k\" /* c4 */, // c5\n ], // c6\n } /* c7 */ } // c8\n",
			`{ /* c0 */ "x": [1, /* c1 */ 2], "permissions": { /* c2 */ "deny": [ /* c3 */ "mcp__k__k" /* c4 */ /* c5 */ ] /* c6 */ } /* c7 */ } // c8`,
			"// c0\n{\n    \"permissions\": { // c1\n        \"deny\": [ // c2\n            \"mcp__k__k\" // c3\n            // c4\n        ], // c5\n        \"allow\": [] // c6\n    } // c7\n}\n// c8\n",
			"/* c0 */{\"permissions\":{\"allow\":[/* c1 */],/* c2 */\"ask\":[],\"deny\":[\"mcp__k__k\"/* c3 */]/* c4 */},/* c5 */\"y\":{/* c6 */}/* c7 */}/* c8 */",
			"{\n\t// c0\n\t\"permissions\": {\n\t\t// c1\n\t\t\"ask\": [\n\t\t\t// c2\n\t\t],\n\t\t/* c3 */ \"deny\": [\"mcp__k__k\", /* c4 */], // c5\n\t\t// c6\n\t}, // c7\n} // c8",
		}).Draw(t, "base")
		if rapid.Bool().Draw(t, "Windows") {
			base = strings.ReplaceAll(base, "\n", "\r\n")
		}
		text := []byte(base)
		state := map[string]Effect{"mcp__k__k": Deny}
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			match := "mcp__s__" + rapid.SampledFrom([]string{"a", "b", "c", "*"}).Draw(t, "tool")
			effect := rapid.SampledFrom([]Effect{Allow, Ask, Deny, ""}).Draw(t, "effect")
			next, err := edit(text, "f", User, effect, match, "")
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			text = next
			state[match] = effect
			if effect == "" {
				delete(state, match)
			}
		}
		f := parseFile(text, "f", User)
		if len(f.problems) > 0 || len(f.rules) != len(state) {
			t.Fatalf("%v: %v in\n%s", f.problems, f.rules, text)
		}
		for _, r := range f.rules {
			if state[r.Match] != r.Effect {
				t.Fatalf("%s is %s, want %s in\n%s", r.Match, r.Effect, state[r.Match], text)
			}
		}
		if n := strings.Count(string(text), "\n"); n > 0 && strings.Contains(base, "\r\n") != (strings.Count(string(text), "\r\n") == n) {
			t.Fatalf("line ends are mixed in %q", text)
		}
		for i := range 9 {
			if strings.Count(string(text), "c"+strconv.Itoa(i)) != 1 {
				t.Fatalf("comment c%d is not there once in\n%s", i, text)
			}
		}
	})
}

// PERM-10: a broken file is reported at its line, means "ask for everything",
// keeps the denials of the other files, and is never overwritten.
func TestPerm10BrokenFile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		denies     bool // the file's own denial can still be read
	}{
		{"no comma between lists", "{\n  \"permissions\": {\n    \"allow\": [\"mcp__a__b\"]\n    \"deny\": [\"mcp__u__d\"]\n  }\n}\n", 3, true},
		{"no end of a list", "{\n  \"permissions\": {\n    \"deny\": [\"mcp__u__d\",\n    \"allow\": [\"mcp__a__b\"]\n  }\n}\n", 3, true},
		{"no comma between rules", "{\"permissions\": {\n\"deny\": [\"mcp__u__c\"\n \"mcp__u__d\"]}}", 2, true},
		{"quote missing", "{\"permissions\": {\n\"deny\": [\"mcp__u__d\"],\n\"allow\": [\"mcp__a__b]}}", 2, true},
		{"single quotes", "{'permissions': {\n\"deny\": [\"mcp__u__d\"]}}", 0, true},
		{"truncated", "{\n\"permissions\": {\n\"deny\": [\"mcp__u__d\"", 2, true},
		{"conflict markers", "{\"permissions\": {\n<<<<<<< mine\n\"deny\": [\"mcp__u__d\"],\n=======\n>>>>>>> theirs\n\"allow\": [\"mcp__a__b\"]}}", 1, true},
		{"more behind the end", "{\"permissions\": {\"deny\": [\"mcp__u__d\"]}}\n}", 1, true},
		{"not an object", "[]", 0, false},
		{"empty", "", 0, false},
		{"section", "{\n\"permissions\": []}", 1, false},
		{"list", "{\"permissions\": {\n\"allow\": [\"mcp__a__b\"], \"ask\": [],\n\"deny\": \"mcp__u__d\"}}", 2, true},
		{"list of objects", "{\"permissions\": {\n\"allow\": [\"mcp__a__b\"],\n\"deny\": {\"rule\": [\"mcp__u__d\"]}}}", 2, true},
		{"element", "{\"permissions\": {\"allow\": [\"mcp__a__b\"],\n\"deny\": [\"mcp__u__d\", 1]}}", 1, true},
		{"rule", "{\"permissions\": {\"allow\": [\"mcp__a__b\"],\n\"deny\": [\"mcp__u__d\", \"github\"]}}", 1, true},
		{"arguments", "{\"permissions\": {\"allow\": [\"mcp__a__b\"],\n\"deny\": [\"mcp__u__d(main)\"]}}", 1, true},
		{"twice", "{\"permissions\": {\"allow\": [\"mcp__a__b\"]},\n\"permissions\": {\"deny\": [\"mcp__u__d\"]}}", 1, true},
		{"list twice", "{\"permissions\": {\n\"deny\": [\"mcp__u__d\"],\n\"deny\": [], \"allow\": [\"mcp__a__b\"]}}", 2, true},
		{"single quotes everywhere", "{'permissions': {'allow': ['mcp__a__b'],\n'deny': ['mcp__u__d']}}", 0, true},
		{"names without quotes", "{permissions: {allow: [\"mcp__a__b\"],\ndeny: [\"mcp__u__d\"]}}", 0, true},
		{"another notation", "permissions:\n  allow:\n    - mcp__a__b\n  deny:\n    - mcp__u__d\n", 0, true},
		{"quote missing in the denial", "{\"permissions\": {\n\"allow\": [\"mcp__a__b\"],\n\"deny\": [\"mcp__u__c\", \"mcp__u__d]\n}}", 2, true},
		{"quote missing in a name", "{\"permissions\": {\n\"allow\": [\"mcp__a__b\"],\n\"deny: [\"mcp__u__d\"]}}", 2, true},
		{"comment without an end", "{\"permissions\": {\n\"allow\": [\"mcp__a__b\"], /*\n\"deny\": [\"mcp__u__d\"]}}", 1, true},
		{"capital letter", "{\"permissions\": {\n\"allow\": [\"mcp__a__b\"],\n\"Deny\": [\"mcp__u__d\"]}}", 2, true},
		{"capital letter of the section", "{\n\"Permissions\": {\"allow\": [\"mcp__a__b\"], \"deny\": [\"mcp__u__d\"]}}", 1, true},
		{"lists without a section", "{\n\"allow\": [\"mcp__a__b\"],\n\"deny\": [\"mcp__u__d\"]}", 1, true},
		{"misspelt list", "{\"permissions\": {\n\"allow\": [\"mcp__a__b\"],\n\"denies\": [\"mcp__u__d\"]}}", 2, false},
		{"misspelt section", "{\n\"permission\": {\"allow\": [\"mcp__a__b\"], \"deny\": [\"mcp__u__d\"]}}", 1, true},
		{"not UTF-8", "{\"permissions\": {\"allow\": [\"mcp__a__b\"],\n\"deny\": [\"mcp__u__d\", \"mcp__u__\xff\"]}}", 1, true},
		{"UTF-16", "\xff\xfe{\x00\"\x00d\x00e\x00n\x00y\x00\"\x00:\x00[\x00\"\x00m\x00c\x00p\x00_\x00_\x00u\x00_\x00_\x00d\x00\"\x00", 0, true},
		{"binary", "\x00\x01\x02", 0, false},
		{"deep", strings.Repeat("[", 100000), 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			user, folder := t.TempDir(), t.TempDir()
			path := filepath.Join(user, "permissions.json")
			write(t, path, c.text)
			write(t, filepath.Join(folder, ".codemode", "permissions.json"), `{"permissions":{"deny":["mcp__r__d"]}}`)
			s := OpenStore(StoreOptions{UserDir: user, Folder: folder, Fixed: []Rule{{Effect: Allow, Layer: Flag, Match: "mcp__*__*"}}})
			problems := s.Problems()
			if len(problems) == 0 || problems[0].File != path || problems[0].Message == "" {
				t.Fatalf("problems: %v", problems)
			}
			if got := problems[0].Range.Start.Line; got != c.line {
				t.Errorf("reported at line %d, want %d: %v", got, c.line, problems)
			}
			want(t, s, "mcp__a__b", Ask)
			want(t, s, "mcp__r__d", Deny)
			if c.denies { // also when nobody has ever read the file whole
				want(t, s, "mcp__u__d", Deny)
			}
			if err := s.Set(User, Allow, "mcp__a__c"); err == nil && c.text != "" {
				t.Error("a broken file was edited")
			} else if at := fmt.Sprintf("%s:%d:%d: ", path, c.line+1, problems[0].Range.Start.Character+1); err != nil && !strings.Contains(err.Error(), at) {
				t.Errorf("%v, want %s", err, at)
			}
			if got := read(t, path); got != c.text && c.text != "" {
				t.Errorf("the file is now\n%s", got)
			}
			// Mended, it counts again.
			write(t, path, `{"permissions":{"allow":["mcp__a__b"]}}`)
			want(t, s, "mcp__a__b", Allow)
			if p := s.Problems(); len(p) != 0 {
				t.Errorf("problems of a good file: %v", p)
			}
		})
	}
}

// PERM-10: an editor that puts the old text aside before it writes the new one
// loses no denial in between; and a link to nowhere is no file without rules.
func TestPerm10DenialsOutliveAnAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		user := t.TempDir()
		path := filepath.Join(user, "permissions.json")
		s := OpenStore(StoreOptions{UserDir: user, Fixed: []Rule{{Effect: Allow, Layer: Flag, Match: "mcp__*__*"}}})
		for range 2 {
			write(t, path, `{"permissions":{"deny":["mcp__a__d"],"allow":["mcp__a__b"]}}`)
			want(t, s, "mcp__a__d", Deny)
			if err := os.Rename(path, path+"~"); err != nil {
				t.Fatal(err)
			}
			want(t, s, "mcp__a__d", Deny)
			want(t, s, "mcp__a__d", Deny)
			time.Sleep(absence + 1)
			want(t, s, "mcp__a__d", Allow) // it is not coming back
		}
		if err := os.Symlink(path+"!", path); err != nil {
			t.Skip(err)
		}
		want(t, s, "mcp__a__d", Ask)
		if err := s.Set(User, Allow, "mcp__a__d"); err == nil || len(s.Problems()) != 1 {
			t.Errorf("%v %v", err, s.Problems())
		}
	})
}

// PERM-10: what is there for others is left alone.
func TestPerm10UnknownFields(t *testing.T) {
	f := parseFile([]byte(`{
		"$schema": "x", "sandbox": { "allow": ["example.com"], "deny": [] }, "list": ["mcp__a__b"],
		"permissions": { "deny": ["mcp__a__b"], "folders": ["/a", 1], "note": "mcp__a__b", "more": { "n": 1 } }
	}`), "f", User)
	if f.broken || len(f.problems) != 0 || len(f.rules) != 1 {
		t.Errorf("%v %v", f.problems, f.rules)
	}
}

// PERM-10: denials are not lost while somebody is half-way through an edit.
func TestPerm10DenialsOutliveABreak(t *testing.T) {
	user := t.TempDir()
	path := filepath.Join(user, "permissions.json")
	write(t, path, `{"permissions":{"deny":["mcp__a__d"],"allow":["mcp__a__b"]}}`)
	s := OpenStore(StoreOptions{UserDir: user})
	want(t, s, "mcp__a__d", Deny)
	want(t, s, "mcp__a__b", Allow)
	for range 2 {
		write(t, path, `{"permissions":{"deny":["mcp__a__d",,],"allow":["mcp__a__b"]}}`)
		want(t, s, "mcp__a__d", Deny)
		want(t, s, "mcp__a__b", Ask)
		write(t, path, `{"permissions":`)
		want(t, s, "mcp__a__d", Deny)
	}
	write(t, path, `{}`)
	want(t, s, "mcp__a__d", Ask)
}

// PERM-10: a file that is indented by tabs stays so.
func TestPerm10Tabs(t *testing.T) {
	text := "{\n\t\"permissions\": {\n\t\t\"note\": 1\n\t}\n}\n"
	for _, rule := range []string{"mcp__a__b", "mcp__a__c"} {
		edited, err := edit([]byte(text), "f", User, Deny, rule, "")
		if err != nil {
			t.Fatal(err)
		}
		text = string(edited)
	}
	if want := "{\n\t\"permissions\": {\n\t\t\"note\": 1,\n\t\t\"deny\": [\n\t\t\t\"mcp__a__b\",\n\t\t\t\"mcp__a__c\"\n\t\t]\n\t}\n}\n"; text != want {
		t.Errorf("got %q\nwant %q", text, want)
	}
}

// PERM-10: comments deny nothing, and the rules of other lists do not either.
func TestPerm10SalvageIsExact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "permissions.json")
	text := `{"permissions": { // deny mcp__a__comment
"deny": ["mcp__u__d", /* "mcp__a__comment" */ "mcp__u__a:b,c"], "ask": ["mcp__a__asked"]
"allow": ["mcp__a__b"]}`
	var found []string
	for _, r := range parseFile([]byte(text), path, User).rules {
		found = append(found, string(r.Effect)+" "+r.Match)
	}
	if got := strings.Join(found, ", "); got != "deny mcp__u__d, deny mcp__u__a:b,c" {
		t.Error(got)
	}
}

func TestAllowThatNamesNothingIsOnlyReported(t *testing.T) {
	user := t.TempDir()
	write(t, filepath.Join(user, "permissions.json"), "{\"permissions\": {\"allow\": [\"mcp__a__b\",\n \"é\", \"github\"]}}")
	s := OpenStore(StoreOptions{UserDir: user})
	want(t, s, "mcp__a__b", Allow)
	p := s.Problems()
	if len(p) != 2 || p[1].Range.Start.Line != 1 || p[1].Range.Start.Character != 6 || p[1].Range.End.Character != 14 {
		t.Errorf("problems: %+v", p)
	}
}

// What lies where a file of rules is expected may be anything.
func TestOddFilesAreBroken(t *testing.T) {
	user, folder := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(user, "permissions.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, ".codemode", "permissions.json"), strings.Repeat(" ", maxFile+1))
	s := OpenStore(StoreOptions{UserDir: user, Folder: folder, Fixed: []Rule{{Effect: Allow, Layer: Flag, Match: "mcp__*__*"}}})
	if p := s.Problems(); len(p) != 2 {
		t.Errorf("problems: %v", p)
	}
	want(t, s, "mcp__a__b", Ask)
}

// A repository may hold any file: a large one, broken or not, takes no longer than
// its size says.
func TestManyRulesOnOneLine(t *testing.T) {
	growth.Linear(t, "rules", 40_000, func(n int) {
		names := make([]string, n-1)
		for i := range names {
			names[i] = fmt.Sprintf("mcp__a__ä%05d", i)
		}
		text := `{"permissions":{"deny":["` + strings.Join(names, `","`) + `","mcp__z__z"]}}`
		for _, text := range []string{text, text + "}"} {
			f := parseFile([]byte(text), "f", Repository)
			last := f.rules[len(f.rules)-1]
			if last.Match != "mcp__z__z" || last.Range.Start.Line != 0 || last.Range.Start.Character != 24+17*(n-1) {
				t.Errorf("%d rules, the last one %+v", len(f.rules), last)
			}
		}
	})
}

// Two editors that share a file lose no rule of each other.
func TestConcurrentWriters(t *testing.T) {
	user := t.TempDir()
	const writers, each = 4, 10
	var wg sync.WaitGroup
	for w := range writers {
		s := OpenStore(StoreOptions{UserDir: user})
		wg.Go(func() {
			for i := range each {
				if err := s.Set(User, Allow, "mcp__w"+strconv.Itoa(w)+"__t"+strconv.Itoa(i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := OpenStore(StoreOptions{UserDir: user})
	if n := len(s.Rules().All()); n != writers*each {
		t.Errorf("%d rules are left of %d", n, writers*each)
	}
}

// A settings file kept elsewhere and linked stays a link.
// A workspace's rules are those of its folder, by whatever link it is opened.
func TestLinkedWorkspace(t *testing.T) {
	user, folder := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	linked := OpenStore(StoreOptions{UserDir: user, Folder: link})
	if err := linked.Set(Workspace, Deny, "mcp__a__b"); err != nil {
		t.Fatal(err)
	}
	want(t, linked, "mcp__a__b", Deny)
	want(t, OpenStore(StoreOptions{UserDir: user, Folder: folder}), "mcp__a__b", Deny)
}

func TestLinkedFileStaysALink(t *testing.T) {
	user, dotfiles := t.TempDir(), t.TempDir()
	real := filepath.Join(dotfiles, "p.json")
	write(t, real, `{}`)
	link := filepath.Join(user, "permissions.json")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	s := OpenStore(StoreOptions{UserDir: user})
	if err := s.Set(User, Deny, "mcp__a__b"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	if !strings.Contains(read(t, real), "mcp__a__b") {
		t.Error("the rule is not in the linked file")
	}
}

func FuzzFile(f *testing.F) {
	f.Add(`{"permissions":{"allow":["mcp__a__b"],"deny":[1]}} // x`)
	f.Add("\ufeff{ /* */ \"permissions\": { \"ask\": [ ], }, }")
	f.Fuzz(func(t *testing.T, text string) {
		before := parseFile([]byte(text), "f", User)
		if before.broken && len(before.problems) == 0 {
			t.Fatal("broken without a reason")
		}
		out, err := edit([]byte(text), "f", User, Deny, "mcp__a__b", "")
		if err != nil {
			return
		}
		after := parseFile(out, "f", User)
		if after.broken {
			t.Fatalf("%q became broken: %q", text, out)
		}
		if d := NewRules(after.rules).Decide("mcp__a__b"); d.Effect != Deny {
			t.Fatalf("%q does not deny: %q", text, out)
		}
	})
}

// PERM-4: whoever watches is told at once, of each change of this process and of
// others.
func TestPerm4Watch(t *testing.T) {
	dir := t.TempDir()
	s := OpenStore(StoreOptions{UserDir: dir})
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan Effect)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Watch(ctx, func() { seen <- s.Rules().Decide("mcp__a__b").Effect })
	}()
	expect := func(want Effect) {
		t.Helper()
		if got := <-seen; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	expect(Ask) // at once: nothing that changes before the first look is missed
	if err := s.Set(Session, Allow, "mcp__a__b"); err != nil {
		t.Fatal(err)
	}
	expect(Allow)
	if err := OpenStore(StoreOptions{UserDir: dir}).Set(User, Deny, "mcp__a__*"); err != nil { // as another process does
		t.Fatal(err)
	}
	expect(Deny)
	stop()
	<-done
}
