package typegen

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	invalid "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// The proof that generated types mean what the schemas say, by the TypeScript
// compiler of npm on real tools. It is a test and a program:
//
//	CODEMODE_TSC=…/typescript/lib/tsc.js go test ./typegen -run TestProof -v -tools=FOLDER
//
// takes any folder of tools/list answers (`{"tools": […]}`, with or without what
// JSON-RPC puts around it, or the list alone).
var (
	toolsFolder = flag.String("tools", "../../shared/corpus", "folder of tools/list answers for TestProofTools")
	suiteFolder = flag.String("suite", "../../shared/schema-suite", "folder of the JSON Schema test suite for TestProofSuite")
	reportFile  = flag.String("report", "", "file for the whole report of the proofs")
)

// compiler returns the path of tsc.js, or skips.
func compiler(t *testing.T, folder string) string {
	t.Helper()
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no folder %s: nothing to prove on", folder)
	}
	tsc := os.Getenv("CODEMODE_TSC")
	if tsc == "" {
		t.Skip("CODEMODE_TSC does not name the tsc.js of npm's typescript@5")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node")
	}
	return tsc
}

// A claim is one line of TypeScript that must, or must not, compile.
type claim struct {
	subject string // tool and side
	what    string
	valid   bool
	code    string
	why     string // a broken value may be accepted
	exact   string // the exact type of a valid value

	errors []string // of the compiler
}

// compile writes declarations and claims as one program each and notes what
// the compiler says of each claim.
func compile(t *testing.T, tsc, declarations string, claims []*claim) {
	t.Helper()
	dir := t.TempDir()
	config := `{"compilerOptions": {"strict": true, "noEmit": true, "lib": ["es2023"], "types": [], "target": "es2022", "pretty": false}, "include": ["*.ts"]}`
	var b strings.Builder
	for _, c := range claims {
		b.WriteString(c.code)
		b.WriteByte('\n')
	}
	for name, text := range map[string]string{"tsconfig.json": config, "tools.d.ts": declarations, "claims.ts": b.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("node", "--max-old-space-size=4096", "--stack-size=4000", tsc, "-p", dir)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("tsc: %v", err)
	}
	place := regexp.MustCompile(`^(\w+(?:\.d)?\.ts)\((\d+),\d+\): error (.*)$`)
	broken := 0
	for line := range strings.SplitSeq(string(out), "\n") {
		m := place.FindStringSubmatch(line)
		switch {
		case m == nil && (line == "" || strings.HasPrefix(line, " ")):
		case m == nil:
			t.Errorf("tsc: %s", line)
		case m[1] == "claims.ts":
			n, _ := strconv.Atoi(m[2])
			claims[n-1].errors = append(claims[n-1].errors, m[3])
		default:
			if broken++; broken < 20 {
				t.Errorf("the declarations do not compile: %s", line)
			}
		}
	}
}

// validator compiles a schema for the oracle. Servers that name no draft, or a
// wrong one, may mean an older one, of which some keywords have another form today.
func validator(schema any) (*jsonschema.Schema, error) {
	compiled, err := validatorOf(schema, jsonschema.Draft2020)
	if root, ok := schema.(map[string]any); ok && err != nil && root["$schema"] != nil {
		root = maps.Clone(root)
		delete(root, "$schema")
		schema = root
	}
	for _, older := range [...]*jsonschema.Draft{jsonschema.Draft2019, jsonschema.Draft7, jsonschema.Draft4} {
		if err == nil {
			break
		}
		if again, olderErr := validatorOf(schema, older); olderErr == nil {
			return again, nil
		}
	}
	return compiled, err
}

func validatorOf(schema any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		re, err := regexp.Compile(s)
		if err != nil {
			return always{s}, nil // look-ahead and the like: nothing that types could say
		}
		return re, nil
	})
	if err := c.AddResource("schema:///root", schema); err != nil {
		return nil, err
	}
	return c.Compile("schema:///root")
}

