package permission

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"

	"codemode-ls/script"

	"github.com/tailscale/hujson"
)

// maxFile bounds a rules file; maxDepth bounds its nesting, because the parser
// recurses and a repository's file is written by anybody.
const (
	maxFile  = 1 << 20
	maxDepth = 100
)

// A ruleFile is what was read from one file.
type ruleFile struct {
	rules    []Rule
	problems []Problem
	// broken says that the file may hold denials that could not be read: until it
	// is fixed, everything is asked for (PERM-10).
	broken bool
}

// byteOrderMark is what some editors begin a text with.
var byteOrderMark = []byte("\ufeff")

// effects are the names of the three lists in a file.
var effects = []Effect{Allow, Ask, Deny}

// readFile reads a file of the form
//
//	{ "permissions": { "allow": [], "ask": [], "deny": [] } }
//
// in JSON with comments and trailing commas. Unknown fields are left alone. A
// file that does not exist has no rules.
func readFile(path string, layer Layer) (ruleFile, []byte) {
	text, err := readText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ruleFile{}, nil
	}
	if err != nil {
		return ruleFile{broken: true, problems: []Problem{{File: path, Message: err.Error()}}}, nil
	}
	return parseFile(text, path, layer), text
}

func readText(path string) ([]byte, error) { return readBounded(path, maxFile) }

// readBounded never waits: what lies at path may be a FIFO or a device.
func readBounded(path string, most int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Lstat(path); there == nil {
			return nil, errors.New("it is a link to a file that is not there")
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("larger than %d bytes", most)
	}
	return text, nil
}

// parseFile reads the text of a file. Of a broken one it gives the denials that
// can be found in it (PERM-10).
func parseFile(text []byte, path string, layer Layer) ruleFile {
	f := parseRules(text, path, layer)
	if f.broken {
		denied := map[string]bool{}
		for _, r := range f.rules {
			denied[r.Match] = denied[r.Match] || r.Effect == Deny
		}
		for _, r := range salvage(text, path, layer) {
			if !denied[r.Match] {
				denied[r.Match] = true
				f.rules = append(f.rules, r)
			}
		}
	}
	return f
}

func parseRules(text []byte, path string, layer Layer) ruleFile {
	var f ruleFile
	trouble := func(r script.Range, format string, args ...any) {
		f.problems = append(f.problems, Problem{File: path, Range: r, Message: fmt.Sprintf(format, args...)})
	}
	root, err := parseText(text)
	if err != nil {
		f.broken = true
		message := strings.TrimPrefix(err.Error(), "hujson: ")
		if m := syntaxPlace.FindString(message); m != "" {
			message = strings.TrimPrefix(message, m+": ") // the range says it
		}
		trouble(syntaxRange(err, text), "%s", message)
		return f
	}
	at := &positions{text: text}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		f.broken = true
		trouble(at.of(root), "expected an object")
		return f
	}
	// A list that is not read is as bad as one that cannot be read: its denials
	// would be lost without a word.
	for i := range top.Members {
		switch name := nameOf(top.Members[i]); {
		case name != "permissions" && strings.EqualFold(name, "permissions"):
			f.broken = true
			trouble(at.of(top.Members[i].Name), `%q must be written "permissions"`, name)
		case isEffect(name):
			f.broken = true
			trouble(at.of(top.Members[i].Name), `%q belongs into the object "permissions"`, name)
		case name != "permissions" && holdsLists(top.Members[i].Value):
			f.broken = true
			trouble(at.of(top.Members[i].Name), `%q has lists of rules, which belong into the object "permissions"`, name)
		}
	}
	section, again := member(top, "permissions")
	if again != nil {
		f.broken = true
		trouble(at.of(*again), `"permissions" stands here for the second time`)
		return f
	}
	if section == nil {
		return f
	}
	lists, ok := section.Value.(*hujson.Object)
	if !ok {
		f.broken = true
		trouble(at.of(*section), `"permissions" must be an object with the lists "allow", "ask" and "deny"`)
		return f
	}
	for i := range lists.Members {
		if name := nameOf(lists.Members[i]); isEffect(name) && name != strings.ToLower(name) {
			f.broken = true
			trouble(at.of(lists.Members[i].Name), "%q must be written %q", name, strings.ToLower(name))
		} else if !isEffect(name) && holdsRules(lists.Members[i].Value) {
			f.broken = true
			trouble(at.of(lists.Members[i].Name), `%q is none of the lists "allow", "ask" and "deny", and there are rules in it`, name)
		}
	}
	for _, effect := range effects {
		list, again := member(lists, string(effect))
		if again != nil {
			f.broken = true
			trouble(at.of(*again), "%q stands here for the second time", effect)
		}
		if list == nil {
			continue
		}
		array, ok := list.Value.(*hujson.Array)
		if !ok {
			f.broken = true
			trouble(at.of(*list), "%q must be a list of rules", effect)
			continue
		}
		for _, element := range array.Elements {
			place := at.of(element)
			lit, ok := element.Value.(hujson.Literal)
			match := ""
			if ok && lit.Kind() == '"' {
				match = lit.String()
			}
			if err := Valid(match); err != nil {
				// An allow that names nothing is harmless. A denial that names nothing
				// was meant to deny something.
				f.broken = f.broken || effect != Allow
				trouble(place, "%v", err)
				continue
			}
			f.rules = append(f.rules, Rule{Effect: effect, Layer: layer, Match: match, File: path, Range: place})
		}
	}
	return f
}

