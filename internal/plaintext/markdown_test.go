package plaintext

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// TRUST-2: a text shows what it says and does nothing.
func TestTrust2Markdown(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, a snake_case_name.":  "plain text, a snake_case_name.",
		"[click](command:x)":              `\[click\]\(command:x)`,
		"![i](http://x/y.png)":            "`![i](http://x/y.png`)",
		"<script>x</script>":              "&lt;script&gt;x&lt;/script&gt;",
		"`code` and ```":                  "\\`code\\` and \\`\\`\\`",
		"# Heading\n> quote\ntext\n---":   "\\# Heading  \n&gt; quote  \ntext  \n\\---",
		"- one\n- two":                    "- one  \n- two",
		"- # one\n1. ---\n2. two":         "- \\# one  \n1. \\---  \n2. two",
		"- - - - deep\n1.\n-":             "- - - \\- deep  \n1\\.  \n\\-",
		"* one\n* *two*":                  "* one  \n* \\*two\\*",
		"a\u202eb\x1b[31m":                "a\ufffdb",
		"one\n\ntwo\nthree":               "one\n\ntwo  \nthree",
		"    code?":                       "code?",
		"&#60;b&gt;":                      "&amp;#60;b&amp;gt;",
		"| a | b |\n|---|---|":            "\\| a \\| b \\|  \n\\|---\\|---\\|",
		"a|b\n:-:":                        "a\\|b  \n\\:-:",
		"_emphasis_ **strong** ~~gone~~ ": `\_emphasis\_ \*\*strong\*\* \~\~gone\~\~`,
		"See https://x.example/a_b, www.x.example. (Mail <a.b@c.example>!)": "See `https://x.example/a_b`, `www.x.example`. (Mail &lt;`a.b@c.example`&gt;!)",
		"http://a`b@c.d`":        "`http://a`&#96;`b@c.d`&#96;",
		"@types/node 7 // note":  "@types/node 7 // note",
		"www\u200b.evil.example": "`www.evil.example`",
	} {
		if got := Markdown(in); got != want {
			t.Errorf("%q becomes\n%q, want\n%q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"- a\n# b":              `\- a # b`,
		"1. www.x.example":      "1\\. `www.x.example`",
		"[0123456789012345678":  `\[0123456789012345678`,
		"0123456789 0123456789": "0123456789 012345678…",
	} {
		if got := MarkdownLine(in, 20); got != want {
			t.Errorf("%q becomes\n%q, want\n%q", in, got, want)
		}
	}
	if got := CodeSpan("a`b\n[c](d)"); got != "a\\`b \\[c\\]\\(d)" {
		t.Error(got)
	}
}

// TRUST-2: the engine's Markdown keeps its code and its tags, and nothing of what a
// schema says in it is live.
func TestTrust2Documentation(t *testing.T) {
	for in, want := range map[string]string{
		"```tsx\n(property) path: string\n```\nSee ![x](http://e.example/a.png) and <b>www.e.example</b>.\n\n*@default* — `\"a\"`": "```tsx\n(property) path: string\n```\n" +
			"See !x (`http://e.example/a.png`) and &lt;`b>www.e.example</b`&gt;.\n\n*@default* — `\"a\"`",
		"*@param* `name` — a *b*":                       "*@param* `name` — a \\*b\\*",
		"[Foo](file:///lib.d.ts#L1) [x](command:y)":     "Foo x (`command:y`)",
		"``a`` www.e.example`b`www.f.example":           "&#96;`a` ` www.e.example`b&#96;`www.f.example`",
		"# Head\n```\nnever ends <b>":                   "\\# Head\n```\nnever ends <b>\n```",
		"~~~js x\n```\n[a](http://b.example)\n~~~\n> q": "````js\n```\n[a](http://b.example)\n````\n&gt; q",
	} {
		if got := Documentation(in); got != want {
			t.Errorf("%q becomes\n%q, want\n%q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := anything.Draw(t, "text")
		inert(t, "Documentation", in, Documentation(in))
	})
}

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))

// TRUST-2: in GitHub's Markdown, whatever comes in, what comes out is paragraphs and
// lists of text, and all of the text is there.
func TestTrust2MarkdownProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anything.Draw(t, "text")
		for name, out := range map[string]string{
			"Markdown": Markdown(in), "MarkdownLine": "x " + MarkdownLine(in, 0) + " y", "CodeSpan": "x " + CodeSpan(in) + " y", "after a heading": "# T\n\n" + Markdown(in) + "\n\n---",
		} {
			inert(t, name, in, out)
		}
		// All that can be seen of the text can be seen, but for markers of lists.
		var page bytes.Buffer
		if err := gfm.Convert([]byte(Markdown(in)), &page); err != nil {
			t.Fatal(err)
		}
		got, want := letters(visible(t, page.String())), letters(Lines(in))
		if got != want {
			t.Fatalf("%q shows\n%q as\n%q\n%s", in, got, Markdown(in), page.String())
		}
		// Code stays in its fence.
		doc := gfm.Parser().Parse(text.NewReader([]byte("a\n\n" + Code("typescript", in) + "\n\nb")))
		if doc.ChildCount() != 3 || doc.FirstChild().NextSibling().Kind() != ast.KindFencedCodeBlock || doc.LastChild().Kind() != ast.KindParagraph {
			t.Fatalf("%q ends its fence: %q", in, Code("typescript", in))
		}
	})
}

func inert(t *rapid.T, name, in, out string) {
	t.Helper()
	doc := gfm.Parser().Parse(text.NewReader([]byte(out)))
	headings := 0
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindDocument, ast.KindParagraph, ast.KindTextBlock, ast.KindText, ast.KindString, ast.KindList, ast.KindListItem, ast.KindCodeSpan:
		case ast.KindFencedCodeBlock:
			if name != "Documentation" {
				t.Fatalf("%s of %q has code in\n%q", name, in, out)
			}
		case ast.KindEmphasis:
			if s := string(n.FirstChild().(*ast.Text).Value([]byte(out))); name != "Documentation" || !strings.HasPrefix(s, "@") {
				t.Fatalf("%s of %q has emphasis in\n%q", name, in, out)
			}
		case ast.KindHeading, ast.KindThematicBreak:
			if entering {
				headings++
			}
		case ast.KindCodeBlock: // indented, within a list; as inert as text
		case east.KindTable, ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindHTMLBlock, ast.KindRawHTML:
			t.Fatalf("%s of %q is live: %s in\n%q", name, in, n.Kind(), out)
		default:
			t.Fatalf("%s of %q has %s in\n%q", name, in, n.Kind(), out)
		}
		return ast.WalkContinue, nil
	})
	if want := map[bool]int{true: 2}[name == "after a heading"]; headings != want {
		t.Fatalf("%s of %q has a heading or a rule in\n%q", name, in, out)
	}
}

// visible is the text of a page.
func visible(t *rapid.T, page string) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// letters are a text without white space, and without what can be a marker of a list.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\u3000-*.)0123456789", r) {
			return -1
		}
		return r
	}, s)
}
