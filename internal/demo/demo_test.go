package demo

import (
	"context"
	"encoding/base64"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect serves the demo over pipes to a client. Only one at a time: mcp-go has
// one stdio session per process.
func connect(t *testing.T, options ...client.ClientOption) *client.Client {
	t.Helper()
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(context.Background(), serverIn, serverOut)
		serverOut.Close()
	}()
	c := client.NewClient(transport.NewIO(clientIn, clientOut, io.NopCloser(strings.NewReader(""))), options...)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := c.Initialize(t.Context(), mcp.InitializeRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if info.ServerInfo.Name != "demo" || info.Instructions == "" {
		t.Errorf("%+v", info)
	}
	t.Cleanup(func() {
		c.Close()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
		clientIn.Close()
	})
	return c
}

func call(t *testing.T, c *client.Client, tool string, arguments map[string]any) (*mcp.CallToolResult, string) {
	t.Helper()
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, arguments
	r, err := c.CallTool(t.Context(), request)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var text string
	if len(r.Content) > 0 {
		if part, ok := r.Content[0].(mcp.TextContent); ok {
			text = part.Text
		}
	}
	return r, text
}

func TestTools(t *testing.T) {
	c := connect(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		text      string
		failed    bool
	}{
		{"add", map[string]any{"a": 2, "b": 0.5}, `{"sum":2.5}`, false},
		{"add", map[string]any{"a": "2"}, "", true},
		{"echo", map[string]any{"message": "hé <&>"}, "hé <&>", false},
		{"list_issues", map[string]any{"state": "closed", "limit": 1}, `{"issues":[{"number":7,"title":"Clock runs backwards on the southern wall","state":"closed","labels":["bug"],"assignee":"ada","comments":3}],"total":3}`, false},
		{"list_issues", map[string]any{"label": "none"}, `{"issues":[],"total":0}`, false},
		{"get_issue", map[string]any{"number": 8}, `{"number":8,"title":"Describe how to water the cactus","state":"open","labels":["documentation","good first issue"],"assignee":null,"comments":0,"body":"Once a month is enough. Write it down before somebody waters it daily."}`, false},
		{"get_issue", map[string]any{"number": 99}, "there is no issue 99", true},
		{"search_notes", map[string]any{"query": "TOMATO soup"}, `{"notes":[{"id":"n5","title":"Tomato soup","text":"Roast the tomatoes first. Garlic, basil, no cream.","date":"2026-08-17"}]}`, false},
		{"slow", map[string]any{"ms": 4}, `{"waitedMs":4}`, false},
		{"fail", map[string]any{"message": "as asked"}, "as asked", true},
		{"fail", nil, "this tool always fails", true},
	} {
		r, text := call(t, c, test.tool, test.arguments)
		if r.IsError != test.failed || (test.text != "" && text != test.text) {
			t.Errorf("%s %v: %v %s", test.tool, test.arguments, r.IsError, text)
		}
	}
	r, _ := call(t, c, "picture", map[string]any{"colour": "red"})
	for _, part := range r.Content {
		if picture, ok := part.(mcp.ImageContent); ok {
			decoded, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(picture.Data)))
			if err != nil || decoded.Bounds().Dx() != 16 || picture.MIMEType != "image/png" {
				t.Errorf("%v %v", decoded, err)
			}
			return
		}
	}
	t.Error("no picture")
}

// Schemas compile, and what the tools return is what they declare.
func TestSchemas(t *testing.T) {
	//lint:ignore SA1019 older clients are clients too
	c := connect(t, client.WithLegacyProtocolOnly())
	arguments := map[string]map[string]any{
		"add": {"a": 1, "b": 2}, "list_issues": {"state": "all"}, "get_issue": {"number": 11}, "search_notes": {"query": "tea"}, "slow": {"ms": 0},
	}
	listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tool := range listed.Tools {
		names[tool.Name] = true
		if tool.Title == "" || tool.Description == "" || tool.Annotations.ReadOnlyHint == nil || !*tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is not described", tool.Name)
		}
	}
	for _, tool := range tools() {
		if !names[tool.name] {
			t.Errorf("%s is not listed", tool.name)
		}
		for what, schema := range map[string]string{"input": tool.input, "output": tool.output} {
			if schema == "" {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
			if err != nil {
				t.Errorf("%s %s: %v", tool.name, what, err)
				continue
			}
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource("mem://schema", value); err != nil {
				t.Fatal(err)
			}
			compiled, err := compiler.Compile("mem://schema")
			if err != nil {
				t.Errorf("%s %s: %v", tool.name, what, err)
				continue
			}
			if what == "output" {
				r, _ := call(t, c, tool.name, arguments[tool.name])
				if err := compiled.Validate(r.StructuredContent); err != nil {
					t.Errorf("%s returns what it does not declare: %v", tool.name, err)
				}
			}
		}
	}
}

func TestSlowReportsProgressAndIsCancelled(t *testing.T) {
	//lint:ignore SA1019 older clients are clients too
	for _, options := range [][]client.ClientOption{nil, {client.WithLegacyProtocolOnly()}} {
		c := connect(t, options...)
		steps := make(chan string, 10)
		c.OnNotification(func(n mcp.JSONRPCNotification) {
			if message, ok := n.Params.AdditionalFields["message"].(string); ok {
				steps <- message
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		var request mcp.CallToolRequest
		request.Params.Name = "slow"
		request.Params.Arguments = map[string]any{"ms": 60_000, "steps": 100}
		request.Params.Meta = &mcp.Meta{ProgressToken: "p"}
		ended := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, request)
			ended <- err
		}()
		if got := <-steps; got != "step 1 of 100" {
			t.Errorf("%q", got)
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("the cancelled call returned")
		}
		c.Close()
	}
}

// A context ends the server even though its input stays open.
func TestServeEndsWithContext(t *testing.T) {
	in, keepOpen, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keepOpen.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Serve(ctx, in, io.Discard); err != nil {
		t.Error(err)
	}
	keepOpen.Close()
}

func TestArgumentsThatDoNotFitAreToldInWords(t *testing.T) {
	c := connect(t)
	r, text := call(t, c, "add", map[string]any{"a": "1"})
	if want := "the arguments do not fit: missing property 'b'; a: got string, want number"; !r.IsError || text != want {
		t.Errorf("%t %q, want %q", r.IsError, text, want)
	}
}
