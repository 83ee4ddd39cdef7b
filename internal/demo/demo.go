package demo

import (
	"context"
	"errors"
	"io"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Name is what the server calls itself.
const Name = "demo"

const version = "1.0.0"

const instructions = "A small issue tracker and notebook with made-up data, for trying things out. Nothing can be changed."

// Serve answers on in and out until in ends or ctx does.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s := server.NewMCPServer(Name, version,
		server.WithTitle("Demo"), server.WithInstructions(instructions), server.WithToolCapabilities(false),
		server.WithRecovery())
	for _, t := range tools() {
		s.AddTool(t.tool(), checked(t.input, t.handle))
	}
	stdio := server.NewStdioServer(s)
	stdio.SetErrorLogger(log.New(io.Discard, "", 0))
	server.WithWorkerPoolSize(64)(stdio)
	server.WithQueueSize(10_000)(stdio)
	err := stdio.Listen(ctx, in, out)
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// demoTool is one tool: what is declared of it, and what it does.
type demoTool struct {
	name, title, description string
	input, output            string // JSON Schemas; output "" declares none
	handle                   server.ToolHandlerFunc
}

func (t demoTool) tool() mcp.Tool {
	tool := mcp.NewToolWithRawSchema(t.name, t.description, []byte(t.input))
	tool.Title = t.title
	if t.output != "" {
		tool.RawOutputSchema = []byte(t.output)
	}
	yes, no := true, false
	tool.Annotations = mcp.ToolAnnotation{Title: t.title, ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &no}
	return tool
}

// typed makes a handler of a function from arguments to a result, which becomes
// structured content with its JSON as the text.
func typed[A, R any](f func(ctx context.Context, request mcp.CallToolRequest, arguments A) (R, error)) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var arguments A
		if err := request.BindArguments(&arguments); err != nil {
			return mcp.NewToolResultErrorFromErr("the arguments do not fit", err), nil
		}
		result, err := f(ctx, request, arguments)
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultStructuredOnly(result), nil
	}
}
