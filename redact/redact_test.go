package redact

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
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
