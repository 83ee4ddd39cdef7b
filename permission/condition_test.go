package permission

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// PERM-12: exact value, prefix or glob on top-level string fields.
func TestPerm12Conditions(t *testing.T) {
	for _, c := range []struct {
		condition Condition
		arguments string
		holds     bool
	}{
		{Condition{"path", Exact, "/a"}, `{"path":"/a"}`, true},
		{Condition{"path", Exact, "/a"}, `{"path":"\u002fa"}`, true}, // the value counts, not its spelling
		{Condition{"path", Exact, "/a"}, `{"path":"/a/"}`, false},
		{Condition{"path", Exact, ""}, `{"path":""}`, true},
		{Condition{"path", Exact, "/a"}, `{"in":{"path":"/a"}}`, false}, // top level
		{Condition{"path", Exact, "1"}, `{"path":1}`, false},
		{Condition{"path", Exact, "/a"}, `{"path":"/a","path":"/b"}`, false},
		{Condition{"path", Exact, "/a"}, `{"path":"/b","path":"/a"}`, false},
		{Condition{"path", Exact, "/a"}, `["path","/a"]`, false},
		{Condition{"path", Exact, "/a"}, `{"path":"/a"`, false},
		{Condition{"path", Exact, "/a"}, ``, false},
		{Condition{"path", Prefix, "/src/"}, `{"path":"/src/a/b"}`, true},
		{Condition{"path", Prefix, "/src/"}, `{"path":"/src"}`, false},
		{Condition{"path", Prefix, "/src/"}, `{"path":"/src/../etc/passwd"}`, false},
		{Condition{"path", Prefix, "/src/"}, `{"path":"/src/%2e%2E/etc"}`, false},
		{Condition{"path", Prefix, "/src/"}, `{"path":"/src/a..b"}`, true},
		{Condition{"path", Prefix, `C:\src\`}, `{"path":"C:\\src\\..\\x"}`, false},
		{Condition{"path", Prefix, ""}, `{"path":"x"}`, false},
		{Condition{"path", Glob, "/src/*.go"}, `{"path":"/src/a/b.go"}`, true},
		{Condition{"path", Glob, "/src/*.go"}, `{"path":"/src/../b.go"}`, false},
		{Condition{"path", Glob, "*"}, `{"path":"x"}`, false},
		{Condition{"path", Glob, `a\*b`}, `{"path":"a*b"}`, true},
		{Condition{"path", Glob, `a\b`}, `{"path":"ab"}`, false},
		{Condition{"path", "regexp", ".*"}, `{"path":"x"}`, false},
		{Condition{}, `{"":""}`, false},
	} {
		if got := c.condition.Holds(jsontext.Value(c.arguments)); got != c.holds {
			t.Errorf("%+v of %s: %v", c.condition, c.arguments, got)
		}
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ before, now, want string }{
		{`{"path":"/src/a.go","mode":"r"}`, `{"path":"/src/b.go","mode":"r"}`, `path starts with "/src/"; mode is "r"`},
		{`{"id":"1"}`, `{"id":"2"}`, ``},
		{`{"url":"https://a/x"}`, `{"url":"https://b/x"}`, ``},
		{`{"url":"https://a/x"}`, `{"url":"https://a/y"}`, `url starts with "https://a/"`},
		{`{"path":"/src/../a"}`, `{"path":"/src/../b"}`, ``},
		{`{"n":1}`, `{"n":1}`, ``},
		{`{"a":"x"}`, `{"b":"x"}`, ``},
		{`{"t":"` + strings.Repeat("y", 500) + `"}`, `{"t":"` + strings.Repeat("y", 500) + `"}`, ``},
	} {
		var words []string
		for _, s := range Suggest(jsontext.Value(c.before), jsontext.Value(c.now)) {
			words = append(words, s.String())
		}
		if got := strings.Join(words, "; "); got != c.want {
			t.Errorf("%s, %s: %s", c.before, c.now, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.StringMatching(`[ab/.]{0,6}`))
		text := func(m map[string]string) jsontext.Value {
			s := "{"
			for k, v := range m {
				s += `"` + k + `":"` + v + `",`
			}
			return jsontext.Value(strings.TrimSuffix(s, ",") + "}")
		}
		before, now := text(values.Draw(t, "before")), text(values.Draw(t, "now"))
		for _, s := range Suggest(before, now) {
			if !s.Holds(before) || !s.Holds(now) || s.Valid() != nil {
				t.Fatalf("%v does not hold for %s and %s", s, before, now)
			}
		}
	})
}
