package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// find is the member of a setting; nested objects and dotted names are the
// same: {"exec": {"timeoutMs": 1}} and {"exec.timeoutMs": 1}.
func (d layerDocument) find(name string) *hujson.ObjectMember {
	if d.object == nil {
		return nil
	}
	var found *hujson.ObjectMember
	walkSettings(d.object, "", func(path string, m *hujson.ObjectMember) bool {
		if path == name && found == nil {
			found = m
		}
		return path != name && strings.HasPrefix(name, path+".")
	})
	return found
}

// walkSettings calls visit for every member with its dotted path, and goes into
// an object when visit says so.
func walkSettings(object *hujson.Object, prefix string, visit func(path string, m *hujson.ObjectMember) bool) {
	for i := range object.Members {
		m := &object.Members[i]
		path := prefix + strings.TrimPrefix(key(m), "codemode.")
		if visit(path, m) {
			if inner, ok := m.Value.Value.(*hujson.Object); ok {
				walkSettings(inner, path+".", visit)
			}
		}
	}
}

// without drops the settings that the other document has: in the section that
// an editor merged, those may be the workspace's. Servers stay.
func (d layerDocument) without(other layerDocument) layerDocument {
	d.hidden = func(name string) bool { return name != "mcpServers" && other.find(name) != nil }
	return d
}

// settings applies every setting that d has, but for the servers.
func (l *loader) settings(d layerDocument, trusted bool) {
	if d.object == nil {
		return
	}
	for _, s := range Settings() {
		m := d.find(s.Name)
		if m == nil || (d.hidden != nil && d.hidden(s.Name)) {
			continue
		}
		if s.Trusted && !trusted {
			d.reportValue(&m.Name, "warning", "untrusted-setting", fmt.Sprintf("%q is ignored here: a workspace's file may have set it; %s", s.Name, l.ownPlace()))
			continue
		}
		l.apply(d.document, s, &m.Value)
	}
	if d.file != "" {
		reportUnknown(d)
	}
}

// ownPlace says where the user can write what is not taken from a workspace.
func (l *loader) ownPlace() string {
	if file := l.sources.userFile(); file != "" {
		return "write it in " + file
	}
	return "write it in your own configuration file"
}

// remote applies what the editor's section has under "$remote": exec.enabled as
// a service or an administrator sets it, over everything else (DECL-7).
func (l *loader) remote(editor layerDocument) {
	m := editor.find("$remote")
	if m == nil {
		return
	}
	object, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return
	}
	section := layerDocument{document: editor.document, object: object}
	for _, s := range Settings() {
		if set := section.find(s.Name); set != nil && s.Name == "exec.enabled" {
			l.apply(editor.document, s, &set.Value)
		}
	}
}

