package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checked is a handler that refuses arguments which do not fit the schema, in
// words; those of mcp-go's own validation are Go's notation of the validator's
// types.
func checked(schema string, handle server.ToolHandlerFunc) server.ToolHandlerFunc {
	compiled := sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(schema) })
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s, err := compiled()
		if err != nil {
			return nil, err
		}
		arguments, err := decoded(request.GetRawArguments())
		if err != nil {
			return nil, err
		}
		if err := s.Validate(arguments); err != nil {
			return mcp.NewToolResultError("the arguments do not fit: " + misfits(err)), nil
		}
		return handle(ctx, request)
	}
}

// decoded are arguments as the validator takes them: none are an empty object.
func decoded(given any) (any, error) {
	raw, ok := given.(json.RawMessage)
	if !ok && given != nil {
		var err error
		if raw, err = json.Marshal(given); err != nil {
			return nil, err
		}
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return map[string]any{}, nil
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

func compile(schema string) (*jsonschema.Schema, error) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem://schema", value); err != nil {
		return nil, err
	}
	return c.Compile("mem://schema")
}

// misfits are the places that do not fit, in one line.
func misfits(err error) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return err.Error()
	}
	var all []string
	for _, e := range v.BasicOutput().Errors {
		if e.Error == nil || len(e.Errors) > 0 {
			continue
		}
		place := strings.TrimPrefix(e.InstanceLocation, "/")
		if place != "" {
			place += ": "
		}
		all = append(all, fmt.Sprintf("%s%s", place, e.Error))
	}
	if len(all) == 0 {
		return err.Error()
	}
	return strings.Join(all, "; ")
}
