package cassette

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func recordedCall(tool, arguments string, n int) Call {
	return Call{Tool: tool, Arguments: jsontext.Value(arguments), Status: Completed, Value: jsontext.Value(fmt.Sprint(n))}
}

// REC-1: a call is found by what it is, not by when it comes, and each is used
// once; calls that are equal are answered in the order of the recording.
func TestReplayByIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "calls")
		var r Recorder
		var made []Call
		for i := range n {
			c := recordedCall(fmt.Sprintf("mcp__s__t%d", rapid.IntRange(0, 2).Draw(t, "tool")), fmt.Sprintf(`{"n":%d}`, rapid.IntRange(0, 3).Draw(t, "n")), i)
			made = append(made, c)
		}
		for _, i := range rapid.Permutation(indexes(n)).Draw(t, "answered") {
			r.Add(i*3, made[i])
		}
		c := r.Cassette("", nil)
		p := NewPlayer(c)
		next := map[string]int{} // the last value of each identity
		for _, i := range rapid.Permutation(indexes(n)).Draw(t, "replayed") {
			_, got, err := p.Take(made[i].Tool, made[i].Arguments)
			if err != nil {
				t.Fatal(err)
			}
			key := made[i].Tool + string(made[i].Arguments)
			var value int
			fmt.Sscan(string(got.Value), &value)
			if made[value].Tool+string(made[value].Arguments) != key {
				t.Fatalf("call %d got the answer of call %d", i, value)
			}
			if last, ok := next[key]; ok && value <= last {
				t.Fatalf("the answer %d came after %d", value, last)
			}
			next[key] = value
		}
		if len(p.Unused()) > 0 {
			t.Fatalf("%d calls are unused", len(p.Unused()))
		}
		for _, c := range made {
			if _, _, err := p.Take(c.Tool, c.Arguments); err == nil {
				t.Fatal("an answer was used twice")
			}
		}
	})
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestTakeFromManyGoroutines(t *testing.T) {
	const n = 200
	var r Recorder
	for i := range n {
		r.Add(i, recordedCall("mcp__s__t", `{}`, i))
	}
	p := NewPlayer(r.Cassette("", nil))
	var seen sync.Map
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			i, _, err := p.Take("mcp__s__t", jsontext.Value(`{ }`))
			if _, twice := seen.LoadOrStore(i, true); twice || err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func TestIdentityIsOfTheMeaning(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[1,2]}`, ` { "b" : [1.0, 20e-1], "a" : 1 } `, true},
		{`{"a":"\u0041"}`, `{"a":"A"}`, true},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":0}`, `{"a":-0}`, true},
	} {
		if same := identity("t", jsontext.Value(c.a)) == identity("t", jsontext.Value(c.b)); same != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, same)
		}
	}
}

// REC-1: what does not match says what is nearest.
func TestMismatchSaysWhatIsNearest(t *testing.T) {
	p := NewPlayer(&Cassette{Version: Version, Calls: []Call{
		recordedCall("mcp__gh__issue", `{"repo":"a","state":"open","page":{"n":1}}`, 0),
		recordedCall("mcp__gh__issue", `{"repo":"b","state":"closed","labels":["x","y"]}`, 1),
		recordedCall("mcp__gh__list", `{}`, 2),
		recordedCall("mcp__gh__list", `{}`, 3),
		recordedCall("$codemode.load", `{"key":"k"}`, 4),
	}})
	for range 2 {
		if _, _, err := p.Take("mcp__gh__list", jsontext.Value(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("long ", 100)
	for _, c := range []struct {
		tool, arguments string
		want            []string
	}{
		{"mcp__gh__issue", `{"repo":"a","state":"open","page":{"n":2}}`, []string{"calls[0]", "page.n: recorded 1, called with 2"}},
		{"mcp__gh__issue", `{"repo":"b","state":"closed","labels":["x"],"q d":true}`, []string{"calls[1]", `labels[1]: recorded "y", not given`, `["q d"]: not recorded, called with true`}},
		{"mcp__gh__issue", `{"repo":"b","state":"closed","labels":"x"}`, []string{`labels: recorded ["x","y"], called with "x"`}},
		{"mcp__gh__issue", `{"a":1,"b":2,"c":3,"d":4}`, []string{"and 3 more"}},
		{"mcp__gh__issue", `{"repo":"b","state":"` + long + `","labels":["x","y"]}`, []string{`recorded "closed", called with "long`, "…"}},
		{"mcp__gh__list", `{"all":true}`, []string{"answered already", "all: not recorded"}},
		{"mcp__gh__list", `{}`, []string{"2 calls", "answered already"}},
		{"mcp__gh__lost", `{}`, []string{"no call of mcp__gh__lost", "mcp__gh__issue, mcp__gh__list"}},
	} {
		_, _, err := p.Take(c.tool, jsontext.Value(c.arguments))
		if err == nil {
			t.Errorf("%s %s matches", c.tool, c.arguments)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %q has no %q", c.tool, c.arguments, err, want)
			}
		}
		if len(err.Error()) > 600 {
			t.Errorf("%d bytes: %s", len(err.Error()), err)
		}
	}
}

func TestMismatchOfHostileFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var deep strings.Builder
	deep.WriteString(`{"a":` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + "}")
	c := &Cassette{Version: Version}
	for range 50 {
		c.Calls = append(c.Calls, recordedCall("t", deep.String(), r.IntN(9)), recordedCall("t", `{"x":"\ud800\u202e","x":2}`, 1))
	}
	_, _, err := NewPlayer(c).Take("t", jsontext.Value(`{"x":1}`))
	if err == nil || strings.ContainsRune(err.Error(), '\u202e') {
		t.Errorf("%v", err)
	}
}
