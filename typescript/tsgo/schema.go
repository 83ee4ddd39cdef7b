package codemodeshim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/jsnum"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// A schema is a JSON Schema under construction. The same type is the same schema, so
// that recursive types end; encodeSchema names what is used more than once.
type schema struct {
	name        string // of the type, or ""
	description string
	types       []string
	enum        []any // string, float64, bool or nil
	properties  []property
	patterns    []property // by regular expression
	additional  *schema
	prefix      []*schema
	items       *schema
	min, max    int // of items; max -1 is none
	isArray     bool
	anyOf       []*schema
	pattern     string
	never       bool // nothing fits
	unfinished  bool
}

// property is a member of an object, with what is said of it there.
type property struct {
	name        string
	schema      *schema
	required    bool
	deprecated  bool
	description string
	value       any // its default, when hasValue
	hasValue    bool
}

func (s *schema) property(name string) *property {
	if i := slices.IndexFunc(s.properties, func(p property) bool { return p.name == name }); i >= 0 {
		return &s.properties[i]
	}
	return nil
}

// schemaReader makes schemas of types.
type schemaReader struct {
	*contractReader
	fallback *ast.Node         // where problems are that have no place in the file
	closed   bool              // objects have the fields of their types and no others
	params   map[string]string // what @param says, by path
	seen     map[*checker.Type]*schema
	depth    int
	endless  bool // that it is too deep is reported
}

// Bounds of a schema: types such as type T<X> = { next?: T<X[]> } have no end.
const (
	maxTypes   = 2000
	maxNesting = 40
)

func (r *schemaReader) root(t *checker.Type, path string) *schema {
	r.seen = map[*checker.Type]*schema{}
	return r.read(t, path, r.fallback)
}

// refuse notes a problem at a node, or where the type is written when the node is in
// another file.
func (r *schemaReader) refuse(at *ast.Node, path, message string) *schema {
	if at == nil || ast.GetSourceFileOfNode(at) != r.file {
		at = r.fallback
	}
	r.problem(at, path, message)
	return &schema{}
}

// read makes the schema of a type that is found at a path and written at a node.
func (r *schemaReader) read(t *checker.Type, path string, at *ast.Node) *schema {
	if t.IsUnion() {
		t = r.c.RemoveMissingOrUndefinedType(t)
	}
	f := t.Flags()
	switch {
	case f&checker.TypeFlagsAny != 0 && slices.Contains(unresolved, t.AsIntrinsicType().IntrinsicName()):
		return r.refuse(at, path, "This type is unknown. A script is one file: write its types in it, or use those of the tools.")
	case f&checker.TypeFlagsAnyOrUnknown != 0:
		return &schema{}
	case f&checker.TypeFlagsBoolean != 0: // before unions: it is one
		return &schema{types: []string{"boolean"}}
	case f&checker.TypeFlagsLiteral != 0 && f&checker.TypeFlagsBigIntLiteral == 0, f&checker.TypeFlagsNull != 0:
		return r.union([]*checker.Type{t}, path, at)
	case f&checker.TypeFlagsString != 0:
		return &schema{types: []string{"string"}}
	case f&(checker.TypeFlagsNumber|checker.TypeFlagsEnum) != 0:
		return &schema{types: []string{"number"}}
	case f&checker.TypeFlagsNonPrimitive != 0: // object
		return &schema{types: []string{"object", "array"}}
	case f&checker.TypeFlagsNever != 0:
		return &schema{never: true}
	case f&checker.TypeFlagsBigIntLike != 0:
		return r.refuse(at, path, "JSON has no bigint. Take a string and make a BigInt of it, or take a number.")
	case f&checker.TypeFlagsESSymbolLike != 0:
		return r.refuse(at, path, "JSON has no symbols. Take a string.")
	case f&checker.TypeFlagsVoidLike != 0:
		return r.refuse(at, path, "JSON has no undefined. Make the field optional (name?: type), or use null.")
	case f&(checker.TypeFlagsTemplateLiteral|checker.TypeFlagsStringMapping) != 0:
		return &schema{types: []string{"string"}, pattern: "^" + pattern(t) + "$"}
	case f&checker.TypeFlagsInstantiable != 0:
		return r.refuse(at, path, fmt.Sprintf("The type %s is not known before the script runs. Write a type without type parameters.", r.c.TypeToString(t)))
	}
	if s := r.seen[t]; s != nil {
		return s
	}
	if r.depth >= maxNesting || len(r.seen) >= maxTypes {
		if !r.endless {
			r.endless = true
			top, _, _ := strings.Cut(path, ".")
			r.refuse(r.fallback, top, "This type is too deep or too large: it may have no end.")
		}
		return &schema{}
	}
	s := &schema{name: nameOf(t), unfinished: true}
	r.seen[t] = s
	r.depth++
	made := r.structured(t, path, at)
	r.depth--
	if made.unfinished {
		made = &schema{anyOf: []*schema{made}}
	}
	name := s.name
	*s = *made
	s.name = name
	return s
}

