package typegen

import (
	"strings"
	"testing"
)

// TYPE-4, as common generators of schemas write it.
func TestGenerators(t *testing.T) {
	closed := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	other := `{"type":"object","properties":{"b":{"type":"number"}},"required":["b"],"additionalProperties":false}`
	for _, test := range []struct {
		name, schema string
		direction    Direction
		want         string
		problems     int
	}{
		{"relative $id", `{"type":"object","properties":{"n":{"$id":"Node","type":"object","properties":{"next":{"$ref":"Node"},"v":{"$ref":"#/properties/v"}},"required":["v"]},"v":{"type":"number"}}}`,
			Input, "{\n  n?: {\n    next?: unknown;\n    v: unknown;\n  };\n  v?: number;\n}", 1},
		{"relative $id at the root", `{"$id":"Node","type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"Node#/properties/v"}}}`,
			Input, "{\n  v?: number;\n  next?: number;\n}", 0},
		{"nullable with null in enum", `{"type":"string","nullable":true,"enum":[null]}`, Input, "null", 0},
		{"nullable with null among others", `{"type":"string","nullable":true,"enum":["a",null]}`, Input, `"a" | null`, 0},
		{"nullable without null in enum", `{"type":"string","nullable":true,"enum":["a"]}`, Input, `"a" | null`, 0},
		{"any name", `{"type":"object","patternProperties":{"^(.*)$":{"type":"number"}}}`, Input, "{\n  [key: string]: number;\n}", 0},
		{"any name, nothing else", `{"type":"object","patternProperties":{"^[\\s\\S]*?$":{"type":"number"}},"additionalProperties":false}`, Input, "{\n  [key: string]: number;\n}", 0},
		{"any name of a pattern", `{"type":"object","patternProperties":{"":{"type":"number"}},"propertyNames":{"pattern":"^x-.*"}}`, Input, "{\n  [key: `x-${string}`]: number;\n}", 0},
		{"no name", `{"type":"object","patternProperties":{".*":false}}`, Input, "Record<string, never>", 0},
		{"both of two closed objects, read", `{"allOf":[` + closed + `,` + other + `]}`, Output, "{\n  a: string;\n  b: number;\n}", 1},
		{"both of two closed objects, sent", `{"allOf":[` + closed + `,` + other + `]}`, Input, "never", 1},
		{"two kinds at once", `{"allOf":[{"type":"string"},{"type":"number"}]}`, Output, "never", 1},
	} {
		got, problems := Type([]byte(test.schema), Options{Direction: test.direction})
		if got != test.want || len(problems) != test.problems {
			t.Errorf("%s: %s %v\nwant %s", test.name, got, problems, test.want)
		}
	}
}

// TYPE-1: a type refers to itself by a relative $id. In the namespace of its tool
// it is called as it is.
func TestRelativeID(t *testing.T) {
	d := Declare(Tool{Name: "mcp__a-b__c", Input: []byte(`{"type":"object","properties":{"n":{"$id":"Node","type":"object","properties":{"next":{"$ref":"Node"}}}}}`)})
	text := Assemble([]*Declaration{d}, nil).Text
	for _, want := range []string{"  n?: ToolTypes.mcp__a$2d$b__c.N;\n", "{\n  type N = {\n    next?: N;\n  };\n}\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if len(d.Problems) > 0 {
		t.Error(d.Problems)
	}
}

// CAT-3: what is said of variants, items and other properties is not lost.
func TestDocumentationOfParts(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"case":{"description":"How.","$ref":"#/$defs/Case"},
		"mode":{"anyOf":[{"$ref":"#/$defs/Case"},{"type":"null"}],"default":null},
		"shape":{"oneOf":[{"type":"object","description":"Round\nand */ whole","properties":{"kind":{"const":"circle"}}},{"type":"object","title":"Box\n@x","description":"Square"},{"enum":[1,2],"description":"Old"},{"type":"string"}]},
		"ids":{"type":"array","items":{"type":"string","description":"One id"},"minItems":1},
		"list":{"type":"array","description":"All","items":{"anyOf":[{"type":"string","description":"A name"},{"type":"number","description":"A number"}]}},
		"one":{"anyOf":[{"type":"string","description":"Its own words"},{"type":"null"}]},
		"text":{"anyOf":[{"type":"object","description":"An object"},{"type":"string"}]}
	},"additionalProperties":{"type":"string","description":"Any label","maxLength":3},
	"$defs":{"Case":{"oneOf":[{"const":"exact","description":"As it is"},{"const":"ignore","description":"Either case"},{"type":"string","enum":["smart"]}]}}}`
	got, _ := Type([]byte(schema), Options{Direction: Input})
	const want = `{
  /**
   * How.
   *
   * - "exact": As it is
   * - "ignore": Either case
   */
  case?: "exact" | "ignore" | "smart";
  /**
   * - "exact": As it is
   * - "ignore": Either case
   * @default null
   */
  mode?: "exact" | "ignore" | "smart" | null;
  /**
   * - kind: "circle": Round
   * and *\/ whole
   * - Box\n@x: Square
   * - 1 | 2: Old
   */
  shape?: {
    kind?: "circle";
  } | {} | 1 | 2 | string;
  /**
   * Each item: One id
   * @minItems 1
   */
  ids?: Array<string>;
  /**
   * All
   *
   * - string: A name
   * - number: A number
   */
  list?: Array<string | number>;
  /** Its own words */
  one?: string | null;
  /** An object */
  text?: {} | string;
  /**
   * Any label
   * @maxLength 3
   */
  [key: string]: `
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
