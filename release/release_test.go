package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// DIST-1: an archive depends on its content and on the commit's date alone, and a
// program in it can be run.
func TestArchivesAreReproducible(t *testing.T) {
	files := []file{{"codemode-ls", []byte("program"), 0o755}, {"man/codemode-ls.1", []byte("page"), 0o644}}
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, write := range map[string]func(io.Writer, string, []file, time.Time) error{"tar": writeTar, "zip": writeZip} {
		var one, two bytes.Buffer
		if err := write(&one, "folder", files, date); err != nil {
			t.Fatal(err)
		}
		if err := write(&two, "folder", files, date); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("two archives by %s differ", name)
		}
		var mode os.FileMode
		var modified time.Time
		if name == "zip" {
			archive, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
			if err != nil {
				t.Fatal(err)
			}
			mode, modified = archive.File[0].Mode(), archive.File[0].Modified
		} else {
			unpacked, err := gzip.NewReader(&one)
			if err != nil {
				t.Fatal(err)
			}
			header, err := tar.NewReader(unpacked).Next()
			if err != nil {
				t.Fatal(err)
			}
			mode, modified = header.FileInfo().Mode(), header.ModTime
		}
		if mode != 0o755 || !modified.Equal(date) {
			t.Errorf("%s: mode %v, modified %v", name, mode, modified)
		}
	}
}

// DIST-1: a folder that is no output of a release is never emptied.
func TestOutputFolderOfSomethingElse(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&maker{out: dir}).empty(); err == nil || !strings.Contains(err.Error(), "choose another folder") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

// DIST-1: growth above a budget fails.
func TestSizeBudget(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "codemode-ls_1_linux_amd64.tar.gz")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m := &maker{out: dir}
	if err := m.sizes(); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(path, 100_000_000); err != nil {
		t.Fatal(err)
	}
	if err := m.sizes(); err == nil || !strings.Contains(err.Error(), "larger than their budget") {
		t.Errorf("error %v", err)
	}
}

func TestChoose(t *testing.T) {
	if chosen, err := choose(""); err != nil || len(chosen) != len(targets) {
		t.Errorf("%v, %v", chosen, err)
	}
	if chosen, err := choose("windows/arm64,linux/amd64"); err != nil || len(chosen) != 2 || chosen[0].node() != "win32-arm64" || chosen[1].node() != "linux-x64" {
		t.Errorf("%v, %v", chosen, err)
	}
	if _, err := choose("plan9/amd64"); err == nil {
		t.Error("a platform that is not shipped was chosen")
	}
}

// DIST-1: the formula and the manifest name what was made, and nothing else.
func TestFormulae(t *testing.T) {
	dir := t.TempDir()
	m := &maker{out: dir, version: "1.2.3", download: "https://example.com/d", sums: map[string]string{
		"codemode-ls_1.2.3_linux_amd64.tar.gz": "aaa", "codemode-ls_1.2.3_darwin_arm64.tar.gz": "bbb", "codemode-ls_1.2.3_windows_amd64.zip": "ccc",
	}}
	if err := m.formulae([]target{{"linux", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}); err != nil {
		t.Fatal(err)
	}
	ruby, err := os.ReadFile(filepath.Join(dir, "codemode-ls.rb"))
	if err != nil {
		t.Fatal(err)
	}
	want := `  on_macos do
    on_arm do
      url "https://example.com/d/codemode-ls_1.2.3_darwin_arm64.tar.gz"
      sha256 "bbb"
    end
  end

  on_linux do
    on_intel do
      url "https://example.com/d/codemode-ls_1.2.3_linux_amd64.tar.gz"
      sha256 "aaa"
    end
  end
`
	if !strings.Contains(string(ruby), want) {
		t.Errorf("the formula is\n%s", ruby)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "codemode-ls.json"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(manifest); !strings.Contains(text, `"hash": "ccc"`) || strings.Contains(text, "arm64") {
		t.Errorf("the manifest is\n%s", text)
	}
}

// A line of help is never a request to troff.
func TestRoff(t *testing.T) {
	for line, want := range map[string]string{".codemode/ is a folder": `\&.codemode/ is a folder`, `C:\x --y`: `C:\ex \-\-y`, "'a'": `\&'a'`} {
		if got := roff(line); got != want {
			t.Errorf("%q became %q", line, got)
		}
	}
}