// unresolved are the names of the types that the checker takes for ones that it cannot find.
var unresolved = []string{"error", "unresolved"}

// nameOf is the name under which a type was declared, or "".
func nameOf(t *checker.Type) string {
	if s := t.Alias().Symbol(); s != nil {
		return s.Name
	}
	if s := t.Symbol(); s != nil && s.Flags&(ast.SymbolFlagsInterface|ast.SymbolFlagsEnum) != 0 {
		return s.Name
	}
	return ""
}

func (r *schemaReader) structured(t *checker.Type, path string, at *ast.Node) *schema {
	switch {
	case t.IsUnion():
		return r.union(t.Types(), path, at)
	case t.IsIntersection():
		for _, part := range t.Types() { // string & { brand: … } is written as a string
			if part.Flags()&checker.TypeFlagsPrimitive != 0 {
				return r.read(part, path, at)
			}
		}
		return r.object(t, path, at)
	case t.IsTupleType():
		return r.tuple(t, path, at)
	case r.c.IsArrayType(t):
		return &schema{isArray: true, max: -1, items: r.read(r.c.GetTypeArguments(t)[0], path+"[]", at)}
	default:
		return r.object(t, path, at)
	}
}

// union puts literals together, and leaves undefined out: JSON cannot write it, and
// what may be undefined may be absent.
func (r *schemaReader) union(types []*checker.Type, path string, at *ast.Node) *schema {
	var enum []any
	var plain []string
	var names []string // of numbers in an enum
	var others []*schema
	add := func(name string) {
		if !slices.Contains(plain, name) {
			plain = append(plain, name)
		}
	}
	booleans, null := 0, false
	for _, t := range types {
		f := t.Flags()
		switch {
		case f&checker.TypeFlagsVoidLike != 0:
		case f&checker.TypeFlagsNull != 0:
			null = true
		case f&checker.TypeFlagsBooleanLiteral != 0:
			enum = append(enum, t.AsLiteralType().Value())
			booleans++
		case f&checker.TypeFlagsStringLiteral != 0:
			enum = append(enum, t.AsLiteralType().Value())
		case f&checker.TypeFlagsNumberLiteral != 0:
			n, ok := t.AsLiteralType().Value().(jsnum.Number)
			if !ok || n.IsNaN() || n.IsInf() {
				add("number") // of an enum whose members are computed
				continue
			}
			enum = append(enum, float64(n))
			if f&checker.TypeFlagsEnumLiteral != 0 && t.Symbol() != nil {
				names = append(names, fmt.Sprintf("%s (%s)", n, t.Symbol().Name))
			}
		default:
			s := r.read(t, path, at)
			if s.isPlain() {
				add(s.types[0])
			} else if !slices.Contains(others, s) {
				others = append(others, s)
			}
		}
	}
	if booleans == 2 {
		enum = slices.DeleteFunc(enum, func(v any) bool { _, is := v.(bool); return is })
		add("boolean")
	}
	description := ""
	if len(names) > 0 && len(names) == len(enum) {
		description = "One of " + strings.Join(names, ", ") + "."
	}
	if null && len(enum) > 0 {
		enum = append(enum, nil)
	} else if null {
		plain = append(plain, "null")
	}
	var all []*schema
	if len(enum) > 0 {
		all = append(all, &schema{enum: enum, description: description})
	}
	if len(plain) > 0 {
		all = append(all, &schema{types: plain})
	}
	all = append(all, others...)
	switch len(all) {
	case 0:
		if len(types) > 0 {
			return r.refuse(at, path, "JSON has no undefined. Make the field optional (name?: type), or use null.")
		}
		return &schema{never: true}
	case 1:
		return all[0]
	}
	return &schema{anyOf: all}
}

// isPlain reports whether a schema is one type and nothing else.
func (s *schema) isPlain() bool {
	return len(s.types) == 1 && s.types[0] != "object" && s.types[0] != "array" && s.pattern == "" && s.description == ""
}

