package analysis

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typegen"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
)

// maxCompletions is how many tools one answer has. The client asks again when
// more was typed (isIncomplete), so nothing is out of reach.
const MaxCompletions = 200

// itemData is what an item carries for completionItem/resolve: a tool or member
// of ours, or the engine's own data.
type itemData struct {
	Tool   string          `json:"tool,omitzero"`
	Member string          `json:"member,omitzero"`
	URI    string          `json:"uri,omitzero"`
	Engine protocol.LSPAny `json:"engine,omitzero"`
}

// Completion answers textDocument/completion. Members of tools come from the
// catalog (COMP-1, COMP-2), everything else from TypeScript (COMP-3), so that
// nothing is offered twice.
func (s *Script) Completion(ctx context.Context, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	snap, doc := s.View, s.Doc
	if list, ok := optionCompletion(doc, p.Position); ok {
		return list, nil
	}
	c := completer{snap: snap, doc: doc, typed: doc.Source.CompletionAt(doc.Offset(p.Position))}
	switch c.typed.Kind {
	case "tool", "pattern":
		c.snap = s.newest(ctx)
		list := c.tools()
		if c.typed.Brackets { // a variable may be meant
			return s.withEngine(ctx, p, list)
		}
		return list, nil
	case "member":
		return c.members(), nil
	default:
		return s.engineCompletion(ctx, p)
	}
}

// A completer makes the items for one position.
type completer struct {
	snap  *View
	doc   *Document
	typed script.Completion
}

// A candidate is a tool that matches what was typed; a lower rank is better.
type candidate struct {
	tool *catalog.Tool
	rank int
}

func (c *completer) tools() *protocol.CompletionList {
	var found []candidate
	for _, t := range c.snap.Workspace.Catalog.Tools() {
		if rank, ok := match(c.typed.Prefix, t); ok && !slices.Contains(c.typed.Taken, t.Name) {
			found = append(found, candidate{t, rank})
		}
	}
	list := &protocol.CompletionList{IsIncomplete: len(found) > MaxCompletions, Items: []protocol.CompletionItem{}}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	if list.IsIncomplete {
		found = fair(found, MaxCompletions)
	}
	for _, f := range found {
		list.Items = append(list.Items, c.toolItem(f))
	}
	if rank, ok := MatchName(c.typed.Prefix, script.ReservedNamespace); ok && c.typed.Kind != "pattern" {
		list.Items = append(list.Items, c.namespaceItem(rank))
	}
	return list
}

// match says how well a tool fits what was typed.
func match(typed string, t *catalog.Tool) (rank int, ok bool) {
	if rank, ok = MatchName(typed, t.Name); ok && rank == 0 {
		return 0, true
	}
	// People rarely type mcp__server__ themselves.
	if inner, fits := MatchName(typed, t.MCPName); fits && (!ok || inner+1 < rank) {
		return inner + 1, true
	}
	return rank, ok
}

// MatchName ranks a name: it begins with what was typed, holds it, or has its
// characters in order. Case does not count.
func MatchName(typed, name string) (rank int, ok bool) {
	if typed == "" {
		return 0, true
	}
	typed, name = strings.ToLower(typed), strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, typed):
		return 0, true
	case strings.Contains(name, typed):
		return 2, true
	}
	rest := name
	for _, r := range typed {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return 0, false
		}
		rest = rest[i+1:]
	}
	return 4, true
}

// fair takes n candidates, best rank first; among equals servers take turns, so
// that a big server does not hide the others. The order of the list stays.
func fair(found []candidate, n int) []candidate {
	type group struct {
		rank   int
		server string
	}
	turn := map[group]int{} // how many of a rank and server came before
	order := make([]int, len(found))
	turns := make([]int, len(found))
	for i, f := range found {
		key := group{f.rank, f.tool.Namespace}
		turns[i] = turn[key]
		turn[key]++
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(found[a].rank, found[b].rank), cmp.Compare(turns[a], turns[b]))
	})
	taken := order[:n]
	slices.Sort(taken)
	kept := make([]candidate, 0, n)
	for _, i := range taken {
		kept = append(kept, found[i])
	}
	return kept
}

