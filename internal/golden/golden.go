// Package golden compares what tests render with txtar archives that hold both
// input and expected output. `go test ./somewhere -update` rewrites the output.
package golden

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected output of golden tests")

// Run renders each archive that matches pattern, as a subtest named after the
// file. render gets the archive's files by name and returns output files by
// name; each must be in the archive with the same text. An empty output must
// not be in it.
func Run(t *testing.T, pattern string, render func(t *testing.T, files map[string]string) map[string]string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archive matches %s (%v)", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := make(map[string]string, len(archive.Files))
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			got := render(t, files)
			if *update {
				rewrite(t, path, archive, got)
				return
			}
			for name, text := range got {
				if diff := cmp.Diff(files[name], text); diff != "" {
					t.Errorf("%s of %s (-want +got), -update rewrites it:\n%s", name, path, diff)
				}
			}
		})
	}
}

// rewrite puts output into the archive, new files at its end by name.
func rewrite(t *testing.T, path string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if text, ok := got[f.Name]; ok {
			delete(got, f.Name)
			if f.Data = []byte(text); text == "" {
				continue
			}
		}
		kept = append(kept, f)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != "" {
			kept = append(kept, txtar.File{Name: name, Data: []byte(got[name])})
		}
	}
	archive.Files = kept
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