func (r *schemaReader) tuple(t *checker.Type, path string, at *ast.Node) *schema {
	target := t.TargetTupleType()
	s := &schema{isArray: true}
	flags := target.ElementFlags()
	infos := target.ElementInfos()
	for i, element := range r.c.GetTypeArguments(t) {
		if i >= len(flags) {
			break
		}
		where := fmt.Sprintf("%s[%d]", path, i)
		place := at
		if d := infos[i].LabeledDeclaration(); d != nil {
			place = d
		}
		switch {
		case flags[i]&checker.ElementFlagsVariable != 0 && i < len(flags)-1:
			return r.refuse(place, where, "A tuple can have a rest at its end alone. Write an array, or an object.")
		case flags[i]&checker.ElementFlagsVariadic != 0:
			return r.refuse(place, where, "The rest of this tuple is not known before the script runs. Write an array type for it.")
		case flags[i]&checker.ElementFlagsRest != 0:
			s.items, s.max = r.read(element, where, place), -1
			return s
		}
		if flags[i]&checker.ElementFlagsRequired != 0 {
			s.min = i + 1
		}
		s.prefix = append(s.prefix, r.read(element, where, place))
	}
	s.items, s.max = &schema{never: true}, len(s.prefix)
	return s
}

func (r *schemaReader) object(t *checker.Type, path string, at *ast.Node) *schema {
	if why := r.unfit(t); why != "" {
		return r.refuse(at, path, why)
	}
	s := &schema{types: []string{"object"}}
	properties := r.c.GetPropertiesOfType(t)
	for _, p := range properties {
		r.member(s, p, path, at)
	}
	infos := r.c.GetIndexInfosOfType(t)
	for _, info := range infos {
		value := func() *schema { return r.read(info.ValueType(), path+"[…]", indexPlace(info, at)) }
		switch key := info.KeyType(); {
		case key.Flags()&checker.TypeFlagsString != 0:
			s.additional = value()
		case key.Flags()&checker.TypeFlagsNumber != 0:
			s.patterns = append(s.patterns, property{name: "^" + numberPattern + "$", schema: value()})
		case key.Flags()&checker.TypeFlagsStringLike != 0:
			s.patterns = append(s.patterns, property{name: "^" + pattern(key) + "$", schema: value()})
		}
	}
	if s.additional == nil && r.closed && len(properties)+len(infos) > 0 {
		s.additional = &schema{never: true}
	}
	return s
}

func indexPlace(info *checker.IndexInfo, at *ast.Node) *ast.Node {
	if d := info.Declaration(); d != nil {
		return d
	}
	return at
}

// member adds a property of a type to the schema of an object.
func (r *schemaReader) member(s *schema, p *ast.Symbol, path string, at *ast.Node) {
	declaration := p.ValueDeclaration
	if declaration == nil && len(p.Declarations) > 0 {
		declaration = p.Declarations[0]
	}
	if declaration != nil && ast.GetSourceFileOfNode(declaration) == r.file {
		at = declaration
	}
	where := path + "." + p.Name
	if !scanner.IsIdentifierText(p.Name, 0) {
		where = fmt.Sprintf("%s[%q]", path, p.Name)
	}
	switch {
	case strings.HasPrefix(p.Name, ast.InternalSymbolNamePrefix):
		r.refuse(at, path, "JSON has no symbols. Use a string for the name of this field.")
		return
	case p.Name == "__proto__":
		r.refuse(at, where, "A field called __proto__ never reaches a script. Give it another name.")
		return
	}
	t := r.c.GetTypeOfSymbol(p)
	optional := p.Flags&ast.SymbolFlagsOptional != 0
	for _, part := range t.Distributed() {
		optional = optional || part.Flags()&checker.TypeFlagsVoidLike != 0
	}
	field := property{name: p.Name, required: !optional}
	if optional && t.Flags()&checker.TypeFlagsUndefined != 0 {
		field.schema = &schema{never: true} // name?: never, or name: undefined
	} else {
		field.schema = r.read(t, where, at)
	}
	field.description, field.deprecated = r.documented(p)
	if field.description == "" {
		_, below, _ := strings.Cut(where, ".")
		field.description = r.params[below]
	}
	s.properties = append(s.properties, field)
}

