package lsp

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// declarations are those of the packages that the protocol's types come from,
// by package and name: exec.Result.
type declarations struct {
	t       *testing.T
	types   map[string]*declaredType
	methods map[string]*ast.FuncDecl // of lsp.Server
	files   map[string]*ast.File     // of lsp, by name
	answers map[string]string        // constant of a method: the method of lsp.Server
}

type declaredType struct {
	expr   ast.Expr
	doc    string
	values []string // of a string type with constants
}

// A constant with its comment.
type constant struct{ name, value, comment string }

// A field of an object.
type field struct {
	name, json, typ, comment string
	optional, embedded       bool
}

func readDeclarations(t *testing.T) *declarations {
	t.Helper()
	d := &declarations{t: t, types: map[string]*declaredType{}, methods: map[string]*ast.FuncDecl{}, files: map[string]*ast.File{}, answers: map[string]string{}}
	for _, dir := range []string{"lsp", "exec", "catalog", "permission", "upstream", "analysis/overview"} {
		pkg := filepath.Base(dir)
		paths, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files of %s (%v)", pkg, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			d.read(pkg, f)
			if pkg == "lsp" {
				d.files[filepath.Base(path)] = f
			}
		}
	}
	ast.Inspect(d.files["methods.go"], func(n ast.Node) bool {
		// MethodExec: query((*Server).exec)
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				if call, ok := kv.Value.(*ast.CallExpr); ok && len(call.Args) == 1 {
					if method, ok := call.Args[0].(*ast.SelectorExpr); ok {
						d.answers[key.Name] = method.Sel.Name
					}
				}
			}
		}
		return true
	})
	return d
}

func (d *declarations) read(pkg string, f *ast.File) {
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if pkg == "lsp" && decl.Recv != nil && typeOf(pkg, decl.Recv.List[0].Type) == "lsp.Server" {
				d.methods[decl.Name.Name] = decl
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					c := d.typ(pkg + "." + spec.Name.Name)
					c.expr, c.doc = spec.Type, oneLine(decl.Doc)
				case *ast.ValueSpec:
					if decl.Tok == token.CONST && spec.Type != nil && len(spec.Values) == 1 {
						if v, ok := spec.Values[0].(*ast.BasicLit); ok {
							c := d.typ(typeOf(pkg, spec.Type))
							c.values = append(c.values, v.Value)
						}
					}
				}
			}
		}
	}
}

func (d *declarations) typ(name string) *declaredType {
	if d.types[name] == nil {
		d.types[name] = &declaredType{}
	}
	return d.types[name]
}

// consts are the constants of a file of lsp whose names begin so.
func (d *declarations) consts(file, prefix string) (list []constant) {
	for _, decl := range d.files[file].Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if !strings.HasPrefix(v.Names[0].Name, prefix) {
				continue
			}
			c := constant{name: v.Names[0].Name, comment: oneLine(v.Comment)}
			switch value := v.Values[0].(type) {
			case *ast.BasicLit:
				c.value = strings.Trim(value.Value, `"`)
			case *ast.UnaryExpr:
				c.value = value.Op.String() + value.X.(*ast.BasicLit).Value
			}
			if c.comment == "" {
				d.t.Errorf("%s has no comment", c.name)
			}
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		d.t.Fatalf("%s has no constants %s…", file, prefix)
	}
	return list
}

// signature is what the method that answers a request takes and returns.
func (d *declarations) signature(constant string) (params, answer string, ok bool) {
	m := d.methods[d.answers[constant]]
	if m == nil {
		return "", "", false
	}
	in := m.Type.Params.List
	params = typeOf("lsp", in[len(in)-1].Type)
	if params == "lsp.nothing" {
		params = ""
	}
	return params, typeOf("lsp", m.Type.Results.List[0].Type), true
}

// fields are those of a struct.
func (d *declarations) fields(name string) (list []field) {
	c := d.types[name]
	if c == nil {
		d.t.Fatalf("%s is not declared", name)
	}
	pkg, _, _ := strings.Cut(name, ".")
	for _, f := range c.expr.(*ast.StructType).Fields.List {
		if len(f.Names) > 0 && !f.Names[0].IsExported() {
			continue
		}
		x := field{typ: typeOf(pkg, f.Type), comment: oneLine(f.Doc)}
		if f.Comment != nil {
			x.comment = oneLine(f.Comment)
		}
		if x.embedded = len(f.Names) == 0; !x.embedded {
			x.name = f.Names[0].Name
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
			x.json, tag, _ = strings.Cut(tag, ",")
			x.optional = strings.Contains(tag, "omitzero")
			if _, pointer := f.Type.(*ast.StarExpr); pointer && !x.optional {
				x.typ += " | null"
			}
		}
		list = append(list, x)
	}
	return list
}

