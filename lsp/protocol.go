package lsp

import (
	"codemode-ls/catalog"
	"codemode-ls/exec"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// The server's own methods: what is asked and answered, in the words of
// 07-protocol. All ranges are in the position encoding that was negotiated.
// Fields may be added; none changes its meaning.

// Requests to the server.
const (
	MethodExec          = "codemode/exec"          // ExecParams → exec.Result
	MethodCatalog       = "codemode/catalog"       // CatalogParams → Catalog
	MethodTypes         = "codemode/types"         // → Types
	MethodSearch        = "codemode/search"        // catalog.Query → []catalog.Match
	MethodDescribe      = "codemode/describe"      // DescribeParams → Description
	MethodAnnounce      = "codemode/announce"      // AnnounceParams → Announced
	MethodDeclarations  = "codemode/declarations"  // DeclarationsParams → catalog.AgentTools
	MethodCallTool      = "codemode/callTool"      // CallToolParams → CallResult
	MethodServers       = "codemode/servers"       // → []ServerStatus
	MethodRestartServer = "codemode/restartServer" // ServerParams → {}
	MethodApproveServer = "codemode/approveServer" // ApproveServerParams → {}
	MethodPermissions   = "codemode/permissions"   // → []PermissionRule
	MethodSetPermission = "codemode/setPermission" // SetPermissionParams → {}
	MethodRuns          = "codemode/runs"          // RunsParams → []exec.RunSummary
	MethodRun           = "codemode/run"           // RunParams → Run
	MethodCancel        = "codemode/cancel"        // RunParams → {}
	MethodCheck         = "codemode/check"         // CheckParams → []protocol.Diagnostic
)

// Requests and notifications from the server.
const (
	// MethodPermission asks a person: exec.Question → exec.Answer. Only to clients
	// with experimental.codemode.permission.
	MethodPermission = "codemode/permission"
	// NoticeCatalogChanged and NoticeServersChanged go to clients that declared
	// experimental.codemode: CatalogChange, []ServerStatus.
	NoticeCatalogChanged = "codemode/catalogChanged"
	NoticeServersChanged = "codemode/serversChanged"
	// NoticeExecEvent goes to clients with experimental.codemode.events:
	// ExecEvent.
	NoticeExecEvent = "codemode/execEvent"
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
	Code            *string                          `json:"code,omitzero"`
	TextDocument    *protocol.TextDocumentIdentifier `json:"textDocument,omitzero"` // an open document's unsaved text is used
	SessionID       string                           `json:"sessionId,omitzero"`
	TimeoutMs       int                              `json:"timeoutMs,omitzero"`
	ActiveMs        int                              `json:"activeMs,omitzero"`
	MaxToolCalls    int                              `json:"maxToolCalls,omitzero"`
	MaxOutputTokens int                              `json:"maxOutputTokens,omitzero"`
	Check           string                           `json:"check,omitzero"` // "off", "hint" (default) or "error"
	DryRun          bool                             `json:"dryRun,omitzero"`
	Record          string                           `json:"record,omitzero"`
	Replay          string                           `json:"replay,omitzero"`
}

// CheckParams of codemode/check: exactly one of Code and TextDocument.
type CheckParams struct {
	Code         *string                          `json:"code,omitzero"`
	TextDocument *protocol.TextDocumentIdentifier `json:"textDocument,omitzero"`
}

// CatalogParams of codemode/catalog. Without BudgetTokens the setting counts.
type CatalogParams struct {
	BudgetTokens *int   `json:"budgetTokens,omitzero"`
	Namespace    string `json:"namespace,omitzero"`
}

// Catalog is what a model would read, as text and as data.
type Catalog struct {
	Text       string          `json:"text"`
	Hash       string          `json:"hash"`
	Partial    bool            `json:"partial"`
	Shown      int             `json:"shown"`
	Total      int             `json:"total"`
	Tokens     int             `json:"tokens"`     // cost of the text
	FlatTokens int             `json:"flatTokens"` // cost of the same tools declared one by one
	Servers    []CatalogServer `json:"servers"`
	Tools      []CatalogTool   `json:"tools"`
}

// CatalogServer is one server's part of it.
type CatalogServer struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Tools     int    `json:"tools"`
	Shown     int    `json:"shown"`
	Tokens    int    `json:"tokens"`
}

