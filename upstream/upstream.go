package upstream

import (
	"log/slog"
	"time"

	"codemode-ls/config"
	"codemode-ls/upstream/oauth"

	"github.com/go-json-experiment/json/jsontext"
)

// State of a server.
type State string

const (
	Connecting State = "connecting"
	Connected  State = "connected"
	Failed     State = "failed"    // Error says why; a restart may be pending
	Stopped    State = "stopped"   // disabled or stopped by a person
	Untrusted  State = "untrusted" // waits for a person's approval (TRUST-1)
	// Idle, with Options.OnDemand: not started, because nothing has needed it yet.
	Idle State = "idle"
)

// Status is what people see of a server.
type Status struct {
	Server config.Server
	State  State
	Tools  int
	Error  string
	Stderr string // the last lines of its standard error
	// Faults are what is wrong with a server that works all the same: an incomplete
	// list of tools, a flood.
	Faults []string
	// LeftOut are tools that the server listed and that cannot be used, with the reason.
	LeftOut []string
	Cached  bool // its last known tools are shown until it answers
	// Last is what is kept of earlier attempts to list its tools.
	Last Attempt
	PID  int // of a stdio server, or 0
	// CodeMode: it is itself a code-mode server, with one tool that takes code (MCP-8).
	CodeMode bool
	// Self: it is this program itself, and is not connected (MCP-8).
	Self bool
	// SignIn: the server demands that somebody signs in, or, with Scopes, more than was
	// granted.
	SignIn bool
	Scopes []string
	// SignedIn: somebody is signed in to it.
	SignedIn bool
	// Refused: a person has refused this definition, which is Untrusted. The set leaves
	// it to whoever keeps the decisions.
	Refused bool
}

// An Attempt is what is known of a definition from earlier attempts to connect.
type Attempt struct {
	Listed  time.Time // when its tools were last listed; zero when they are not known
	Failed  time.Time // when it failed, if that was later; else zero
	Failure string    // the reason
	Slow    bool      // it took long to fail, or did not answer in time
}

// Options of a Set.
type Options struct {
	Log *slog.Logger
	// CacheDir keeps the last known tools of each definition (LSP-1); "" keeps none.
	CacheDir string
	// OnDemand starts a server only when something needs it: a call of one of its
	// tools, or Ready. One that cannot be connected to is tried once.
	OnDemand bool
	// Redact takes secrets out of what is kept of a failure; nil leaves it as it is.
	Redact func(string) string
	// Roots are the workspace's folders, offered to servers as MCP roots.
	Roots []string
	// Limits has the time limits and the size of values; zero is the defaults.
	Limits config.Limits
	// Changed is called, from any goroutine and without arguments, whenever a
	// status or a server's tools have changed. It must return at once.
	Changed func()
	// Version of this program, sent to servers.
	Version string
	// Asker answers what servers ask during calls; nil: they are informed that nobody does.
	Asker Asker
	// SignIns keeps what people have granted; nil keeps it in memory.
	SignIns *oauth.Store
	// Secret receives each secret that signing in returned, so that it is never shown.
	Secret func(string)
}

// Call names a tool of a server.
type Call struct {
	Server    string // configured name
	Tool      string // as the server knows it
	Arguments jsontext.Value
	// Timeout is how long the server may take to answer, or to report progress;
	// 0 is Limits' CallTimeout.
	Timeout time.Duration
	// Sent, when set, is called once no later call can overtake this one: when the
	// request has its place in the stream to the server, or when it has to wait for
	// the server to connect. It must return at once; it may be called again.
	Sent func()
	// Asked, when set, is called when the server has a question for a person, and what
	// it returns when that is over: meanwhile no clock of the call runs.
	Asked func() func()
	// Progress, when set, receives the server's progress notifications.
	Progress func(progress, total float64, message string)
}

// Result is what a server returned.
type Result struct {
	// Text has the text parts, the text of embedded resources and the URIs of
	// resource links, in the order of the content and joined by newlines.
	Text        string
	HasText     bool           // there was at least one of these
	Structured  jsontext.Value // structuredContent as sent, or nil
	IsError     bool
	Attachments []Attachment
	Raw         jsontext.Value // the whole result as sent
}

// Attachment is an image, an audio clip, an embedded resource or a link to one, or
// content that is none of these.
type Attachment struct {
	Kind     string // "image", "audio", "resource" or "unknown"
	MIMEType string
	Data     string // base64, as sent
	URI      string
	Text     string // of a text resource; of "unknown", the JSON as sent
	// InText: what it holds is in Result.Text.
	InText bool
	// Problem says what it is and why a script cannot have it as text, nor a model as
	// an image or as audio; "" when nothing is wrong with it.
	Problem string
}

// Reason distinguishes failures of a call.
type Reason string

const (
	Unavailable Reason = "SERVER_UNAVAILABLE"
	TimedOut    Reason = "TIMEOUT"
	Cancelled   Reason = "CANCELLED"
	Rejected    Reason = "TOOL_ERROR" // a JSON-RPC error of the server, or an answer that nobody can read
	TooLarge    Reason = "TOO_LARGE"  // a result that does not fit into a value
)

// CallError is a call that brought no result.
type CallError struct {
	Reason  Reason
	Server  string
	Message string
	Err     error
}

func (e *CallError) Error() string { return e.Message }
func (e *CallError) Unwrap() error { return e.Err }
