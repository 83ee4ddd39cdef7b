package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"codemode-ls/config"
	"codemode-ls/internal/plaintext"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// approveServer answers codemode/approveServer: a person's decision on exactly
// the definition with that hash (TRUST-1).
func (s *Server) approveServer(ctx context.Context, _ *Snapshot, p *ApproveServerParams) (*Done, error) {
	switch {
	case p.Name == "":
		return nil, badParams("name is missing")
	case p.Hash == "":
		return nil, badParams("hash is missing")
	case p.Decision != "allow" && p.Decision != "deny":
		return nil, badParams(`decision must be "allow" or "deny"`)
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	known, shown := false, false // two may have the name: the user's own, and the workspace's
	for _, v := range w.Snapshot().Servers {
		known = known || v.Server.Name == p.Name
		shown = shown || v.Server.Name == p.Name && v.Server.ApprovalHash() == p.Hash
	}
	switch {
	case !known:
		return nil, failure(CodeUnknownServer, "no server %q is configured", p.Name)
	case !shown:
		return nil, failure(CodeServerChanged, "the definition of %q is not the one that was shown; look at codemode/servers again", p.Name)
	}
	if err := w.Approve(p.Name, p.Hash, p.Decision == "allow"); err != nil {
		return nil, err
	}
	return &Done{}, nil
}

// Titles of the question whether a server may be started.
const (
	trustStart  = "Start"
	trustNever  = "Never"
	trustNotNow = "Not now"
)

// pendingHashes are the definitions that wait for approval.
func pendingHashes(w *workspace.Snapshot) []string {
	var hashes []string
	for _, v := range w.Servers {
		if v.State == upstream.Untrusted {
			hashes = append(hashes, v.Server.ApprovalHash())
		}
	}
	return hashes
}

// askForApprovals asks once about each definition of a workspace file that
// nobody has decided on, and once for each answer that a file needs, one at a time. Clients that ask by themselves see it in
// codemode/serversChanged.
func (s *Server) askForApprovals(ctx context.Context) {
	asked, askedInputs := map[string]bool{}, map[inputKey]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.approvalsPending:
		}
		snap := s.session.Snapshot()
		if c := snap.Client.Codemode; c == nil || !c.Trust {
			for _, v := range s.workspace.Pending() {
				if hash := v.ApprovalHash(); !asked[hash] {
					asked[hash] = true
					s.askForApproval(ctx, v)
				}
			}
		}
		for _, h := range snap.Workspace.UndecidedHooks {
			if hash := h.Hash(); !asked[hash] {
				asked[hash] = true
				s.askForHook(ctx, h)
			}
		}
		for _, in := range missingInputs(s.session.Snapshot().Workspace) {
			if key := (inputKey{in.File, in.ID}); !askedInputs[key] {
				askedInputs[key] = true
				s.askForInput(ctx, in)
			}
		}
	}
}

func (s *Server) askForApproval(ctx context.Context, v config.Server) {
	question, actions := inView(trustQuestion(v), v.Name, trustStart)
	item, err := s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeWarning, Message: question, Actions: actions,
	})
	if cannotAsk(err) {
		s.showMessage(ctx, protocol.MessageTypeWarning, question+"\nThis editor cannot ask; to approve it: codemode-ls trust allow "+plain(v.Name, 80))
	}
	if err != nil || item == nil || !offers(actions, item.Title) {
		return // closed, or nobody can answer: not now
	}
	switch item.Title {
	case trustStart, trustNever:
		// Approve refuses when the definition has changed behind the question.
		if err := s.workspace.Approve(v.Name, v.ApprovalHash(), item.Title == trustStart); err != nil {
			s.log.Warn("approval not stored", "server", v.Name, "err", err)
			s.showMessage(ctx, protocol.MessageTypeError, fmt.Sprintf("The decision on %s was not stored: %v", plain(v.Name, 80), err))
		}
	}
}

// Titles of the question whether a hook may run; the others are those of servers.
const trustHook = "Allow"

