package typegen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"codemode-ls/internal/golden"
	"codemode-ls/typegen"
)

// TYPE-1, TYPE-4, TYPE-5, CAT-2, CAT-3, CAT-4, CAT-5: schemas and what they
// become, in the catalog and in the .d.ts.
func TestGolden(t *testing.T) {
	golden.Run(t, "../testdata/typegen/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		var tool struct {
			Name, Title, Description  string
			Deprecated                bool
			InputSchema, OutputSchema json.RawMessage
		}
		if err := json.Unmarshal([]byte(files["tool.json"]), &tool); err != nil {
			t.Fatal(err)
		}
		signature, _ := typegen.Signature(tool.Name, []byte(tool.InputSchema), []byte(tool.OutputSchema), 6)
		d := typegen.Declare(typegen.Tool{
			Name: tool.Name, Title: tool.Title, Description: tool.Description, Deprecated: tool.Deprecated,
			Input: []byte(tool.InputSchema), Output: []byte(tool.OutputSchema),
		})
		text := typegen.Assemble([]*typegen.Declaration{d}, nil).Text
		_, text, _ = strings.Cut(text, "interface Tools {\n")
		text, _, _ = strings.Cut(text, "\n/** Output that is collected")
		var problems strings.Builder
		for _, p := range d.Problems {
			fmt.Fprintf(&problems, "%s: %s\n", p.Path, p.Message)
		}
		return map[string]string{
			"catalog.ts":     signature + "\n",
			"declaration.ts": "interface Tools {\n" + text,
			"problems.txt":   problems.String(),
		}
	})
}
