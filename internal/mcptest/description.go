package mcptest

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"
)

// Description is what a fake server does.
type Description struct {
	Name         string `json:"name"`
	Version      string `json:"version"`
	Instructions string `json:"instructions"`
	// Initialize replaces the usual result of initialize.
	Initialize jsontext.Value `json:"initialize"`
	// Tools are the elements of tools/list.
	Tools []jsontext.Value `json:"tools"`
	// Results are results of tools/call by tool.
	Results map[string]jsontext.Value `json:"results"`
	// Calls are how tools behave before they answer, by tool.
	Calls map[string]Behaviour `json:"calls"`

	// InitializeDelayMs is how long initialize takes; negative is for ever.
	InitializeDelayMs int `json:"initializeDelayMs"`
	// ListDelayMs is how long tools/list takes; negative is for ever.
	ListDelayMs int `json:"listDelayMs"`
	// PageSize splits tools/list into pages; 0 is one page. SameCursor sends the
	// same cursor again and again.
	PageSize   int  `json:"pageSize"`
	SameCursor bool `json:"sameCursor"`
	// Noise are lines that are not JSON-RPC, written to stdout before each answer.
	Noise []string `json:"noise"`
	// Stderr is written at the start.
	Stderr string `json:"stderr"`
	// UnknownMethods is what happens at a method that is not known, such as
	// server/discover: "" answers with an error, "die" ends the process, "ignore"
	// answers nothing.
	UnknownMethods string `json:"unknownMethods"`
	// Grandchild starts a process that holds the pipes open and would live on; its
	// id is written to FILE.grandchild.
	Grandchild bool `json:"grandchild"`
	// Stubborn ignores the end of its standard input and SIGTERM.
	Stubborn bool `json:"stubborn"`
	// Deaf stops reading after initialize and tools/list.
	Deaf bool `json:"deaf"`
	// Timeline is a file, which servers may share, that takes a line for each
	// tools/call when it was read, and one before it is answered:
	// {"server", "event": "call" or "answer", "tool", "arguments"}.
	Timeline string `json:"timeline"`
	// ExitAtStart ends the process with this status before it reads anything.
	ExitAtStart int `json:"exitAtStart"`
	// Exit ends the process with this status when a changed file says so.
	Exit int `json:"exit"`
	// CloseStdout closes its output when a changed file says so, and lives on.
	CloseStdout bool `json:"closeStdout"`
}

// Behaviour is what a tool does before it answers.
type Behaviour struct {
	DelayMs int  `json:"delayMs"` // a cancelled call ends without an answer
	Hang    bool `json:"hang"`
	// Die ends the process with ExitCode.
	Die      bool `json:"die"`
	ExitCode int  `json:"exitCode"`
	// Progress is how many progress notifications are sent.
	Progress int `json:"progress"`
	// Logs is how many log notifications are sent.
	Logs int `json:"logs"`
	// Error answers with this JSON-RPC error.
	Error jsontext.Value `json:"error"`
	// Ask sends a request with this method to the client; what it answers is the
	// call's result text.
	Ask       string         `json:"ask"`
	AskParams jsontext.Value `json:"askParams"`
	// RawLine is written instead of an answer; $ID stands for the request's id.
	RawLine string `json:"rawLine"`
	// LongLine writes a line of so many bytes instead of an answer.
	LongLine int `json:"longLine"`
	// CloseStdout closes the output instead of an answer.
	CloseStdout bool `json:"closeStdout"`
}

// Read reads a description.
func Read(path string) (*Description, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// Parse reads a description from a JSON object or a txtar archive.
func Parse(content []byte) (*Description, error) {
	d := new(Description)
	options := []json.Options{json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	decode := func(text []byte) error { return json.Unmarshal(text, d, options...) }
	archive := txtar.Parse(content)
	if len(archive.Files) == 0 {
		return d, decode(content)
	}
	for _, f := range archive.Files {
		data := bytes.TrimSpace(f.Data)
		kind, name, _ := strings.Cut(f.Name, "/")
		name = strings.TrimSuffix(name, ".json")
		switch {
		case f.Name == "server.json":
			if err := decode(data); err != nil {
				return nil, fmt.Errorf("server.json: %w", err)
			}
		case kind == "tools":
			d.Tools = append(d.Tools, data)
		case kind == "results":
			if d.Results == nil {
				d.Results = map[string]jsontext.Value{}
			}
			d.Results[name] = data
		default:
			return nil, fmt.Errorf("there is no place for a file %q in a description", f.Name)
		}
	}
	return d, nil
}