func (c *completer) toolItem(f candidate) protocol.CompletionItem {
	t, client := f.tool, c.snap.Client
	item := protocol.CompletionItem{
		Label:    t.Name,
		Kind:     protocol.CompletionItemKindFunction,
		SortText: Optional(strconv.Itoa(f.rank) + t.Name),
		Data:     data(itemData{Tool: t.Name}),
	}
	marks := ToolMarks(t)
	if isCached(c.snap, t) {
		marks = append(marks, "cached")
	}
	returns := returnType(c.snap.Workspace.Catalog, t)
	if client.LabelDetails {
		// In a narrow list the tool's own name is what distinguishes it from the others. What
		// is typed may be any part of the full name.
		item.Label, item.FilterText = Plain(t.MCPName, 200), Optional(t.Name)
		description := Plain(t.Server, 60)
		if len(marks) > 0 {
			description += " · " + strings.Join(marks, " · ")
		}
		detail := ": " + returns
		item.LabelDetails = &protocol.CompletionItemLabelDetails{Detail: &detail, Description: &description}
	} else {
		item.Detail = Optional(strings.Join(append([]string{Plain(t.Server, 60) + ": " + returns}, marks...), " · "))
	}
	if t.Deprecated {
		markDeprecated(client, &item)
	}
	if c.typed.Kind == "pattern" {
		c.takeOut(&item, t)
	} else {
		c.edit(&item, t.Name, CallSnippet(client, t))
	}
	if !client.Resolves("documentation") {
		item.Documentation = Markup(client.MarkdownCompletion, toolDocumentation(c.snap, t))
	}
	return item
}

// ToolMarks are warnings about a tool, in a word each.
func ToolMarks(t *catalog.Tool) []string {
	var marks []string
	if isDestructive(t) {
		marks = append(marks, "⚠ destructive")
	}
	return marks
}

// isDestructive says that the server itself calls the tool destructive. A
// server's silence is not taken for it: most say nothing.
func isDestructive(t *catalog.Tool) bool {
	a := t.Annotations
	return a.Destructive != nil && *a.Destructive && !(a.ReadOnly != nil && *a.ReadOnly)
}

var jsDoc = regexp.MustCompile(`(?s)/\*\*.*?\*/`)

// returnType is what a call of a tool is awaited to, in one line.
func returnType(c *catalog.Catalog, t *catalog.Tool) string {
	if t.OutputSchema == nil {
		if r, ok := c.Result(t); ok {
			return Plain(jsDoc.ReplaceAllString(r.Short, ""), 60)
		}
		return "unknown"
	}
	text, _ := typegen.Type(t.OutputSchema, typegen.Options{Direction: typegen.Output, MaxDepth: 2})
	return Plain(jsDoc.ReplaceAllString(text, ""), 60)
}

func markDeprecated(client *Client, item *protocol.CompletionItem) {
	switch {
	case client.DeprecatedTags:
		item.Tags = []protocol.CompletionItemTag{protocol.CompletionItemTagDeprecated}
	case client.Deprecated:
		//lint:ignore SA1019 for clients that know no tags
		item.Deprecated = Optional(true)
	}
}

// edit makes accepting an item write a name where a name is being typed. call
// is a snippet that follows it, or "".
func (c *completer) edit(item *protocol.CompletionItem, name, call string) {
	typed := c.typed
	edit := &protocol.TextEdit{Range: c.doc.FromUTF16Range(typed.Replace)}
	item.TextEdit = edit
	rest := c.doc.Text[c.doc.OffsetUTF16(typed.Replace.End):]
	if typed.Quote != 0 {
		edit.NewText = quoted(name, typed.Quote)
		if !strings.HasPrefix(rest, string(typed.Quote)) {
			edit.NewText += string(typed.Quote)
			if !strings.HasPrefix(rest, "]") {
				edit.NewText += "]"
			}
		}
		return
	}
	if typed.Brackets {
		edit.NewText = strconv.Quote(name)
		item.FilterText = Optional(name)
		if !strings.HasPrefix(rest, "]") {
			edit.NewText += "]"
		}
		return
	}
	if form := typegen.CallForm(name); strings.HasPrefix(form, "tools.") {
		edit.NewText = name
	} else {
		edit.NewText = strings.TrimPrefix(form, "tools")
		dot := c.doc.Text[c.doc.OffsetUTF16(typed.Dot.Start):c.doc.OffsetUTF16(typed.Dot.End)]
		item.FilterText = Optional(name)
		if dot != "?." { // tools?.["na-me"] keeps it
			// Not part of the item's own edit: a client ranks items by what that
			// replaces, and would put all these names before the others.
			item.AdditionalTextEdits = []protocol.TextEdit{{Range: c.doc.FromUTF16Range(typed.Dot)}}
		}
	}
	if call != "" && !strings.HasPrefix(strings.TrimLeft(rest, " \t"), "(") {
		edit.NewText = EscapeSnippet(edit.NewText) + call
		item.InsertTextFormat = protocol.InsertTextFormatSnippet
	}
}

