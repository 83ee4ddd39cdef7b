package lsp

import (
	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// The server's own methods: what is asked and answered. Fields may be added;
// none changes its meaning. docs/protocol.md is made of what is written here.

// Requests to the server; what they take and answer is in the signature of the
// method that methods.go names for each.
const (
	MethodExec          = "codemode/exec"          // runs a script and answers when it has ended
	MethodCheck         = "codemode/check"         // what diagnostics say of a script; runs nothing
	MethodScriptSchema  = "codemode/scriptSchema"  // what a script takes and returns, as JSON Schemas made of its types, and whether an input fits; runs nothing
	MethodCancel        = "codemode/cancel"        // ends a run, whose own request then answers
	MethodRuns          = "codemode/runs"          // the kept runs, newest first
	MethodRun           = "codemode/run"           // one kept run
	MethodValue         = "codemode/value"         // a piece of the value of a kept run, for results with valueOmitted
	MethodCatalog       = "codemode/catalog"       // the tools as a model reads them, and as data
	MethodTypes         = "codemode/types"         // the .d.ts of all tools
	MethodSearch        = "codemode/search"        // tools by words
	MethodDescribe      = "codemode/describe"      // all about one tool
	MethodNamespace     = "codemode/namespace"     // one MCP server: its own instructions, uncut, and its tools
	MethodList          = "codemode/list"          // every tool with its description
	MethodAnnounce      = "codemode/announce"      // what a model needs to know now, if anything
	MethodDeclarations  = "codemode/declarations"  // which tools to declare to a model
	MethodCallTool      = "codemode/callTool"      // one call that an agent makes itself, and not a script
	MethodExecuteBatch  = "codemode/executeBatch"  // a list of such calls: neighbours that may run together do, at most ten; answers in the same order
	MethodServers       = "codemode/servers"       // every configured MCP server and its state
	MethodRestartServer = "codemode/restartServer" // restarts a server
	MethodAuthenticate  = "codemode/authenticate"  // signs in to a server: window/showDocument opens a browser, and the answer comes when the person has come back
	MethodApproveServer = "codemode/approveServer" // a person's decision on a server that a workspace names
	MethodRefuseServers = "codemode/refuseServers" // a person's one answer for the whole workspace: nothing that its files name is started, now or later, but for what is approved by itself
	MethodPermissions   = "codemode/permissions"   // every rule and where it is kept
	MethodAudit         = "codemode/audit"         // the newest decisions about calls, newest first
	MethodSetPermission = "codemode/setPermission" // adds, moves or removes a rule
)

// Requests and notifications from the server: what is asked → what is answered,
// or what is reported; then, to whom.
const (
	MethodPermission     = "codemode/permission"     // exec.Question → exec.Answer: may this call be made? To clients with `permission`; others are asked by window/showMessageRequest. What is not a clear permission is a denial.
	MethodModel          = "codemode/model"          // exec.ModelRequest → exec.ModelAnswer: runs a model for a script, or lists those that there are. To clients with `models`, which may ask the person first; $/cancelRequest withdraws it. An error is to the script a stopReason.
	MethodInput          = "codemode/input"          // InputQuestion → InputAnswer: what is the answer to ${input:…} of a configuration file? Asked once in a session. To clients with `input`; others are asked by window/showMessageRequest when there are choices, else with an explanation how to answer.
	NoticeCatalogChanged = "codemode/catalogChanged" // CatalogChange: the pool has changed. To clients with experimental.codemode.
	NoticeServersChanged = "codemode/serversChanged" // []overview.ServerStatus: a server's state has changed. To clients with experimental.codemode.
	NoticeExecEvent      = "codemode/execEvent"      // ExecEvent: something happens in a run. To clients with `events`.
)

// Offer is what the server says under `experimental.codemode` in its answer to
// initialize.
type Offer struct {
	ProtocolVersion int `json:"protocolVersion"`
	// Methods are the custom requests that are answered.
	Methods []string `json:"methods"`
}

// ExecParams of codemode/exec: exactly one of Code and TextDocument. Zero limits
// are those of the settings.
type ExecParams struct {
	WorkDoneToken   protocol.ProgressToken           `json:"workDoneToken,omitzero"`
	Code            *string                          `json:"code,omitzero"`         // TypeScript
	TextDocument    *protocol.TextDocumentIdentifier `json:"textDocument,omitzero"` // an open document's unsaved text is used
	Input           jsontext.Value                   `json:"input,omitzero"`        // what the script's default function gets, see codemode/scriptSchema
	SessionID       string                           `json:"sessionId,omitzero"`    // whose stored values the script sees; "default"
	TimeoutMs       int                              `json:"timeoutMs,omitzero"`
	ActiveMs        int                              `json:"activeMs,omitzero"`
	MaxToolCalls    int                              `json:"maxToolCalls,omitzero"`
	MaxOutputTokens int                              `json:"maxOutputTokens,omitzero"`
	Check           string                           `json:"check,omitzero"`  // "off", "hint" (default) or "error"
	DryRun          bool                             `json:"dryRun,omitzero"` // calls nothing: tools answer with samples
	Record          string                           `json:"record,omitzero"` // path of a cassette to write: calls, arguments, results. Under a workspace folder, over nothing but another cassette
	Token           string                           `json:"token,omitzero"`  // chosen by the client; comes back in every event of this run
	Replay          string                           `json:"replay,omitzero"` // path of a cassette, under a workspace folder, that answers calls in place of servers and people
}

// CheckParams of codemode/check: exactly one of Code and TextDocument.
type CheckParams struct {
	Code         *string                          `json:"code,omitzero"`
	TextDocument *protocol.TextDocumentIdentifier `json:"textDocument,omitzero"`
}

// ScriptSchemaParams of codemode/scriptSchema: exactly one of Code and TextDocument.
type ScriptSchemaParams struct {
	Code         *string                          `json:"code,omitzero"`
	TextDocument *protocol.TextDocumentIdentifier `json:"textDocument,omitzero"`
	Input        jsontext.Value                   `json:"input,omitzero"` // is checked against the schema
}

// ScriptSchema is what a script takes and returns.
type ScriptSchema struct {
	TakesInput  bool           `json:"takesInput"`        // its default function has a parameter
	Optional    bool           `json:"optional,omitzero"` // it can be run without an input
	Input       jsontext.Value `json:"input,omitzero"`    // JSON Schema of the input; absent when JSON cannot carry its type, as problems says
	Output      jsontext.Value `json:"output,omitzero"`   // JSON Schema of what it returns, where its types say so
	Description string         `json:"description,omitzero"`
	Fields      []InputField   `json:"fields"`   // the input as a table, those of objects in it below them
	Examples    []NamedInput   `json:"examples"` // the @example inputs of the function that are JSON
	Problems    []InputProblem `json:"problems"` // what keeps the type from being that of an input
	Misfits     []Misfit       `json:"misfits"`  // where the given input does not fit, or {} when none was given
}

// InputField is a field of an input.
type InputField struct {
	Path        string `json:"path"` // such as page.size
	Type        string `json:"type"` // as in TypeScript, in one line
	Required    bool   `json:"required"`
	Default     string `json:"default,omitzero"` // JSON
	Description string `json:"description,omitzero"`
}

// NamedInput is an @example of the default function.
type NamedInput struct {
	Name  string         `json:"name"` // "" when it has none
	Input jsontext.Value `json:"input"`
	Range protocol.Range `json:"range"`
}

// InputProblem is a part of the input's type that JSON cannot carry.
type InputProblem struct {
	Path    string         `json:"path"` // such as input.since
	Message string         `json:"message"`
	Range   protocol.Range `json:"range"`
}

// Misfit is one place in an input that does not fit its type.
type Misfit struct {
	Path    string `json:"path"`    // such as labels[2], "" for the whole
	Message string `json:"message"` // such as: expected a string, got 5
}

// CatalogParams of codemode/catalog. Without BudgetTokens the setting counts.
type CatalogParams struct {
	BudgetTokens *int   `json:"budgetTokens,omitzero"`
	Namespace    string `json:"namespace,omitzero"`
	NamesOnly    bool   `json:"namesOnly,omitzero"` // tools is empty; shownNames has the names of those in the text
}

// Types is the generated .d.ts and where it was written.
type Types struct {
	URI  string `json:"uri"`
	Text string `json:"text"`
	Hash string `json:"hash"`
}

// DescribeParams name a tool by its full name, or a server as mcp__github or
// github.
type DescribeParams struct {
	Name string `json:"name"`
}

// Description is all that is known of a tool: its description uncut, types at
// full depth in the signature, schemas byte for byte the server's.
type Description struct {
	Name         string         `json:"name"`
	Server       string         `json:"server"`
	Title        string         `json:"title,omitzero"`
	Description  string         `json:"description"`
	Signature    string         `json:"signature"`
	Annotations  jsontext.Value `json:"annotations,omitzero"`
	InputSchema  jsontext.Value `json:"inputSchema"`
	OutputSchema jsontext.Value `json:"outputSchema,omitzero"`
	Permission   string         `json:"permission"`
	Exposure     string         `json:"exposure"` // as of CatalogTool
	// Problems are parts of it that are broken, and unknown in its types.
	Problems []string `json:"problems,omitzero"`
	// Snippet is what follows the tool's name in a call, as an LSP snippet: a tab
	// stop for each required field. Absent when the client has no snippets.
	Snippet string `json:"snippet,omitzero"`
}

// InputQuestion of codemode/input.
type InputQuestion struct {
	ID          string   `json:"id"`
	File        string   `json:"file"` // that asks
	Description string   `json:"description,omitzero"`
	Default     string   `json:"default,omitzero"`
	Options     []string `json:"options,omitzero"`  // the answer must be one of them
	Password    bool     `json:"password,omitzero"` // it must not be shown
	// Server, with Fields, asks in place of a file: it is the MCP server that wants to
	// know, and Description its words. Only to clients with `elicitation`.
	Server string           `json:"server,omitzero"`
	Fields []upstream.Field `json:"fields,omitzero"`
}

// InputAnswer of codemode/input; without a value nobody has answered.
type InputAnswer struct {
	Value *string `json:"value,omitzero"`
	// Action and Content answer a server: "accept" with a value for each field that was
	// filled in, "decline" or "cancel".
	Action  string         `json:"action,omitzero"`
	Content jsontext.Value `json:"content,omitzero"`
}

// ServerParams name a configured server.
type ServerParams struct {
	Name string `json:"name"`
}

// AuthenticateParams name a server to sign in to, and the rights to ask for in place of
// those that it demands.
type AuthenticateParams struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes,omitzero"`
}

