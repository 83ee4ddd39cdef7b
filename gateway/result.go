package gateway

import (
	"encoding/json"

	"codemode-ls/exec"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/mark3labs/mcp-go/mcp"
)

// execResult is a run's result as MCP has it: the text for the model, attachments as
// content, the data apart (GATE-2). What the client's protocol does not have is left out.
func execResult(r *exec.Result, c client) *mcp.CallToolResult {
	result := &mcp.CallToolResult{
		Content: append([]mcp.Content{mcp.NewTextContent(r.Text)}, attachments(r.Output, c)...),
		IsError: r.Status != exec.Completed,
	}
	if c.structured() {
		data := *r
		data.Output = withoutData(r.Output)
		result.RawStructuredContent = encoded(data)
	}
	return result
}

// callResult is the result of a direct call; output says that the tool has an output
// schema.
func callResult(r *exec.CallResult, c client, output bool) *mcp.CallToolResult {
	result := &mcp.CallToolResult{
		Content: append([]mcp.Content{mcp.NewTextContent(r.Text)}, attachments(r.Display.Output, c)...),
		IsError: r.Status != exec.CallCompleted,
	}
	if (c.structured() || output && c.version >= mcp.ProtocolVersion20250618) && r.Display.Structured.Kind() == '{' {
		result.RawStructuredContent = json.RawMessage(r.Display.Structured)
	}
	return result
}

// encoded is a value as JSON; nil when it cannot be.
func encoded(v any) json.RawMessage {
	data, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		return nil
	}
	return data
}

// attachments are images and the like as content.
func attachments(list []exec.Output, c client) []mcp.Content {
	var content []mcp.Content
	for _, o := range list {
		switch {
		case o.Type == "image":
			content = append(content, mcp.NewImageContent(o.Data, o.MIMEType))
		case o.Type == "audio" && c.version >= mcp.ProtocolVersion20250326:
			content = append(content, mcp.NewAudioContent(o.Data, o.MIMEType))
		case o.Type == "resource" && o.Data != "":
			content = append(content, mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: o.URI, MIMEType: o.MIMEType, Blob: o.Data}))
		case o.Type == "resource":
			content = append(content, mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: o.URI, MIMEType: o.MIMEType, Text: o.Text}))
		}
	}
	return content
}

// withoutData are attachments without what the content has already.
func withoutData(list []exec.Output) []exec.Output {
	short := make([]exec.Output, len(list))
	for i, o := range list {
		o.Data = ""
		if o.Type == "resource" {
			o.Text = ""
		}
		short[i] = o
	}
	return short
}