// documented is what the comment at the declaration of a property says of it.
func (r *schemaReader) documented(p *ast.Symbol) (description string, deprecated bool) {
	for _, d := range p.Declarations {
		file := ast.GetSourceFileOfNode(d)
		docs := d.JSDoc(file)
		if len(docs) == 0 {
			if text := sameLine(file.Text()[d.Pos():scanner.GetTokenPosOfNode(d, file, false)]); text != "" {
				return text, false
			}
			continue
		}
		last := docs[len(docs)-1]
		if tags := last.AsJSDoc().Tags; tags != nil {
			for _, tag := range tags.Nodes {
				deprecated = deprecated || tag.Kind == ast.KindJSDocDeprecatedTag
			}
		}
		return scanner.GetTextOfJSDocComment(last.CommentList()), deprecated
	}
	return "", false
}

// sameLine is the text of a comment that stands on one line with what is before it,
// { /** like this */ name: string }, which the parser does not take for the property's.
func sameLine(trivia string) string {
	_, text, found := strings.Cut(trivia, "/**")
	if text, closed := strings.CutSuffix(strings.TrimSpace(text), "*/"); found && closed && !strings.ContainsAny(text, "@\n") {
		return strings.TrimSpace(text)
	}
	return ""
}

// instead is what to take in place of a type of the language's library.
var instead = map[string]string{
	"Date":     "JSON has no dates. Take a string, and write new Date(…) in the script.",
	"Map":      "JSON has no Map. Take an object, such as Record<string, number>.",
	"Set":      "JSON has no Set. Take an array.",
	"RegExp":   "JSON has no regular expressions. Take a string, and write new RegExp(…) in the script.",
	"URL":      "JSON has no URL. Take a string, and write new URL(…) in the script.",
	"Promise":  "An input has no promises. Take the value.",
	"Function": "JSON has no functions.",
}

// unfit says why JSON cannot write the values of an object type; "" when it can.
func (r *schemaReader) unfit(t *checker.Type) string {
	if r.c.TypeHasCallOrConstructSignatures(t) {
		return "JSON has no functions. Take a value that says what to do."
	}
	symbol := t.Symbol()
	if symbol == nil || symbol.Flags&(ast.SymbolFlagsClass|ast.SymbolFlagsInterface) == 0 {
		return ""
	}
	lib := r.c.IsLibSymbolForHoverVerbosity(symbol)
	switch {
	case lib && instead[symbol.Name] != "":
		return instead[symbol.Name]
	case lib || slices.ContainsFunc(symbol.Declarations, isLanguage):
		return fmt.Sprintf("JSON cannot write a %s. Take an object, an array, a string or a number.", symbol.Name)
	case symbol.Flags&ast.SymbolFlagsClass != 0:
		return fmt.Sprintf("JSON has no instances of classes. Write an interface in place of %s.", symbol.Name)
	}
	return ""
}

// isLanguage reports whether a declaration is of what the sandbox adds to the library.
func isLanguage(d *ast.Node) bool {
	return strings.HasSuffix(ast.GetSourceFileOfNode(d).FileName(), "/language.d.ts")
}

const (
	numberPattern = `-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`
	anyPattern    = `[\s\S]*`
)

// pattern is the regular expression, without anchors, of a type of strings. Both the
// dialects of JSON Schema and of Go read it.
func pattern(t *checker.Type) string {
	f := t.Flags()
	switch {
	case f&checker.TypeFlagsTemplateLiteral != 0:
		template := t.AsTemplateLiteralType()
		var b strings.Builder
		for i, text := range template.Texts() {
			b.WriteString(regexp.QuoteMeta(text))
			if i < len(template.Types()) {
				b.WriteString(pattern(template.Types()[i]))
			}
		}
		return b.String()
	case f&checker.TypeFlagsStringMapping != 0:
		target := t.AsStringMappingType().Target()
		if target.Flags()&checker.TypeFlagsString == 0 {
			return pattern(target) // the case of its letters is not checked
		}
		switch t.Symbol().Name {
		case "Uppercase":
			return `\P{Ll}*`
		case "Lowercase":
			return `\P{Lu}*`
		case "Capitalize":
			return `(?:\P{Ll}[\s\S]*)?`
		default:
			return `(?:\P{Lu}[\s\S]*)?`
		}
	case f&checker.TypeFlagsNumber != 0:
		return numberPattern
	case f&checker.TypeFlagsBigInt != 0:
		return `-?(?:0|[1-9][0-9]*)`
	case t.IsUnion():
		parts := make([]string, len(t.Types()))
		for i, part := range t.Types() {
			parts[i] = pattern(part)
		}
		return "(?:" + strings.Join(parts, "|") + ")"
	case f&checker.TypeFlagsLiteral != 0:
		return regexp.QuoteMeta(fmt.Sprint(t.AsLiteralType().Value()))
	}
	return anyPattern
}