// ApproveServerParams decide on exactly the definition with that hash. Decision
// is "allow" or "deny".
type ApproveServerParams struct {
	Name     string `json:"name"`
	Hash     string `json:"hash"`
	Decision string `json:"decision"`
}

// AuditParams of codemode/audit.
type AuditParams struct {
	Limit int `json:"limit,omitzero"` // 200 at most, which is the default
}

// AuditEntry is what was decided about a call, and by what.
// Arguments are not in the log, only their hash.
type AuditEntry struct {
	Time     string `json:"time"` // RFC 3339, UTC
	RunID    string `json:"runId,omitzero"`
	Tool     string `json:"tool"`
	Decision string `json:"decision"` // "allow", "deny" or "cancelled"
	By       string `json:"by"`       // "rule", "answer", "grant", "hook", "readOnly", "nobody", "end" or "stop"
	Rule     string `json:"rule,omitzero"`
	Layer    string `json:"layer,omitzero"`
	Scope    string `json:"scope,omitzero"` // of an answer
	Reason   string `json:"reason,omitzero"`
}

// PermissionRule is a rule and the place where it is kept. Why says for whom it
// counts, or why it does not.
type PermissionRule struct {
	Layer  string      `json:"layer"`
	Effect string      `json:"effect"`
	Rule   string      `json:"rule"`
	Counts bool        `json:"counts"`
	Why    string      `json:"why"`
	Notice string      `json:"notice,omitzero"` // why it matches no tool, with the closest name
	Source *RuleSource `json:"source,omitzero"`
}

