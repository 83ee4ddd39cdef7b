package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// HooksFile holds a workspace folder's own hooks, relative to the folder. Each of
// them is run only after a person has approved it (TRUST-1).
const HooksFile = ".codemode/hooks.json"

func hooksFile(folder string) string { return filepath.Join(folder, filepath.FromSlash(HooksFile)) }

// Events that hooks are called for (spec 05).
const (
	PreToolUse         = "PreToolUse"         // before a call, beside the question to a person
	PostToolUse        = "PostToolUse"        // after a call that brought a result
	PostToolUseFailure = "PostToolUseFailure" // after one that failed, timed out or was cancelled
)

var hookEvents = []string{PreToolUse, PostToolUse, PostToolUseFailure}

// How long a hook may take (spec 09).
const (
	defaultHookTime = 10 * time.Second
	maxHookTime     = 120 * time.Second
)

// Hook is a command that is run around tool calls.
type Hook struct {
	Event   string
	Matcher string // of full tool names; "" is every tool
	Command string // for the shell
	Timeout time.Duration
	Layer   Layer
	File    string // absolute path of the file it comes from, or ""
	Folder  string // of the Workspace layer: the workspace's folder that it belongs to
	Line    int    // 0-based line of its command in File

	names *regexp.Regexp // nil matches every name
}

// Matches reports whether the hook is for the tool with this full name.
func (h Hook) Matches(tool string) bool { return h.names == nil || h.names.MatchString(tool) }

// Hash identifies all that the hook would do, and where it comes from. As with
// servers, any change asks again.
func (h Hook) Hash() string {
	d := definitionHash{sha256.New()}
	d.text("codemode-ls hook 1")
	for _, field := range []string{h.Event, h.Matcher, h.Command, string(h.Layer), h.File} {
		d.text(field)
	}
	d.number(int(h.Timeout.Milliseconds()))
	return hex.EncodeToString(d.Sum(nil))
}

// Name is how people speak of the hook: hooks have none of their own.
func (h Hook) Name() string { return "hook:" + h.Hash()[:8] }

// Summary is one line for a person who decides on the hook: when it runs, and
// the whole command.
func (h Hook) Summary() string {
	tools := h.Matcher
	if tools == "" {
		tools = "*"
	}
	return fmt.Sprintf("%s %s: %s", h.Event, quoteWord(tools), h.Command)
}

// Origin says where the hook is defined, for display.
func (h Hook) Origin() string {
	if h.File != "" {
		return fmt.Sprintf("%s:%d", h.File, h.Line+1)
	}
	return "the editor's settings"
}