func (l *loader) apply(d *document, s Setting, v *hujson.Value) {
	if v.Value.Kind() == 'n' {
		return // editors send null for "not set"
	}
	c := l.config
	switch s.Name {
	case "mcpServers", "hooks": // read by themselves
	case "demo":
		if b, ok := d.boolean(s, v); ok {
			c.Demo = b
		}
	case "exclude":
		for _, pattern := range d.stringList(s, v) {
			if !slices.Contains(c.Exclude, pattern) {
				c.Exclude = append(c.Exclude, pattern)
			}
		}
	case "import":
		c.Import = []string{}
		for _, name := range d.stringList(s, v) {
			if !slices.Contains(s.Values, name) {
				d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q: there is no client %q; known are %s", s.Name, name, strings.Join(s.Values, ", ")))
				continue
			}
			c.Import = append(c.Import, name)
		}
	case "log.level":
		if value, ok := d.oneOf(s, v); ok {
			c.LogLevel = value
		}
	case "trust.workspace":
		if value, ok := d.oneOf(s, v); ok {
			c.TrustWorkspace = value == "always"
		}
	case "exposure":
		for name, value := range d.words(s, v, "code", "direct", "hidden") {
			if c.Exposure == nil {
				c.Exposure = map[string]string{}
			}
			c.Exposure[name] = value
		}
	case "mcp.toolTimeoutMs":
		for name, n := range d.numbers(s, v) {
			if c.ToolTimeouts == nil {
				c.ToolTimeouts = map[string]time.Duration{}
			}
			c.ToolTimeouts[name] = time.Duration(n) * time.Millisecond
		}
	case "exec.enabled":
		if b, ok := d.boolean(s, v); ok {
			c.ExecEnabled = b
		}
	case "exec.concurrency":
		if values := d.words(s, v, "together", "annotations"); values != nil {
			c.Together = named(values, "together")
		}
	case "exec.files":
		if b, ok := d.boolean(s, v); ok {
			c.Files = b
		}
	case "exec.globals":
		if value, ok := d.oneOf(s, v); ok {
			c.ExtendedGlobals = value == "extended"
		}
	case "inlayHints.parameterNames":
		if value, ok := d.oneOf(s, v); ok {
			c.InlayHints.ParameterNames = value
		}
	case "inlayHints.variableTypes", "inlayHints.parameterTypes", "inlayHints.returnTypes", "inlayHints.enumValues":
		if b, ok := d.boolean(s, v); ok {
			*c.InlayHints.flag(s.Name) = b
		}
	case "codeLens.run", "codeLens.lastRun", "codeLens.tools", "inlayHints.annotations", "inlayHints.permissions", "inlayHints.results":
		if b, ok := d.boolean(s, v); ok {
			*c.Marks.flag(s.Name) = b
		}
	case "agents.join":
		if b, ok := d.boolean(s, v); ok {
			c.JoinAgents = b
		}
	case "results.seen":
		if b, ok := d.boolean(s, v); ok {
			c.SeenResults = b
		}
	case "mcp.inherit":
		c.Inherit = append(c.Inherit, d.stringList(s, v)...)
	case "mcp.roots":
		if values := d.words(s, v, "none", "workspace"); values != nil {
			c.WithoutRoots = named(values, "none")
		}
	case "results.exclude":
		c.NotSeen = append(c.NotSeen, d.stringList(s, v)...)
	case "catalog.seenResults":
		if b, ok := d.boolean(s, v); ok {
			c.ShowResults = b
		}
	case "permissions.readOnly":
		if values := d.words(s, v, "allow", "ask"); values != nil {
			c.ReadOnlyAllow = named(values, "allow")
		}
	case "permissions.toolChanges":
		if values := d.words(s, v, "allow", "ask"); values != nil {
			c.ToolChangesAllow = named(values, "allow")
		}
	default:
		if n, ok := d.integer(s, v); ok {
			s.set(c, n)
		}
	}
}

// flag is where a boolean setting goes.
func (m *MarkSettings) flag(name string) *bool {
	switch name {
	case "codeLens.run":
		return &m.Run
	case "codeLens.lastRun":
		return &m.LastRun
	case "codeLens.tools":
		return &m.Tools
	case "inlayHints.annotations":
		return &m.Annotations
	case "inlayHints.permissions":
		return &m.Permissions
	default:
		return &m.Results
	}
}

// flag is where a boolean setting goes.
func (h *InlayHintSettings) flag(name string) *bool {
	switch name {
	case "inlayHints.variableTypes":
		return &h.VariableTypes
	case "inlayHints.parameterTypes":
		return &h.ParameterTypes
	case "inlayHints.returnTypes":
		return &h.ReturnTypes
	default:
		return &h.EnumValues
	}
}

