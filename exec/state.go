package exec

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec/audit"
	"codemode-ls/exec/cassette"
	"codemode-ls/internal/redact"
	"codemode-ls/internal/telemetry"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/script"
	"codemode-ls/typegen/seen"

	"github.com/go-json-experiment/json/jsontext"
)

// The state of a runner and of its runs, in one file because the types name each
// other; everything that works on it stands in the files above.

// A run is one script from its request to its result, and then the sandbox's
// Host; or the direct calls of one request.
type run struct {
	r       *Runner
	id      string
	started time.Time
	request Request
	source  *script.Source // without fence and wrapper
	options script.Options // the script's own
	limits  config.Limits
	clock   *sandbox.Clock
	session *session
	span    *telemetry.Span
	cancel  context.CancelCauseFunc
	// stop is what "deny and stop" does. It is called with locks held.
	stop   func(reason string)
	sample *sampler // of a dry run, else nil

	admission sequence
	detours   detours
	answers   answers // of a run that is recorded
	turns     turns   // of a replay
	schedule  schedule
	asking    sync.WaitGroup // the goroutines of its questions

	mu        sync.Mutex // guards what follows, and the records of calls
	calls     []*call    // those that count, in the order of the script
	byIndex   map[int]*call
	last      []string // the tools of the last two that count
	unlisted  int      // calls over the cap that have no record
	recorded  int      // bytes of the arguments in records of calls that have ended
	kept      int      // bytes of results that are kept for later
	logs      []Log
	output    output
	warnings  []Warning
	remarks   []remark
	grants    map[string]grant
	loops     map[string][]*loop      // by leaf, oldest first
	lastAsked map[string]lastQuestion // by leaf
	writes    writes
	usage     *Usage         // of models, nil when none was asked
	omitted   jsontext.Value // the value, when it is too long for the result
	endedBy   string         // the setting whose budget ended the run, or ""
}

// A call is one use of a tool or member that counts. Its record is guarded by
// the run's mu; the rest belongs to the call's goroutine.
type call struct {
	order    int // in which the calls of the run were made
	record   CallRecord
	tool     *catalog.Tool // nil for a member
	began    time.Time
	slot     *slot         // in the queue, once the call is allowed
	question *question     // when a person or a hook has to decide
	ruled    verdict       // once it is decided
	waited   time.Duration // for a person
	queued   time.Duration
	id       string // unique; of a call that hooks see
	// replacedBy is the hook that has replaced its arguments, or "".
	replacedBy string
	span       *telemetry.Span
	sent       time.Time // to its server; zero until then
	// result is what the script got, for those who look at the run later (OBS-2).
	result jsontext.Value
	// later is what a member does outside of the order of the script, or nil.
	later func(context.Context) (jsontext.Value, error)
}

// A verdict reports whether a call may be made, and by what that was decided.
type verdict struct {
	allow bool
	// reason of a denial, for whoever made the call.
	reason string
	// rule that decided, nil for none. Of a question it is the rule that said "ask".
	rule *permission.Rule
	// asking are all rules that say "ask", when a person has to be asked.
	asking []*permission.Rule
	// by is what decided, of the constants below.
	by string
	// scope of the answer or grant that decided.
	scope Scope
	// hook that decided, by name and place.
	hook string
	// loop that has one call less for it (PERM-12); see unused.
	loop *loop
	// stop: the person wants the calls that come after this one not to be made.
	stop bool
	// waited is how long it took.
	waited time.Duration
}

// What decides on a call.
const (
	byRule     = "rule"
	byGrant    = "grant"    // an answer of before, for the run
	byReadOnly = "readOnly" // trusted annotations (PERM-9)
	byAnswer   = "answer"   // a person
	byHook     = "hook"     // a command around the call
	byNobody   = "nobody"   // there is none to ask (PERM-7)
	byEnd      = "end"      // the run ended while the call waited
	byStop     = "stop"     // a person said "deny and stop" to another call
)

// effect of a verdict in the words of the rules.
func (v verdict) effect() permission.Effect {
	if v.allow {
		return permission.Allow
	}
	return permission.Deny
}