type always struct{ pattern string }

func (always) MatchString(string) bool { return true }
func (a always) String() string        { return a.pattern }

// fixed leaves out what a validator refuses though servers send it, and says
// OpenAPI's nullable as text of JSON Schema.
func mended(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, w := range x {
			if list, ok := w.([]any); ok && len(list) == 0 && (k == "enum" || k == "items" || k == "anyOf" || k == "oneOf" || k == "allOf" || k == "prefixItems") {
				continue
			}
			out[k] = mended(w)
		}
		if out["nullable"] == true {
			allowNull(out)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = mended(x[i])
		}
		return out
	}
	return v
}

// allowNull changes a schema in place, so that pointers into it keep their sense.
func allowNull(schema map[string]any) {
	if kind, ok := schema["type"].(string); ok {
		schema["type"] = []any{kind, "null"}
	}
	if list, ok := schema["enum"].([]any); ok && !slices.Contains(list, nil) {
		schema["enum"] = append(slices.Clip(list), nil)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list, ok := schema[keyword].([]any); ok {
			schema[keyword] = append(slices.Clip(list), map[string]any{"type": "null"})
		}
	}
	for _, keyword := range []string{"$ref", "allOf"} {
		if v, has := schema[keyword]; has && schema["anyOf"] == nil {
			schema["anyOf"] = []any{map[string]any{keyword: v}, map[string]any{"type": "null"}}
			delete(schema, keyword)
		}
	}
}

type side struct {
	direction Direction
	name      string
	raw       json.RawMessage
}

// claimsFor proposes valid and broken values of one schema.
func claimsFor(subject string, raw json.RawMessage, direction Direction, code func(value string) string) (claims []*claim, problem string) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return nil, err.Error()
	}
	oracle, err := validator(mended(value))
	if err != nil {
		return nil, "the validator refuses the schema: " + strings.SplitN(err.Error(), "\n", 2)[0]
	}
	seen := map[string]bool{}
	var valid []any
	for _, full := range [...]bool{true, false} {
		for pick := range 8 {
			p := &proposer{root: value, pick: pick, full: full}
			v := p.value(value, 0)
			if m, ok := v.(map[string]any); !ok && direction == Input || v == any(none) {
				_ = m
				continue
			}
			s := show(v)
			if seen[s] || len(s) > 50_000 || oracle.Validate(v) != nil {
				continue
			}
			seen[s] = true
			valid = append(valid, v)
			claims = append(claims, &claim{subject: subject, what: "valid", valid: true, code: code(s), exact: typeOf(v)})
		}
	}
	if len(valid) == 0 {
		return nil, "no valid value found"
	}
	breaks := 0
	for _, v := range valid[:min(len(valid), 3)] {
		for _, broken := range breakages(v) {
			s := show(broken.value)
			if seen[s] || breaks > 60 {
				continue
			}
			var refusal *jsonschema.ValidationError
			if !errors.As(oracle.Validate(broken.value), &refusal) {
				continue
			}
			found := causes(nil, refusal)
			if !expressible(found) {
				continue
			}
			seen[s] = true
			breaks++
			claims = append(claims, &claim{subject: subject, what: broken.what, code: code(s), why: excuse(value, found, direction)})
		}
	}
	return claims, ""
}

// causes are the innermost reasons why a value is invalid.
func causes(out []*jsonschema.ValidationError, e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(out, e)
	}
	for _, c := range e.Causes {
		out = causes(out, c)
	}
	return out
}

// expressible is whether TypeScript has words for why a value is invalid: kinds,
// listed values, required and forbidden properties; not lengths, ranges,
// patterns.
func expressible(causes []*jsonschema.ValidationError) bool {
	sayable := false
	for _, c := range causes {
		switch c.ErrorKind.(type) {
		case *invalid.Enum, *invalid.Const, *invalid.Type, *invalid.Required, *invalid.AdditionalProperties, *invalid.AdditionalItems, *invalid.FalseSchema,
			*invalid.DependentRequired, *invalid.Dependency:
			sayable = true
		default:
			return false // of some branch nothing but a measure is broken
		}
	}
	return sayable
}