// takeOut makes accepting an item take a tool out of tools in a pattern. One that
// is no identifier gets another name there.
func (c *completer) takeOut(item *protocol.CompletionItem, t *catalog.Tool) {
	edit := &protocol.TextEdit{Range: c.doc.FromUTF16Range(c.typed.Replace), NewText: t.Name}
	item.TextEdit = edit
	if isIdentifier(t.Name) {
		return
	}
	edit.NewText = strconv.Quote(t.Name)
	item.FilterText = Optional(t.Name)
	rest := c.doc.Text[c.doc.OffsetUTF16(c.typed.Replace.End):]
	if strings.HasPrefix(strings.TrimLeft(rest, " \t"), ":") {
		return
	}
	local := variableName(t.MCPName)
	if c.snap.Client.Snippets {
		edit.NewText = EscapeSnippet(edit.NewText) + ": ${1:" + EscapeSnippet(local) + "}"
		item.InsertTextFormat = protocol.InsertTextFormatSnippet
		return
	}
	edit.NewText += ": " + local
}

// variableName is a name as one that a script can declare.
func variableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r == '$' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' || slices.Contains(reserved, name) {
		name = "_" + name
	}
	return name
}

// quoted is a name as the content of a string literal.
func quoted(name string, quote byte) string {
	r := strings.NewReplacer(`\`, `\\`, string(quote), `\`+string(quote), "\n", `\n`, "\r", `\r`)
	if quote == '`' {
		r = strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", `\${`)
	}
	return r.Replace(name)
}

// escapeQuote escapes a quote that is not escaped yet in what TypeScript would
// have between two of them.
func escapeQuote(s string, quote byte) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			b.WriteByte(s[i])
			i++
		case s[i] == quote:
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// namespaceItem is tools["$codemode"] itself.
func (c *completer) namespaceItem(rank int) protocol.CompletionItem {
	item := protocol.CompletionItem{
		Label: script.ReservedNamespace, Kind: protocol.CompletionItemKindModule,
		SortText: Optional(fmt.Sprintf("%d~", rank)), // behind the tools
		Detail:   Optional("what Code Mode itself offers: search, describe, store …"),
		Data:     data(itemData{Member: script.ReservedNamespace}),
	}
	c.edit(&item, script.ReservedNamespace, "")
	return item
}

func (c *completer) members() *protocol.CompletionList {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	groups := map[string]bool{}
	for i, m := range c.snap.Workspace.Catalog.Members() {
		name, _, grouped := strings.Cut(m.Name, ".")
		if _, ok := MatchName(c.typed.Prefix, name); !ok || groups[name] {
			continue
		}
		item := protocol.CompletionItem{
			Label: name, Kind: protocol.CompletionItemKindMethod,
			SortText: Optional(fmt.Sprintf("%02d", i)),
			Data:     data(itemData{Member: m.Name}),
		}
		if grouped {
			groups[name] = true
			item.Kind, item.Data = protocol.CompletionItemKindModule, nil
		} else if !c.snap.Client.Resolves("documentation") {
			item.Documentation = Markup(c.snap.Client.MarkdownCompletion, memberDocumentation(m))
		}
		c.edit(&item, name, "")
		list.Items = append(list.Items, item)
	}
	return list
}

func data(d itemData) protocol.LSPAny {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil // strings and valid JSON always encode
	}
	return raw
}

// engineCompletion is what TypeScript offers, as far as the client can show it.
func (s *Script) engineCompletion(ctx context.Context, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	// Incomplete: the client asks again, when there may be an engine.
	snap, doc := s.View, s.Doc
	none := &protocol.CompletionList{IsIncomplete: true, Items: []protocol.CompletionItem{}}
	if s.Engine == nil {
		return none, nil
	}
	list, err := s.fromEngine(ctx, p)
	if err != nil {
		return none, s.unanswered(ctx, "completion", err)
	}
	if list.Items == nil {
		list.Items = []protocol.CompletionItem{}
	}
	for i := range list.Items {
		item := &list.Items[i]
		doc.itemFromEngine(snap.Client, item)
		if len(item.Data) > 0 {
			item.Data = data(itemData{URI: doc.URI, Engine: item.Data})
		}
	}
	list.Items = withoutHostGlobals(list.Items, doc.Text)
	// The engine's order of globals changes from one time to the next, and not every
	// client sorts what is equal by its label. That of properties is the schema's.
	slices.SortStableFunc(list.Items, func(a, b protocol.CompletionItem) int {
		left, _ := a.SortText.Get()
		right, _ := b.SortText.Get()
		if order := cmp.Compare(left, right); order != 0 || !strings.HasSuffix(left, sortGlobals) {
			return order
		}
		return cmp.Compare(a.Label, b.Label)
	})
	c := completer{snap: snap, doc: doc}
	c.argumentValues(list, doc.Offset(p.Position))
	c.caught(list, doc.Offset(p.Position))
	for i := range list.Items {
		showLabel(&list.Items[i])
	}
	return list, nil
}

