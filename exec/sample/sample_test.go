package sample

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	toolsFolder = flag.String("tools", "../../../shared/corpus", "folder of tools/list answers")
	suiteFolder = flag.String("suite", "../../../shared/schema-suite", "folder of the JSON Schema test suite")
)

// oracle is an independent validator of a schema; draft is for schemas that do
// not say theirs.
func oracle(schema []byte, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		re, err := regexp.Compile(s)
		if err != nil {
			return everywhere(s), nil
		}
		return re, nil
	})
	if err := c.AddResource("schema:///root", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema:///root")
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s is not loaded", url) }

// everywhere is a pattern that Go has no words for.
type everywhere string

func (everywhere) MatchString(string) bool { return true }
func (e everywhere) String() string        { return string(e) }

func check(o *jsonschema.Schema, sample jsontext.Value) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(sample)))
	if err != nil {
		return err
	}
	return o.Validate(v)
}

// DRY-1: samples are valid against their schemas.
func TestValid(t *testing.T) {
	for _, schema := range []string{
		`true`, `{}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":5}},"required":["a","b"],"additionalProperties":false}`,
		`{"type":"object","required":["x"]}`,
		`{"type":["null","string"],"minLength":20}`,
		`{"enum":[3,"a"]}`, `{"const":{"a":1}}`,
		`{"type":"string","enum":["a"],"default":"b"}`,
		`{"type":"integer","default":"many"}`,
		`{"type":"string","format":"date-time"}`, `{"type":"string","format":"uuid"}`,
		`{"type":"string","pattern":"^[A-Z]{3}-\\d+(foo|bar)?$"}`,
		`{"type":"string","pattern":"^[a-z]+$","minLength":12,"maxLength":12}`,
		`{"type":"string","maxLength":3}`,
		`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`,
		`{"type":"array","items":{"type":"string","maxLength":6},"minItems":12,"uniqueItems":true}`,
		`{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false}`,
		`{"type":"array","maxItems":0}`,
		`{"type":"array","contains":{"const":7},"items":{"type":"integer"},"minItems":2}`,
		`{"type":"number","exclusiveMinimum":0,"maximum":1}`,
		`{"type":"integer","minimum":10,"multipleOf":7}`,
		`{"type":"number","maximum":-5}`,
		`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`,
		`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"minLength":9},"b":{"type":"null"}},"required":["b"]}]}`,
		`{"anyOf":[{"type":"null"},{"type":"object","properties":{"k":{"const":"v"}},"required":["k"]}]}`,
		`{"oneOf":[{"type":"string"},{"type":"number"}]}`,
		`{"oneOf":[{"type":"integer"},{"minimum":2}]}`,
		`{"not":{"type":"string"}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"if":{"required":["a"]},"then":{"required":["b"]}}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"dependentRequired":{"a":["b","c"]}}`,
		`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":"integer"}},"required":["v"]}}}`,
		`{"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}}`,
		`{"type":"object","minProperties":2,"propertyNames":{"pattern":"^x-"},"additionalProperties":{"type":"integer"}}`,
		`{"$id":"https://example.com/a","$ref":"b","$defs":{"b":{"$id":"b","type":"integer"}}}`,
		`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]}]}`,
	} {
		o, err := oracle([]byte(schema), jsonschema.Draft2020)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		sample := Of(jsontext.Value(schema))
		if err := check(o, sample); err != nil {
			t.Errorf("%s\nsample %s\n%v", schema, sample, err)
		}
		if again := Of(jsontext.Value(schema)); string(again) != string(sample) {
			t.Errorf("%s: %s, then %s", schema, sample, again)
		}
	}
}

