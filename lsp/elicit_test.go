package lsp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"codemode-ls/upstream"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MCP-6: a client with forms is asked for the fields, by the server's name; any other by
// buttons where these can answer, and what cannot be asked is declined and said.
func TestMCP6Elicit(t *testing.T) {
	text := upstream.Field{Name: "name", Type: "string", Required: true}
	filled := upstream.Field{Name: "n", Type: "integer", Title: "Number", Default: jsontext.Value("3")}
	choice := upstream.Field{Name: "c", Type: "string", Choices: []upstream.Choice{{Value: "a", Title: "Low"}, {Value: "b"}}}
	for _, test := range []struct {
		name, client, answer string
		q                    upstream.Elicitation
		asks                 []string // in the question
		want                 string
	}{
		{"a form", `"elicitation":true`, `{"action":"accept","content":{"name":"Ada"}}`, upstream.Elicitation{Message: "Who?", Fields: []upstream.Field{text}},
			[]string{`"server":"s"`, `"description":"Who?"`, `"fields":[{"name":"name","type":"string","required":true}]`}, `accept {"name":"Ada"}`},
		{"a form that is closed", `"elicitation":true`, `{}`, upstream.Elicitation{Message: "Who?", Fields: []upstream.Field{text}}, nil, `cancel null`},
		{"to confirm", "", `{"title":"Confirm"}`, upstream.Elicitation{Message: "Sure?\u202e"}, []string{"The MCP server s asks: Sure?", `{"title":"Confirm"},{"title":"Decline"}`}, `accept {}`},
		{"yes or no", "", `{"title":"No"}`, upstream.Elicitation{Message: "?", Fields: []upstream.Field{{Name: "ok", Type: "boolean"}}}, nil, `accept {"ok":false}`},
		{"a choice", "", `{"title":"Low"}`, upstream.Elicitation{Message: "?", Fields: []upstream.Field{choice}}, []string{`{"title":"Low"},{"title":"b"}`}, `accept {"c":"a"}`},
		{"what is filled in", "", `{"title":"Answer with what is filled in"}`, upstream.Elicitation{Message: "?", Fields: []upstream.Field{filled, {Name: "more", Type: "string"}}}, []string{"Number: 3"}, `accept {"n":3}`},
		{"declined", "", `{"title":"Decline"}`, upstream.Elicitation{Message: "?"}, nil, `decline null`},
		{"closed", "", `null`, upstream.Elicitation{Message: "?"}, nil, `cancel null`},
		{"what no button answers", "", `null`, upstream.Elicitation{Message: "Who?", Fields: []upstream.Field{text}}, []string{"This editor has no form for that"}, `decline null`},
		{"an address", `"elicitation":true`, `{"title":"Open","success":true}`, upstream.Elicitation{Message: "Pay", URL: "https://pay.example/x"}, []string{"https://pay.example/x"}, `accept null`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newFakeWorkspace(t, echo)
			c := initialized(t, w, `{"experimental":{"codemode":{`+test.client+`}}}`)
			c.answerWith(func(m message) string { return test.answer })
			<-w.open
			test.q.Server = "s"
			a, err := w.options.Asker.Elicit(context.Background(), test.q)
			if err != nil {
				t.Fatal(err)
			}
			content, err := json.Marshal(a.Content)
			if err != nil {
				t.Fatal(err)
			}
			if a.Content == nil {
				content = []byte("null")
			}
			if got := fmt.Sprintf("%s %s", a.Action, content); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			method := "window/showMessageRequest"
			switch {
			case test.q.URL == "" && test.client != "":
				method = MethodInput
			case strings.HasPrefix(test.name, "what no button"):
				method = "window/showMessage"
			}
			params := string(c.notification(method).Params)
			for _, want := range test.asks {
				if !strings.Contains(params, want) {
					t.Errorf("%s: %s, want %s", method, params, want)
				}
			}
		})
	}
}
