package demo

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const issueSchema = `{
  "type": "object",
  "properties": {
    "number": { "type": "integer", "description": "Number of the issue" },
    "title": { "type": "string" },
    "state": { "enum": ["open", "closed"] },
    "labels": { "type": "array", "items": { "type": "string" } },
    "assignee": { "type": ["string", "null"], "description": "Who works on it, or null" },
    "comments": { "type": "integer", "minimum": 0, "description": "How many comments it has" }
  },
  "required": ["number", "title", "state", "labels", "assignee", "comments"]
}`

const noteSchema = `{
  "type": "object",
  "properties": {
    "id": { "type": "string" },
    "title": { "type": "string" },
    "text": { "type": "string" },
    "date": { "type": "string", "format": "date" }
  },
  "required": ["id", "title", "text", "date"]
}`

func tools() []demoTool {
	return []demoTool{
		{
			name: "add", title: "Add numbers", description: "Add two numbers.",
			input: `{
  "type": "object",
  "properties": {
    "a": { "type": "number", "description": "The first number" },
    "b": { "type": "number", "description": "The second number" }
  },
  "required": ["a", "b"]
}`,
			output: `{ "type": "object", "properties": { "sum": { "type": "number" } }, "required": ["sum"] }`,
			handle: typed(add),
		},
		{
			name: "echo", title: "Echo", description: "Return a message as it is, as plain text.",
			input:  `{ "type": "object", "properties": { "message": { "type": "string", "description": "The text to return" } }, "required": ["message"] }`,
			handle: echo,
		},
		{
			name: "list_issues", title: "List issues", description: "List the issues of the demo project, newest first.",
			input: `{
  "type": "object",
  "properties": {
    "state": { "enum": ["open", "closed", "all"], "default": "open", "description": "Which issues" },
    "label": { "type": "string", "description": "Only issues with this label" },
    "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "At most so many" }
  }
}`,
			output: `{
  "type": "object",
  "properties": {
    "issues": { "type": "array", "items": ` + issueSchema + ` },
    "total": { "type": "integer", "description": "How many there are without the limit" }
  },
  "required": ["issues", "total"]
}`,
			handle: typed(listIssues),
		},
		{
			name: "get_issue", title: "Get an issue", description: "Get one issue of the demo project, with its text.\nFails when there is no such issue.",
			input:  `{ "type": "object", "properties": { "number": { "type": "integer", "minimum": 1, "description": "Number of the issue" } }, "required": ["number"] }`,
			output: strings.Replace(strings.Replace(issueSchema, `"comments"]`, `"comments", "body"]`, 1), `"title": { "type": "string" },`, `"title": { "type": "string" },`+"\n"+`    "body": { "type": "string", "description": "The text, as Markdown" },`, 1),
			handle: typed(getIssue),
		},
		{
			name: "search_notes", title: "Search notes", description: "Search the notebook for words. All words must be in a note's title or text.",
			input: `{
  "type": "object",
  "properties": { "query": { "type": "string", "minLength": 1, "description": "Words, separated by spaces" } },
  "required": ["query"]
}`,
			output: `{ "type": "object", "properties": { "notes": { "type": "array", "items": ` + noteSchema + ` } }, "required": ["notes"] }`,
			handle: typed(searchNotes),
		},
		{
			name: "slow", title: "Take some time", description: "Wait, report progress meanwhile, and return how long it was. Can be cancelled.",
			input: `{
  "type": "object",
  "properties": {
    "ms": { "type": "integer", "minimum": 0, "maximum": 60000, "description": "How long, in milliseconds" },
    "steps": { "type": "integer", "minimum": 1, "maximum": 100, "default": 4, "description": "How many progress notifications" }
  },
  "required": ["ms"]
}`,
			output: `{ "type": "object", "properties": { "waitedMs": { "type": "integer" } }, "required": ["waitedMs"] }`,
			handle: typed(slow),
		},
		{
			name: "fail", title: "Fail", description: "Always fail, with the given message.",
			input:  `{ "type": "object", "properties": { "message": { "type": "string", "default": "this tool always fails" } } }`,
			handle: typed(fail),
		},
		{
			name: "picture", title: "Draw a picture", description: "Draw a small picture of one colour, as a PNG image.",
			input: `{
  "type": "object",
  "properties": { "colour": { "enum": ["red", "green", "blue"], "default": "blue" } }
}`,
			handle: picture,
		},
	}
}

