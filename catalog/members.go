package catalog

import (
	"slices"
	"strings"
	"sync"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

// A Member is one function of tools["$codemode"], the reserved namespace. Its
// declaration, argument check, signature and documentation all come from here.
type Member struct {
	Name        string // such as "search"; "models.list" is a member of a member
	Description string
	Input       jsontext.Value // JSON Schema of the one argument
	Output      jsontext.Value // JSON Schema of what it resolves to
	// Needs is what must be there for the member to exist in a run.
	Needs Need
}

// A Need is something that not every run has.
type Need string

const (
	Nothing    Need = ""       // the member always exists
	FileAccess Need = "files"  // the setting exec.files is on
	Models     Need = "models" // a client that offers models
)

// CallForm is how a script writes the member.
func (m Member) CallForm() string { return `tools["$codemode"].` + m.Name }

// Signature is the call form with its types, in several lines.
func (m Member) Signature() string {
	in, _ := typegen.Type(m.Input, typegen.Options{Direction: typegen.Input})
	out, _ := typegen.Type(m.Output, typegen.Options{Direction: typegen.Output})
	parameter := "input: "
	if len(shapeOf(m.Input).Required) == 0 {
		parameter = "input?: "
	}
	return m.CallForm() + "(" + parameter + in + "): Promise<" + out + ">"
}

// Members are all functions of tools["$codemode"], in the order of the spec.
func Members() []Member { return slices.Clone(allMembers()) }

// allMembers is made once: every run asks for it, and so does every call of a member.
var allMembers = sync.OnceValue(func() []Member {
	return []Member{
		searchMember,
		{
			Name:        "describe",
			Description: "Describes one tool: its whole description, its signature with types at full depth, its annotations and its server.",
			Input: object(required("name"), property{"name", `{
				"type": "string",
				"description": "Full name of the tool, such as \"mcp__github__create_issue\"."
			}`}),
			Output: object(required("name", "server", "description", "signature", "annotations", "inputSchema"),
				property{"name", stringSchema}, property{"server", stringSchema},
				property{"description", stringSchema}, property{"signature", stringSchema},
				property{"annotations", `{
					"type": "object",
					"properties": {
						"title": {"type": "string"},
						"readOnlyHint": {"type": "boolean"},
						"destructiveHint": {"type": "boolean"},
						"idempotentHint": {"type": "boolean"},
						"openWorldHint": {"type": "boolean"}
					},
					"additionalProperties": true
				}`},
				property{"inputSchema", `{"description": "JSON Schema of the input, as the server sent it."}`},
				property{"outputSchema", `{"description": "JSON Schema of the output, when the server declared one."}`}),
		},
		{
			Name:        "namespace",
			Description: "Describes one MCP server: its own instructions and the names of its tools.",
			Input: object(required("name"), property{"name", `{
				"type": "string",
				"description": "The server, such as \"mcp__github\" or \"github\"."
			}`}),
			Output: object(required("name", "server", "description", "instructions", "tools"),
				property{"name", stringSchema}, property{"server", stringSchema},
				property{"description", stringSchema}, property{"instructions", stringSchema},
				property{"tools", `{"type": "array", "items": {"type": "string"}, "description": "Full names of its tools."}`}),
		},
		{
			Name:        "list",
			Description: "Lists every MCP tool that can be called.",
			Input:       object(nil),
			Output: array(object(required("name", "description"),
				property{"name", stringSchema}, property{"description", stringSchema})),
		},
		{
			Name:        "store",
			Description: "Keeps a JSON value for later scripts of this session. It takes effect only if this script completes. Without a value, or with undefined, the key is deleted.",
			Input: object(required("key"),
				property{"key", `{"type": "string"}`},
				property{"value", `{"description": "Any JSON value."}`}),
			Output: null,
		},
		{
			Name:        "load",
			Description: "Returns what was stored under the key, null when nothing was.",
			Input:       object(required("key"), property{"key", `{"type": "string"}`}),
			Output:      jsontext.Value(`{}`),
		},
		{
			Name:        "text",
			Description: "Adds text to the output, after what was added before. A value that is no string is added as JSON.",
			Input:       object(required("value"), property{"value", `{"description": "Any JSON value."}`}),
			Output:      null,
		},
		{
			Name:        "image",
			Description: "Adds an image to the output, after what was added before.",
			Input: object(required("data", "mimeType"),
				property{"data", `{"type": "string", "minLength": 1, "description": "The image in base64."}`},
				property{"mimeType", `{"type": "string", "minLength": 1, "description": "Such as \"image/png\"."}`}),
			Output: null,
		},
		{
			Name:        "readText",
			Description: "Reads a UTF-8 text file: of the session's scratch folder, or of the workspace when there is none of that name.",
			Input: object(required("path"), property{"path", `{
				"type": "string", "minLength": 1,
				"description": "Relative to the scratch folder or a folder of the workspace, or absolute."
			}`}),
			Output: jsontext.Value(stringSchema),
			Needs:  FileAccess,
		},
		{
			Name:        "writeText",
			Description: "Writes a UTF-8 text file in the session's scratch folder, and resolves to its absolute path.",
			Input: object(required("path", "text"),
				property{"path", `{"type": "string", "minLength": 1, "description": "Relative to the scratch folder."}`},
				property{"text", stringSchema}),
			Output: jsontext.Value(stringSchema),
			Needs:  FileAccess,
		},
		{
			Name:        "models.list",
			Description: "Lists the models that the editor offers.",
			Input:       object(nil),
			Output: array(object(required("id"), property{"id", stringSchema}, property{"name", stringSchema},
				property{"description", stringSchema})),
			Needs: Models,
		},
		{
			Name:        "models.classify",
			Description: "Lets a model choose one of the labels for a text. It does not throw when the model fails: stopReason says so, and label is null.",
			Input: object(required("text", "labels"),
				property{"text", stringSchema},
				property{"labels", `{"type": "array", "items": {"type": "string"}, "minItems": 1}`},
				property{"instructions", `{"type": "string", "description": "What the labels mean, and how to choose."}`}, modelProperty),
			Output: object(required("label", "stopReason"),
				property{"label", `{"type": ["string", "null"]}`}, stopProperty, errorProperty, usageProperty),
			Needs: Models,
		},
		{
			Name:        "models.generate",
			Description: "Lets a model write text. It does not throw when the model fails: stopReason says so, and text is what there is.",
			Input: object(required("prompt"),
				property{"prompt", stringSchema},
				property{"system", `{"type": "string", "description": "Instructions that come before the prompt."}`},
				property{"maxTokens", `{"type": "integer", "minimum": 1}`}, modelProperty),
			Output: object(required("text", "stopReason"),
				property{"text", stringSchema}, stopProperty, errorProperty, usageProperty),
			Needs: Models,
		},
	}
})

// MembersWith are the members that exist in a run that has these.
func MembersWith(has ...Need) []Member {
	var there []Member
	for _, m := range Members() {
		exists := m.Needs == Nothing
		for _, h := range has {
			exists = exists || m.Needs == h
		}
		if exists {
			there = append(there, m)
		}
	}
	return there
}

const stringSchema = `{"type": "string"}`

var (
	null          = jsontext.Value(`{"type": "null"}`)
	modelProperty = property{"model", `{"type": "string", "description": "Id of a model of models.list. The editor chooses when it is omitted."}`}
	stopProperty  = property{"stopReason", `{"type": "string", "description": "\"stop\" when the model ended by itself, \"length\" when it wrote all that it may, \"timeout\", \"error\"; an editor may have more."}`}
	errorProperty = property{"errorMessage", `{"type": "string", "description": "Why it failed, when it did."}`}
	usageProperty = property{"usage", `{
		"type": "object",
		"properties": {"inputTokens": {"type": "integer"}, "outputTokens": {"type": "integer"}}
	}`}
)

type property struct{ name, schema string }

func required(names ...string) []string { return names }

// object is the JSON Schema of an object with these properties and no others.
func object(required []string, properties ...property) jsontext.Value {
	var b strings.Builder
	b.WriteString(`{"type": "object", "properties": {`)
	for i, p := range properties {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`"` + p.name + `": ` + p.schema)
	}
	b.WriteString(`}`)
	if len(required) > 0 {
		b.WriteString(`, "required": ["` + strings.Join(required, `", "`) + `"]`)
	}
	b.WriteString(`, "additionalProperties": false}`)
	return jsontext.Value(b.String())
}

// array is the JSON Schema of an array.
func array(items jsontext.Value) jsontext.Value {
	return jsontext.Value(`{"type": "array", "items": ` + string(items) + `}`)
}
