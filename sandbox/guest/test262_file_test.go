package guest

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// test262File is one file of test262 and what its front matter says
// (INTERPRETING.md of test262).
type test262File struct {
	Path     string // under test/, with slashes
	Flags    []string
	Includes []string
	Features []string
	Phase    string // of the error that must occur; "" for none
	Type     string // of that error
	text     string
}

func (f *test262File) has(flag string) bool { return slices.Contains(f.Flags, flag) }

// modes are how a file is run: "sloppy", "strict", or both. A raw file is run as
// it is.
func (f *test262File) modes() []string {
	switch {
	case f.has("onlyStrict"):
		return []string{"strict"}
	case f.has("noStrict"), f.has("raw"):
		return []string{"sloppy"}
	}
	return []string{"sloppy", "strict"}
}

func readTest262File(root, path string) (*test262File, error) {
	text, err := os.ReadFile(root + "/test/" + path)
	if err != nil {
		return nil, err
	}
	f := &test262File{Path: path, text: string(text)}
	_, rest, ok := strings.Cut(f.text, "/*---")
	matter, _, closed := strings.Cut(rest, "---*/")
	if !ok || !closed {
		return nil, fmt.Errorf("%s has no front matter", path)
	}
	f.Flags = frontMatterList(matter, "flags")
	f.Includes = frontMatterList(matter, "includes")
	f.Features = frontMatterList(matter, "features")
	if _, negative, ok := strings.Cut(matter, "negative:"); ok {
		f.Phase, f.Type = frontMatterWord(negative, "phase"), frontMatterWord(negative, "type")
	}
	return f, nil
}

// frontMatterList reads the two forms of YAML lists that test262 uses.
func frontMatterList(matter, key string) (items []string) {
	matter = strings.ReplaceAll(strings.ReplaceAll(matter, "\r\n", "\n"), "\r", "\n")
	_, rest, ok := strings.Cut("\n"+matter, "\n"+key+":")
	if !ok {
		return nil
	}
	rest = strings.TrimLeft(rest, " ")
	if list, ok := strings.CutPrefix(rest, "["); ok {
		list, _, _ = strings.Cut(list, "]")
		for item := range strings.SplitSeq(list, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		return items
	}
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimSpace(line)
		item, ok := strings.CutPrefix(line, "- ")
		if !ok {
			if line == "" {
				continue
			}
			break
		}
		items = append(items, strings.TrimSpace(item))
	}
	return items
}

func frontMatterWord(matter, key string) string {
	_, rest, ok := strings.Cut(matter, key+":")
	if !ok {
		return ""
	}
	if words := strings.Fields(rest); len(words) > 0 {
		return words[0]
	}
	return ""
}

// test262Scope is testdata/test262/out-of-scope.txt: what scripts do not have, by
// the rules of this project. A line is "folder PATH", "feature NAME", "flag NAME"
// or "text EXPRESSION"; the lines before it that begin with # say why.
type test262Scope struct {
	folders         []string
	features, flags map[string]bool
	texts           []*regexp.Regexp
}

func readTest262Scope(path string) (*test262Scope, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &test262Scope{features: map[string]bool{}, flags: map[string]bool{}}
	for line := range strings.Lines(string(data)) {
		kind, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "", "#":
		case "folder":
			s.folders = append(s.folders, value)
		case "feature":
			s.features[value] = true
		case "flag":
			s.flags[value] = true
		case "text":
			expression, err := regexp.Compile(value)
			if err != nil {
				return nil, err
			}
			s.texts = append(s.texts, expression)
		default:
			return nil, fmt.Errorf("%s: %q is not folder, feature, flag or text", path, kind)
		}
	}
	return s, nil
}

// folder reports whether a path is in a folder that is out of scope, or is such a file.
func (s *test262Scope) folder(path string) bool {
	return slices.ContainsFunc(s.folders, func(f string) bool { return path == f || strings.HasPrefix(path, f+"/") })
}

// excludes reports whether a file is out of scope.
func (s *test262Scope) excludes(f *test262File) bool {
	return s.folder(f.Path) ||
		slices.ContainsFunc(f.Features, func(n string) bool { return s.features[n] }) ||
		slices.ContainsFunc(f.Flags, func(n string) bool { return s.flags[n] }) ||
		slices.ContainsFunc(s.texts, func(e *regexp.Regexp) bool { return e.MatchString(f.text) })
}
