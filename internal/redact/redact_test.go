package redact

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// OBS-4: tokens, headers and environment values.
func TestObs4Text(t *testing.T) {
	r := new(Redactor)
	r.Set([]string{"tok-\"quoted\"/1", "Bearer hdr-12345678", "Basic dXNlcjpwYXNzLXdvcmQ=", "abc", "true"}, []string{"env value 9", "dev"})
	for _, c := range []struct{ in, want string }{
		{"nothing here", "nothing here"},
		{`x tok-"quoted"/1 y`, "x [redacted] y"},
		{`{"v":"tok-\"quoted\"/1"}`, `{"v":"[redacted]"}`},
		{"q=tok-%22quoted%22%2F1", "q=[redacted]"},
		{"got hdr-12345678 and Bearer hdr-12345678", "got [redacted] and [redacted]"},
		{"pass-word dXNlcjpwYXNzLXdvcmQ= user:pass-word", "[redacted] [redacted] [redacted]"},
		{"abc true dev", "abc true dev"}, // too short or too common
		{"env value 9 and env+value+9", "[redacted] and [redacted]"},
		// Nobody has configured these.
		{"Authorization: Bearer zzzzzzzzzzzz", "Authorization: Bearer [redacted]"},
		{"authorization=zzzzzzzzzzzz", "authorization=[redacted]"},
		{`{"api_key": "zzzzzzzzzzzz", "n": 1}`, `{"api_key": "[redacted]", "n": 1}`},
		{"https://me:geheim@host/x?token=zzzzzzzz&b=1", "https://me:[redacted]@host/x?token=[redacted]&b=1"},
		{"ghp_0123456789abcdefghij", "[redacted]"},
		{"the token was refused", "the token was refused"},
	} {
		if got := r.Text(c.in); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
		}
		if got := r.Text(r.Text(c.in)); got != c.want {
			t.Errorf("%q twice: %q", c.in, got)
		}
	}
	if got := r.Known("env value 9 hdr-12345678 password=zzzzzzzz"); got != "env value 9 [redacted] password=zzzzzzzz" {
		t.Errorf("Known: %q", got)
	}
	var none *Redactor
	none.Set([]string{"secret-1"}, nil)
	if none.Text("secret-1") != "secret-1" || none.Known("x") != "x" || string(none.JSON(jsontext.Value("1"))) != "1" {
		t.Error("a nil redactor changed something")
	}
}

