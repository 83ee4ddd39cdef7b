package exec

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// quote is a text as a JSON string; what is not UTF-8 becomes U+FFFD.
func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	return b
}

// plain is a JSON value as text: a string as it is, anything else as JSON
// (EXEC-9).
func plain(v jsontext.Value) string {
	if v.Kind() == '"' {
		if s, err := jsontext.AppendUnquote(nil, v); err == nil || len(s) > 0 {
			return string(s)
		}
	}
	return string(v)
}

// marshal keeps schemas as the server sent them, odd ones too.
func marshal(v any) (jsontext.Value, error) {
	return json.Marshal(v, lenient)
}

// lenient is how the arguments of members are read: they come from a script.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

var nothing = jsontext.Value("null")

// reserved is the prefix by which the sandbox names a member of
// tools["$codemode"].
const reserved = "$codemode."
