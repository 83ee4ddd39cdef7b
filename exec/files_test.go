package exec

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// tree is a workspace with a secret beside it.
func tree(t *testing.T) (f files, folder, secret string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder, secret = filepath.Join(dir, "folder"), filepath.Join(dir, "secret.txt")
	other := filepath.Join(dir, "other")
	for path, text := range map[string]string{
		secret: "secret", filepath.Join(folder, "a.txt"): "a", filepath.Join(folder, "sub", "b.txt"): "b\r\n\ufeffé\u2028",
		filepath.Join(folder, "binary"): "\xff\xfe", filepath.Join(folder, "large"): strings.Repeat("x", 101), filepath.Join(folder, "full"): strings.Repeat("x", 100),
		filepath.Join(other, "c.txt"): "c", filepath.Join(other, "a.txt"): "other a",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files{folders: []string{folder, other}, scratch: filepath.Join(dir, "scratch"), max: 100}, folder, secret
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}

func TestReadText(t *testing.T) {
	f, folder, secret := tree(t)
	link(t, secret, filepath.Join(folder, "out"))
	link(t, filepath.Dir(secret), filepath.Join(folder, "up"))
	link(t, filepath.Join(folder, "a.txt"), filepath.Join(folder, "in"))
	link(t, filepath.Join("..", "other", "c.txt"), filepath.Join(folder, "over"))
	link(t, filepath.Join(folder, "loop"), filepath.Join(folder, "loop"))
	link(t, folder, filepath.Join(filepath.Dir(folder), "alias"))
	for path, want := range map[string]string{
		"a.txt": "a", "./sub/../a.txt": "a", "sub/b.txt": "b\r\n\ufeffé\u2028", "c.txt": "c", "full": strings.Repeat("x", 100),
		filepath.Join(folder, "a.txt"): "a", "in": "a", "over": "c",
		filepath.Join(filepath.Dir(folder), "alias", "a.txt"): "a", // the real path decides
	} {
		if got, err := f.read(path); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	const away, none = "is outside of what a script may read", "there is no file"
	for path, words := range map[string]string{
		"../secret.txt": away, "sub/../../secret.txt": away, secret: away, "out": away, "up/secret.txt": away, "/etc/passwd": away,
		filepath.Join(folder, "..", "secret.txt"): away, "/nowhere/at/all": away, "..": away,
		"nope": none, "loop": none, filepath.Join(folder, "nope"): none,
		"sub": "is not a file", ".": "is not a file", "binary": "is not UTF-8", "large": "is larger than", "a\x00.txt": "no NUL",
	} {
		if got, err := f.read(path); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %q, %v; want %q", path, got, err, words)
		}
	}
	bare := files{folders: f.folders, max: f.max}
	if got, err := bare.read("files_test.go"); err == nil || !strings.Contains(err.Error(), none) { // of this process's folder
		t.Errorf("without a scratch folder: %q, %v", got, err)
	}
	if got, err := bare.read("a.txt"); got != "a" || err != nil {
		t.Errorf("without a scratch folder: %q, %v", got, err)
	}
	if _, err := bare.write("x", "", false); err == nil {
		t.Error("written without a scratch folder")
	}
	var r rangeError
	if _, err := f.read("large"); !errors.As(err, &r) {
		t.Errorf("the size limit is no RangeError: %v", err)
	}
}

func TestWriteText(t *testing.T) {
	f, folder, secret := tree(t)
	path, err := f.write("sub/x.txt", "one", false)
	if err != nil || path != filepath.Join(f.scratch, "sub", "x.txt") {
		t.Fatal(path, err)
	}
	if _, err := f.write(path, "two", false); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"sub/x.txt", path} {
		if got, err := f.read(p); got != "two" || err != nil {
			t.Errorf("%s: %q, %v", p, got, err)
		}
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	link(t, secret, filepath.Join(f.scratch, "out"))
	link(t, filepath.Dir(secret), filepath.Join(f.scratch, "up"))
	if _, err := f.write("out", "replaced", false); err != nil {
		t.Errorf("a link was not replaced: %v", err)
	}
	for path, words := range map[string]string{
		"../x": "outside of where a script may write", "/etc/x": "outside of where", filepath.Join(folder, "x"): "outside of where",
		"..": "outside of where", ".": "no name of a file", "sub": "writing", "up/secret.txt": "writing", "x.txt/y": "writing",
		"a\x00b": "no NUL", "large": "larger than",
	} {
		text := "t"
		if path == "large" {
			text = strings.Repeat("x", 101)
		}
		if path == "x.txt/y" {
			f.write("x.txt", "", false)
		}
		if got, err := f.write(path, text, false); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %q, %v; want %q", path, got, err, words)
		}
	}
	if data, _ := os.ReadFile(secret); string(data) != "secret" {
		t.Errorf("the secret is %q", data)
	}
	if path, err := f.write("dry.txt", "x", true); err != nil {
		t.Error(err)
	} else if _, err := os.Stat(path); err == nil {
		t.Error("a dry run wrote a file")
	}
	left, _ := filepath.Glob(filepath.Join(f.scratch, ".new-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The scratch folder has an end.
func TestScratchIsBounded(t *testing.T) {
	f, _, _ := tree(t)
	f.max = maxScratchBytes
	if _, err := f.write("a", strings.Repeat("x", maxScratchBytes-1), false); err != nil {
		t.Fatal(err)
	}
	var r rangeError
	if _, err := f.write("b", "xx", false); !errors.As(err, &r) {
		t.Errorf("beyond its size: %v", err)
	}
}

// Links that change while files are read never lead out.
func TestReadTextRaced(t *testing.T) {
	f, folder, _ := tree(t)
	name := filepath.Join(folder, "raced")
	link(t, filepath.Join(folder, "a.txt"), name)
	var stop atomic.Bool
	var swap sync.WaitGroup
	swap.Go(func() {
		for !stop.Load() {
			for _, target := range []string{filepath.Join(folder, "..", "secret.txt"), "a.txt", "../secret.txt"} {
				os.Remove(name + "~")
				os.Symlink(target, name+"~")
				os.Rename(name+"~", name)
			}
		}
	})
	read := 0
	for range 3000 {
		got, err := f.read("raced")
		if err == nil && got != "a" {
			t.Errorf("read %q", got)
			break
		}
		if err == nil {
			read++
		}
	}
	stop.Store(true)
	swap.Wait()
	t.Logf("read %d times", read)
}
