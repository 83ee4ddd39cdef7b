package guest

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	test262Shrink = flag.Bool("test262.shrink", false, "take what passes out of testdata/test262/known-failures.txt")
	test262Only   = flag.String("test262.only", "", "run the files whose path begins with this")
	test262Report = flag.String("test262.report", "", "write each failure and why to this file")
)

const (
	test262Scopes  = "testdata/test262/out-of-scope.txt"
	test262Known   = "testdata/test262/known-failures.txt"
	test262Timeout = 20 * time.Second
)

// TEST-6: test262 through the transpiler and the engine.
//
//	TEST262_DIR=CHECKOUT go test ./sandbox/guest -run Test6Test262 -v -timeout 60m
//
// Each file is the body of a script, as an author's is, after its harness. It
// prints the share that passes by folder. A failure that is not in
// known-failures.txt fails the test, and so does a known one that passes, unless
// -test262.shrink takes it out.
func TestTest6Test262(t *testing.T) {
	root := os.Getenv("TEST262_DIR")
	if root == "" {
		t.Skip("TEST262_DIR names no checkout of test262")
	}
	scope, err := readTest262Scope(test262Scopes)
	if err != nil {
		t.Fatal(err)
	}
	files, excluded, err := listTest262(root, scope)
	if err != nil {
		t.Fatal(err)
	}
	known, err := readKnownFailures()
	if err != nil {
		t.Fatal(err)
	}
	failures := runTest262(t, root, files)
	printTest262(t, files, failures, excluded)
	if *test262Report != "" {
		var b strings.Builder
		for _, id := range slices.Sorted(maps.Keys(failures)) {
			fmt.Fprintf(&b, "%s\t%s\n", id, strings.ReplaceAll(failures[id], "\n", " "))
		}
		if err := os.WriteFile(*test262Report, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compareKnownFailures(t, files, failures, known)
}

// test262ID names a run in the list of known failures.
func test262ID(f *test262File, mode string) string { return f.Path + " " + mode }

// listTest262 finds the files in scope, and how many runs are not.
func listTest262(root string, scope *test262Scope) (files []*test262File, excluded int, err error) {
	test := filepath.Join(root, "test")
	err = filepath.WalkDir(test, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(test, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() || !strings.HasSuffix(rel, ".js") || strings.Contains(rel, "_FIXTURE") || !strings.HasPrefix(rel, *test262Only) {
			return nil
		}
		f, err := readTest262File(root, rel)
		if err != nil {
			return err
		}
		if scope.excludes(f) {
			excluded += len(f.modes())
			return nil
		}
		f.text = ""
		files = append(files, f)
		return nil
	})
	return files, excluded, err
}

// runTest262 gives the runs that failed, with the reason.
func runTest262(t *testing.T, root string, files []*test262File) map[string]string {
	failures := map[string]string{}
	jobs := make(chan test262Job)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			w := &test262Process{root: root}
			defer w.end()
			for job := range jobs {
				if why := w.run(job); why != "" {
					mu.Lock()
					failures[test262ID(job.File, job.Mode)] = why
					mu.Unlock()
				}
			}
		})
	}
	for _, f := range files {
		for _, mode := range f.modes() {
			jobs <- test262Job{File: f, Mode: mode}
		}
	}
	close(jobs)
	wg.Wait()
	return failures
}

// test262Process is a worker process, started again after one that a test ended.
type test262Process struct {
	root string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

func (w *test262Process) run(job test262Job) string {
	if w.cmd == nil {
		self, err := os.Executable()
		if err != nil {
			return err.Error()
		}
		cmd := exec.Command(self, test262Command, w.root)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			return err.Error()
		}
		w.cmd, w.in, w.out = cmd, in, bufio.NewReader(out)
	}
	line, err := json.Marshal(job)
	if err != nil {
		return err.Error()
	}
	w.in.Write(append(line, '\n'))
	timer := time.AfterFunc(test262Timeout, func() { w.cmd.Process.Kill() })
	answer, err := w.out.ReadBytes('\n')
	inTime := timer.Stop()
	var r test262Result
	if err == nil && inTime {
		err = json.Unmarshal(answer, &r)
	}
	switch {
	case !inTime:
		w.end()
		return fmt.Sprintf("not over after %v", test262Timeout)
	case err != nil:
		w.end()
		return "it ended the process"
	}
	return r.Why
}

func (w *test262Process) end() {
	if w.cmd != nil {
		w.in.Close()
		w.cmd.Wait()
		w.cmd = nil
	}
}

// printTest262 prints the shares by folder.
func printTest262(t *testing.T, files []*test262File, failures map[string]string, excluded int) {
	type share struct{ runs, failed int }
	folders := map[string]*share{}
	count := func(name string, failed bool) {
		s := folders[name]
		if s == nil {
			s = &share{}
			folders[name] = s
		}
		s.runs++
		if failed {
			s.failed++
		}
	}
	for _, f := range files {
		parts := strings.Split(f.Path, "/")
		for _, mode := range f.modes() {
			_, failed := failures[test262ID(f, mode)]
			count("total", failed)
			count(parts[0], failed)
			if len(parts) > 2 {
				count(parts[0]+"/"+parts[1], failed)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		s := folders[name]
		t.Logf("%-40s %6d runs %6d failed %6.1f %%", name, s.runs, s.failed, 100*float64(s.runs-s.failed)/float64(s.runs))
	}
	t.Logf("%d runs are out of scope: see %s", excluded, test262Scopes)
}

func readKnownFailures() (map[string]bool, error) {
	data, err := os.ReadFile(test262Known)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			known[line] = true
		}
	}
	return known, nil
}

// compareKnownFailures fails for what is new, and for what is listed and passes.
func compareKnownFailures(t *testing.T, files []*test262File, failures map[string]string, known map[string]bool) {
	var fresh, passing []string
	for _, f := range files {
		for _, mode := range f.modes() {
			id := test262ID(f, mode)
			_, failed := failures[id]
			switch {
			case failed && !known[id]:
				fresh = append(fresh, id+": "+failures[id])
			case !failed && known[id]:
				passing = append(passing, id)
			}
		}
	}
	if len(fresh) > 0 {
		t.Errorf("%d runs fail that are not in %s:\n%s", len(fresh), test262Known, strings.Join(fresh[:min(len(fresh), 50)], "\n"))
	}
	if len(passing) == 0 {
		return
	}
	if !*test262Shrink {
		t.Errorf("%d runs of %s pass; -test262.shrink takes them out:\n%s", len(passing), test262Known, strings.Join(passing[:min(len(passing), 50)], "\n"))
		return
	}
	data, err := os.ReadFile(test262Known)
	if err != nil {
		t.Fatal(err)
	}
	gone := map[string]bool{}
	for _, id := range passing {
		gone[id] = true
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if !gone[strings.TrimSpace(line)] {
			b.WriteString(line)
		}
	}
	if err := os.WriteFile(test262Known, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("took %d runs out of %s", len(passing), test262Known)
}