// compileMatcher reads a matcher: alternatives separated by "|", each a regular
// expression for the whole name or, as in rules, a name with "*" for a part of
// it. "" and "*" are every name.
func compileMatcher(matcher string) (*regexp.Regexp, error) {
	if matcher == "" || matcher == "*" {
		return nil, nil
	}
	expression := matcher
	if !strings.ContainsAny(matcher, `()[]{}+?^$\`) {
		alternatives := strings.Split(matcher, "|")
		for i, a := range alternatives {
			if !strings.Contains(a, ".*") {
				alternatives[i] = strings.ReplaceAll(regexp.QuoteMeta(a), `\*`, ".*")
			}
		}
		expression = strings.Join(alternatives, "|")
	}
	return regexp.Compile("(?s)^(?:" + expression + ")$")
}

// noTool is an alternative of a matcher that is a plain name and no MCP tool's, such
// as Exec or another program's Bash; "" when there is none.
func noTool(matcher string) string {
	if strings.ContainsAny(matcher, `()[]{}+?^$\`) {
		return "" // who knows
	}
	for _, name := range strings.Split(matcher, "|") {
		if !strings.ContainsAny(name, "*.") && name != "" && !strings.HasPrefix(name, "mcp__") {
			return name
		}
	}
	return ""
}

// hooks reads the setting "hooks" of a document.
func (l *loader) hooks(d layerDocument, layer Layer) []Hook {
	m := d.find("hooks")
	if d.object != nil {
		l.misspelt(d)
	}
	if m == nil || m.Value.Value.Kind() == 'n' {
		return nil
	}
	r := hookReader{document: d.document, layer: layer}
	if events, ok := m.Value.Value.(*hujson.Object); !ok {
		r.event = PreToolUse // who knows
		r.lost(&m.Value, "wrong-type", fmt.Sprintf("\"hooks\" must be an object of lists by event, not %s", describe(&m.Value)))
	} else {
		for i := range events.Members {
			r.readEvent(&events.Members[i])
		}
	}
	l.config.UnreadHooks = append(l.config.UnreadHooks, r.unread...)
	return r.hooks
}

// misspelt looks for hooks under a name that is nearly "hooks", or an event's with a
// dot; that it is unknown is reported with the other settings.
func (l *loader) misspelt(d layerDocument) {
	for i := range d.object.Members {
		m := &d.object.Members[i]
		name := strings.TrimPrefix(key(m), "codemode.")
		setting, event, dotted := strings.Cut(name, ".")
		if name == "hooks" || distance(strings.ToLower(setting), "hooks") > 1 {
			continue
		}
		message := fmt.Sprintf("unknown setting %q; did you mean \"hooks\"?", name)
		if dotted {
			message = fmt.Sprintf("unknown setting %q; events stand within \"hooks\", as { \"hooks\": { %q: [] } }", name, event)
		}
		l.config.UnreadHooks = append(l.config.UnreadHooks, d.finding(m.Name.StartOffset, m.Name.EndOffset, "error", "unknown-setting", message))
	}
}

// guardFile reads a file that may have hooks. What is said of one that cannot be
// read stands for the guards that may be in it.
func (l *loader) guardFile(path string, required bool, within [][]string) layerDocument {
	before := len(l.config.Findings)
	d := l.read(path, required, &ownDialect, within)
	for _, f := range l.config.Findings[before:] {
		if f.Severity == "error" {
			l.config.UnreadHooks = append(l.config.UnreadHooks, f)
		}
	}
	return d
}

// hookReader collects the hooks of one document. One that cannot be read is
// reported and left out; the others count.
type hookReader struct {
	*document
	layer  Layer
	hooks  []Hook
	event  string    // that is being read
	unread []Finding // of hooks before calls
}

// lost reports a hook that cannot be read, an error. One that is run before calls may
// be a guard.
func (r *hookReader) lost(v *hujson.Value, code, message string) {
	f := r.finding(v.StartOffset, v.EndOffset, "error", code, message)
	r.add(f)
	if r.event == PreToolUse && len(r.unread) < maxFindings {
		r.unread = append(r.unread, f)
	}
}

func (r *hookReader) readEvent(m *hujson.ObjectMember) {
	event := key(m)
	if !slices.Contains(hookEvents, event) {
		message := fmt.Sprintf("there is no event %q; known are %s", event, strings.Join(hookEvents, ", "))
		if r.event = Closest(event, hookEvents); r.event == PreToolUse {
			r.lost(&m.Name, "unknown-event", message)
		} else {
			r.reportValue(&m.Name, "warning", "unknown-event", message)
		}
		return
	}
	r.event = event
	groups, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		r.lost(&m.Value, "wrong-type", fmt.Sprintf("%q must be a list, not %s", event, describe(&m.Value)))
		return
	}
	for i := range groups.Elements {
		r.group(event, &groups.Elements[i])
	}
}

// group reads { "matcher": "…", "hooks": [ … ] }.
func (r *hookReader) group(event string, v *hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.lost(v, "wrong-type", fmt.Sprintf("%q must hold objects with \"matcher\" and \"hooks\", not %s", event, describe(v)))
		return
	}
	h := Hook{Event: event, Layer: r.layer, File: r.file}
	var list *hujson.Array
	for i := range object.Members {
		m := &object.Members[i]
		switch name := key(m); name {
		case "matcher":
			matcher, ok := text(&m.Value)
			if !ok {
				r.lost(&m.Value, "wrong-type", fmt.Sprintf("\"matcher\" must be a string, not %s", describe(&m.Value)))
				return
			}
			names, err := compileMatcher(matcher)
			if err != nil {
				r.lost(&m.Value, "bad-matcher", fmt.Sprintf("\"matcher\" is not a pattern: %v", err))
				return
			}
			h.Matcher, h.names = matcher, names
			if name := noTool(matcher); name != "" {
				r.reportValue(&m.Value, "warning", "bad-matcher", fmt.Sprintf("no tool has a name like %q: hooks run around calls of MCP tools, whose names are mcp__server__tool; for Exec itself there are permission rules", name))
			}
		case "hooks":
			if list, ok = m.Value.Value.(*hujson.Array); !ok {
				r.lost(&m.Value, "wrong-type", fmt.Sprintf("\"hooks\" must be a list, not %s", describe(&m.Value)))
				return
			}
		default:
			r.reportValue(&m.Name, "warning", "unknown-field", fmt.Sprintf("unknown field %q; known are matcher, hooks", name))
		}
	}
	if list == nil {
		r.lost(v, "wrong-type", "\"hooks\", the list of commands, is missing")
		return
	}
	for i := range list.Elements {
		r.command(h, &list.Elements[i])
	}
}

// command reads { "type": "command", "command": "…", "timeout": seconds }.
func (r *hookReader) command(h Hook, v *hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.lost(v, "wrong-type", fmt.Sprintf("a hook must be an object with \"command\", not %s", describe(v)))
		return
	}
	h.Timeout = defaultHookTime
	h.Line, _ = r.position(v.StartOffset)
	for i := range object.Members {
		m := &object.Members[i]
		switch name := key(m); name {
		case "type":
			if kind, _ := text(&m.Value); kind != "command" {
				r.lost(&m.Value, "wrong-type", "\"type\" of a hook must be \"command\"")
				return
			}
		case "command":
			if h.Command, ok = text(&m.Value); !ok {
				r.lost(&m.Value, "wrong-type", fmt.Sprintf("\"command\" must be a string, not %s", describe(&m.Value)))
				return
			}
			h.Line, _ = r.position(m.Name.StartOffset)
		case "timeout":
			seconds := Setting{Name: "timeout", Minimum: 1, Ceiling: int(maxHookTime / time.Second)}
			if n, ok := r.integer(seconds, &m.Value); ok {
				h.Timeout = time.Duration(n) * time.Second
			}
		default:
			r.reportValue(&m.Name, "warning", "unknown-field", fmt.Sprintf("unknown field %q; known are type, command, timeout", name))
		}
	}
	if strings.TrimSpace(h.Command) == "" || strings.ContainsRune(h.Command, 0) {
		r.lost(v, "no-command", "a hook needs a \"command\"")
		return
	}
	r.hooks = append(r.hooks, h)
}

// allHooks are the hooks of every layer, in the order in which they are run: the
// user's, the editor's, the workspace's. They add up; none replaces another.
func (l *loader) allHooks(user, editor, editorWorkspace layerDocument) []Hook {
	hooks := l.hooks(user, User)
	// In a merged section the workspace's part has no say (the setting is a trusted
	// one); the user's own hooks beside it stay in force.
	var ignored []Hook
	if editorWorkspace.find("hooks") != nil {
		quiet := loader{config: new(Config)}
		silenced := *editorWorkspace.document
		silenced.findings = &quiet.config.Findings
		editorWorkspace.document = &silenced
		ignored = quiet.hooks(editorWorkspace, Editor)
	}
	for _, h := range l.hooks(editor, Editor) {
		if !slices.ContainsFunc(ignored, func(w Hook) bool { return w.Hash() == h.Hash() }) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// workspaceHooks reads .codemode/hooks.json, which has hooks and nothing else.
func (l *loader) workspaceHooks(d layerDocument) []Hook {
	if d.object == nil {
		return nil
	}
	for i := range d.object.Members {
		m := &d.object.Members[i]
		switch name := key(m); name {
		case "hooks", "$schema":
		default:
			d.reportValue(&m.Name, "warning", "unknown-field", fmt.Sprintf("unknown field %q; this file has \"hooks\" alone", name))
		}
	}
	return l.hooks(d, Workspace)
}
