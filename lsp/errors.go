package lsp

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// Codes of the server's own errors: JSON-RPC's implementation-defined range,
// without the two that LSP uses. The word in data.code is stable too.
const (
	CodeUnknownServer jsonrpc2.Code = -32050 // UNKNOWN_SERVER: no server of that name is configured
	CodeUnknownRun    jsonrpc2.Code = -32051 // UNKNOWN_RUN: no such run is in progress, or kept
	CodeUnknownTool   jsonrpc2.Code = -32052 // UNKNOWN_TOOL: no tool of that name is in the pool
	CodeServerChanged jsonrpc2.Code = -32053 // SERVER_CHANGED: approval of a definition that is not the present one
	CodeNotWritten    jsonrpc2.Code = -32054 // NOT_WRITTEN: a file could not be written
	CodeNotOffered    jsonrpc2.Code = -32055 // NOT_OFFERED: known to the protocol, not to this build
	CodeNotReady      jsonrpc2.Code = -32056 // NOT_READY: before `initialized`
	CodeRestricted    jsonrpc2.Code = -32057 // RESTRICTED: nobody has vouched for the workspace, so nothing runs in it
	CodeSignIn        jsonrpc2.Code = -32058 // SIGN_IN: signing in to a server did not succeed
)

var errorWords = map[jsonrpc2.Code]string{
	CodeUnknownServer: "UNKNOWN_SERVER",
	CodeUnknownRun:    "UNKNOWN_RUN",
	CodeUnknownTool:   "UNKNOWN_TOOL",
	CodeServerChanged: "SERVER_CHANGED",
	CodeNotWritten:    "NOT_WRITTEN",
	CodeNotOffered:    "NOT_OFFERED",
	CodeNotReady:      "NOT_READY",
	CodeRestricted:    "RESTRICTED",
	CodeSignIn:        "SIGN_IN",
}

// failure is an error of the server's own, with its word in data.code.
func failure(code jsonrpc2.Code, format string, args ...any) error {
	err := jsonrpc2.Errorf(code, format, args...)
	data, merr := json.Marshal(struct {
		Code string `json:"code"`
	}{errorWords[code]})
	if merr == nil {
		err.Data = jsonrpc2.RawMessage(data)
	}
	return err
}

// badParams is JSON-RPC's InvalidParams.
func badParams(format string, args ...any) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, format, args...)
}

var kindWords = map[jsontext.Kind]string{
	'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "an array",
}

// malformed says what is wrong with JSON that a client sent, without the names
// of the Go types that it was to fill.
func malformed(err error) string {
	var e *json.SemanticError
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := "the value"
	if e.JSONPointer != "" {
		text = strings.TrimPrefix(string(e.JSONPointer), "/")
	}
	if kind, ok := kindWords[e.JSONKind]; ok && e.Err == nil {
		return text + " must not be " + kind
	}
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	return text + " is not of the expected type"
}