type sum struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, _ mcp.CallToolRequest, arguments struct{ A, B float64 }) (sum, error) {
	return sum{arguments.A + arguments.B}, nil
}

func echo(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(request.GetString("message", "")), nil
}

type issueList struct {
	Issues []issue `json:"issues"`
	Total  int     `json:"total"`
}

func listIssues(_ context.Context, _ mcp.CallToolRequest, arguments struct {
	State, Label string
	Limit        int
},
) (issueList, error) {
	list := issueList{Issues: []issue{}}
	if arguments.State == "" {
		arguments.State = "open"
	}
	if arguments.Limit == 0 {
		arguments.Limit = 20
	}
	for _, i := range issues {
		if (arguments.State != "all" && i.State != arguments.State) || (arguments.Label != "" && !slices.Contains(i.Labels, arguments.Label)) {
			continue
		}
		list.Total++
		if len(list.Issues) < arguments.Limit {
			list.Issues = append(list.Issues, i.issue)
		}
	}
	return list, nil
}

func getIssue(_ context.Context, _ mcp.CallToolRequest, arguments struct{ Number int }) (fullIssue, error) {
	for _, i := range issues {
		if i.Number == arguments.Number {
			return i, nil
		}
	}
	return fullIssue{}, fmt.Errorf("there is no issue %d", arguments.Number)
}

type noteList struct {
	Notes []note `json:"notes"`
}

func searchNotes(_ context.Context, _ mcp.CallToolRequest, arguments struct{ Query string }) (noteList, error) {
	list := noteList{Notes: []note{}}
	words := strings.Fields(strings.ToLower(arguments.Query))
	for _, n := range notes {
		text := strings.ToLower(n.Title + "\n" + n.Text)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			list.Notes = append(list.Notes, n)
		}
	}
	return list, nil
}

type waited struct {
	WaitedMs int `json:"waitedMs"`
}

func slow(ctx context.Context, request mcp.CallToolRequest, arguments struct{ Ms, Steps int }) (waited, error) {
	steps := max(1, arguments.Steps)
	if arguments.Steps == 0 {
		steps = 4
	}
	step := time.Duration(arguments.Ms) * time.Millisecond / time.Duration(steps)
	for i := range steps {
		timer := time.NewTimer(step)
		select {
		case <-ctx.Done():
			timer.Stop()
			return waited{}, errors.New("cancelled")
		case <-timer.C:
		}
		if request.Params.Meta == nil || request.Params.Meta.ProgressToken == nil {
			continue
		}
		if s := server.ServerFromContext(ctx); s != nil {
			// Progress that cannot be sent is no reason to fail.
			_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": request.Params.Meta.ProgressToken, "progress": i + 1, "total": steps,
				"message": fmt.Sprintf("step %d of %d", i+1, steps),
			})
		}
	}
	return waited{arguments.Ms}, nil
}

func fail(_ context.Context, _ mcp.CallToolRequest, arguments struct{ Message string }) (struct{}, error) {
	if arguments.Message == "" {
		arguments.Message = "this tool always fails"
	}
	return struct{}{}, errors.New(arguments.Message)
}

func picture(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	colours := map[string]color.Color{
		"red": color.RGBA{R: 0xd0, A: 0xff}, "green": color.RGBA{G: 0xa0, A: 0xff}, "blue": color.RGBA{B: 0xd0, A: 0xff},
	}
	name := request.GetString("colour", "blue")
	const size = 16
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			picture.Set(x, y, colours[name])
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		return nil, err
	}
	return mcp.NewToolResultImage("a "+name+" square", base64.StdEncoding.EncodeToString(b.Bytes()), "image/png"), nil
}