// A question is one call that waits for a person.
type question struct {
	x     *run
	c     *call
	rule  *permission.Rule // that said "ask", nil for none
	since time.Time
	// release lets the clock go on.
	release func()
	// ctx ends when the question need not be asked any more.
	ctx      context.Context
	withdraw context.CancelFunc
	settled  chan struct{} // closed when the call may go on
	verdict  *verdict      // once it is decided; guarded by questions.mu until it is settled

	// consulted is closed when the hooks have answered; nil when there are none.
	consulted chan struct{}
	// What follows is guarded by questions.mu, too.
	hookAsks bool               // a hook wants the person to be asked
	hookSays string             // why
	version  int                // how often the arguments were replaced
	again    context.CancelFunc // ends the open prompt, so that it is asked again
	offered  bool               // offer is made
	offer    *LoopOffer
}

// questions are the calls of all runs that a person or a hook has to decide on. Each
// person is asked about one at a time, in the order of the calls (PERM-8). A question
//
//	waits       in line, unless its call is allowed and only hooks may object
//	is open     when it is the first in line of its person, who is being asked
//	is decided  by whatever comes first: an answer, a rule or a grant, a hook, the end
//	            of its run. An allowed call has its place in the queue from then on, so
//	            that calls which are decided together start in their order (SCHED-1)
//	is settled  when what the answer grants for later calls is in force: the call, and
//	            with it the script, goes on
//
// Whenever rules or grants have changed, reconsider decides on all that wait.
type questions struct {
	mu      sync.Mutex           // guards what follows, and the fields of questions so marked; locked before the mu of runs
	waiting []*question          // in order, the open ones included
	open    map[string]*question // by person

	grace time.Duration // 0 is promptGrace; set before the first question
}

// history knows the runs that go on and keeps the newest that have ended.
type history struct {
	mu    sync.Mutex // guards what follows
	going map[string]*run
	kept  []keptRun // oldest first
	bytes int
	// closed says that no run begins any more; done is closed when the last has
	// ended.
	closed bool
	done   chan struct{}
}

type keptRun struct {
	summary RunSummary
	result  *Result
	value   jsontext.Value   // what the result has left out
	results []jsontext.Value // of its calls, nil for what is not kept
	code    string
	bytes   int
}

// Runner runs scripts. Its fields are set once, before the first run.
type Runner struct {
	Sandbox Sandbox
	Caller  Caller
	Rules   Rules
	Check   Checker // nil: no check
	// Script is the text of a script that a direct call can name; nil: of none.
	Script func(name string) (code string, l script.Language, ok bool)
	// Pool is the pool of this moment (POOL-3, EXEC-6).
	Pool func() *catalog.Catalog
	// Await is for the full name of a tool that the pool does not have, or only from
	// last time (LSP-1, MCP-5). wait is there when its server connects or is about to
	// be started again: it waits for that, for a bounded time. Errors, also those of
	// wait, explain what has become of the server. upstream.Set.Await is one; nil
	// knows of none.
	Await func(fullName string) (wait func(context.Context) error, unavailable error)
	// Limits are the configured limits of this moment.
	Limits func() config.Limits
	// ReadOnlyAllowed reports whether a person has chosen to trust the read-only
	// annotations of a server (PERM-9); nil: of none.
	ReadOnlyAllowed func(server string) bool
	// ToolTimeout is how long a call of a tool may take (the setting
	// mcp.toolTimeoutMs), 0 for Limits' CallTimeout; nil: of none.
	ToolTimeout func(*catalog.Tool) time.Duration
	// Together reports whether a person has turned SCHED-1 off for a server (the
	// setting exec.concurrency); nil: for none.
	Together func(server string) bool
	// Folders are the workspace's folders of this moment, absolute paths: what
	// scripts may read when the pool offers files. nil: none.
	Folders func() []string
	// ScratchDir holds a folder for each session, where scripts may write when the
	// pool offers files; "" is none.
	ScratchDir string
	// Observe receives every result of a tool that declares no output and did not
	// fail; nil: nobody. It must be quick.
	Observe func(t *catalog.Tool, r seen.Result)
	// ArtifactDir holds what is too long for a result; "" keeps nothing.
	ArtifactDir string
	Log         *slog.Logger
	// Hooks are the commands around calls that may run at this moment (HOOK-1); nil:
	// none. They run in the first of Folders.
	Hooks func() []config.Hook
	// Audit takes in every decision (PERM-11), Tracer spans (OBS-3), Redact knows what
	// no result, event or log may show (OBS-4). Each may be nil.
	Audit  *audit.Log
	Tracer *telemetry.Tracer
	Redact *redact.Redactor

	artifacts   artifacts
	questions   questions
	sessions    sessions
	history     history
	afterwards  afterwards
	turnsOnce   sync.Once
	scratchOnce sync.Once     // cleans what earlier sessions have left
	turns       chan struct{} // of requests to models
}