// CatalogTool is one tool's entry. Permission is "allow" or "ask": denied tools
// are in no pool.
type CatalogTool struct {
	Name        string         `json:"name"`
	Server      string         `json:"server"`
	Title       string         `json:"title,omitzero"`
	Description string         `json:"description"`
	Signature   string         `json:"signature"`
	Tokens      int            `json:"tokens"`
	Shown       bool           `json:"shown"`
	Annotations jsontext.Value `json:"annotations,omitzero"`
	Permission  string         `json:"permission"`
}

// Types is the generated .d.ts and where it was written.
type Types struct {
	URI  string `json:"uri"`
	Text string `json:"text"`
	Hash string `json:"hash"`
}

// DescribeParams name a tool by its full name.
type DescribeParams struct {
	Name string `json:"name"`
}

// Description is all that is known of a tool; schemas are byte for byte the
// server's.
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
}

// ServerStatus is what people see of an MCP server.
type ServerStatus struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Source is where its definition comes from: flag, editor, workspace, user or
	// demo; File is the file, when it is in one.
	Source    string `json:"source"`
	File      string `json:"file,omitzero"`
	Line      int    `json:"line,omitzero"`
	Transport string `json:"transport"`
	// Status is connecting, connected, failed, stopped or untrusted.
	Status string `json:"status"`
	Tools  int    `json:"tools"`
	Error  string `json:"error,omitzero"`
	Stderr string `json:"stderr,omitzero"`
	Cached bool   `json:"cached,omitzero"` // its last known tools are shown
	// Approval is what a person has to know to approve it; only of an untrusted
	// server (TRUST-1).
	Approval *ServerApproval `json:"approval,omitzero"`
}

// ServerApproval is a definition that waits for a person's approval.
type ServerApproval struct {
	Hash    string   `json:"hash"` // to be given back in codemode/approveServer
	Command string   `json:"command,omitzero"`
	Args    []string `json:"args,omitzero"`
	Cwd     string   `json:"cwd,omitzero"`
	URL     string   `json:"url,omitzero"`
	Env     []string `json:"env,omitzero"`     // names only
	Headers []string `json:"headers,omitzero"` // names only
}

// ServerParams name a configured server.
type ServerParams struct {
	Name string `json:"name"`
}

// ApproveServerParams decide on exactly the definition with that hash. Decision
// is "allow" or "deny".
type ApproveServerParams struct {
	Name     string `json:"name"`
	Hash     string `json:"hash"`
	Decision string `json:"decision"`
}

// PermissionRule is a rule and the place where it is kept.
type PermissionRule struct {
	Layer  string      `json:"layer"`
	Effect string      `json:"effect"`
	Rule   string      `json:"rule"`
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

// CatalogChange says that the pool has changed, and how.
type CatalogChange struct {
	Hash    string                `json:"hash"`
	Total   int                   `json:"total"`
	Partial bool                  `json:"partial"`
	Servers []CatalogChangeServer `json:"servers"`
	Added   []string              `json:"added"`
	Removed []string              `json:"removed"`
	Changed []string              `json:"changed"`
}

// CatalogChangeServer counts a server's tools.
type CatalogChangeServer struct {
	Namespace string `json:"namespace"`
	Tools     int    `json:"tools"`
}

// ExecEvent is something that happens during a run; URI is that of the script,
// when it is a document.
type ExecEvent struct {
	exec.Event
	URI string `json:"uri,omitzero"`
}

// Done is the answer of a request that only does something.
type Done struct{}

// A Match of codemode/search.
type Match = catalog.Match