// excuse is the rule by which a type accepts more than its schema.
func excuse(schema any, causes []*jsonschema.ValidationError, direction Direction) string {
	for _, c := range causes {
		_, fragment, _ := strings.Cut(c.SchemaURL, "#")
		fragment, _ = url.PathUnescape(fragment)
		if i := strings.LastIndex(fragment, "/additionalProperties"); i >= 0 {
			around, _ := (&proposer{root: schema}).resolve("#" + fragment[:i]).(map[string]any)
			if around["properties"] != nil || around["patternProperties"] != nil {
				return "an index signature counts for every name: it must allow what the named properties are, too"
			}
		}
		at, _ := (&proposer{root: schema}).resolve("#" + fragment).(map[string]any)
		switch k := c.ErrorKind.(type) {
		case *invalid.Type:
			bare := true
			if props, _ := at["properties"].(map[string]any); len(props) > 0 {
				bare = false
			}
			for _, keyword := range []string{"required", "additionalProperties", "patternProperties"} {
				_, has := at[keyword]
				bare = bare && !has
			}
			if bare && slices.Contains(k.Want, "object") {
				return "CAT-4: { type: object } is {}"
			}
		case *invalid.Required:
			props, _ := at["properties"].(map[string]any)
			for _, name := range k.Missing {
				p, _ := props[name].(map[string]any)
				if _, ok := p["default"]; ok && direction == Input {
					return "TYPE-5: a property with a default is optional on input"
				}
				if p["readOnly"] == true && direction == Input || p["writeOnly"] == true && direction == Output {
					return "TYPE-5: what is readOnly is optional on input, what is writeOnly on output"
				}
			}
		}
	}
	return ""
}

func TestProofTools(t *testing.T) {
	tsc := compiler(t, *toolsFolder)
	files, _ := filepath.Glob(filepath.Join(*toolsFolder, "*.json"))
	var declarations []*Declaration
	var claims []*claim
	unproved := map[string]string{}
	tools := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Tools  []json.RawMessage
			Result struct{ Tools []json.RawMessage }
		}
		into := any(&list)
		if strings.HasPrefix(strings.TrimSpace(string(raw)), "[") { // the tools alone
			into = &list.Tools
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, raw := range append(list.Tools, list.Result.Tools...) {
			var tool struct {
				Name, Description         string
				InputSchema, OutputSchema json.RawMessage
			}
			if err := json.Unmarshal(raw, &tool); err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			tools++
			name := "mcp__" + strings.TrimSuffix(filepath.Base(file), ".json") + "__" + tool.Name
			declarations = append(declarations, Declare(Tool{
				Name: name, Description: tool.Description, Input: []byte(tool.InputSchema), Output: []byte(tool.OutputSchema),
			}))
			quoted := string(appendQuoted(nil, name))
			n := len(declarations)
			for _, s := range []side{{Input, "input", tool.InputSchema}, {Output, "output", tool.OutputSchema}} {
				if s.raw == nil {
					continue
				}
				subject := name + " " + s.name
				got, problem := claimsFor(subject, s.raw, s.direction, func(value string) string {
					if s.direction == Input {
						return "void tools[" + quoted + "](" + value + ");"
					}
					return fmt.Sprintf("void function (): Awaited<ReturnType<Tools[%s]>> { return %s; } /* %d */;", quoted, value, n)
				})
				if problem != "" {
					unproved[subject] = problem
				}
				claims = append(claims, got...)
			}
		}
	}
	compile(t, tsc, Assemble(declarations, nil).Text, claims)
	r := newReport(claims)
	r.printf("%d tools of %d files", tools, len(files))
	r.summary()
	for _, subject := range slices.Sorted(maps.Keys(unproved)) {
		r.printf("NOT PROVED %s: %s", subject, unproved[subject])
	}
	for _, c := range r.refused {
		r.printf("REFUSED VALID %s: %s\n    %s", c.subject, cut(c.code, 300), cut(c.errors[0], 300))
	}
	for _, c := range r.accepted {
		why := c.why
		if why == "" {
			why = "UNEXPLAINED"
		}
		r.printf("ACCEPTED BROKEN %s: %s (%s)\n    %s", c.subject, c.what, why, cut(c.code, 200))
	}
	if n := r.excused[""]; 1000*n > r.broken {
		t.Errorf("%d broken values are accepted without a rule, see the report", n)
	}
	if len(r.refused) > 0 {
		t.Errorf("%d valid values are refused, see the report", len(r.refused))
	}
	r.write(t)
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

