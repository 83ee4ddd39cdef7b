package lsp

import (
	"strings"
	"testing"
)

// 07-protocol: what is wrong with parameters is said in JSON's terms; no name of
// this program's types reaches a client or a script.
func TestMalformedParamsWords(t *testing.T) {
	c := initialized(t, asking(t, question), `{}`)
	for _, test := range []struct{ method, params, want string }{
		{"codemode/exec", `{"code":7}`, "code must not be a number"},
		{"codemode/exec", `{"code":"x","timeoutMs":"soon"}`, "timeoutMs must not be a string"},
		{"codemode/exec", `{"code":"x","timeoutMs":1.5}`, "timeoutMs"},
		{"codemode/exec", `{"code":"x","maxToolCalls":-1}`, "must not be negative"},
		{"codemode/exec", `{"textDocument":7}`, "textDocument: "},
		{"codemode/declarations", `{"disallowed":[1]}`, "disallowed/0 must not be a number"},
		{"codemode/cancel", `[]`, "the value must not be an array"},
		{"workspace/executeCommand", `{"command":"codemode.run","arguments":[5]}`, "argument 1 of codemode.run"},
		{"workspace/executeCommand", `{"command":"codemode.setPermission","arguments":["x"]}`, "argument 1 of codemode.setPermission"},
		{"textDocument/hover", `{}`, "textDocument.uri is missing"},
		{"textDocument/definition", `null`, "textDocument.uri is missing"},
	} {
		t.Run(test.method+test.params, func(t *testing.T) {
			got := c.call(test.method, test.params).fails(-32602).Error.Message
			if !strings.Contains(got, test.want) {
				t.Errorf("message %q, want %q in it", got, test.want)
			}
			for _, inner := range []string{"Go ", "json:", "lsp.", "exec.", "int64"} {
				if strings.Contains(got, inner) {
					t.Errorf("message %q tells of %q", got, inner)
				}
			}
		})
	}
}
