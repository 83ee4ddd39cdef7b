package plaintext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TRUST-2: each kind of character, removed, replaced or kept.
func TestTrust2Lines(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"plain\n\ttext":        "plain\n\ttext",
		"a\r\nb\rc":            "a\nb\ufffdc",
		"\x1b[1;31mred\x1b[0m": "red",
		"\u009b31mred":         "red",
		"\x1b]0;title\x07text": "text",
		"\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\": "here",
		"\x1bP1$r\x1b\\x\x1b(By":                   "xy",
		"\x1b]never ends\nnext":                    "\ufffd]never ends\nnext",
		"\x1b]0;a\x1b[31mb":                        "\ufffd]0;ab",
		"\x1bc\x1b":                                "\ufffdc\ufffd",
		"\x00\x01a\bb\x7f\u0085":                   "\ufffda\ufffdb\ufffd",
		"a\u202eb\u2066c\u2069":                    "a\ufffdb\ufffdc\ufffd",
		"a\u2028b\u2029":                           "a\ufffdb\ufffd",
		"a\U000e0041\U000e0042\U000e007fb":         "a\ufffdb",
		"\U0001f3f4\U000e0067\U000e0062\U000e007f": "\U0001f3f4\ufffd",
		"so\u00adft ze\u200bro \ufeffbom \u200elrm\u200f wj\u2060 alm\u061c cgj\u034f": "soft zero bom lrm wj alm cgj",
		"a\u115f\u1160b\u3164c\uffa0d\u2800e":                                          "a\ufffdb\ufffdc\ufffdd\ufffde",
		"a\ufff9b\u206ac\U0001d173d\ufffee\U000e0fffF":                                 "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdF",
		"\xff\xfea\xed\xa0\x80b\xed\xb0\x80":                                           "\ufffda\ufffdb\ufffd",
		"a\u00a0b\u2003c\u3000d":                                                       "a b c\u3000d",
		// Writing that needs them keeps joiners and selectors.
		"\U0001f469\u200d\U0001f4bb \u2764\ufe0f\u200d\U0001f525 \U0001f642\u200d\u2194\ufe0f \U0001f468\U0001f3fd\u200d\U0001f680": "\U0001f469\u200d\U0001f4bb \u2764\ufe0f\u200d\U0001f525 \U0001f642\u200d\u2194\ufe0f \U0001f468\U0001f3fd\u200d\U0001f680",
		"1\ufe0f\u20e3 #\ufe0f\u20e3 1\ufe0f":                          "1\ufe0f\u20e3 #\ufe0f\u20e3 1",
		"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645":             "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
		"\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937":            "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",
		"\u845b\U000e0100\u57ce \u05e9\u05dc\u05d5\u05dd \u0600\u0661": "\u845b\U000e0100\u57ce \u05e9\u05dc\u05d5\u05dd \u0600\u0661",
		// Nothing else does.
		"de\u200dle\u200cte\ufe0f \U0001f600\ufe0f\ufe01\ufe02\U000e0101!": "delete \U0001f600\ufe0f!",
		"\u0645\u200c\u200c\u200d\u200c\u062e":                             "\u0645\u200c\u062e",
	} {
		if got := Lines(in); got != want {
			t.Errorf("%q\n gives %q\n want  %q", in, got, want)
		}
	}
}

// TRUST-2
func TestTrust2Line(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"  a \n\t b\u2028c\vd  ", 0, "a b c d"},
		{"abcdef", 3, "abc…"},
		{"abc", 3, "abc"},
		{"abc  ", 3, "abc"},
		{"abc def", 4, "abc…"},
		{"a\x1b[2Kb\x00c", 0, "ab\ufffdc"},
		{"\U0001f469\u200d\U0001f4bb", 2, "\U0001f469…"},
	} {
		if got := Line(tt.in, tt.limit); got != tt.want {
			t.Errorf("%q (%d): %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

// TRUST-2: what somebody decides on loses nothing.
func TestTrust2Exact(t *testing.T) {
	for in, want := range map[string]string{
		"rm -rf ~":                         "rm -rf ~",
		"a\nb\tc\rd":                       `a\nb\tc\rd`,
		"\x1b[31mred\x1b]0;x\x07":          `\x1b[31mred\x1b]0;x\x07`,
		"a\u202eb\u200bc\u00a0d\U000e0041": `a\u{202e}b\u{200b}c\u{a0}d\u{e0041}`,
		"\xff\xed\xa0\x80\ufffd":           `\xff\xed\xa0\x80` + "\ufffd",
		"\U0001f469\u200d\U0001f4bb é":     "\U0001f469\u200d\U0001f4bb é",
	} {
		if got := Exact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// anything is text with what matters here in it more often than by chance.
var anything = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.String(),
		rapid.StringMatching("[ \\n\\t<>&!\\[\\]()*_~`#|:@/.=+\\\\-]{1,6}"),
		rapid.SampledFrom([]string{
			"http://evil.example/x", "HTTPS://x.y", "ftp://a.b", "www.evil.example", "WWW.x.y", "me@evil.example", "mailto:a@b.cd", "xmpp:a@b.cd/e", "//evil.example",
			"[a](http://b.cd)", "![a](b)", "[a]: http://b.cd", "[a]", "<b>", "<http://a.bc>", "<!--", "&#60;", "&lt;", "&colon;", "```", "~~~", "# x", "---", "===", "| a | b |\n|---|---|\n",
			":-:", "- ", "1. ", "* ", "    ", "\n", "\n\n", "a", "b c", "$(icon)", "\x1b[31m", "\x1b]8;;x\x07", "\u202e", "\u200b", "\U000e0041", "\u200d", "\ufe0f", "\U0001f600", "\u3000", "\u0645", "\xff", "\r\n", "\\", "command:x",
		}),
	), 0, 12).Draw(t, "parts"), "")
})

// TRUST-2: whatever comes in, nothing hidden comes out; once is enough.
func TestTrust2Property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anything.Draw(t, "text")
		for name, out := range map[string]string{"Lines": Lines(in), "Line": Line(in, 0), "Exact": Exact(in)} {
			if !utf8.ValidString(out) {
				t.Fatalf("%q: invalid %q", in, out)
			}
			before := rune(0)
			runes := []rune(out)
			for i, r := range runes {
				after := rune(0)
				if i+1 < len(runes) {
					after = runes[i+1]
				}
				if Hidden(before, r, after) || unicode.Is(unicode.Bidi_Control, r) {
					t.Fatalf("%q: %q is in %q", in, r, out)
				}
				before = r
			}
			if again := Lines(out); name != "Exact" && again != out {
				t.Fatalf("%q: %s %q becomes %q", in, name, out, again)
			}
		}
		if strings.ContainsAny(Line(in, 0), "\n\t") || strings.ContainsAny(Exact(in), "\n\t") {
			t.Fatalf("%q: several lines", in)
		}
		if n := utf8.RuneCountInString(Line(in, 7)); n > 8 {
			t.Fatalf("%q: %d characters", in, n)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("A description as servers give it. ", 30),
		"other": strings.Repeat("Eine Beschreibung für Männer und Mäuse… ", 30),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Lines(text)
			}
		})
	}
}
