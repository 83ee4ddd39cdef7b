package script

// A Use is one place in a script where a member of tools is named.
type Use struct {
	Name      string // the member, such as mcp__github__create_issue or $codemode
	Member    string // what follows a reserved namespace: "search" in tools["$codemode"].search
	NameRange Range  // of the name as written, without quotes
	// Whole is from `tools` to the end of the member access.
	Whole Range
	// Called says whether a call follows; Arguments is the range between its
	// parentheses, and ArgumentCount the number of arguments at the top level.
	Called        bool
	Arguments     Range
	ArgumentCount int
	Quoted        bool // tools["name"]
	Awaited       bool // `await` directly before
	InLoop        bool // inside the body of a loop statement
}

// Uses finds every use of tools in a text, also in one that does not parse. It
// knows strings, templates, comments and regular expressions well enough not to
// find uses inside them.
func Uses(text string) []Use { panic("not built") }

// Completion says what is being typed at offset (in bytes) of a text.
type Completion struct {
	// Kind is "tool" behind `tools.` or inside tools["…"], "member" behind
	// tools["$codemode"]., "" anywhere else.
	Kind    string
	Prefix  string // what was typed of the name so far
	Replace Range  // of the name so far, to be replaced
	Dot     Range  // the dot (and an optional ?.) before it; empty inside brackets
	Quote   byte   // the quote it is in, or 0
}

// CompletionAt finds out what is being typed.
func CompletionAt(text string, offset int) Completion { panic("not built") }

// IsModule placeholder.
func IsModule(text string) bool { return false }
