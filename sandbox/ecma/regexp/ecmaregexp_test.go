package regexp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// find gives the groups of the first match as texts, "-" for one that is absent,
// joined by commas; or "none", or the error.
func find(pattern, flags, text string) string {
	f, ok := ParseFlags(flags)
	if !ok {
		return "invalid flags"
	}
	p, err := Compile(Units(pattern), f)
	if err != nil {
		return err.Error()
	}
	t := Text{ASCII: text}
	units := Units(text)
	if len(units) != len(text) || strings.ContainsFunc(text, func(r rune) bool { return r > 127 }) {
		t = Text{Wide: units}
	}
	m, _ := p.Match(t, 0, nil)
	if m == nil {
		return "none"
	}
	var groups []string
	for i := 0; i < len(m); i += 2 {
		if m[i] < 0 {
			groups = append(groups, "-")
			continue
		}
		groups = append(groups, fmt.Sprint(m[i], ":", m[i+1]))
	}
	return strings.Join(groups, " ")
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct{ pattern, flags, text, want string }{
		{`a`, "", "xa", "1:2"},
		{`(z)((a+)?(b+)?(c))*`, "", "zaacbbbcac", "0:10 0:1 8:10 8:9 - 9:10"},
		{`(a*)*`, "", "b", "0:0 -"},
		{`(?=(a+))a*b\1`, "", "baaabac", "3:6 3:4"},
		{`(?<=(\d+)(\d+))$`, "", "1053", "4:4 0:1 1:4"},
		{`(.*?)a(?!(a+)b\2c)\2(.*)`, "", "baaabaac", "0:8 0:2 - 3:8"},
		{`^b`, "m", "a\nb", "2:3"},
		{`.`, "", "\n\u2028x", "2:3"},
		{`.`, "s", "\n", "0:1"},
		{`(?i:a)b`, "", "Ab", "0:2"},
		{`(?-i:a)b`, "i", "aB", "0:2"},
		{`(?-i:a)b`, "i", "AB", "none"},
		{`\u{1f600}`, "u", "x😀", "1:3"},
		{`^.$`, "", "😀", "none"},
		{`^.$`, "u", "😀", "0:2"},
		{`[😀]`, "", "😀", "0:1"},
		{`\p{Lu}`, "u", "aÄ", "1:2"},
		{`\P{L}+`, "u", "a12b", "1:3"},
		{`[\p{L}--[a-z]]`, "v", "aB", "1:2"},
		{`[\w&&\d]`, "v", "a1", "1:2"},
		{`[\q{abc|d}x]`, "v", "zabc", "1:4"},
		{`\p{Emoji_Keycap_Sequence}`, "v", "1\ufe0f\u20e3", "0:3"},
		{`(?<y>\d{4})|(?<y>\d\d)`, "", "26", "0:2 - 0:2"},
		{`\bfoo\b`, "", "a foo", "2:5"},
		{`a{2,3}?`, "", "aaaa", "0:2"},
		{`x*y+$`, "", strings.Repeat("x", 100) + "y", "0:101"},
		{`ſ`, "i", "S", "none"},
		{`ſ`, "iu", "S", "0:1"},
		{`[^x]`, "iv", "X", "none"},
		{`\cA\x41\u0042\0`, "", "\x01AB\x00", "0:4"},
		{`(?:a|ab)(?:c|bcd)(?:d*)`, "", "abcd", "0:4"},
		{`a]`, "", "a]", "0:2"},
		{`a{`, "", "a{", "0:2"},
		{`\8`, "", "8", "0:1"},
		{`a]`, "u", "", "Lone quantifier brackets"},
		{`a**`, "", "", "Nothing to repeat"},
		{`(?<a>.)(?<a>.)`, "", "", "Duplicate capture group name"},
		{`[b-a]`, "", "", "Range out of order in character class"},
		{`\k<a>(?<b>)`, "", "", "Invalid named capture referenced"},
		{`\1`, "u", "", "Invalid escape"},
		{`(?ii:a)`, "", "", "Invalid group"},
		{`(?-:a)`, "", "", "Invalid group"},
		{`a`, "uv", "", "invalid flags"},
		{strings.Repeat("(", 2000), "", "", "Too many nested groups"},
		{`[a&&&b]`, "v", "", "Invalid character in character class"},
		{`\p{Nope}`, "u", "", "Invalid property name 'Nope'"},
	} {
		if got := find(tt.pattern, tt.flags, tt.text); got != tt.want {
			t.Errorf("/%s/%s on %q: %s, want %s", tt.pattern, tt.flags, tt.text, got, tt.want)
		}
	}
}

