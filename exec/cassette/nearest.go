package cassette

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of the search for the nearest call: a cassette may be a large one.
const (
	maxCandidates  = 1_000
	maxDifferences = 1_000 // that are counted
	maxListed      = 4     // differences in a message
	maxWritten     = 60    // characters of one value
)

// A difference is one place in which two arguments are not equal. A text is ""
// where there is nothing.
type difference struct{ path, recorded, called string }

// nearest describes the recorded call of the tool that differs from the
// arguments in the fewest places; among equals one that is still unused, then
// the first. p.mu is held.
func (p *Player) nearest(tool string, arguments jsontext.Value) string {
	called := decoded(arguments)
	best, candidates := -1, 0
	var least []difference
	for i := range p.cassette.Calls {
		c := &p.cassette.Calls[i]
		if c.Tool != tool {
			continue
		}
		if candidates++; candidates > maxCandidates {
			break
		}
		d := compare(nil, "", decoded(c.Arguments), called)
		if best < 0 || len(d) < len(least) || len(d) == len(least) && p.used[best] && !p.used[i] {
			best, least = i, d
		}
	}
	var differences []string
	for i, d := range least {
		if i == maxListed {
			differences = append(differences, fmt.Sprintf("and %d more", len(least)-i))
			break
		}
		switch {
		case d.recorded == "":
			differences = append(differences, fmt.Sprintf("%s: not recorded, called with %s", d.path, d.called))
		case d.called == "":
			differences = append(differences, fmt.Sprintf("%s: recorded %s, not given", d.path, d.recorded))
		default:
			differences = append(differences, fmt.Sprintf("%s: recorded %s, called with %s", d.path, d.recorded, d.called))
		}
	}
	after := ""
	if p.used[best] {
		after = " (answered already)"
	}
	return fmt.Sprintf("the nearest is calls[%d]%s, which differs in %s", best, after, strings.Join(differences, "; "))
}

// compare lists where two values differ, in the order of the paths.
func compare(list []difference, path string, recorded, called any) []difference {
	if len(list) >= maxDifferences {
		return list
	}
	switch r := recorded.(type) {
	case map[string]any:
		c, ok := called.(map[string]any)
		if !ok {
			break
		}
		names := slices.Sorted(maps.Keys(r))
		for name := range c {
			if _, ok := r[name]; !ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			rv, inR := r[name]
			cv, inC := c[name]
			list = compareAt(list, member(path, name), rv, cv, inR, inC)
		}
		return list
	case []any:
		c, ok := called.([]any)
		if !ok {
			break
		}
		for i := range max(len(r), len(c)) {
			var rv, cv any
			if i < len(r) {
				rv = r[i]
			}
			if i < len(c) {
				cv = c[i]
			}
			list = compareAt(list, path+"["+strconv.Itoa(i)+"]", rv, cv, i < len(r), i < len(c))
		}
		return list
	case nil, bool, string, float64:
		switch called.(type) {
		case nil, bool, string, float64:
			if recorded == called {
				return list
			}
		}
	}
	if path == "" {
		path = "the whole"
	}
	return append(list, difference{path, written(recorded), written(called)})
}

func compareAt(list []difference, path string, recorded, called any, inRecorded, inCalled bool) []difference {
	switch {
	case !inRecorded:
		return append(list, difference{path, "", written(called)})
	case !inCalled:
		return append(list, difference{path, written(recorded), ""})
	}
	return compare(list, path, recorded, called)
}

// member is a path to a member of an object.
func member(path, name string) string {
	plain := name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}) < 0
	switch {
	case !plain:
		return path + "[" + written(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// written is a value as JSON in one line, cut.
func written(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true), faithful)
	if err != nil {
		return "?"
	}
	s := string(Escape(b))
	if utf8.RuneCountInString(s) > maxWritten {
		s = string([]rune(s)[:maxWritten]) + "…"
	}
	return s
}

func decoded(v jsontext.Value) (out any) {
	if json.Unmarshal(v, &out, faithful) != nil {
		return string(v)
	}
	return out
}
