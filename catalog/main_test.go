package catalog

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file in testdata/catalog.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("..", "testdata", "catalog", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; -update rewrites it:\n%s", file, diff)
	}
}

// corpus reads all recorded servers, or skips the test.
func corpus(t testing.TB) []*Server {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "corpus", "*.json"))
	if len(files) == 0 {
		t.Skip("the corpus of recorded servers is not there")
	}
	var servers []*Server
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, tools, instructions, err := ReadRecording(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		servers = append(servers, NewServer(name, tools, instructions, false))
	}
	return servers
}