type report struct {
	b                 strings.Builder
	valid, broken     int
	refused, accepted []*claim
	excused           map[string]int
}

func newReport(claims []*claim) *report {
	r := &report{excused: map[string]int{}}
	for _, c := range claims {
		switch {
		case c.valid:
			if r.valid++; len(c.errors) > 0 {
				r.refused = append(r.refused, c)
			}
		default:
			if r.broken++; len(c.errors) == 0 {
				r.accepted = append(r.accepted, c)
				r.excused[c.why]++
			}
		}
	}
	return r
}

func (r *report) printf(format string, args ...any) { fmt.Fprintf(&r.b, format+"\n", args...) }

func (r *report) summary() {
	share := func(part, whole int) float64 { return 100 * float64(whole-part) / float64(max(whole, 1)) }
	r.printf("valid values accepted:   %d of %d (%.2f %%)", r.valid-len(r.refused), r.valid, share(len(r.refused), r.valid))
	r.printf("broken values refused:   %d of %d (%.2f %%)", r.broken-len(r.accepted), r.broken, share(len(r.accepted), r.broken))
	for _, why := range slices.Sorted(maps.Keys(r.excused)) {
		if why == "" {
			r.printf("    %d accepted without a rule", r.excused[why])
		} else {
			r.printf("    %d accepted by %s", r.excused[why], why)
		}
	}
}