// askForHook asks about one hook of a workspace's file (HOOK-1, TRUST-1).
func (s *Server) askForHook(ctx context.Context, h config.Hook) {
	question, actions := inView(fmt.Sprintf("This workspace wants to run a command of its own around tool calls (%s).\nWhen: %s %s\nCommand: %s\nAllow it only if you trust this workspace.",
		plaintext.Exact(h.Origin()), h.Event, plaintext.Exact(h.Matcher), plaintext.Exact(h.Command)), h.Name(), trustHook)
	item, err := s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeWarning, Message: question, Actions: actions,
	})
	if err != nil || item == nil || !offers(actions, item.Title) || item.Title != trustHook && item.Title != trustNever {
		return // not now
	}
	// ApproveHook refuses when the hook has changed behind the question.
	if err := s.workspace.ApproveHook(h.Hash(), item.Title == trustHook); err != nil {
		s.log.Warn("approval not stored", "hook", h.Name(), "err", err)
		s.showMessage(ctx, protocol.MessageTypeError, fmt.Sprintf("The decision on %s was not stored: %v", h.Name(), err))
	}
}

// trustQuestion shows all that the definition would do, and no value of a
// variable.
func trustQuestion(v config.Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This workspace wants to start the MCP server %s", plain(v.Name, 80))
	if v.File != "" {
		fmt.Fprintf(&b, " (%s)", plaintext.Exact(v.File))
	}
	b.WriteString(".\n")
	if v.Resembles != "" {
		fmt.Fprintf(&b, "Beware: %s. No permission of that one counts for it.\n", plain(v.Resembles, 400))
	}
	a := approvalOf(v)
	if a.URL != "" {
		fmt.Fprintf(&b, "URL: %s\n", plaintext.Exact(a.URL))
	} else {
		words := append([]string{a.Command}, a.Args...)
		for i, w := range words {
			words[i] = shownWord(w)
		}
		fmt.Fprintf(&b, "Command: %s\n", plaintext.Exact(strings.Join(words, " ")))
	}
	if a.Cwd != "" {
		fmt.Fprintf(&b, "Folder: %s\n", plaintext.Exact(a.Cwd))
	}
	if names := slices.Concat(a.Env, a.Headers); len(names) > 0 {
		fmt.Fprintf(&b, "Variables and headers: %s\n", plaintext.Exact(strings.Join(names, ", ")))
	}
	for _, read := range a.Reads {
		fmt.Fprintf(&b, "Reads: %s → %s\n", plaintext.Exact(read.Name), plaintext.Exact(read.To))
	}
	b.WriteString("Start it only if you trust this workspace.")
	return b.String()
}

// maxQuestion is how many characters, and maxQuestionLines how many lines, of a message
// editors show: most have no way to scroll in one.
const (
	maxQuestion      = 1500
	maxQuestionLines = 20
)

// inView are the text and the answers of a question. What does not fit cannot be
// approved there: nothing that a person has not seen is (TRUST-1, PERM-15).
func inView(question, name, approve string) (string, []protocol.MessageActionItem) {
	refuse := []protocol.MessageActionItem{{Title: trustNever}, {Title: trustNotNow}}
	if utf8.RuneCountInString(question) <= maxQuestion && strings.Count(question, "\n") < maxQuestionLines {
		return question, append([]protocol.MessageActionItem{{Title: approve}}, refuse...)
	}
	first, _, _ := strings.Cut(question, "\n")
	word := plaintext.Exact(shownWord(name))
	return fmt.Sprintf("%s\nWhat it would do is too long to be shown whole here (%d characters), and so cannot be approved here. In a terminal, see it by: codemode-ls trust show %s; then approve it by: codemode-ls trust allow %s",
		plain(first, 500), utf8.RuneCountInString(question), word, word), refuse
}

func offers(actions []protocol.MessageActionItem, title string) bool {
	return slices.ContainsFunc(actions, func(a protocol.MessageActionItem) bool { return a.Title == title })
}

// shownWord shows a word of a command so that its ends can be seen.
func shownWord(w string) string {
	if w == "" || strings.ContainsAny(w, " \t\n\"'`$&|;<>()*?[]{}\\") {
		return fmt.Sprintf("%q", w)
	}
	return w
}
