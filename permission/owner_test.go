package permission

import (
	"os"
	"path/filepath"
	"testing"
)

// known is what the store would hear of a workspace: the user's own server a, and
// servers of the workspace by identity.
func known(tools map[string]Server) *Known {
	k := &Known{Tools: tools}
	for _, s := range tools {
		k.Servers = append(k.Servers, s)
	}
	return k
}

// TRUST-1, TRUST-3: a rule written by hand is about the user's own server, and the
// answer for a server of a workspace is for exactly that definition.
func TestTrust3RulesAreBoundToIdentities(t *testing.T) {
	user, folder := t.TempDir(), t.TempDir()
	write(t, filepath.Join(user, "permissions.json"), `{"permissions":{"allow":["mcp__git__*", "mcp__*__get"], "deny":["mcp__git__drop"], "ask":["mcp__git__push"]}}`)
	open := func(identity string, apart bool) *Store {
		s := OpenStore(StoreOptions{UserDir: user, Folder: folder, Fixed: []Rule{{Effect: Allow, Layer: Flag, Match: "mcp__git__flag"}}})
		server := Server{Identity: identity, Key: "git", Apart: apart}
		s.SetKnown(known(map[string]Server{"mcp__git__get": server, "mcp__git__drop": server, "mcp__git__push": server, "mcp__git__flag": server, "mcp__git__always": server}))
		return s
	}
	own := open(Own, false)
	want(t, own, "mcp__git__get", Allow)
	want(t, own, "mcp__git__gone", Ask) // nobody has it: who comes with it may be another
	first := open("first", false)
	want(t, first, "mcp__git__get", Ask)
	want(t, first, "mcp__git__drop", Deny) // of a name, whoever has it
	want(t, first, "mcp__git__flag", Allow)
	want(t, open("first", true), "mcp__git__flag", Ask)

	for _, layer := range []Layer{User, Workspace, Session} {
		if err := first.Set(layer, "", "mcp__git__always"); err != nil {
			t.Fatal(err)
		}
		want(t, first, "mcp__git__always", Ask)
		if err := first.Set(layer, Allow, "mcp__git__always"); err != nil {
			t.Fatal(err)
		}
		want(t, first, "mcp__git__always", Allow)
		if layer != Session {
			want(t, open("first", false), "mcp__git__always", Allow) // also after a restart
			want(t, open("first", true), "mcp__git__always", Allow)  // a look-alike has what was given to it
		}
		want(t, open("second", false), "mcp__git__always", Ask) // what was approved is another one
		if err := first.Set(layer, "", "mcp__git__always"); err != nil {
			t.Fatal(err)
		}
	}
	want(t, own, "mcp__git__always", Allow) // by mcp__git__*, as before

	// A rule that a person typed is for the servers of its key; one by hand counts on.
	if err := first.Set(User, Allow, "mcp__git__g*"); err != nil {
		t.Fatal(err)
	}
	want(t, first, "mcp__git__get", Allow)
	want(t, open(Own, false), "mcp__git__get", Allow)
	want(t, open("second", false), "mcp__git__get", Ask)
	if err := open("look-alike", true).Set(User, Allow, "mcp__git"); err != nil { // mcp__git__* stands there by hand
		t.Fatal(err)
	}
	want(t, open("look-alike", true), "mcp__git__get", Ask)
	want(t, open(Own, false), "mcp__git__flag", Allow)

	info, err := os.Stat(filepath.Join(user, grantsFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	// What cannot be read gives nothing to anybody, and is reported.
	write(t, filepath.Join(user, grantsFile), "{")
	broken := open(Own, false)
	want(t, broken, "mcp__git__get", Ask)
	if p := broken.Problems(); len(p) != 1 || p[0].File != filepath.Join(user, grantsFile) {
		t.Errorf("%v", p)
	}
	if err := broken.Set(User, Allow, "mcp__git__x"); err == nil {
		t.Error("a broken file was replaced")
	}
}

// An answer for a workspace's server gives the user's own of that name nothing.
func TestTrust3AnAnswerIsForOneServer(t *testing.T) {
	user := t.TempDir()
	s := OpenStore(StoreOptions{UserDir: user})
	theirs := known(map[string]Server{"mcp__git__drop": {Identity: "theirs", Key: "git"}})
	mine := known(map[string]Server{"mcp__git__drop": {Identity: Own, Key: "git"}})
	s.SetKnown(theirs)
	if err := s.Set(User, Allow, "mcp__git__drop"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__git__drop", Allow)
	s.SetKnown(mine)
	want(t, s, "mcp__git__drop", Ask)
	if err := s.Set(User, Allow, "mcp__git__drop"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__git__drop", Allow)
	s.SetKnown(theirs)
	want(t, s, "mcp__git__drop", Allow)
}