func (r *Runner) log() *slog.Logger {
	if r.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Log
}

// stopped is the cause of a run's end when a person said "deny and stop".
type stopped struct{ reason string }

func (e *stopped) Error() string { return e.reason }

// A grant is an answer that counts for the rest of a run.
type grant struct {
	effect permission.Effect
	// asking are all rules that said "ask" of the tool when the person was asked, and
	// when the answer came. The grant covers each of them, whichever decides on a
	// call: the person is not asked twice. A rule that says so only later is a later
	// wish than the answer, and wins.
	asking []*permission.Rule
	// despite is the rule that allowed the tool when the person denied it, because a
	// hook had it asked for; nil for none. A rule that allows it only later wins.
	despite *permission.Rule
}

// answers lets the answers of a run that is recorded go to its script one by one,
// so that the order in which they are noted is that in which they arrive.
type answers struct {
	mu sync.Mutex // held from begin to end

	state sync.Mutex // guards going
	going int        // index of the call plus 1, or 0
}

// turns gives the answers of a replay in the order in which they came when it was
// recorded, so that a script which takes the first of several takes the same one
// again. An answer waits for those before it as long as their calls may still
// come: when nothing has happened for a while, the script is another one by now,
// and they are given up.
type turns struct {
	mu      sync.Mutex // guards what follows
	ranks   []int      // of recorded calls
	over    []bool     // by rank: answered, or given up
	next    int        // every rank below is over
	waiting map[int]bool
	going   map[int]int   // rank by index of the script's call
	changed chan struct{} // closed when something happens
}

// A sampler makes sample values from output schemas, the same one for the same
// schema.
type sampler struct{}

// A loop is what one answer with the scope "loop" has granted.
type loop struct {
	left  int // calls that it is still good for; -1 is any number
	while *permission.Condition
	grant grant // which rules it covers
}

// A lastQuestion is how often a run has asked about a tool, and the last arguments.
type lastQuestion struct {
	times     int
	arguments jsontext.Value
}

// Request is one run.
type Request struct {
	Code            string
	URI             string // of the document, when it has one
	Language        script.Language
	Input           jsontext.Value // what the script is given; nil for nothing
	SessionID       string         // "" is "default"
	TimeoutMs       int            // 0: the setting
	ActiveMs        int
	MaxToolCalls    int
	MaxOutputTokens int
	Check           string // "off", "hint" (default) or "error"
	DryRun          bool
	// WholeValue keeps a value in the result that is too long for its text, which
	// otherwise is in the artifact alone (BUD-9).
	WholeValue bool
	// Record, when set, takes in the calls of the run; Replay answers them, so
	// that no server receives one and nobody is asked (REC-1). At most one of
	// DryRun, Record and Replay is set.
	Record *cassette.Recorder
	Replay *cassette.Player
	// Asker is who is asked; nil denies ("no permission client is configured").
	Asker Asker
	// Person is whom Asker asks: one is asked one question at a time, and waits for no
	// other. "" is the one at the editor or terminal.
	Person string
	// Models runs models for the script; nil: there are none.
	Models Models
	// Events, when set, receives what happens, in order. It must not block.
	Events func(Event)
}

// afterwards owns the hooks that nobody waits for. The zero value is ready.
type afterwards struct {
	mu     sync.Mutex // guards what follows
	closed bool
	ctx    context.Context
	cancel context.CancelFunc
	going  sync.WaitGroup
}