// RuleSource is a rule's place in a file.
type RuleSource struct {
	URI   string         `json:"uri"`
	Range protocol.Range `json:"range"`
}

// SetPermissionParams add, move or remove a rule. Effect is "allow", "ask",
// "deny" or "remove"; Layer is "session", "workspace" or "user".
type SetPermissionParams struct {
	Rule   string `json:"rule"`
	Effect string `json:"effect"`
	Layer  string `json:"layer"`
}

// RunsParams of codemode/runs; Limit 0 is all.
type RunsParams struct {
	Limit int `json:"limit,omitzero"`
}

// RunParams name a run.
type RunParams struct {
	RunID string `json:"runId"`
}

// Run is a kept run with the script that ran.
type Run struct {
	exec.Result
	Code string `json:"code"`
}

// ValueParams of codemode/value: the piece that begins at Offset, which is 0 or
// what the piece before has as next.
type ValueParams struct {
	RunID  string `json:"runId"`
	Offset int    `json:"offset,omitzero"`
}

// ValuePiece is a piece of a value's JSON, at most a mebibyte of it. All of them,
// in order and joined, are the whole; a run that returned nothing has "".
type ValuePiece struct {
	JSON  string `json:"json"`
	Next  int    `json:"next,omitzero"` // offset of the next piece; absent from the last one
	Bytes int    `json:"bytes"`         // of the whole
}