// OBS-4: an ordinary value of the configuration is no reason to spoil a message.
func TestObs4OrdinaryWords(t *testing.T) {
	r := new(Redactor)
	r.Set([]string{"s3cr3t-environment"}, []string{"environment", "Variable", "READ_ONLY", "eu.west", "20261201", "http-proxy", "kX7aQpLmZr", "abc12345"})
	for in, want := range map[string]string{
		"environment variable NOPE is not set":           "environment variable NOPE is not set",
		"Variable READ_ONLY eu.west 20261201 http-proxy": "Variable READ_ONLY eu.west 20261201 http-proxy",
		"kX7aQpLmZr abc12345 s3cr3t-environment":         "[redacted] [redacted] [redacted]",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestJSONStaysJSON(t *testing.T) {
	r := new(Redactor)
	r.Set([]string{"123456", "zwei\"te", "name-secret"}, nil)
	for _, c := range []struct{ in, want string }{
		{`{ "a" : [1, 2.50] }`, `{ "a" : [1, 2.50] }`},
		{`{"a":123456,"b":"x123456y","name-secret":null}`, `{"a":"[redacted]","b":"x[redacted]y","[redacted]":null}`},
		{`["zwei\"te","zwei\u0022te 123456"]`, `["[redacted]","[redacted] [redacted]"]`},
	} {
		if got := r.JSON(jsontext.Value(c.in)); string(got) != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// OBS-4: a secret is one however an encoder spells it.
func TestObs4Spellings(t *testing.T) {
	const secret = "p\u00fc\"/+&<'\\\U0001f600end"
	r := new(Redactor)
	r.Set([]string{secret}, nil)
	for _, in := range []string{
		`{"k":"p\u00fc\"/+&<'\\\ud83d\ude00end"}`,                         // Python
		`{"k":"p\u00fc\"\/+&<'\\\ud83d\ude00end"}`,                        // PHP
		`{"k":"pü\"/+\u0026\u003c'\\😀end"}`,                               // Go
		`{"k":"p\u00FC\u0022/\u002B\u0026\u003C\u0027\\\uD83D\uDE00end"}`, // .NET
		`{"\u0070\u00fc\u0022/+&<'\u005c\ud83d\ude00end":["x"]}`,          // anybody
	} {
		got := string(r.JSON(jsontext.Value(in)))
		if !strings.Contains(got, Mark) || strings.Contains(got, "end") {
			t.Errorf("as JSON: %s", got)
		}
		if strings.HasPrefix(in, `{"k"`) {
			if got := r.Known(in); got != `{"k":"[redacted]"}` {
				t.Errorf("as text: %s", got)
			}
			nested, _ := jsontext.AppendQuote(nil, in)
			if got := r.Known(string(nested)); got != `"{\"k\":\"[redacted]\"}"` {
				t.Errorf("in another JSON text: %s", got)
			}
		}
	}
	if in := `{"a": "\u0041", "b" : 1}`; string(r.JSON(jsontext.Value(in))) != in {
		t.Error("changed without a secret in it")
	}
}

// OBS-4: in URLs, forms, HTML, hexadecimal, base64; there also beside something
// else, as a name and its password are.
func TestObs4Encodings(t *testing.T) {
	const secret = "pä ss/w+d=\"<&>'!(~)"
	r := new(Redactor)
	r.Set([]string{secret}, nil)
	for _, in := range []string{
		"p%C3%A4%20ss%2Fw%2Bd%3D%22%3C%26%3E%27%21%28~%29", // RFC 3986
		"p%c3%a4%20ss%2fw%2bd%3d%22%3c%26%3e%27%21%28~%29", // in lower case
		"p%C3%A4%20ss/w%2Bd%3D%22%3C%26%3E%27%21%28~%29",   // Python
		"p%C3%A4%20ss%2Fw%2Bd%3D%22%3C%26%3E'!(~)",         // encodeURIComponent
		"p%C3%A4%20ss/w+d=%22%3C&%3E'!(~)",                 // encodeURI
		"p%C3%A4+ss%2Fw%2Bd%3D%22%3C%26%3E%27%21%28%7E%29", // URLSearchParams
		"pä ss/w+d=&quot;&lt;&amp;&gt;&#39;!(~)",
		"pä ss/w+d=&#34;&lt;&amp;&gt;&#39;!(~)",
		"pä ss/w+d=\"&lt;&amp;&gt;'!(~)",
		"70c3a42073732f772b643d223c263e2721287e29",
		"70C3A42073732F772B643D223C263E2721287E29",
		"cMOkIHNzL3crZD0iPCY+JyEofik=",
		"cMOkIHNzL3crZD0iPCY-JyEofik",
	} {
		if got := r.Known("x " + in + " y"); got != "x "+Mark+" y" {
			t.Errorf("%s\n as %s", in, got)
		}
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		for _, before := range []string{"", "u", "us", "usr:", "user:", "name@host:"} {
			for _, after := range []string{"", "@", ":x", "and so on"} {
				in := encoding.EncodeToString([]byte(before + secret + after))
				got := r.Known(in)
				if rest := len(strings.Replace(got, Mark, "", 1)); got == in || rest > (len(before)+len(after))*4/3+6 {
					t.Errorf("%q in %s leaves %s", before+"…"+after, in, got)
				}
			}
		}
	}
}

// OBS-4: where a text was cut, what is left of a secret is one.
func TestObs4CutSecret(t *testing.T) {
	r := new(Redactor)
	r.Set([]string{"tok-0123456789abcdef", "password123"}, []string{"/home/me/projects/x"})
	for in, want := range map[string]string{
		"it ends with tok-0123456789abc":    "it ends with [redacted]",
		"it ends with tok-0123456789abc…":   "it ends with [redacted]…",
		"tok-0123456789… and more":          "[redacted]… and more",
		"tok-0123":                          "tok-0123", // not even half of it
		"tok-01234…":                        "tok-01234…",
		"enter your password":               "enter your password", // not cut for sure
		"tok-0123456789abc is another one":  "tok-0123456789abc is another one",
		"no such folder: /home/me/projects": "no such folder: /home/me/projects",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What is found is the leftmost, and there the longest.
func TestFinder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab]{4,7}`)
		list := rapid.SliceOfN(word, 0, 6).Draw(t, "list")
		text := rapid.StringMatching(`[abab]{0,40}`).Draw(t, "text")
		sorted := slices.Clone(list)
		slices.SortFunc(sorted, func(a, b string) int { return len(b) - len(a) })
		var pairs []string
		for _, s := range sorted {
			pairs = append(pairs, s, Mark)
		}
		f := newFinder(nil, list)
		want := strings.NewReplacer(pairs...).Replace(text)
		if got := f.replace(text); got != want || in(f, text) != (want != text) {
			t.Fatalf("%q in %q: %q, want %q", list, text, got, want)
		}
	})
}

func BenchmarkKnown(b *testing.B) {
	r := new(Redactor)
	var secrets []string
	for i := range 20 {
		secrets = append(secrets, fmt.Sprintf("tok-%d/0123456789+%d", i, i*i))
	}
	r.Set(secrets, nil)
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, token by token. ", 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Known(text)
	}
}

type valuer struct{ s string }

func (v valuer) LogValue() slog.Value { return slog.StringValue(v.s) }

func TestObs4Log(t *testing.T) {
	r := new(Redactor)
	var out bytes.Buffer
	log := slog.New(r.Handler(slog.NewJSONHandler(&out, nil)))
	r.Set([]string{"geheim-1"}, nil) // known later than the logger
	log.With("with", "geheim-1").WithGroup("g").Error("geheim-1",
		"s", "a geheim-1", "err", fmt.Errorf("x: %w", errors.New("geheim-1")), "bytes", []byte("geheim-1"),
		"group", slog.GroupValue(slog.String("in", "geheim-1")), "valuer", valuer{"geheim-1"}, "map", map[string]string{"k": "geheim-1"}, "n", 7)
	if strings.Contains(out.String(), "geheim") {
		t.Error(out.String())
	}
	if !strings.Contains(out.String(), `"n":7`) || strings.Count(out.String(), "[redacted]") != 8 {
		t.Error(out.String())
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a":"secret-x"}`, "secret-x")
	f.Add(`[1234567]`, "34567")
	f.Fuzz(func(t *testing.T, text, secret string) {
		r := new(Redactor)
		r.Set([]string{secret}, nil)
		v := jsontext.Value(text)
		allow := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
		if !v.IsValid(allow...) {
			return
		}
		if out := r.JSON(v); !out.IsValid(allow...) {
			t.Fatalf("%q without %q is %q", text, secret, out)
		}
	})
}
