package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func hash(n int) string { return fmt.Sprintf("%032x", n) }

func pinOf(leaf string, n int, text string) Pin {
	return Pin{Leaf: leaf, Hash: hash(n), Text: func() string { return text }}
}

// TRUST-3: a pinned tool that changes is allowed by no stored rule, by those of a run
// it is; the pin is of the server that has the tool.
func TestTrust3Pins(t *testing.T) {
	user := t.TempDir()
	write(t, filepath.Join(user, "permissions.json"), `{"permissions":{"allow":["mcp__a__*"]}}`)
	open := func(n int, identity string) *Store {
		s := OpenStore(StoreOptions{UserDir: user, Fixed: []Rule{{Effect: Allow, Layer: Flag, Match: "mcp__a__flag"}}})
		server := Server{Identity: identity, Key: "a", Tool: hash(n), Trusted: true}
		s.SetKnown(known(map[string]Server{"mcp__a__x": server, "mcp__a__flag": server}))
		return s
	}
	s := open(1, Own)
	want(t, s, "mcp__a__x", Allow)
	if err := s.Pin(true, pinOf("mcp__a__x", 1, "one"), pinOf("mcp__a__flag", 1, "one"), pinOf("mcp__a__nobody", 1, "")); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__a__x", Allow)
	s = open(2, Own)
	want(t, s, "mcp__a__x", Ask)
	want(t, s, "mcp__a__flag", Allow)
	if was, changed := s.Was("mcp__a__x"); was != "one" || !changed {
		t.Errorf("%q %t", was, changed)
	}
	want(t, open(2, "another"), "mcp__a__x", Allow)
	if err := s.Pin(true, pinOf("mcp__a__x", 2, "two")); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__a__x", Ask) // it was pinned already
	if err := s.Pin(false, pinOf("mcp__a__x", 2, "two")); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__a__x", Allow)
	want(t, open(1, Own), "mcp__a__x", Ask)
	// A person who sets the rule again, without a look at the tool, means it as it is then.
	s = open(3, Own)
	if err := s.Set(User, Allow, "mcp__a__x"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "mcp__a__x", Allow)
	if !s.Rules().Unpinned("mcp__a__x") {
		t.Error("pinned without a look")
	}
	// Of a file that is broken it is not known what has changed.
	write(t, filepath.Join(user, pinsFile), "{")
	s = open(3, Own)
	want(t, s, "mcp__a__x", Ask)
	if len(s.Problems()) != 1 {
		t.Errorf("%+v", s.Problems())
	}
	if err := s.Pin(false, pinOf("mcp__a__x", 3, "")); err == nil {
		t.Error("written over a broken file")
	}
}

// TRUST-3: what is kept is bounded, a person's alone, and nothing of a tool that is no
// longer pinned.
func TestTrust3PinsAreBounded(t *testing.T) {
	user := t.TempDir()
	s := OpenStore(StoreOptions{UserDir: user})
	tools := map[string]Server{}
	var list []Pin
	for i := range maxPinsOfServer + 10 {
		leaf := fmt.Sprintf("mcp__w__t%d", i)
		tools[leaf] = Server{Identity: "w", Key: "w", Tool: hash(i)}
		p := pinOf(leaf, i, "")
		p.Text = nil
		list = append(list, p)
	}
	tools["mcp__a__x"] = Server{Identity: Own, Key: "a", Tool: hash(1 << 20)}
	s.SetKnown(&Known{Tools: tools})
	list = append(list, pinOf("mcp__a__x", 1<<20, strings.Repeat("x", 1<<20)))
	if err := s.Pin(true, list...); err != nil {
		t.Fatal(err)
	}
	unpinned := 0
	for leaf := range tools {
		if s.Rules().Unpinned(leaf) {
			unpinned++
		}
	}
	if unpinned != 10 || s.Rules().Unpinned("mcp__a__x") {
		t.Errorf("%d are not pinned", unpinned)
	}
	file := filepath.Join(user, pinsFolder, hash(1<<20)+".txt")
	info, err := os.Stat(file)
	if err != nil || info.Size() > maxPinText+100 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	tools["mcp__a__x"] = Server{Identity: Own, Key: "a", Tool: hash(2 << 20)}
	s.SetKnown(&Known{Tools: tools})
	if err := s.Pin(false, pinOf("mcp__a__x", 2<<20, "new")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the text of before is kept")
	}
}