// members are n parts of a JSON object or array.
func members(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// A schema is what a server sent.
func TestHostileSchemas(t *testing.T) {
	branches := strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}},`, 200)
	for _, schema := range []string{
		``, `{`, `null`, `[]`, `"x"`, `false`,
		`{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		`{"$ref":"https://elsewhere.test/x"}`, `{"allOf":[{"$ref":"#"}]}`, `{"not":{"$ref":"#"}}`, `{"$ref":"%zz"}`, `{"$id":":","$ref":"#a"}`,
		`{"anyOf":[` + strings.TrimSuffix(branches, ",") + `]}`, `{"oneOf":[` + strings.TrimSuffix(branches, ",") + `]}`,
		`{"type":"array","minItems":1e300,"items":{"type":"array","minItems":1e300,"items":{"type":"array","minItems":1e9,"items":{}}}}`,
		`{"type":"array","minItems":100,"uniqueItems":true,"items":{"type":"array","minItems":100,"uniqueItems":true,"items":{"type":"boolean"}}}`,
		`{"type":"string","minLength":1e300}`, `{"type":"string","pattern":"((a{1000}){1000}){1000}"}`, `{"type":"string","pattern":"(?<=a)b"}`,
		`{"type":"string","pattern":"(a*)*(b*)*(((c*)*)*)*","minLength":10000}`,
		`{"type":"integer","multipleOf":1e-300,"minimum":1e300}`, `{"type":"integer","minimum":5,"maximum":4}`, `{"multipleOf":0}`,
		`{"required":["a"],"properties":{"a":{"$ref":"#"}}}`, `{"required":{"a":1},"properties":[],"items":7,"enum":{},"type":9,"allOf":{}}`,
		`{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"$ref":"#"}}}`,
		`{"patternProperties":{"(":{"type":"string"}},"minProperties":3,"additionalProperties":false}`,
		strings.Repeat(`{"items":`, 500) + `{}` + strings.Repeat(`}`, 500),
		// One long value for many properties.
		`{"properties":{` + members(2000, `"p%d":{"$ref":"#/$defs/d"}`) + `},"$defs":{"d":{"const":"` + strings.Repeat("x", 50_000) + `"}}}`,
		`{"properties":{` + members(2000, `"p%d":{"$ref":"#/$defs/d"}`) + `},"$defs":{"d":{"default":["` + strings.Repeat("x", 50_000) + `"]}}}`,
		`{"required":[` + members(2000, `"p%d"`) + `],"additionalProperties":{"enum":["` + strings.Repeat("x", 50_000) + `"]}}`,
		`{"properties":{` + members(3000, `"x-%d":{"type":"object"}`) + `},"patternProperties":{` + members(3000, `"^x-%d":{"type":"object"}`) + `}}`,
	} {
		start := time.Now()
		if sample := Of(jsontext.Value(schema)); !json.Valid(sample) || len(sample) > 4<<20 {
			t.Errorf("%.80s: %d bytes %.80s", schema, len(sample), sample)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%.80s took %v", schema, took)
		} else {
			t.Logf("%v %.60s", took, schema)
		}
	}
}

// DRY-1 on every output schema of real servers.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(*toolsFolder, "*.json"))
	if len(files) == 0 {
		t.Skipf("no tools in %s", *toolsFolder)
	}
	schemas, valid, broken, inputs := 0, 0, 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Tools []struct {
				Name         string
				InputSchema  json.RawMessage
				OutputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, tool := range list.Tools {
			for i, schema := range []json.RawMessage{tool.OutputSchema, tool.InputSchema} {
				side := []string{"output", "input"}[i]
				if schema == nil {
					continue
				}
				if inputs++; side == "input" && inputs%8 != 0 { // there are ten times as many
					continue
				}
				o, err := oracle(schema, jsonschema.Draft2020)
				if err != nil {
					if o, err = oracle(schema, jsonschema.Draft7); err != nil {
						if o, err = oracle(schema, jsonschema.Draft4); err != nil {
							broken++
							t.Logf("no JSON Schema: %s %s %s: %.200s", filepath.Base(file), tool.Name, side, err)
							continue
						}
					}
				}
				schemas++
				sample := Of(jsontext.Value(schema))
				if err := check(o, sample); err != nil {
					t.Errorf("%s %s %s: %v\nschema %.600s\nsample %.300s", filepath.Base(file), tool.Name, side, err, schema, sample)
					continue
				}
				valid++
			}
		}
	}
	t.Logf("%d of %d samples are valid (%d are no JSON Schemas)", valid, schemas, broken)
}

// DRY-1 on every schema of the JSON Schema test suite that has a valid value.
func TestSuite(t *testing.T) {
	drafts := map[string]*jsonschema.Draft{
		"draft4": jsonschema.Draft4, "draft6": jsonschema.Draft6, "draft7": jsonschema.Draft7,
		"draft2019-09": jsonschema.Draft2019, "draft2020-12": jsonschema.Draft2020,
	}
	schemas, valid := 0, 0
	for folder, draft := range drafts {
		files, _ := filepath.Glob(filepath.Join(*suiteFolder, folder, "*.json"))
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var cases []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct{ Valid bool }
			}
			if err := json.Unmarshal(raw, &cases); err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				satisfiable := false
				for _, test := range c.Tests {
					satisfiable = satisfiable || test.Valid
				}
				if !satisfiable {
					continue
				}
				o, err := oracle(c.Schema, draft)
				if err != nil {
					continue // it needs a document that is elsewhere
				}
				schemas++
				sample := Of(jsontext.Value(c.Schema))
				if err := check(o, sample); err != nil {
					t.Logf("%s %s: %s\nschema %.400s\nsample %.200s\n%v", folder, filepath.Base(file), c.Description, c.Schema, sample, err)
					continue
				}
				valid++
			}
		}
	}
	if schemas == 0 {
		t.Skipf("no JSON Schema test suite in %s", *suiteFolder)
	}
	t.Logf("%d of %d samples are valid (%.2f %%)", valid, schemas, 100*float64(valid)/float64(schemas))
	if 100*valid < 98*schemas {
		t.Errorf("fewer than 98 %%")
	}
}