// showLabel makes what is shown of an item harmless: it may be a name or a value of a
// schema. What is inserted is that itself.
func showLabel(item *protocol.CompletionItem) {
	shown := Plain(item.Label, 0)
	if shown == item.Label {
		return
	}
	if item.InsertText.IsZero() && item.TextEdit == nil {
		item.InsertText = Optional(item.Label)
	}
	if item.FilterText.IsZero() {
		item.FilterText = Optional(item.Label)
	}
	item.Label = shown
}

// fromEngine is what TypeScript offers: in the pattern of a callback's parameter
// what it would offer once the callback is there.
func (s *Script) fromEngine(ctx context.Context, p *protocol.CompletionParams) (*protocol.CompletionList, error) {
	doc := s.Doc
	if text, ok := doc.Source.UnfinishedPattern(doc.Offset(p.Position)); ok {
		list, err := s.Engine.CompletionIn(ctx, text, doc.Language, doc.toEngine(p.Position))
		if err != nil || len(list.Items) > 0 {
			return list, err
		}
	}
	return s.Engine.Completion(ctx, doc.URI, doc.toEngine(p.Position), engineTrigger(p.Context))
}

// sortGlobals ends the sort text of TypeScript's globals and keywords; z before it is
// for those that are deprecated.
const sortGlobals = "15"

// withEngine is a list of ours, and behind it what TypeScript offers.
func (s *Script) withEngine(ctx context.Context, p *protocol.CompletionParams, list *protocol.CompletionList) (*protocol.CompletionList, error) {
	more, err := s.engineCompletion(ctx, p)
	if err != nil {
		return list, err
	}
	list.IsIncomplete = list.IsIncomplete || more.IsIncomplete
	list.Items = append(list.Items, more.Items...)
	return list, nil
}

// engineTrigger is the client's context without trigger characters that only
// this server has asked for.
func engineTrigger(c protocol.CompletionContext) *protocol.CompletionContext {
	if c.TriggerKind == protocol.CompletionTriggerKindTriggerCharacter && c.TriggerCharacter != nil {
		if !strings.Contains(".\"'`/@<# ", *c.TriggerCharacter) {
			c = protocol.CompletionContext{TriggerKind: protocol.CompletionTriggerKindInvoked}
		}
	}
	return &c
}

// itemFromEngine makes an engine's item one for the client.
func (d *Document) itemFromEngine(client *Client, item *protocol.CompletionItem) {
	switch edit := item.TextEdit.(type) {
	case *protocol.TextEdit:
		edit.Range = d.fromEngine(edit.Range)
		if at := d.Offset(edit.Range.Start); at > 0 && (d.Text[at-1] == '"' || d.Text[at-1] == '\'') {
			edit.NewText = escapeQuote(edit.NewText, d.Text[at-1])
		}
	case *protocol.InsertReplaceEdit:
		edit.Insert, edit.Replace = d.fromEngine(edit.Insert), d.fromEngine(edit.Replace)
	}
	for i := range item.AdditionalTextEdits {
		item.AdditionalTextEdits[i].Range = d.fromEngine(item.AdditionalTextEdits[i].Range)
	}
	if !client.LabelDetails {
		item.LabelDetails = nil
	}
	if !client.DeprecatedTags && len(item.Tags) > 0 {
		item.Tags = nil
		if client.Deprecated {
			//lint:ignore SA1019 for clients that know no tags
			item.Deprecated = Optional(true)
		}
	}
	if m, ok := item.Documentation.(*protocol.MarkupContent); ok {
		item.Documentation = engineMarkup(client.MarkdownCompletion, m.Value)
	}
	if detail, ok := item.Detail.Get(); ok {
		item.Detail = Optional(Printable(detail))
	}
}

