package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"codemode-ls/analysis"
	"codemode-ls/analysis/configfile"
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

// refuseServers answers codemode/refuseServers.
func (s *Server) refuseServers(ctx context.Context, _ *Snapshot, _ *nothing) (*Done, error) {
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	return &Done{}, w.RefuseAll()
}

// Titles of the questions whether something may be started.
const (
	trustStart  = "Start"
	trustNever  = "Never"
	trustNotNow = "Not now"
	trustReview = "Review one by one"
	trustNone   = "Start none of this workspace"
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

// A definition is something of a workspace's files that nobody has decided on.
type definition struct {
	name, hash, question, approve string // approve is the title of the answer that does
	decide                        func(allow bool) error
}

// askForApprovals asks about each definition of a workspace's files that nobody has
// decided on, and for each answer that a file needs: once each, one at a time, and of
// several definitions first whether any is to be looked at. Clients that ask about
// servers by themselves see them in codemode/serversChanged.
func (s *Server) askForApprovals(ctx context.Context) {
	asked, askedInputs := map[string]bool{}, map[inputKey]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.approvalsPending:
		}
		fresh := slices.DeleteFunc(s.undecided(), func(d definition) bool { return asked[d.hash] })
		for _, d := range fresh {
			asked[d.hash] = true
		}
		s.askForDefinitions(ctx, fresh)
		for _, in := range missingInputs(s.session.Snapshot().Workspace) {
			if key := (inputKey{in.File, in.ID}); !askedInputs[key] {
				askedInputs[key] = true
				s.askForInput(ctx, in)
			}
		}
	}
}

// undecided are the servers and hooks that wait for an approval by this server's questions,
// and the scripts when there are agents that may be offered them.
func (s *Server) undecided() []definition {
	var all []definition
	snap := s.session.Snapshot()
	if c := snap.Client.Codemode; c == nil || !c.Trust {
		for _, v := range s.workspace.Pending() {
			all = append(all, definition{
				name: v.Name, hash: v.ApprovalHash(), question: trustQuestion(v), approve: trustStart,
				// Approve refuses when the definition has changed behind the question.
				decide: func(allow bool) error { return s.workspace.Approve(v.Name, v.ApprovalHash(), allow) },
			})
		}
	}
	for _, h := range snap.Workspace.UndecidedHooks {
		all = append(all, definition{
			name: h.Name(), hash: h.Hash(), question: hookQuestion(h), approve: trustHook,
			decide: func(allow bool) error { return s.workspace.ApproveHook(h.Hash(), allow) },
		})
	}
	if s.forAgents.Load() {
		for _, v := range snap.Workspace.UndecidedScripts {
			all = append(all, definition{
				name: v.Name(), hash: v.Hash(), question: scriptQuestion(v), approve: trustScript,
				decide: func(allow bool) error { return s.workspace.ApproveScript(v.Hash(), allow) },
			})
		}
	}
	return all
}

// askForDefinitions asks one question when there is one definition, and else first
// whether the person wants to look at them at all.
func (s *Server) askForDefinitions(ctx context.Context, all []definition) {
	if len(all) > 1 {
		actions := []protocol.MessageActionItem{{Title: trustReview}, {Title: trustNone}, {Title: trustNotNow}}
		switch s.askPerson(ctx, manyQuestion(all), "codemode-ls trust", actions) {
		case trustReview:
		case trustNone:
			s.refuseAll(ctx)
			return
		default:
			return
		}
	}
	for _, d := range all {
		question, actions := inView(d.question, d.name, d.approve)
		answer := s.askPerson(ctx, question, "codemode-ls trust allow "+plaintext.Exact(configfile.ShownWord(d.name)), actions)
		switch answer {
		case d.approve, trustNever:
			if err := d.decide(answer == d.approve); err != nil {
				s.log.Warn("approval not stored", "name", d.name, "err", err)
				s.showMessage(ctx, protocol.MessageTypeError, fmt.Sprintf("The decision on %s was not stored: %v", plaintext.Exact(d.name), err))
			}
		case trustNone:
			s.refuseAll(ctx)
			return
		}
	}
}

