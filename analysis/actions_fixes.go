package analysis

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"codemode-ls/script"
	"codemode-ls/typegen"

	"go.lsp.dev/protocol"
)

// fixes are the changes that fix a finding, best first.
func (m *fixer) fixes(f finding) []fix {
	switch f.Code {
	case DiagnosticUnknownTool:
		return m.closestTools(f)
	case DiagnosticDeniedTool:
		if r := m.Pool.Rules.Decide(f.data.Tool).Rule; r != nil {
			return []fix{removeRule("Remove the rule that denies it: "+r.Match+" ("+string(r.Layer)+")", r)}
		}
	case DiagnosticUnawaitedCall:
		return m.await(f)
	case DiagnosticArgumentForm:
		return m.objectArgument(f)
	case DiagnosticNotAvailable:
		return m.instead(f)
	case DiagnosticNoModules:
		return m.withoutModule(f)
	case DiagnosticUncalled:
		// Offsets are those of the text as Prepare left it, which is as long unless a removed fence was not ASCII.
		if u := f.uncalled; u.Insert != "" && len(m.source.Prepared().Text) == len(m.text) {
			title := "Insert " + strings.TrimSpace(u.Insert)
			return []fix{{title: title, edits: []edit{{u.At, u.At, u.Insert}}, preferred: true}}
		}
	case DiagnosticDeprecatedTool:
		return m.successor(f)
	case DiagnosticSequentialAwaits:
		if c, ok := m.together(f); ok {
			return []fix{c}
		}
	case script.CodeOptionsMisplaced:
		return m.moveOptions(f)
	case script.CodeOptionsField, script.CodeOptionsType, script.CodeOptionsInvalid:
		return m.fixOptions(f)
	}
	return nil
}

// closestTools write one of the names that may have been meant.
func (m *fixer) closestTools(f finding) []fix {
	var all []fix
	if f.named > 0 {
		name := f.data.Closest[0]
		end := m.offset(f.at.End)
		if u, ok := m.useAt(f.at); !ok || u.Quoted {
			return nil
		}
		return []fix{{title: "Call " + name, edits: []edit{m.renamedAt(f, name), {end, f.named, "("}}, preferred: true}}
	}
	for i, name := range f.data.Closest {
		all = append(all, fix{title: "Change to " + name, edits: []edit{m.renamedAt(f, name)}, preferred: i == 0})
	}
	return all
}

// renamedAt writes another tool's name where one stands that there is not.
func (m *fixer) renamedAt(f finding, name string) edit {
	if u, ok := m.useAt(f.at); ok {
		if f.until > 0 { // tools.server.tool
			start := m.offset(f.at.Start)
			if u.Quoted {
				quote := m.text[start-1]
				return edit{start, f.until, quoted(name, quote) + string(quote) + "]"}
			}
			u.NameRange.End = utf16Range(m.at.Range(start, f.until)).End
		}
		return m.renamed(u, name)
	}
	// Only TypeScript knows that it is of tools, or what it is.
	before := strings.TrimRight(m.text[:m.offset(f.at.Start)], " \t\r\n")
	u := script.Use{Name: f.data.Tool, NameRange: f.at}
	switch {
	case strings.HasSuffix(before, "["): // the name is in a variable
		return m.replaced(f.at, strconv.Quote(name))
	case !strings.HasSuffix(before, "."): // taken out by a pattern
		u.Whole = f.at
	}
	return m.renamed(u, name)
}

// renamed writes another tool's name into a use: a dot becomes brackets where the
// name is no identifier, and the other way round nothing is changed.
func (m *fixer) renamed(u script.Use, name string) edit {
	start, end := m.offset(u.NameRange.Start), m.offset(u.NameRange.End)
	if u.Whole == u.NameRange && !u.Called { // taken out of tools by a pattern
		text := propertyKey(name)
		if u.Quoted {
			start, end = start-1, end+1
		}
		if rest := strings.TrimLeft(m.text[end:], " \t"); !strings.HasPrefix(rest, ":") && !u.Quoted {
			text += ": " + m.text[start:end] // the script goes on to call it so
		}
		return edit{start, end, text}
	}
	if u.Quoted {
		return edit{start, end, quoted(name, m.text[start-1])}
	}
	form := typegen.CallForm(name)
	if strings.HasPrefix(form, "tools.") {
		return edit{start, end, name}
	}
	// tools . name, tools?.name
	dot := len(strings.TrimRight(m.text[:start], " \t\r\n"))
	from := dot - 1
	if strings.HasSuffix(m.text[:dot], "?.") {
		return edit{dot, end, strings.TrimPrefix(form, "tools")}
	}
	return edit{from, end, strings.TrimPrefix(form, "tools")}
}