// CompletionResolve answers completionItem/resolve.
func (s *Script) CompletionResolve(ctx context.Context, item *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	var d itemData
	if len(item.Data) == 0 || json.Unmarshal(item.Data, &d) != nil {
		return item, nil
	}
	snap, client := s.View, s.Client
	switch {
	case d.Tool != "":
		if t, ok := snap.Workspace.Catalog.Find(d.Tool); ok {
			item.Documentation = Markup(client.MarkdownCompletion, toolDocumentation(snap, t))
		}
	case d.Member != "":
		if m, ok := member(d.Member); ok {
			item.Documentation = Markup(client.MarkdownCompletion, memberDocumentation(m))
		}
	case d.URI != "" && s.Engine != nil:
		asked := *item
		asked.Data = d.Engine
		resolved, err := s.Engine.Resolve(ctx, d.URI, &asked)
		if err != nil {
			return item, s.unanswered(ctx, "completionItem/resolve", err)
		}
		item.Detail = resolved.Detail
		if detail, ok := item.Detail.Get(); ok {
			item.Detail = Optional(Printable(detail))
		}
		item.Documentation = resolved.Documentation
		if m, ok := item.Documentation.(*protocol.MarkupContent); ok {
			item.Documentation = engineMarkup(client.MarkdownCompletion, m.Value)
		}
	}
	return item, nil
}

// toolDocumentation is what is said of a tool wherever it is shown (HOV-1), in
// Markdown.
func toolDocumentation(snap *View, t *catalog.Tool) string {
	parts := []string{Fence("typescript", Printable(snap.Workspace.Catalog.KnownSignature(t)))}
	description := t.Description
	if strings.TrimSpace(description) == "" {
		description = t.Title
	}
	if strings.TrimSpace(description) != "" {
		parts = append(parts, QuoteMarkdown(description))
	}
	if seen := resultDocumentation(snap, t); seen != "" {
		parts = append(parts, seen)
	}
	facts := []string{"Server " + CodeSpan(t.Server) + ", " + ServerState(snap, t)}
	if words := annotationWords(t); words != "" {
		facts = append(facts, words)
	}
	if t.Deprecated {
		facts = append(facts, "Deprecated")
	}
	facts = append(facts, permissionWords(snap.Workspace.Rules.Decide(t.Name)))
	for _, p := range t.Problems {
		facts = append(facts, "Broken schema at "+CodeSpan(p.Path)+": "+QuoteMarkdown(Plain(p.Message, 200)))
	}
	parts = append(parts, strings.Join(facts, "  \n"))
	return strings.Join(parts, "\n\n")
}

// isCached reports whether what is known about a tool is of last time: its server
// has not answered yet.
func isCached(snap *View, t *catalog.Tool) bool {
	return slices.ContainsFunc(snap.Workspace.Catalog.Servers(), func(v *catalog.Server) bool { return v.Name == t.Server && v.Cached })
}

// ServerState says how current what is known about a tool is.
func ServerState(snap *View, t *catalog.Tool) string {
	if isCached(snap, t) {
		return "cached: the server has not answered yet"
	}
	return "live"
}

// annotationWords are the server's hints, which it may well be wrong about
// (PERM-9).
func annotationWords(t *catalog.Tool) string {
	var words []string
	say := func(b *bool, yes, no string) {
		switch {
		case b == nil:
		case *b && yes != "":
			words = append(words, yes)
		case !*b && no != "":
			words = append(words, no)
		}
	}
	say(t.Annotations.ReadOnly, "only reads", "changes things")
	if !(t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly) {
		say(t.Annotations.Destructive, "⚠ destructive", "not destructive")
		say(t.Annotations.Idempotent, "idempotent: calling it again changes nothing more", "")
	}
	say(t.Annotations.OpenWorld, "reaches the outside world", "stays within its own system")
	if len(words) == 0 {
		return ""
	}
	return "The server says: " + strings.Join(words, ", ")
}

// permissionWords are what would happen at a call now.
func permissionWords(d permission.Decision) string {
	by := ""
	if d.Rule != nil {
		by = fmt.Sprintf(" by the rule %s (%s)", CodeSpan(d.Rule.Match), d.Rule.Layer)
	}
	switch d.Effect {
	case permission.Allow:
		return "Permission: allowed" + by
	case permission.Deny:
		return "Permission: denied" + by
	default:
		return "Permission: will ask" + by
	}
}

func memberDocumentation(m catalog.Member) string {
	return Fence("typescript", m.Signature()) + "\n\n" + QuoteMarkdown(m.Description)
}
