package typegen

import (
	"strconv"
	"strings"
)

// A registry gives names to those types of a tool's input or output that need
// one, and holds them until they are written.
type registry struct {
	prefix string          // such as "ToolTypes.mcp__github__search.", where it is needed
	taken  map[string]bool // shared by the tool's input and output
	root   string          // name of the schema as a whole
	byNode map[*node]string
	byKey  map[string]string // of combined types
	queue  []pending
}

// A pending type has a name but is not written yet.
type pending struct {
	name string
	node *node // one of these three is what it names
	lazy *lazy
	deep union
}

func newRegistry(prefix, root string, taken map[string]bool) *registry {
	return &registry{prefix: prefix, root: root, taken: taken, byNode: map[*node]string{}, byKey: map[string]string{}}
}

// name returns the name of a schema's type.
func (r *registry) name(n *node) string {
	name, ok := r.byNode[n]
	if !ok {
		want := r.root
		if n.parent != nil {
			want = nameFor(n)
		}
		name = r.fresh(want)
		r.byNode[n] = name
		r.queue = append(r.queue, pending{name: name, node: n})
	}
	return r.prefix + name
}

// nameCombined returns the name of a combination of types, by its key.
func (r *registry) nameCombined(key string, l *lazy) string {
	name, ok := r.byKey[key]
	if !ok {
		hint := "Combined"
		for _, kid := range l.kids {
			if kid.op == opNode {
				hint = nameFor(kid.node)
				break
			}
		}
		name = r.fresh(hint)
		r.byKey[key] = name
		r.queue = append(r.queue, pending{name: name, lazy: l})
	}
	return r.prefix + name
}

// nameDeep names a type that is too deep to be written in place.
func (r *registry) nameDeep(x alternative) string {
	name := r.fresh("Deep")
	r.queue = append(r.queue, pending{name: name, deep: union{x}})
	return r.prefix + name
}

// fresh returns the requested name, numbered when it is taken.
func (r *registry) fresh(want string) string {
	name := want
	for i := 2; r.taken[name]; i++ {
		name = want + strconv.Itoa(i)
	}
	r.taken[name] = true
	return name
}

// nameFor makes a type name of the place of a schema: of the last segments of
// its pointer that an author chose.
func nameFor(n *node) string {
	suffix, target := "", n
	for ; n.parent != nil; n = n.parent {
		segment := n.name()
		chosen := isNameMap(n.parent)
		switch {
		case chosen:
			if name := pascal(segment); name != "" {
				return name + suffix
			}
		case segment == "items" || n.parent.parent != nil && n.parent.name() == "prefixItems":
			suffix = "Item" + suffix
		case segment == "additionalProperties":
			suffix = "Value" + suffix
		}
		if len(suffix) > 40 {
			break
		}
	}
	if suffix == "" && target.parent != nil {
		suffix = pascal(target.name()) // such as that of #/components/schemas/Pet
	}
	if suffix == "" {
		suffix = "Part"
	}
	return suffix
}

// pascal makes a type name of the letters and digits of any text.
func pascal(s string) string {
	var b strings.Builder
	upper := true
	for i := 0; i < len(s) && b.Len() < 60; i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z':
			if upper {
				c -= 'a' - 'A'
			}
		case c >= 'A' && c <= 'Z':
		case c >= '0' && c <= '9' && b.Len() > 0:
		case c == '_' && b.Len() > 0 && !upper:
		default:
			upper = true
			continue
		}
		if c == '_' {
			upper = true
			continue
		}
		upper = false
		b.WriteByte(c)
	}
	return b.String()
}