func (r *report) write(t *testing.T) {
	t.Helper()
	if *reportFile != "" {
		if err := os.WriteFile(*reportFile, []byte(r.b.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
	t.Log("\n" + r.b.String())
}

// TestProofSuite uses the cases of the public JSON Schema test suite: valid
// data must be assignable, invalid data should not be.
func TestProofSuite(t *testing.T) {
	tsc := compiler(t, *suiteFolder)
	files, _ := filepath.Glob(filepath.Join(*suiteFolder, "draft*", "*.json"))
	var declarations strings.Builder
	var claims []*claim
	n := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		draft := filepath.Base(filepath.Dir(file))
		keyword := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, c := range cases {
			schema := jsontext.Value(c.Schema)
			if old := map[string]string{"draft4": "04", "draft6": "06", "draft7": "07"}[draft]; old != "" && schema.Kind() == '{' && !strings.Contains(string(schema), `"$schema"`) {
				// The suite tells the draft by folder, servers by $schema.
				rest := strings.TrimSpace(string(schema))[1:]
				comma := ","
				if strings.TrimSpace(rest) == "}" {
					comma = ""
				}
				schema = jsontext.Value(`{"$schema": "http://json-schema.org/draft-` + old + `/schema#"` + comma + rest)
			}
			n++
			fmt.Fprintf(&declarations, "%s", standalone(t, fmt.Sprintf("T%d", n), schema))
			for _, test := range c.Tests {
				data, err := jsonschema.UnmarshalJSON(strings.NewReader(string(test.Data)))
				if err != nil {
					t.Fatal(err)
				}
				code := fmt.Sprintf("{ const v = null! as %s; const t: T%d = v; }", typeOf(data), n)
				if !test.Valid {
					code = fmt.Sprintf("{ const t: T%d = %s; }", n, show(data))
				}
				claims = append(claims, &claim{
					subject: draft + "/" + keyword + ": " + c.Description, what: test.Description, valid: test.Valid, code: code,
				})
			}
		}
	}
	compile(t, tsc, declarations.String(), claims)
	r := newReport(claims)
	r.summary()
	type tally struct{ broken, accepted int }
	byKeyword := map[string]tally{}
	for _, c := range claims {
		if c.valid {
			continue
		}
		_, keyword, _ := strings.Cut(c.subject, "/")
		keyword, _, _ = strings.Cut(keyword, ":")
		x := byKeyword[keyword]
		if x.broken++; len(c.errors) == 0 {
			x.accepted++
		}
		byKeyword[keyword] = x
	}
	for _, keyword := range slices.Sorted(maps.Keys(byKeyword)) {
		x := byKeyword[keyword]
		r.printf("    %-24s %4d of %4d broken values refused", keyword, x.broken-x.accepted, x.broken)
	}
	for _, c := range r.refused {
		_, subject, _ := strings.Cut(c.subject, "/")
		why := suiteExceptions[subject+": "+c.what]
		if why == "" {
			why = "UNEXPLAINED"
			t.Errorf("refused, though valid: %s: %s", c.subject, c.what)
		}
		r.printf("REFUSED VALID %s: %s (%s)\n    %s\n    %s", c.subject, c.what, why, cut(c.code, 300), cut(c.errors[0], 300))
	}
	for _, keyword := range []string{"additionalItems", "anchor", "boolean_schema", "const", "dependencies", "dependentRequired", "dependentSchemas", "prefixItems"} {
		if x := byKeyword[keyword]; x.accepted > 0 {
			t.Errorf("%s: %d of %d broken values are accepted, though TypeScript can say it", keyword, x.accepted, x.broken)
		}
	}
	for _, c := range r.accepted {
		r.printf("ACCEPTED BROKEN %s: %s\n    %s", c.subject, c.what, cut(c.code, 200))
	}
	r.write(t)
}

// suiteExceptions are valid values that TypeScript refuses for reasons of its
// own, and why. It refuses an object that shares no property with a type all
// of whose properties are optional ("weak type"): in a script that is a
// mistake, and an index signature against it would hide all misspelt names.
var suiteExceptions = map[string]string{
	"dependencies: dependencies with boolean subschemas: object with property having schema true is valid":      weakType,
	"dependencies: dependencies with escaped characters: valid object 2":                                        weakType,
	"dependencies: dependent subschema incompatible with root: no dependency":                                   weakType,
	"dependencies: multiple dependencies subschema: no dependency":                                              weakType,
	"dependentSchemas: boolean subschemas: object with property having schema true is valid":                    weakType,
	"dependentSchemas: dependencies with escaped characters: quoted tab":                                        weakType,
	"dependentSchemas: dependent subschema incompatible with root: no dependency":                               weakType,
	"dependentSchemas: single dependency: no dependency":                                                        weakType,
	"not: forbidden property: property absent":                                                                  weakType,
	"properties: object properties validation: doesn't invalidate other properties":                             weakType,
	"properties: properties whose names are Javascript object property names: none of the properties mentioned": "every object has toString and constructor already",
}

const weakType = "weak type: no declared property is there"

// standalone declares the type of any schema, with the types it needs.
func standalone(t *testing.T, name string, schema jsontext.Value) string {
	t.Helper()
	b, problem := newBuilder(schema, Output)
	if b == nil {
		t.Fatal(problem)
	}
	b.doc.findShared()
	p := newPrinter(b, newRegistry(name+"_.", "Root", map[string]bool{"Array": true, "Record": true}), 0)
	p.within = append(p.within, b.doc.root)
	p.text("declare type " + name + " = ")
	p.union(b.build(b.doc.root), 0, 0)
	p.text(";\ndeclare namespace " + name + "_ {\n")
	p.definitions()
	p.text("}\n")
	return string(p.out)
}
