package catalog

import "strings"

const (
	prefix    = "mcp__" // of every MCP tool's full name
	separator = "__"
)

// NamespaceOf is the namespace of a full name, mcp__<key>, whether there is such
// a tool or not; "" when the name is not an MCP tool's.
func NamespaceOf(fullName string) string { return namespaceOf(fullName) }

// Namespace is the grouping key of a configured server name: mcp__<key> with
// <key> up to the first "__" (POOL-2).
//
// The key is cut from the full name, as routing cuts it, not from the server's
// name: "a_" has the tools mcp__a___x, in which the first "__" comes after "a".
func Namespace(server string) string {
	return namespaceOf(fullName(server, ""))
}

// fullName is mcp__<server>__<tool> (POOL-2).
func fullName(server, tool string) string {
	return prefix + identifierLike(server) + separator + tool
}

// CanOwn reports whether a tool of the server can have this full name. More than
// one server may: a and a__b for mcp__a__b__c.
func CanOwn(server, name string) bool {
	tool, ok := strings.CutPrefix(name, fullName(server, ""))
	return ok && tool != ""
}

// ToolOf is a full name that a tool of a server could have, for CanOwn: of a
// namespace, mcp__<key>, or its key alone.
func ToolOf(namespace string) string {
	return fullName(strings.TrimPrefix(namespace, prefix), "_")
}

// namespaceOf is the part of a full name before its second "__". It is the name
// itself when there is none, and "" when the name is not an MCP tool's.
func namespaceOf(name string) string {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return ""
	}
	if i := strings.Index(rest, separator); i >= 0 {
		return name[:len(prefix)+i]
	}
	return name
}

// identifierLike replaces the characters of a configured name that a full name
// cannot have: all but A-Z a-z 0-9 _ and -.
func identifierLike(server string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, server)
}

// sameNamespace reports whether a person or a script that says said means the
// namespace: mcp__dev-radius can be called dev-radius, and with _ for what is
// no identifier character (SRCH-5). It compares exactly first, see
// Catalog.namespaces.
func sameNamespace(namespace, said string, exact bool) bool {
	key, said := strings.TrimPrefix(namespace, prefix), strings.TrimPrefix(said, prefix)
	if exact {
		return key == said
	}
	return underscored(key) == underscored(said)
}

// underscored replaces everything that an ASCII identifier cannot have.
func underscored(s string) string {
	return strings.ReplaceAll(identifierLike(s), "-", "_")
}

// leaf is the part of a full name behind its namespace and "__".
func leaf(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, namespaceOf(name)), separator)
}
