package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// spellings are the values of at least so many bytes, in all forms in which they
// may be met.
func spellings(values []string, least int) []string {
	var all []string
	add := func(s string) {
		s = strings.TrimSpace(s)
		if len(s) >= least && !slices.Contains(common, strings.ToLower(s)) {
			all = append(all, s)
		}
	}
	for _, v := range values {
		add(v)
		for _, line := range strings.Split(v, "\n") { // of a key in several lines
			if len(line) >= 16 {
				add(line)
			}
		}
		scheme, credentials, ok := strings.Cut(strings.TrimSpace(v), " ")
		if ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "token") || strings.EqualFold(scheme, "basic")) {
			add(credentials)
			if plain, err := base64.StdEncoding.DecodeString(credentials); err == nil && strings.EqualFold(scheme, "basic") {
				add(string(plain))
				if _, password, ok := strings.Cut(string(plain), ":"); ok {
					add(password)
				}
			}
		}
	}
	for _, v := range slices.Clone(all) {
		for _, escaped := range escapes(v) {
			add(escaped)
		}
		for _, encoded := range slices.Concat(percent(v), binary(v), entities(v)) {
			add(encoded)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// escapes are the spellings of a text in JSON and in JavaScript's literals, as
// encoders write them: with what must be escaped alone, in ASCII, safe for HTML,
// with every slash escaped; and each of them in a JSON text that is itself a
// string of another one, as servers answer.
func escapes(v string) []string {
	quoted, err := jsontext.AppendQuote(nil, v)
	if err != nil {
		return nil
	}
	plain := string(quoted[1 : len(quoted)-1])
	single := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "'", `\'`).Replace(v)
	all := []string{plain, single, strings.ReplaceAll(single, `\'`, "'"), strings.ReplaceAll(plain, "/", `\/`)}
	for _, other := range []string{"", `&<>`, `&<>'+"` + "`"} {
		for _, format := range []string{`\u%04x`, `\u%04X`} {
			ascii, unicode := hexEscaped(plain, other, format)
			all = append(all, ascii, strings.ReplaceAll(ascii, "/", `\/`), unicode)
		}
	}
	for _, s := range slices.Clone(all) {
		if again, err := jsontext.AppendQuote(nil, s); err == nil && s != v {
			all = append(all, string(again[1:len(again)-1]))
		}
	}
	return all
}

// hexEscaped is JSON with other characters in hexadecimal form: in ascii also
// those that are not ASCII. Quotation marks are so in other alone.
func hexEscaped(plain, other, format string) (ascii, unicode string) {
	if strings.Contains(other, `"`) {
		plain = strings.ReplaceAll(plain, `\"`, `"`)
	}
	var a, u strings.Builder
	for _, r := range plain {
		switch {
		case strings.ContainsRune(other, r):
			fmt.Fprintf(&a, format, r)
			fmt.Fprintf(&u, format, r)
		case r >= 0x7f:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&a, format, unit)
			}
			u.WriteRune(r)
		default:
			a.WriteRune(r)
			u.WriteRune(r)
		}
	}
	return a.String(), u.String()
}

// kept are the punctuation marks that percent encoders leave as they are: those of
// RFC 3986, of Python, of JavaScript's two, of paths, of forms.
var kept = []string{"-_.~", "-_.~/", "-_.~!*'()", "-_.~!*'();/?:@&=+$,#", "-_.~$&+=:@", "-_.*"}

// percent are the spellings of a text in URLs and forms.
func percent(v string) (all []string) {
	for _, keep := range kept {
		for _, format := range []string{"%%%02X", "%%%02x"} {
			var b strings.Builder
			for i := range len(v) {
				c := v[i]
				if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(keep, c) >= 0 {
					b.WriteByte(c)
				} else {
					fmt.Fprintf(&b, format, c)
				}
			}
			all = append(all, b.String(), strings.ReplaceAll(b.String(), "%20", "+"))
		}
	}
	return all
}

// minBinary is how long a part of base64 has to be, or ordinary words would be
// taken for it.
const minBinary = 8

// binary are the hexadecimal and base64 forms (RFC 4648) of a text, base64 also of
// the text within a longer one: a name and a password, say. There it has three
// forms, by where it begins, of which only the characters count that no other byte
// has a part in.
func binary(v string) (all []string) {
	lower := hex.EncodeToString([]byte(v))
	all = append(all, lower, strings.ToUpper(lower))
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for before := range 3 {
			encoded := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + v))
			if before == 0 && len(v) >= minBinary {
				all = append(all, encoded, strings.TrimRight(encoded, "="))
			}
			if own := encoded[(before*8+5)/6 : (before+len(v))*8/6]; len(own) >= minBinary {
				all = append(all, own)
			}
		}
	}
	return all
}

// entities are the spellings of a text in HTML and XML.
func entities(v string) []string {
	escaped := html.EscapeString(v)
	named := strings.NewReplacer("&#34;", "&quot;", "&#39;", "&apos;").Replace(escaped)
	return []string{
		escaped, named, strings.ReplaceAll(named, "&apos;", "&#39;"), strings.ReplaceAll(named, "&apos;", "&#x27;"),
		strings.ReplaceAll(named, "&apos;", "'"), strings.NewReplacer("&apos;", "'", "&quot;", `"`).Replace(named),
	}
}