// typeOf names a Go type: pointers are what they point to.
func typeOf(pkg string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeOf(pkg, e.X)
	case *ast.ArrayType:
		return "[]" + typeOf(pkg, e.Elt)
	case *ast.SelectorExpr:
		return e.X.(*ast.Ident).Name + "." + e.Sel.Name
	case *ast.Ident:
		if e.IsExported() || e.Name == "nothing" {
			return pkg + "." + e.Name
		}
		return e.Name
	}
	return fmt.Sprintf("%T", e)
}

var rule = regexp.MustCompile(` \([A-Z]{2,}-[^)]*\)`)

// oneLine is a comment in one line, without the names of rules.
func oneLine(c *ast.CommentGroup) string {
	return rule.ReplaceAllString(strings.Join(strings.Fields(c.Text()), " "), "")
}

// A typeList is the types that are used, in the order of their first use.
type typeList struct {
	d     *declarations
	names []string
}

var builtin = map[string]string{
	"": "", "string": "string", "bool": "boolean", "int": "number", "int64": "number", "float64": "number",
	"jsontext.Value": "unknown", "script.Range": "LSP.Range", "lsp.Done": "{}",
}

// use is the TypeScript name of a Go type, which is noted for the list.
func (l *typeList) use(name string) string {
	if name, ok := strings.CutPrefix(name, "[]"); ok {
		return l.use(name) + "[]"
	}
	if name, ok := strings.CutSuffix(name, " | null"); ok {
		return l.use(name) + " | null"
	}
	if ts, ok := builtin[name]; ok {
		return ts
	}
	pkg, short, ok := strings.Cut(name, ".")
	switch {
	case ok && pkg == "protocol":
		return "LSP." + short
	case !ok:
		short, name = pkg, "lsp."+pkg
		fallthrough
	default:
		if l.d.types[name] == nil {
			l.d.t.Fatalf("%s is not declared", name)
		}
		if !slices.Contains(l.names, name) {
			l.names = append(l.names, name)
		}
		return short
	}
}

// oneLineWidth is how long a type may be that is written in one line.
const oneLineWidth = 120

// String declares the types; others come to the list meanwhile.
func (l *typeList) String() string {
	var b strings.Builder
	seen := map[string]string{}
	for i := 0; i < len(l.names); i++ {
		name := l.names[i]
		_, short, _ := strings.Cut(name, ".")
		if other := seen[short]; other != "" {
			l.d.t.Errorf("%s and %s have the same name", name, other)
		}
		seen[short] = name
		c := l.d.types[name]
		if _, object := c.expr.(*ast.StructType); !object {
			fmt.Fprintf(&b, "// %s\ntype %s = %s\n\n", c.doc, short, strings.Join(c.values, " | "))
			continue
		}
		l.writeInterface(&b, short, c.doc, l.d.fields(name))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (l *typeList) writeInterface(b *strings.Builder, name, doc string, fields []field) {
	// Who reads this knows the fields by their names in JSON.
	first, rest, _ := strings.Cut(doc, " ")
	for _, f := range fields {
		if f.name != "" {
			rest = regexp.MustCompile(`\b`+f.name+`\b`).ReplaceAllString(rest, f.json)
		}
	}
	for _, line := range wrapped(first+" "+rest, oneLineWidth) {
		b.WriteString("// " + line + "\n")
	}
	head := "interface " + name
	var members []string
	comments := false
	width := 0
	for _, f := range fields {
		ts := l.use(f.typ)
		if f.embedded {
			head += " extends " + ts
			continue
		}
		if f.optional {
			f.json += "?"
		}
		members = append(members, f.json+": "+ts)
		comments = comments || f.comment != ""
		width = max(width, len(members[len(members)-1]))
	}
	if one := head + " { " + strings.Join(members, "; ") + " }"; !comments && len(one) <= oneLineWidth {
		b.WriteString(one + "\n\n")
		return
	}
	b.WriteString(head + " {\n")
	i := 0
	for _, f := range fields {
		if f.embedded {
			continue
		}
		line := members[i]
		// What is said of a field is said behind it, without its name.
		comment := regexp.MustCompile(`^`+f.name+` (is|are) `).ReplaceAllString(f.comment, "")
		switch {
		case width+len(comment) > oneLineWidth:
			for _, part := range wrapped(comment, oneLineWidth) {
				b.WriteString("  // " + part + "\n")
			}
		case comment != "":
			line = fmt.Sprintf("%-*s // %s", width, line, comment)
		}
		b.WriteString("  " + line + "\n")
		i++
	}
	b.WriteString("}\n\n")
}

// wrapped breaks a text into lines of at most width bytes, words apart.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