// refuseAll keeps the one answer for the whole workspace.
func (s *Server) refuseAll(ctx context.Context) {
	if err := s.workspace.RefuseAll(); err != nil {
		s.log.Warn("answer for the workspace not stored", "err", err)
		s.showMessage(ctx, protocol.MessageTypeError, fmt.Sprintf("The answer for this workspace was not stored: %v", err))
	}
}

// askPerson shows a question and returns the title that the person chose: one of those
// that were offered, or "" for none. command is what to do in a terminal where the
// editor cannot ask.
func (s *Server) askPerson(ctx context.Context, question, command string, actions []protocol.MessageActionItem) string {
	item, err := s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeWarning, Message: question, Actions: actions,
	})
	if cannotAsk(err) {
		s.showMessage(ctx, protocol.MessageTypeWarning, question+"\nThis editor cannot ask. Decide in a terminal: "+command)
	}
	if err != nil || item == nil || !offers(actions, item.Title) {
		return ""
	}
	return item.Title
}

// manyQuestion names what waits; nothing can be approved by its answers.
func manyQuestion(all []definition) string {
	const most = 10
	var names []string
	for _, d := range all[:min(len(all), most)] {
		names = append(names, plaintext.Exact(configfile.ShownWord(d.name)))
	}
	list := strings.Join(names, ", ")
	if n := len(all) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("This workspace's files name %d programs, servers and scripts to use: %s.\nNone of them is used before you have seen and approved it.", len(all), analysis.Plain(list, 1000))
}

// trustHook is the title that approves a hook; the others are those of servers.
const trustHook = "Allow"

// hookQuestion shows all that a hook of a workspace's file would do (HOOK-1, TRUST-1).
func hookQuestion(h config.Hook) string {
	return fmt.Sprintf("This workspace wants to run a command of its own around tool calls (%s).\nWhen: %s %s\nCommand: %s\nAllow it only if you trust this workspace.",
		plaintext.Exact(h.Origin()), h.Event, plaintext.Exact(h.Matcher), plaintext.Exact(h.Command))
}

// trustScript is the title that approves a script as a tool.
const trustScript = "Offer"

// scriptQuestion shows all of a script that agents would be offered as a tool (GATE-5).
func scriptQuestion(v config.Script) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(v.Text), "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = plaintext.Exact(line)
	}
	return fmt.Sprintf("This workspace wants to offer agents a script as the tool %s (%s).\n%s\nIts calls need permission as those of any script do. Offer it only if you trust this workspace.",
		plaintext.Exact(v.Tool), plaintext.Exact(v.File), strings.Join(lines, "\n"))
}

// trustQuestion shows all that the definition would do, and no value of a
// variable.
func trustQuestion(v config.Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This workspace wants to start the MCP server %s (%s).\n", plaintext.Exact(v.Name), plaintext.Exact(config.Origin(v)))
	if v.Resembles != "" {
		fmt.Fprintf(&b, "Beware: %s. No permission of that one counts for it.\n", plaintext.Exact(v.Resembles))
	}
	for _, line := range configfile.DefinitionLines(v) {
		b.WriteString(line + "\n")
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
	refuse := []protocol.MessageActionItem{{Title: trustNever}, {Title: trustNotNow}, {Title: trustNone}}
	if utf8.RuneCountInString(question) <= maxQuestion && strings.Count(question, "\n") < maxQuestionLines {
		return question, append([]protocol.MessageActionItem{{Title: approve}}, refuse...)
	}
	first, _, _ := strings.Cut(question, "\n")
	word := plaintext.Exact(configfile.ShownWord(name))
	return fmt.Sprintf("%s\nWhat it would do is too long to be shown whole here (%d characters), and so cannot be approved here. In a terminal, see it by: codemode-ls trust show %s; then approve it by: codemode-ls trust allow %s",
		analysis.Plain(first, maxQuestion), utf8.RuneCountInString(question), word, word), refuse
}

func offers(actions []protocol.MessageActionItem, title string) bool {
	return slices.ContainsFunc(actions, func(a protocol.MessageActionItem) bool { return a.Title == title })
}

// noteApprovals wakes what asks for approvals when some are pending.
func (s *Server) noteApprovals(_ context.Context, _, next *workspace.Snapshot) {
	if len(pendingHashes(next)) > 0 || len(next.UndecidedHooks) > 0 || len(next.UndecidedScripts) > 0 || len(missingInputs(next)) > 0 {
		notify(s.approvalsPending)
	}
}