// parseText parses JSON with comments; a byte order mark is not an error.
func parseText(text []byte) (hujson.Value, error) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	line := func(i int) int { return 1 + bytes.Count(text[:i], []byte("\n")) }
	if !utf8.Valid(text) {
		// Read all the same, a rule would be another one than was written.
		i := 0
		for r, size := utf8.DecodeRune(text); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(text[i:]) {
			i += size
		}
		return hujson.Value{}, fmt.Errorf("hujson: line %d, column 1: not UTF-8", line(i))
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return hujson.Value{}, fmt.Errorf("hujson: line %d, column 1: nested too deeply", line(i))
		}
	}
	root, err := hujson.Parse(text)
	if err != nil && !bytes.HasSuffix(text, []byte("\n")) { // a comment is ended by the end of the file, too
		if again, ok := hujson.Parse(append(bytes.Clone(text), '\n')); ok == nil {
			return again, nil
		}
	}
	return root, err
}

// nameOf is the name of a member.
func nameOf(m hujson.ObjectMember) string {
	if lit, ok := m.Name.Value.(hujson.Literal); ok {
		return lit.String()
	}
	return ""
}

// holdsRules reports whether a value is a list with something in it that can only be
// meant as a rule.
func holdsRules(v hujson.Value) bool {
	list, ok := v.Value.(*hujson.Array)
	return ok && slices.ContainsFunc(list.Elements, func(e hujson.Value) bool {
		lit, ok := e.Value.(hujson.Literal)
		return ok && lit.Kind() == '"' && Valid(lit.String()) == nil
	})
}

// holdsLists reports whether a value is an object with such lists that are named as
// those of rules are.
func holdsLists(v hujson.Value) bool {
	o, ok := v.Value.(*hujson.Object)
	return ok && slices.ContainsFunc(o.Members, func(m hujson.ObjectMember) bool { return isEffect(nameOf(m)) && holdsRules(m.Value) })
}

// isEffect reports whether a name is that of a list, however it is written.
func isEffect(name string) bool {
	return slices.Contains(effects, Effect(strings.ToLower(name)))
}

// member finds the one member with a name. again is the name of a second one,
// which is an error: readers would disagree on which of them counts.
func member(o *hujson.Object, name string) (found, again *hujson.Value) {
	for i := range o.Members {
		m := &o.Members[i]
		if nameOf(*m) != name {
			continue
		}
		if found != nil {
			return found, &m.Name
		}
		found = &m.Value
	}
	return found, nil
}

// writeFile replaces a file at once: readers see the old text or the new one.
// A symbolic link stays one; what it points to is replaced.
func writeFile(path string, text []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".permissions-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = f.Chmod(0o600)
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// positions turns byte offsets of a text into lines and UTF-16 columns. Going
// forward it continues where it was: a file may have many rules on one line.
type positions struct {
	text   []byte
	offset int // of the last answer
	last   script.Position
}

func (p *positions) of(v hujson.Value) script.Range {
	shift := len(p.text) - len(bytes.TrimPrefix(p.text, byteOrderMark))
	start := p.at(v.StartOffset + shift)
	return script.Range{Start: start, End: p.at(v.EndOffset + shift)}
}

func (p *positions) at(offset int) script.Position {
	offset = min(max(offset, 0), len(p.text))
	if offset < p.offset {
		p.offset, p.last = 0, script.Position{}
	}
	between := p.text[p.offset:offset]
	if start := bytes.LastIndexByte(between, '\n') + 1; start > 0 {
		p.last.Line += bytes.Count(between, []byte("\n"))
		p.last.Character = 0
		between = between[start:]
	}
	p.last.Character += utf16Length(between)
	p.offset = offset
	return p.last
}

func utf16Length(b []byte) (n int) {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		n += utf16.RuneLen(r)
		b = b[size:]
	}
	return n
}

var syntaxPlace = regexp.MustCompile(`line (\d+), column (\d+)`)

// syntaxRange is the line that a parse error names, from the place to its end.
//
// A string without an end is shown where it begins, not at the end of the file.
func syntaxRange(err error, text []byte) script.Range {
	if i := unclosed(text); i >= 0 && strings.Contains(err.Error(), "parsing string") {
		at := &positions{text: text}
		r := script.Range{Start: at.at(i)}
		r.End = at.at(i + stringLength(text[i:]))
		return r
	}
	m := syntaxPlace.FindStringSubmatch(err.Error())
	if m == nil {
		return script.Range{}
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return script.Range{}
	}
	l := lines[line-1]
	start := utf16Length(l[:min(max(column-1, 0), len(l))])
	return script.Range{
		Start: script.Position{Line: line - 1, Character: start},
		End:   script.Position{Line: line - 1, Character: utf16Length(bytes.TrimRight(l, "\r"))},
	}
}

// unclosed is the offset of the first string that does not end in its line, or -1.
func unclosed(text []byte) int {
	text = blankComments(text)
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		n := stringLength(text[i:])
		if n < 2 || text[i+n-1] != '"' {
			return i
		}
		i += n - 1
	}
	return -1
}
