// Command release makes everything that people install from one commit: archives,
// npm packages, VS Code extensions, with checksums, licences, bills of materials,
// completions and a man page. See docs/releasing.md.
//
// Usage: go run ./release [-only OS/ARCH,…] [-out DIR] [-download URL]
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "platforms to build, such as linux/amd64,windows/arm64, or native; all without it")
	out := flag.String("out", "dist", "folder to write to; it is emptied")
	download := flag.String("download", "", "URL of the folder that the archives will be in, for the formulae; default: the output folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := release(ctx, *only, *out, *download); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// target is a platform that is shipped, by Go's names.
type target struct{ os, arch string }

var targets = []target{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string { return t.os + "/" + t.arch }

// node is the platform by the names of Node.js and VS Code.
func (t target) node() string {
	system := strings.Replace(t.os, "windows", "win32", 1)
	return system + "-" + strings.Replace(t.arch, "amd64", "x64", 1)
}

func (t target) program() string {
	if t.os == "windows" {
		return "codemode-ls.exe"
	}
	return "codemode-ls"
}

// maker makes one release.
type maker struct {
	ctx      context.Context
	out      string
	version  string
	commit   string
	date     time.Time // of the commit, and of every file that is packed
	download string
	sums     map[string]string // SHA-256 by the name of a file in out
}

func release(ctx context.Context, only, out, download string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	m := &maker{ctx: ctx, sums: map[string]string{}}
	if m.out, err = filepath.Abs(out); err != nil {
		return err
	}
	if m.download = download; download == "" {
		m.download = "file://" + filepath.ToSlash(m.out)
	}
	if err := m.identify(); err != nil {
		return err
	}
	if err := m.empty(); err != nil {
		return err
	}
	// Completions and the man page come from a program that runs here.
	host := target{runtime.GOOS, runtime.GOARCH}
	for _, t := range append([]target{host}, slices.DeleteFunc(slices.Clone(chosen), func(t target) bool { return t == host })...) {
		if err := m.compile(t); err != nil {
			return err
		}
	}
	common, err := m.common(host, chosen)
	if err != nil {
		return err
	}
	for _, t := range chosen {
		if err := m.pack(t, common); err != nil {
			return err
		}
	}
	if err := m.npm(); err != nil {
		return err
	}
	if err := m.formulae(chosen); err != nil {
		return err
	}
	if err := m.notes(chosen); err != nil {
		return err
	}
	if err := m.checksums(); err != nil {
		return err
	}
	return m.sizes()
}

func choose(only string) ([]target, error) {
	switch only {
	case "":
		return targets, nil
	case "native":
		only = runtime.GOOS + "/" + runtime.GOARCH
	}
	var chosen []target
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("%s is not among the platforms that are shipped: %v", name, targets)
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}

// identify finds out what is being released.
func (m *maker) identify() error {
	source, err := os.ReadFile("cmd/codemode-ls/version.go")
	if err != nil {
		return fmt.Errorf("run this at the root of the checkout: %w", err)
	}
	_, after, found := strings.Cut(string(source), `const release = "`)
	if !found {
		return errors.New("cmd/codemode-ls/version.go has no constant release")
	}
	m.version, _, _ = strings.Cut(after, `"`)
	if m.commit, err = m.output("git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	seconds, err := m.output("git", "show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("date of the commit: %w", err)
	}
	m.date = time.Unix(unix, 0).UTC()
	if changed, err := m.output("git", "status", "--porcelain"); err != nil {
		return err
	} else if changed != "" {
		fmt.Println("note: the checkout has changes that are not in commit", m.commit)
	}
	return nil
}

// empty makes the output folder new. It refuses a folder that holds something else.
func (m *maker) empty() error {
	mark := filepath.Join(m.out, "programs")
	if entries, err := os.ReadDir(m.out); err == nil && len(entries) > 0 {
		if _, err := os.Stat(mark); err != nil {
			return fmt.Errorf("%s is not empty and not the output of a release: remove it, or choose another folder by -out", m.out)
		}
		if err := os.RemoveAll(m.out); err != nil {
			return err
		}
	}
	return os.MkdirAll(mark, 0o755)
}

func (m *maker) binary(t target) string {
	return filepath.Join(m.out, "programs", t.node(), t.program())
}

// compile builds the program without C, so that every platform builds every other,
// and without paths of this machine.
func (m *maker) compile(t target) error {
	flags := "-ldflags=-s -w -X main.commit=" + m.commit
	if strings.HasPrefix(m.download, "https://") {
		flags += " -X main.releases=" + m.download + "/latest.json"
	}
	return m.run([]string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch},
		"go", "build", "-trimpath", "-buildvcs=false", flags, "-o", m.binary(t), "./cmd/codemode-ls")
}

// npm packs the npm packages, with Node.js.
func (m *maker) npm() error {
	return m.run(nil, "node", "release/npm/pack.mjs", m.version, m.out, filepath.Join(m.out, "programs"), filepath.Join(m.out, licences))
}

// vsix packages the VS Code extension with the program inside.
func (m *maker) vsix(t target) error {
	file := filepath.Join(m.out, fmt.Sprintf("codemode-%s-%s.vsix", m.version, t.node()))
	return m.run([]string{
		"TARGET=" + t.node(), "SERVER=" + m.binary(t), "LICENCES=" + filepath.Join(m.out, licences),
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", m.date.Unix()),
	}, "bash", "editors/vscode/package.sh", file)
}

func (m *maker) run(env []string, name string, args ...string) error {
	fmt.Println("+", strings.Join(append(slices.Clone(env), append([]string{name}, args...)...), " "))
	cmd := exec.CommandContext(m.ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}

func (m *maker) output(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(m.ctx, name, args...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(data)), nil
}

// checksums writes SHA256SUMS of all files that are published.
func (m *maker) checksums() error {
	entries, err := os.ReadDir(m.out)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.out, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum(data), entry.Name())
	}
	return os.WriteFile(filepath.Join(m.out, "SHA256SUMS"), []byte(list.String()), 0o644)
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

// budgets are the sizes that a release must not exceed, in bytes, by the end of the
// name: about 3 % above the largest one of today. Whoever raises one says in the
// commit what it buys.
var budgets = []struct {
	suffix string
	bytes  int64
}{
	{"codemode-ls", 79_000_000},
	{"codemode-ls.exe", 79_000_000},
	{".tar.gz", 25_000_000},
	{".zip", 25_000_000},
	{".vsix", 25_000_000},
	{".tgz", 25_000_000},
}

// sizes prints the size of what was made, and fails on one above its budget.
func (m *maker) sizes() error {
	var over []string
	err := filepath.WalkDir(m.out, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for _, budget := range budgets {
			if !strings.HasSuffix(path, budget.suffix) {
				continue
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(m.out, path)
			fmt.Printf("size  %5.1f of at most %.1f MB  %s\n", float64(info.Size())/1e6, float64(budget.bytes)/1e6, name)
			if info.Size() > budget.bytes {
				over = append(over, name)
			}
			return nil
		}
		return nil
	})
	if err == nil && len(over) > 0 {
		err = fmt.Errorf("larger than their budget in release/main.go: %s", strings.Join(over, ", "))
	}
	return err
}