// CatalogChange says that the pool has changed, and how.
type CatalogChange struct {
	Hash    string                `json:"hash"`
	Total   int                   `json:"total"`
	Partial bool                  `json:"partial"`
	Servers []CatalogChangeServer `json:"servers"`
	Added   []string              `json:"added"`
	Removed []string              `json:"removed"`
	Changed []string              `json:"changed"`
	// ChangedFields has, for each of the changed, which of its fields differ.
	ChangedFields []ChangedTool `json:"changedFields"`
}

// CatalogChangeServer counts a server's tools.
type CatalogChangeServer struct {
	Namespace string `json:"namespace"`
	Tools     int    `json:"tools"`
}

// ExecEvent is something that happens during a run; URI is that of the script,
// when it is a document, and Token that of its ExecParams.
type ExecEvent struct {
	exec.Event
	URI   string `json:"uri,omitzero"`
	Token string `json:"token,omitzero"`
	Agent string `json:"agent,omitzero"` // on whose behalf it runs, a claim; absent for this client
}

// DirectParams are those of codemode/callTool and codemode/executeBatch. Mode and
// Disallowed say what was declared to the agent (codemode/declarations); any
// other name is UNKNOWN_TOOL.
type DirectParams struct {
	Mode          string                 `json:"mode,omitzero"` // "code" (default), "native" or "both"
	Disallowed    []string               `json:"disallowed,omitzero"`
	SessionID     string                 `json:"sessionId,omitzero"` // "default"
	WorkDoneToken protocol.ProgressToken `json:"workDoneToken,omitzero"`
}

// CallToolParams of codemode/callTool. Name is Exec, whose Arguments are
// { code: string }, or the full name of a tool.
type CallToolParams struct {
	DirectParams
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments,omitzero"` // an object; {} when absent
}

// ExecuteBatchParams of codemode/executeBatch.
type ExecuteBatchParams struct {
	DirectParams
	Calls []BatchCall `json:"calls"`
}

// BatchCall is one of them; ID comes back with its result.
type BatchCall struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
}

// Done is the answer of a request that only does something.
type Done struct{}

// SearchParams of codemode/search; a field that is not among them is an error.
type SearchParams struct{ catalog.Query }

// FoundTool is one tool in the answer of codemode/search.
type FoundTool struct {
	Name        string `json:"name"`
	Description string `json:"description"` // uncut
	Signature   string `json:"signature"`
	// Remaining is how many more there are: on the last one of a list that was cut.
	Remaining int `json:"remaining,omitzero"`
}

// ChangedTool of a CatalogChange.
type ChangedTool = catalog.ChangedTool
