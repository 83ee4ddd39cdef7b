package rawjson

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// MCP-7: white space, escapes, numbers, doubled names and their order stay.
func TestMarshal(t *testing.T) {
	raw := jsontext.Value(" {\n\t\"\\u0061/\\/\" : [1.0, 1e2,-0, 12345678901234567890],\"b\":1,  \"b\":\"\\u00e9\\ud83d\\ude00\"} ")
	type item struct {
		Text string         `json:"text"`
		Raw  jsontext.Value `json:"raw,omitzero"`
	}
	got, err := Marshal(struct {
		A    jsontext.Value `json:"a"`
		List []item         `json:"list"`
		Gone jsontext.Value `json:"gone,omitzero"`
		Last jsontext.Value `json:"last"`
	}{A: raw, List: []item{{"<null>", raw}, {Text: "x"}}, Last: jsontext.Value("null")}, jsontext.AllowDuplicateNames(true))
	want := `{"a":` + string(raw) + `,"list":[{"text":"<null>","raw":` + string(raw) + `},{"text":"x"}],"last":null}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	for _, broken := range []string{`{`, `1 2`, ``, `{"a":1,"a":2}`} {
		if got, err := Marshal(map[string]jsontext.Value{"a": jsontext.Value(broken)}); err == nil {
			t.Errorf("%q was accepted: %s", broken, got)
		}
	}
}
