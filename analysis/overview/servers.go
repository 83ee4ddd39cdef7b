package overview

import (
	"fmt"
	"maps"
	"slices"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
)

// ServerStatus is what people see of an MCP server.
type ServerStatus struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Source is where its definition comes from: flag, editor, workspace, user or
	// demo.
	Source string `json:"source"`
	// Client is the program whose file it comes from, such as claude-code; absent
	// for this program's own files.
	Client string `json:"client,omitzero"`
	File   string `json:"file,omitzero"` // that its definition is in
	Line   int    `json:"line,omitzero"`
	// Resembles explains whose name or rules a server of the workspace falls
	// into. No permission of that one counts for it.
	Resembles string `json:"resembles,omitzero"`
	Transport string `json:"transport"`
	// Status is connecting, connected, failed, stopped or untrusted.
	Status string `json:"status"`
	Tools  int    `json:"tools"`
	Error  string `json:"error,omitzero"`
	Stderr string `json:"stderr,omitzero"`
	Cached bool   `json:"cached,omitzero"` // its last known tools are shown
	// Problems are tools of it that are left out or have a broken part.
	Problems []string `json:"problems,omitzero"`
	// Faults are what else is wrong with a server that works: an incomplete list of
	// tools, a flood, unreadable output.
	Faults []string `json:"faults,omitzero"`
	// CodeMode: it is a code-mode server itself, with one tool that takes code.
	CodeMode bool `json:"codeMode,omitzero"`
	// Self: it is this program itself, and is not connected.
	Self bool `json:"self,omitzero"`
	// Auth is "required" when somebody has to sign in, and "signedIn" when somebody has.
	// With scopes, the server demands these, which were not granted.
	Auth   string   `json:"auth,omitzero"`
	Scopes []string `json:"scopes,omitzero"`
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
	// SignIn says as what it would be signed in to.
	SignIn string `json:"signIn,omitzero"`
	// Reads are the variables whose values the server is given.
	Reads []VariableRead `json:"reads,omitzero"`
	// Refused: a person has refused it; who asks by themselves do not ask again.
	Refused bool `json:"refused,omitzero"`
}

// VariableRead is an environment variable (or input:ID) that a definition reads, and
// where its value goes, such as "argument 3" or "header X-Client of https://host".
type VariableRead struct {
	Name string `json:"name"`
	To   string `json:"to"`
}

// Servers is the answer of codemode/servers.
func Servers(w *workspace.Snapshot) []ServerStatus {
	list := make([]ServerStatus, 0, len(w.Servers))
	for _, v := range w.Servers {
		status := ServerStatus{
			Name: v.Server.Name, Namespace: catalog.Namespace(v.Server.Name),
			Source: string(v.Server.Layer), Client: v.Server.Client, File: v.Server.File, Line: v.Server.Line,
			Resembles: analysis.Plain(v.Server.Resembles, 400),
			Transport: v.Server.Transport, Status: string(v.State),
			Tools: v.Tools, Error: v.Error, Stderr: v.Stderr, Cached: v.Cached,
			Problems: problemsOf(w.Catalog, v), CodeMode: v.CodeMode, Self: v.Self,
		}
		switch {
		case v.SignIn:
			status.Auth = "required"
			for _, scope := range v.Scopes {
				status.Scopes = append(status.Scopes, analysis.Plain(scope, 100))
			}
		case v.SignedIn:
			status.Auth = "signedIn"
		}
		for _, fault := range v.Faults {
			status.Faults = append(status.Faults, analysis.Plain(fault, 300))
		}
		if v.State == upstream.Untrusted {
			status.Approval = approvalOf(v.Server)
			status.Approval.Refused = v.Refused
		}
		list = append(list, status)
	}
	return list
}

// maxProblems is how many problems of one server are listed.
const maxProblems = 20

// problemsOf is what is wrong with the tools that a server sent: those that are
// left out and why, and those with a broken part, by name (POOL-5).
func problemsOf(c *catalog.Catalog, st upstream.Status) (problems []string) {
	for _, p := range st.LeftOut {
		problems = append(problems, analysis.Plain(p, 300))
	}
	for _, conflict := range c.Conflicts() {
		if conflict.Dropped == st.Server.Name {
			problems = append(problems, fmt.Sprintf("%s is left out: server %s has a tool of this name", analysis.Plain(conflict.Name, 100), analysis.Plain(conflict.Kept, 80)))
		}
	}
	for _, s := range c.Servers() {
		if s.Name != st.Server.Name {
			continue
		}
		for _, t := range s.Tools {
			if broken := t.Broken(); len(broken) > 0 {
				problems = append(problems, t.Name+": "+analysis.BrokenWords(broken))
			}
		}
	}
	if n := len(problems) - maxProblems; n > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("%d more", n))
	}
	return problems
}

// approvalOf shows a definition as it is written: values of variables may be secrets.
func approvalOf(v config.Server) *ServerApproval {
	shown := v.Shown()
	a := &ServerApproval{
		Hash: v.ApprovalHash(), Command: shown.Command, Args: shown.Args, Cwd: shown.Cwd, URL: shown.URL,
		SignIn:  shown.OAuth.Summary(),
		Env:     slices.Sorted(maps.Keys(shown.Env)),
		Headers: slices.Sorted(maps.Keys(shown.Headers)),
	}
	for _, read := range shown.Reads {
		a.Reads = append(a.Reads, VariableRead{read.Name, read.To})
	}
	return a
}
