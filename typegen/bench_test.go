package typegen

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// exampleTools are tools of the size and shape of real ones: a description, a
// dozen fields with documentation, enums, lists, nested objects.
func exampleTools(n int) []Tool {
	tools := make([]Tool, n)
	for i := range tools {
		var b strings.Builder
		b.WriteString(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{`)
		fmt.Fprintf(&b, `"owner":{"type":"string","description":"Owner of repository %d, as in its address","minLength":1},`, i)
		b.WriteString(`"labels":{"type":"array","items":{"type":"string"},"description":"Labels to set","minItems":1},
			"state":{"type":"string","enum":["open","closed","all"],"default":"open","description":"Which ones to list"},
			"limit":{"type":"integer","minimum":1,"maximum":100,"description":"How many to return at most"},
			"since":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}],"default":null},
			"filter":{"type":"object","properties":{"field":{"type":"string"},"values":{"type":"array","items":{"type":["string","number"]}},
				"range":{"type":"object","properties":{"from":{"type":"number"},"to":{"type":"number"}},"additionalProperties":false}},"required":["field"]},
			"dryRun":{"type":"boolean","description":"Only say what would be done"},
			"tags":{"type":"object","additionalProperties":{"type":"string"},"description":"Any number of names with values"}
			},"required":["owner","state"],"additionalProperties":false}`)
		tools[i] = Tool{
			Name:        fmt.Sprintf("mcp__server%d__tool_%d", i%40, i),
			Description: "List what there is.\n\nAnswers the items that match, newest first, with all of their fields. Use the filter to narrow them.",
			Input:       []byte(b.String()),
		}
		if i%8 == 0 {
			tools[i].Output = []byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"number"},"title":{"type":"string"}},"required":["id","title"]}},"total":{"type":"integer"}},"required":["items"]}`)
		}
	}
	return tools
}

// PERF-6: the .d.ts of 10,000 tools in at most 300 ms, and linear.
func BenchmarkFile(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tools := exampleTools(n)
			runtime.GC()
			b.ReportAllocs()
			for b.Loop() {
				parts := make([]*Declaration, len(tools))
				for i := range tools {
					parts[i] = Declare(tools[i])
				}
				Assemble(parts, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/tool")
		})
	}
}

// PERF-5, the part of it that is here: one catalog entry.
func BenchmarkSignature(b *testing.B) {
	tool := exampleTools(1)[0]
	b.ReportAllocs()
	for b.Loop() {
		Signature(tool.Name, tool.Input, tool.Output, 6)
	}
}