// integer reads a number and clamps it to the setting's bounds.
func (d *document) integer(s Setting, v *hujson.Value) (int, bool) {
	lit, ok := v.Value.(hujson.Literal)
	var f float64
	if ok && lit.Kind() == '0' {
		var err error
		f, err = strconv.ParseFloat(string(lit), 64)
		ok = err == nil || math.IsInf(f, 0)
	} else {
		ok = false
	}
	if !ok || f != math.Trunc(f) {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be a whole number, not %s", s.Name, describe(v)))
		return 0, false
	}
	clamped := min(max(f, float64(s.Minimum)), float64(s.Ceiling))
	if clamped != f {
		d.reportValue(v, "warning", "out-of-range", fmt.Sprintf("%q must be between %d and %d; %d is used", s.Name, s.Minimum, s.Ceiling, int(clamped)))
	}
	return int(clamped), true
}

// numbers reads an object whose values are numbers within the setting's bounds.
func (d *document) numbers(s Setting, v *hujson.Value) map[string]int {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be an object such as { \"name\": 1000 }, not %s", s.Name, describe(v)))
		return nil
	}
	values := map[string]int{}
	for i := range object.Members {
		m := &object.Members[i]
		one := s
		one.Name += "." + key(m)
		if n, ok := d.integer(one, &m.Value); ok {
			values[key(m)] = n
		}
	}
	return values
}

func (d *document) boolean(s Setting, v *hujson.Value) (value, ok bool) {
	switch v.Value.Kind() {
	case 't':
		return true, true
	case 'f':
		return false, true
	}
	d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be true or false, not %s", s.Name, describe(v)))
	return false, false
}

func (d *document) oneOf(s Setting, v *hujson.Value) (string, bool) {
	value, ok := text(v)
	if !ok || !slices.Contains(s.Values, value) {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be one of %s", s.Name, strings.Join(s.Values, ", ")))
		return "", false
	}
	return value, true
}

func (d *document) stringList(s Setting, v *hujson.Value) []string {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be an array of strings, not %s", s.Name, describe(v)))
		return nil
	}
	var list []string
	for i := range array.Elements {
		if value, ok := text(&array.Elements[i]); ok {
			list = append(list, value)
			continue
		}
		d.reportValue(&array.Elements[i], "error", "wrong-type", fmt.Sprintf("%q must hold strings, not %s", s.Name, describe(&array.Elements[i])))
	}
	return list
}

// words reads an object whose values are words of a list; nil when it is none.
func (d *document) words(s Setting, v *hujson.Value, allowed ...string) map[string]string {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be an object such as { \"name\": %q }, not %s", s.Name, allowed[0], describe(v)))
		return nil
	}
	values := map[string]string{}
	for i := range object.Members {
		m := &object.Members[i]
		value, _ := text(&m.Value)
		if !slices.Contains(allowed, value) {
			d.reportValue(&m.Value, "error", "wrong-type", fmt.Sprintf("%q must say one of %s for %q", s.Name, strings.Join(allowed, ", "), key(m)))
			continue
		}
		values[key(m)] = value
	}
	return values
}

// named are the names that have a value, sorted.
func named(values map[string]string, value string) []string {
	names := []string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == value {
			names = append(names, name)
		}
	}
	return names
}

// reportUnknown warns of settings that do not exist. Only files are checked: an
// editor's section also holds what its extension alone understands.
func reportUnknown(d layerDocument) {
	known := map[string]bool{"$schema": true}
	groups := map[string]bool{}
	for _, s := range Settings() {
		known[s.Name] = true
		if group, _, ok := strings.Cut(s.Name, "."); ok {
			groups[group] = true
		}
	}
	walkSettings(d.object, "", func(path string, m *hujson.ObjectMember) bool {
		if known[path] {
			return false
		}
		_, isObject := m.Value.Value.(*hujson.Object)
		if groups[path] && isObject {
			return true
		}
		f := d.finding(m.Name.StartOffset, m.Name.EndOffset, "warning", "unknown-setting", fmt.Sprintf("unknown setting %q", path))
		f.Name, f.Closest = path, Closest(path, slices.Sorted(maps.Keys(known)))
		d.add(f)
		return false
	})
}
