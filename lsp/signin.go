package lsp

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"codemode-ls/analysis"
	"codemode-ls/internal/plaintext"
	"codemode-ls/upstream"
	"codemode-ls/upstream/oauth"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Titles of the question whether to sign in.
const (
	signInNow   = "Sign in"
	signInLater = "Not now"
)

// askForSignIns asks, once for each demand, whether a person wants to sign in to a server
// that demands it (MCP-4). Clients that show servers by themselves show it there, too.
func (s *Server) askForSignIns(ctx context.Context) {
	asked := map[string]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.signInsPending:
		}
		for _, v := range s.session.Snapshot().Workspace.Servers {
			demand := fmt.Sprint(v.Server.Hash(), v.Scopes)
			if !v.SignIn || asked[demand] {
				continue
			}
			asked[demand] = true
			s.spawn(func(ctx context.Context) {
				command := "codemode-ls auth login " + plaintext.Exact(v.Server.Name)
				if s.askPerson(ctx, signInQuestion(v), command, []protocol.MessageActionItem{{Title: signInNow}, {Title: signInLater}}) == signInNow {
					s.signInShown(ctx, v.Server.Name, nil)
				}
			})
		}
	}
}

// signInQuestion names the server and where it is, which a person must know.
func signInQuestion(v upstream.Status) string {
	where := v.Server.Name
	if u, err := url.Parse(v.Server.URL); err == nil {
		where = u.Host
	}
	question := fmt.Sprintf("The MCP server %s (%s) demands that you sign in.", plaintext.Exact(v.Server.Name), plaintext.Exact(where))
	if len(v.Scopes) > 0 {
		question = fmt.Sprintf("The MCP server %s (%s) demands more rights than you have granted: %s.", plaintext.Exact(v.Server.Name), plaintext.Exact(where), analysis.Plain(fmt.Sprint(v.Scopes), 200))
	}
	return question
}

// signInShown signs in and says how that ended.
func (s *Server) signInShown(ctx context.Context, name string, scopes []string) {
	switch err := s.signIn(ctx, name, scopes); {
	case ctx.Err() != nil:
	case err != nil:
		s.showMessage(ctx, protocol.MessageTypeError, analysis.Plain(err.Error(), 500))
	default:
		s.showMessage(ctx, protocol.MessageTypeInfo, fmt.Sprintf("Signed in to %s.", analysis.Plain(name, 80)))
	}
}

// signIn has the client open a browser, and waits for the person to come back.
func (s *Server) signIn(ctx context.Context, name string, scopes []string) error {
	w, err := s.opened(ctx)
	if err != nil {
		return err
	}
	return w.SignIn(ctx, name, scopes, oauth.Browser{Show: func(ctx context.Context, address, host string) error {
		if s.session.Snapshot().Client.ShowDocument {
			external := true
			shown, err := s.client.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: uri.URI(address), External: &external})
			if err == nil && shown != nil && shown.Success {
				return nil
			}
			s.log.Debug("browser not opened", "server", name, "err", err)
		}
		s.showMessage(ctx, protocol.MessageTypeInfo, fmt.Sprintf("To sign in to %s, open this address of %s in a browser on this machine: %s\nOver SSH, use codemode-ls auth login in a terminal.", analysis.Plain(name, 80), analysis.Plain(host, 200), analysis.Plain(address, 4000)))
		return nil
	}})
}

// authenticate answers codemode/authenticate.
func (s *Server) authenticate(ctx context.Context, snap *Snapshot, p *AuthenticateParams) (*Done, error) {
	if p.Name == "" {
		return nil, badParams("name is missing")
	}
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	if _, ok := statusNamed(snap.Workspace, p.Name); !ok {
		return nil, failure(CodeUnknownServer, "no server %q is configured", p.Name)
	}
	if err := s.signIn(ctx, p.Name, p.Scopes); err != nil {
		return nil, failure(CodeSignIn, "%v", err)
	}
	return &Done{}, nil
}

func statusNamed(w *workspace.Snapshot, name string) (upstream.Status, bool) {
	for _, v := range w.Servers {
		if v.Server.Name == name {
			return v, true
		}
	}
	return upstream.Status{}, false
}

// commandAuthenticate signs in to a server, or says why there is nothing to sign in to.
func (s *Server) commandAuthenticate(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	name, v, err := s.chosenServer(ctx, snap, p, "Which server do you want to sign in to?")
	if err != nil || name == "" {
		return &Done{}, err
	}
	where := ""
	if v.Server.File != "" {
		where = " in " + analysis.Plain(v.Server.File, 300)
	}
	if v.Server.URL == "" {
		s.showMessage(ctx, protocol.MessageTypeInfo, fmt.Sprintf("Server %s is a program on this machine, which has no sign-in: give it what it needs by env%s.", analysis.Plain(name, 80), where))
		return &Done{}, nil
	}
	s.signInShown(ctx, name, nil)
	return &Done{}, nil
}

// commandSignOut signs out of a server.
func (s *Server) commandSignOut(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	name, _, err := s.chosenServer(ctx, snap, p, "Which server do you want to sign out of?")
	if err != nil || name == "" {
		return &Done{}, err
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	was, err := w.SignOut(ctx, name)
	if err != nil {
		return nil, failure(CodeSignIn, "%v", err)
	}
	message := "Signed out of %s."
	if !was {
		message = "Nobody was signed in to %s."
	}
	s.showMessage(ctx, protocol.MessageTypeInfo, fmt.Sprintf(message, analysis.Plain(name, 80)))
	return &Done{}, nil
}

// chosenServer is the server that a command names, or that a person chooses; "" for
// none.
func (s *Server) chosenServer(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams, question string) (string, upstream.Status, error) {
	name, err := s.serverArgument(ctx, snap, p, question)
	if err != nil || name == "" {
		return "", upstream.Status{}, err
	}
	if snap, err = s.withPool(ctx, snap); err != nil {
		return "", upstream.Status{}, err
	}
	v, ok := statusNamed(snap.Workspace, name)
	if !ok {
		return "", v, failure(CodeUnknownServer, "no server %q is configured", name)
	}
	return name, v, nil
}

// noteSignIns wakes what asks for sign-ins when a server requires one.
func (s *Server) noteSignIns(_ context.Context, _, next *workspace.Snapshot) {
	if slices.ContainsFunc(next.Servers, func(v upstream.Status) bool { return v.SignIn }) {
		notify(s.signInsPending)
	}
}