// A search without end can be ended.
func TestInterrupted(t *testing.T) {
	p, err := Compile(Units(`^(a+)+\1$`), Flags{})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	if m, over := p.Match(Text{ASCII: strings.Repeat("a", 60) + "b"}, 0, func() bool { asked++; return asked > 10 }); m != nil || !over || asked != 11 {
		t.Errorf("%v after %d questions", m, asked)
	}
}

// pieces is a grammar of patterns: a capital letter stands for a choice.
var pieces = map[byte][]string{
	'P': {"A", "AA", "AAA", "A|A", "AA|A", "^A", "A$", "\\bA"},
	'A': {"C", "C", "CQ", "CQ", "(P)", "(P)Q", "(?:P)", "(?:P)Q", "(?=P)", "(?!P)", "(?<=P)", "(?<!P)", "\\1", "(?<n>P)", "\\k<n>", "(?i:P)", "(?s-i:P)", ""},
	'C': {"a", "b", "B", "é", ".", "\\d", "\\w", "\\W", "\\s", "[ab]", "[^a]", "[a-c\\d]", "[^]", "1", " ", "\\u00e9", "😀", "[😀b]", "ſ", "\\n", "\\x62"},
	'Q': {"*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{1,2}?", "{0}"},
}

func grow(r *rand.Rand, s string, depth int) string {
	var b strings.Builder
	for i := range len(s) {
		options, ok := pieces[s[i]]
		if !ok || s[i] == 'B' {
			b.WriteByte(s[i])
			continue
		}
		if depth <= 0 && s[i] == 'A' {
			options = options[:4]
		}
		b.WriteString(grow(r, options[r.IntN(len(options))], depth-1))
	}
	return b.String()
}

type comparison struct{ Pattern, Flags, Text string }

const asNode = `
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(({ Pattern, Flags, Text }) => {
  let re;
  try { re = new RegExp(Pattern, Flags + 'd') } catch { return 'error' }
  const m = re.exec(Text);
  return m ? m.indices.map((x) => (x ? x[0] + ':' + x[1] : '-')).join(' ') : 'none';
})));`

// Random patterns match what they match in Node, when there is one.
func TestLikeNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	r := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aabbB1 é😀cſ\nS")
	var cases []comparison
	for range 4000 {
		text := make([]rune, r.IntN(8))
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		flags := []string{"", "i", "u", "iu", "v", "iv", "m", "s", "y", "imsu"}
		c := comparison{Pattern: grow(r, "P", 4), Flags: flags[r.IntN(len(flags))], Text: string(text)}
		if strings.Contains(c.Pattern, "(?i:") || strings.Contains(c.Pattern, "(?s-i:") || strings.Count(c.Pattern, "?<n>") > 1 {
			continue // newer than many a Node
		}
		if strings.Contains(c.Pattern, "[^]") && strings.Contains(c.Flags, "v") || strings.Contains(c.Pattern, `|\1)`) && strings.Contains(c.Text, "😀") {
			continue // V8 takes [^] for nothing with v, and can begin inside of a pair of surrogates
		}
		cases = append(cases, c)
	}
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", asNode)
	cmd.Stdin = strings.NewReader(string(input))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, c := range cases {
		got := find(c.Pattern, c.Flags, c.Text)
		if want[i] == "error" && !strings.ContainsAny(got[:1], "0123456789") && got != "none" {
			continue
		}
		if got != want[i] {
			if wrong++; wrong < 20 {
				t.Errorf("/%s/%s on %q: %s, Node %s", c.Pattern, c.Flags, c.Text, got, want[i])
			}
		}
	}
	t.Logf("%d cases, %d differ", len(cases), wrong)
}

// TEST-4: no pattern crashes the compiler or the matcher.
func FuzzCompile(f *testing.F) {
	f.Add(`(a+)+$`, "v", "aaa")
	f.Add(`[\p{L}--[a-z]]`, "v", "aB")
	f.Add(`(?<n>a)\k<n>`, "diu", "aa")
	f.Fuzz(func(t *testing.T, pattern, flags, text string) {
		fl, ok := ParseFlags(flags)
		if !ok || len(pattern) > 200 || len(text) > 200 {
			return
		}
		p, err := Compile(Units(pattern), fl)
		if err != nil {
			return
		}
		units := Units(text)
		polls := 0
		m, _ := p.Match(Text{Wide: append(make([]uint16, 0, len(units)+1), units...)}, 0, func() bool { polls++; return polls > 4 })
		for i := 0; i < len(m); i += 2 {
			if m[i] >= 0 && (m[i+1] < m[i] || int(m[i+1]) > len(units)) {
				t.Errorf("/%s/%s on %q: %v", pattern, flags, text, m)
			}
		}
	})
}