// await has a promise awaited, or dropped on purpose.
func (m *fixer) await(f finding) []fix {
	p := f.promise
	if p == nil {
		return nil
	}
	start, end := m.at.OffsetUTF16(utf16Range(p.Range).Start), m.at.OffsetUTF16(utf16Range(p.Range).End)
	key := ""
	if p.Name != "" {
		key = p.Name + ": "
	}
	var all []fix
	list, _, forEach := strings.Cut(m.text[start:end], ".forEach(")
	switch {
	case !p.Async || p.Condition: // the values have to be there before
	case forEach && p.Callback != "":
		if !m.isCollection(list) {
			at := start + len(list)
			all = append(all, fix{title: "Wait for all with Promise.all and map", preferred: true, edits: []edit{
				{start, start, "await Promise.all("}, {at, at + len(".forEach("), ".map("}, {end, end, ")"},
			}})
		}
	case p.List:
		wait := key + "await Promise.all("
		if strings.HasSuffix(strings.TrimRight(m.text[:start], " \t\r\n"), "await") {
			wait = "Promise.all(" // an await of the list, which waits for nothing
		}
		all = append(all, fix{title: "Wait for all with Promise.all", preferred: true, edits: []edit{{start, start, wait}, {end, end, ")"}}})
	case p.Compound:
		all = append(all, fix{title: "Add await", preferred: true, safe: true, edits: []edit{{start, start, "await ("}, {end, end, ")"}}})
	default:
		all = append(all, fix{title: "Add await", preferred: true, safe: true, edits: []edit{{start, start, key + "await "}}})
	}
	if strings.HasPrefix(strings.TrimLeft(m.text[end:], " \t\r\n?"), ".") {
		for i := range all { // its member is used
			edits := all[i].edits
			edits[0].text = "(" + edits[0].text
			if len(edits) == 1 {
				edits = append(edits, edit{end, end, ""})
			}
			edits[len(edits)-1].text += ")"
			all[i].edits = edits
		}
	}
	before := strings.TrimRight(m.text[:start], " \t\r\n")
	taken := slices.ContainsFunc([]string{"return", "await", ":", "[", ",", "=", "(", "${"}, func(end string) bool { return strings.HasSuffix(before, end) })
	if p.Callback != "" || p.Used || taken {
		return all
	}
	return append(all, fix{title: "Mark as intentionally not awaited (void)", edits: []edit{{start, start, "void "}}})
}

// isCollection reports whether an expression is a Map or a Set, which have no map.
func (m *fixer) isCollection(text string) bool {
	if collection.MatchString(text) {
		return true
	}
	made := regexp.MustCompile(`(?:^|[^\w$.])` + regexp.QuoteMeta(text) + `\s*(?::[^=;]*)?=\s*new\s+(?:Map|Set)\b`)
	return namePattern.MatchString(text) && made.MatchString(m.text)
}

var (
	collection  = regexp.MustCompile(`^new\s+(?:Map|Set)\b`)
	namePattern = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
)

// objectArgument turns what stands between the parentheses into one object.
func (m *fixer) objectArgument(f finding) []fix {
	for _, u := range m.uses {
		if !u.Called || u.ArgumentCount == 0 || !touches(u.Arguments, f.at) || !covers(u.Arguments, f.at) {
			continue
		}
		texts := make([]string, u.ArgumentCount)
		for i, r := range u.ArgumentRanges {
			texts[i] = m.slice(r)
		}
		whole := script.Range{Start: u.ArgumentRanges[0].Start, End: u.ArgumentRanges[u.ArgumentCount-1].End}
		var all []fix
		if text, ok := m.asObject(u, texts); ok {
			all = append(all, fix{title: "Pass " + Plain(text, 60), edits: []edit{m.replaced(whole, text)}, preferred: true})
		}
		if u.ArgumentCount > 1 && (u.FirstArgument == "object" || u.FirstArgument == "") {
			all = append(all, fix{title: "Remove all but the first argument", edits: []edit{m.replaced(script.Range{
				Start: u.ArgumentRanges[0].End, End: whole.End,
			}, "")}})
		}
		return all
	}
	return nil
}

