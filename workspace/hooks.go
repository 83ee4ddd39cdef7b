package workspace

import (
	"fmt"
	"slices"

	"codemode-ls/config"
)

// hooks are those that may run now: the user's own, and those of the workspace
// that a person has approved (TRUST-1).
func (w *Workspace) hooks() []config.Hook {
	c := w.settings()
	if len(c.Hooks) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Hooks), func(h config.Hook) bool {
		return !c.TrustWorkspace && w.hookVerdict(h) != config.Approved
	})
}

// undecidedHooks are hooks of the workspace that nobody has decided on.
func (w *Workspace) undecidedHooks(c *config.Config) []config.Hook {
	var undecided []config.Hook
	for _, h := range c.Hooks {
		if !c.TrustWorkspace && w.hookVerdict(h) == config.Undecided {
			undecided = append(undecided, h)
		}
	}
	return undecided
}

func (w *Workspace) hookVerdict(h config.Hook) config.Verdict {
	switch {
	case h.Layer != config.Workspace:
		return config.Approved
	case w.trust == nil:
		return config.Undecided
	}
	return w.trust.HookVerdict(h)
}

// ApproveHook stores a person's decision on the hook with that hash; an error
// when it has changed meanwhile.
func (w *Workspace) ApproveHook(hash string, approve bool) error {
	hooks := w.settings().Hooks
	i := slices.IndexFunc(hooks, func(h config.Hook) bool { return h.Hash() == hash })
	switch {
	case i < 0:
		return fmt.Errorf("the hook has changed since it was shown; look at it again")
	case hooks[i].Layer != config.Workspace:
		return fmt.Errorf("%s does not come from the workspace's files and needs no approval", hooks[i].Name())
	case w.trust == nil:
		return fmt.Errorf("the decision on %s cannot be kept: there is no configuration directory", hooks[i].Name())
	}
	if err := w.trust.DecideHook(hooks[i], approve); err != nil {
		return err
	}
	w.changed()
	return nil
}
