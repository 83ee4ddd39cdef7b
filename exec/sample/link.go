package sample

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A reference is what stands in place of the text of a $ref: the schema that it
// names, or nil when that is not in the document. Nothing is ever loaded.
type reference struct{ target any }

// link is a copy of a schema in which references lead to what they name: by
// JSON Pointer, $anchor or $id.
func link(root any) any {
	l := linker{resources: map[string]any{}, anchors: map[string]any{}}
	root = l.copy(root, "", 0)
	l.resources[""] = root
	for _, p := range l.pending {
		p.in[p.keyword] = reference{l.find(p.base, p.ref)}
	}
	return root
}

type linker struct {
	resources map[string]any // by URI without fragment
	anchors   map[string]any // by URI with fragment
	pending   []pending
}

type pending struct {
	in                 object
	keyword, base, ref string
}

// data are keywords whose values are no schemas.
var data = map[string]bool{"enum": true, "const": true, "default": true, "example": true, "examples": true}

func (l *linker) copy(v any, base string, depth int) any {
	if depth > 1_000 {
		return true
	}
	switch v := v.(type) {
	case object:
		out := make(object, len(v))
		resource := false
		for _, key := range []string{"$id", "id"} {
			id, ok := v[key].(string)
			if !ok {
				continue
			}
			if anchor, ok := strings.CutPrefix(id, "#"); ok { // drafts 4 to 7
				l.anchors[base+"#"+anchor] = out
				continue
			}
			base, resource = join(base, id), true
		}
		if resource {
			if _, taken := l.resources[base]; !taken {
				l.resources[base] = out
			}
		}
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if anchor, ok := v[key].(string); ok {
				if _, taken := l.anchors[base+"#"+anchor]; !taken {
					l.anchors[base+"#"+anchor] = out
				}
			}
		}
		for key, w := range v {
			if ref, ok := w.(string); ok && (key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef") {
				l.pending = append(l.pending, pending{out, key, base, ref})
				continue
			}
			if data[key] {
				out[key] = w
				continue
			}
			out[key] = l.copy(w, base, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, w := range v {
			out[i] = l.copy(w, base, depth+1)
		}
		return out
	}
	return v
}

// find is the schema that a reference names, nil when it is not here.
func (l *linker) find(base, ref string) any {
	whole := join(base, ref)
	if whole == "" {
		whole = base
	}
	uri, fragment, _ := strings.Cut(whole, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	at, ok := l.resources[uri]
	switch {
	case fragment == "" && ok:
		return at
	case fragment == "":
		return nil
	case !strings.HasPrefix(fragment, "/"):
		return l.anchors[uri+"#"+fragment]
	case !ok:
		return nil
	}
	for step := range strings.SplitSeq(fragment[1:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := at.(type) {
		case object:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

// join resolves a URI reference against a base.
func join(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	if b.Opaque != "" && strings.HasPrefix(ref, "#") { // urn:…
		return base + ref
	}
	return b.ResolveReference(r).String()
}

// sorted are the members of an object in a fixed order.
func sorted[V any](o map[string]V) []string { return slices.Sorted(maps.Keys(o)) }