var stringified = regexp.MustCompile(`^JSON\.stringify\(\s*(\{[\s\S]*\})\s*\)$`)

// asObject writes positional arguments as the fields that they are meant for, in
// the order of the schema: those that must be there first.
func (m *fixer) asObject(u script.Use, texts []string) (string, bool) {
	if len(texts) == 1 {
		if inner := stringified.FindStringSubmatch(texts[0]); inner != nil {
			return inner[1], true
		}
	}
	if len(texts) == 2 && strings.HasPrefix(texts[0], "{") && strings.HasPrefix(texts[1], "{") {
		first := strings.TrimRight(strings.TrimSuffix(texts[0], "}"), " \t\r\n,")
		second := strings.TrimLeft(strings.TrimPrefix(texts[1], "{"), " \t")
		if !m.knowsFields(u, texts[1]) {
			return "", false // options of another function, not fields
		}
		if strings.TrimSpace(first) == "{" {
			return texts[1], true
		}
		return first + ", " + second, true
	}
	if u.FirstArgument == "object" || strings.HasPrefix(texts[0], "...") {
		return "", false
	}
	schema, ok := m.inputOf(u)
	if !ok {
		return "", false
	}
	required, properties := schema.fields()
	if len(texts) == 1 && (u.FirstArgument == "null" || u.FirstArgument == "function" || len(properties) == 0) {
		return "{}", len(required) == 0
	}
	names := slices.Clone(required)
	for _, name := range propertyOrder(schema) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(texts) > len(names) {
		return "", false
	}
	parts := make([]string, len(texts))
	for i, text := range texts {
		key := propertyKey(names[i])
		if key == text {
			parts[i] = key
		} else {
			parts[i] = key + ": " + text
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }", true
}

var literalKey = regexp.MustCompile(`[{,]\s*(?:"([^"]*)"|'([^']*)'|([\w$]+))\s*[:,}]`)

// knowsFields says that a tool may have all the fields of an object literal.
func (m *fixer) knowsFields(u script.Use, literal string) bool {
	schema, ok := m.inputOf(u)
	if !ok {
		return false
	}
	_, properties := schema.fields()
	keys := literalKey.FindAllStringSubmatch(literal, -1)
	for _, k := range keys {
		if _, known := properties[k[1]+k[2]+k[3]]; !known {
			return false
		}
	}
	return len(keys) > 0
}

// inputOf is the schema of a call's argument.
func (m *fixer) inputOf(u script.Use) (schemaNode, bool) {
	if u.Name == script.ReservedNamespace {
		if c, ok := member(u.Member); ok {
			return schemaNode{c.Input, c.Input}, true
		}
		return schemaNode{}, false
	}
	t, ok := m.Pool.Catalog.Find(u.Name)
	if !ok {
		return schemaNode{}, false
	}
	return schemaNode{t.InputSchema, t.InputSchema}, true
}

// replacements are what can be written for a name that is missing in the sandbox, by a
// pattern of what stands there.
var replacements = []struct {
	pattern *regexp.Regexp // begins with the name
	with    string         // as for Regexp.Expand
	title   string
}{
	{regexp.MustCompile(`^performance\.now\(\)`), "Date.now()", "Use Date.now()"},
	{regexp.MustCompile(`^global\b`), "globalThis", "Use globalThis"},
	{regexp.MustCompile(`^(?:alert|window\.alert)\(`), "console.log(", "Write to console instead"},
	{regexp.MustCompile(`^localStorage\.setItem\(\s*([^,()]+),\s*([^()]+)\)|^sessionStorage\.setItem\(\s*([^,()]+),\s*([^()]+)\)`), `await tools["$$codemode"].store({ key: $1$3, value: $2$4 })`, "Store it for the session"},
	{regexp.MustCompile(`^(?:localStorage|sessionStorage)\.getItem\(\s*([^,()]+)\)`), `await tools["$$codemode"].load({ key: $1 })`, "Load it from the session's store"},
	{regexp.MustCompile(`^Buffer\.from\(\s*([^(),]+?)\s*\)\.toString\(\s*["']base64["']\s*\)`), "btoa($1)", "Use btoa()"},
	{regexp.MustCompile(`^Buffer\.from\(\s*([^(),]+?)\s*,\s*["']base64["']\s*\)\.toString\([^()]*\)`), "atob($1)", "Use atob()"},
	{regexp.MustCompile(`^module\.exports\s*=`), "export default", "Use export default"},
	{regexp.MustCompile(`^process\.exit\([^()]*\)`), "return", "Use return"},
	{regexp.MustCompile(`^setImmediate\(`), "queueMicrotask(", "Use queueMicrotask()"},
}

var pause = regexp.MustCompile(`await\s+new\s+Promise\(\s*(?:\(\s*)?(\w+)(?:\s*\))?\s*=>\s*(?:\{\s*)?setTimeout\(\s*(?:\w+|\(\)\s*=>\s*\w+\(\))\s*(?:,[^()]*)?\)\s*;?\s*(?:\}\s*)?\)\s*;?[ \t]*`)

// instead writes what the sandbox has in its place, where there is something.
func (m *fixer) instead(f finding) []fix {
	start := m.offset(f.at.Start)
	rest := m.text[start:]
	var all []fix
	for _, r := range replacements {
		if found := r.pattern.FindStringSubmatchIndex(rest); found != nil {
			text := string(r.pattern.ExpandString(nil, r.with, rest, found))
			all = append(all, fix{title: r.title, edits: []edit{{start, start + found[1], text}}, preferred: true})
		}
	}
	if f.data.Name == "setTimeout" {
		for _, found := range pause.FindAllStringIndex(m.text, -1) {
			if found[0] <= start && start < found[1] {
				from, to := m.wholeLines(found[0], found[1])
				all = append(all, fix{title: "Remove the pause", edits: []edit{{from, to, ""}}, preferred: true})
			}
		}
	}
	return all
}

// wholeLines widens what is to be removed to its lines, when nothing else is on
// them.
func (m *fixer) wholeLines(start, end int) (int, int) {
	from, to := start, end
	for from > 0 && (m.text[from-1] == ' ' || m.text[from-1] == '\t') {
		from--
	}
	for to < len(m.text) && (m.text[to] == ' ' || m.text[to] == '\t') {
		to++
	}
	if (from > 0 && m.text[from-1] != '\n' && m.text[from-1] != '\r') || to < len(m.text) && m.text[to] != '\n' && m.text[to] != '\r' {
		return start, end
	}
	if strings.HasPrefix(m.text[to:], "\r\n") {
		to++
	}
	return from, min(to+1, len(m.text))
}

var toolWords = regexp.MustCompile(`[A-Za-z_$][\w$.-]*\w`)

// successor writes the tool that a deprecated one's description names.
func (m *fixer) successor(f finding) []fix {
	u, ok := m.useAt(f.at)
	old, known := m.Pool.Catalog.Find(f.data.Tool)
	if !ok || !known {
		return nil
	}
	var all []fix
	for _, word := range toolWords.FindAllString(old.Description, -1) {
		for _, t := range m.Pool.Catalog.Tools() {
			if t.Server == old.Server && (t.MCPName == word || t.Name == word) && t != old && !t.Deprecated {
				c := fix{title: "Change to " + t.Name, edits: []edit{m.renamed(u, t.Name)}}
				if !slices.ContainsFunc(all, func(o fix) bool { return o.title == c.title }) {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

var optionsLine = regexp.MustCompile(`^[ \t]*//[ \t]*@options\b`)

// moveOptions moves the options line to where it counts: to the first line that
// is left when a fence around the code is removed.
func (m *fixer) moveOptions(f finding) []fix {
	start, end := m.offset(f.at.Start), m.offset(f.at.End)
	line := strings.TrimFunc(m.text[start:end], unicode.IsSpace)
	from, to := m.wholeLines(start, end)
	removed := edit{from, to, ""}
	first := m.source.Prepared().First
	first += len(m.text[first:]) - len(strings.TrimPrefix(m.text[first:], "\ufeff"))
	if optionsLine.MatchString(m.text[first:]) {
		return []fix{{title: "Remove this options line", edits: []edit{removed}, preferred: true}}
	}
	if strings.HasPrefix(m.text[first:], "#!") {
		// That can be nowhere but on the first line, either.
		shell := first + strings.IndexAny(m.text[first:], "\r\n")
		return []fix{{title: "Move the options to the first line, in place of #!", preferred: true, edits: []edit{{first, shell, line}, removed}}}
	}
	ending := "\n"
	if strings.Contains(m.text, "\r\n") {
		ending = "\r\n"
	}
	return []fix{{title: "Move the options to the first line", preferred: true, safe: true, edits: []edit{{first, first, line + ending}, removed}}}
}

var optionFields = []string{"timeout_ms", "max_tool_calls", "max_output_tokens"}

// fixOptions fixes a field of the options line.
func (m *fixer) fixOptions(f finding) []fix {
	start, end := m.offset(f.at.Start), m.offset(f.at.End)
	text := m.text[start:end]
	switch f.Code {
	case script.CodeOptionsField:
		var all []fix
		for _, field := range optionFields {
			if sameOption(strings.Trim(text, `"`), field) && !strings.Contains(m.text[:strings.IndexAny(m.text+"\n", "\r\n")], `"`+field+`"`) {
				all = append(all, fix{title: "Change to " + field, edits: []edit{{start, end, strconv.Quote(field)}}, preferred: true})
			}
		}
		if from, to, ok := m.optionAt(start); ok {
			all = append(all, fix{title: "Remove " + Plain(text, 40), edits: []edit{{from, to, ""}}, preferred: len(all) == 0})
		}
		return all
	case script.CodeOptionsType:
		if n, err := strconv.ParseFloat(strings.Trim(text, `" `), 64); err == nil && n >= 1 && n < 1<<31 {
			whole := strconv.FormatInt(int64(n), 10)
			return []fix{{title: "Write " + whole, edits: []edit{{start, end, whole}}, preferred: true, safe: true}}
		}
		if from, to, ok := m.optionAt(start); ok {
			return []fix{{title: "Remove the option", edits: []edit{{from, to, ""}}}}
		}
	case script.CodeOptionsInvalid:
		fields := bareOption.ReplaceAllString(strings.ReplaceAll(text, "'", `"`), `$1"$2":`)
		fields = strings.NewReplacer(",}", "}", ", }", " }").Replace(fields)
		if fields != text && len(script.Prepare("// @options: "+fields[max(strings.Index(fields, "{"), 0):]).Errors) <= 1 {
			return []fix{{title: "Write it as JSON", edits: []edit{{start, end, fields}}, preferred: true}}
		}
	}
	return nil
}

var bareOption = regexp.MustCompile(`([{,]\s*)([A-Za-z_]\w*)\s*:`)

// sameOption reports whether a name is another spelling of an option's.
func sameOption(said, field string) bool {
	bare := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	s, f := bare(said), bare(field)
	return s != "" && (s == f || strings.HasPrefix(f, s) || strings.HasPrefix(s, f) || strings.HasSuffix(f, s))
}

var optionPart = regexp.MustCompile(`"[^"\n]*"\s*:\s*(?:"(?:[^"\\\n]|\\.)*"|[^,"{}\[\]\n]+)`)

// optionAt is the field of the options line that a place is in, with its comma.
func (m *fixer) optionAt(at int) (from, to int, ok bool) {
	line := m.text[:strings.IndexAny(m.text+"\n", "\r\n")]
	for _, found := range optionPart.FindAllStringIndex(line, -1) {
		if found[0] <= at && at < found[1] {
			from, to = found[0], len(strings.TrimRight(line[:found[1]], " "))
			if rest := line[to:]; strings.HasPrefix(rest, ",") {
				return from, to + len(rest) - len(strings.TrimLeft(rest, ", ")), true
			}
			before := strings.TrimRight(line[:from], " ")
			return len(strings.TrimSuffix(before, ",")), to, true
		}
	}
	return 0, 0, false
}

// Codes of TypeScript that a missing await may be behind.
var missingAwait = []int32{2339, 2801, 2488, 2345, 2322, 2362, 2363, 2365, 2740, 2739, 2741, 2559, 18046, 2769, 2504, 2349, 2367}

// typeFixes are the changes for what TypeScript complains about that need the
// catalog, or that it does not offer itself.
func (m *fixer) typeFixes(t protocol.Diagnostic) []fix {
	code, ok := t.Code.(protocol.Integer)
	if !ok {
		return nil
	}
	at := utf16Range(t.Range)
	var all []fix
	switch name := m.slice(at); {
	case slices.Contains(missingName, int32(code)) && m.isTool(name):
		form := typegen.CallForm(name)
		if code == 18004 { // a property in short
			form = name + ": " + form
		}
		all = append(all, fix{title: "Change to " + typegen.CallForm(name), edits: []edit{m.replaced(at, form)}, preferred: true, safe: true})
	case code == 2693 && name == "Tools":
		all = append(all, fix{title: "Change to tools", edits: []edit{m.replaced(at, "tools")}, preferred: true, safe: true})
	}
	if slices.Contains(missingAwait, int32(code)) && strings.Contains(messageText(t.Message), "Promise<") {
		all = append(all, m.awaitValue(at, messageText(t.Message))...)
	}
	if slices.Contains([]protocol.Integer{2739, 2740, 2741, 2345, 2554}, code) {
		all = append(all, m.fillIn(at)...)
	}
	return all
}

// awaitValue awaits the promise that a complaint is about: a call or a name, there
// or right before.
func (m *fixer) awaitValue(at script.Range, message string) []fix {
	from, to := m.offset(at.Start), m.offset(at.End)
	await := func(start, end int, member bool) []fix {
		if !m.source.AllowsAwait(start) {
			return nil
		}
		edits := []edit{{start, start, "await "}}
		if member {
			edits = []edit{{start, start, "(await "}, {end, end, ")"}}
		}
		return []fix{{title: "Add await", edits: edits, preferred: true, safe: true}}
	}
	for _, u := range m.uses {
		if !u.Called {
			continue
		}
		start := m.offset(u.Whole.Start)
		end := m.offset(u.Arguments.End) + 1
		if end > len(m.text) {
			continue
		}
		member := strings.TrimLeft(m.text[end:], " \t\r\n?!")
		switch {
		case u.Awaited:
			if strings.HasPrefix(member, ".") && from >= end && strings.TrimLeft(m.text[end:from], " \t\r\n?!.") == "" {
				return m.misplacedAwait(u, end)
			}
		case strings.HasPrefix(member, ".") && from >= end && strings.TrimLeft(m.text[end:from], " \t\r\n?!.") == "":
			return await(start, end, true)
		case from <= start && end <= to, from >= m.declared(start) && to <= start:
			return await(start, end, false)
		}
	}
	switch written := m.text[from:to]; {
	case promisedMember.MatchString(message):
		if start, ok := m.source.ChainBefore(from); ok {
			return await(start, len(strings.TrimRight(m.text[:from], " \t\r\n?.!")), true)
		}
	case promisedValue.MatchString(message) && plainOperand.MatchString(written):
		return await(from, to, false)
	}
	return nil
}

// misplacedAwait puts parentheses around an awaited call of which a member is
// asked, which is what is awaited then.
func (m *fixer) misplacedAwait(u script.Use, end int) []fix {
	start := strings.LastIndex(m.text[:m.offset(u.Whole.Start)], "await")
	if start < 0 {
		return nil
	}
	return []fix{{title: "Put parentheses around the awaited call", edits: []edit{{start, start, "("}, {end, end, ")"}}, preferred: true, safe: true}}
}

var (
	// promisedMember is how TypeScript says that a promise has no such member.
	promisedMember = regexp.MustCompile(`does not exist on type 'Promise<.*>'\.`)
	// promisedValue is how it says that a promise is none of what is expected.
	promisedValue = regexp.MustCompile(`^(?:Argument of type 'Promise<|This condition will always|This comparison .* because the types 'Promise<)`)
	plainOperand  = regexp.MustCompile(`^[\w$.]+(?:\([^()]*\))?(?: ===? .*)?$`)
)

var declaration = regexp.MustCompile(`\b(?:const|let|var)\s[^;=]*=\s*$`)

// declared is where the declaration begins whose value begins at an offset, or
// the offset itself.
func (m *fixer) declared(at int) int {
	line := strings.LastIndexAny(m.text[:at], "\r\n;") + 1
	if found := declaration.FindStringIndex(m.text[line:at]); found != nil {
		return line + found[0]
	}
	return at
}
