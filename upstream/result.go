package upstream

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parseResult reads a tools/call result. It accepts whatever is there: an unknown
// content type, a missing content, a field of another type cost only themselves,
// and what cannot be text is an attachment, so that nothing disappears.
func parseResult(raw jsontext.Value) *Result {
	r := &Result{Raw: raw}
	fields := members(raw, "structuredContent", "isError", "content")
	if s := fields["structuredContent"]; len(s) > 0 && s.Kind() != 'n' {
		r.Structured = s
	}
	r.IsError = isTrue(fields["isError"])
	var texts []string
	for item := range contentOf(fields["content"]) {
		if item.Kind() == '"' { // some servers send bare strings
			texts = append(texts, stringOf(item))
			continue
		}
		part := members(item, "type", "text", "mimeType", "data", "resource", "uri")
		switch kind := stringOf(part["type"]); kind {
		case "text":
			if text := part["text"]; len(text) > 0 && text.Kind() != '"' && text.Kind() != 'n' {
				r.attachUnusable(item, "text that is not a string")
				continue
			}
			texts = append(texts, stringOf(part["text"]))
		case "image", "audio":
			a := Attachment{Kind: kind, MIMEType: stringOf(part["mimeType"]), Data: stringOf(part["data"])}
			var problem string
			if a.MIMEType, problem = CheckMedia(a.Kind, a.MIMEType, a.Data); problem != "" {
				r.attachUnusable(item, problem)
				continue
			}
			r.Attachments = append(r.Attachments, a)
		case "resource":
			texts = append(texts, r.resource(item, members(part["resource"], "mimeType", "uri", "text", "blob"))...)
		case "resource_link":
			uri := stringOf(part["uri"])
			if uri == "" {
				r.attachUnusable(item, "a resource_link without a URI")
				continue
			}
			texts = append(texts, uri)
			r.Attachments = append(r.Attachments, Attachment{Kind: "resource", MIMEType: stringOf(part["mimeType"]), URI: uri, InText: true})
		case "":
			r.attachUnusable(item, "content without a kind")
		default:
			r.attachUnusable(item, fmt.Sprintf("content of the unknown kind %q", kind))
		}
	}
	r.Text, r.HasText = strings.Join(texts, "\n"), len(texts) > 0
	return r
}

// resource reads an embedded resource and returns its text, if it has any.
func (r *Result) resource(item jsontext.Value, fields map[string]jsontext.Value) (texts []string) {
	a := Attachment{Kind: "resource", MIMEType: stringOf(fields["mimeType"]), URI: stringOf(fields["uri"])}
	isText, isBlob := fields["text"].Kind() == '"', fields["blob"].Kind() == '"'
	if isText {
		texts = []string{stringOf(fields["text"])}
		text := a
		text.Text, text.InText = texts[0], true
		r.Attachments = append(r.Attachments, text)
	}
	switch {
	case isBlob:
		a.Data = stringOf(fields["blob"])
		a.Problem = fmt.Sprintf("%s, which cannot be text", describeResource(a))
		if !isBase64(a.Data) {
			a.Problem = fmt.Sprintf("%s, whose data is not base64", describeResource(a))
		}
		r.Attachments = append(r.Attachments, a)
	case !isText:
		r.attachUnusable(item, fmt.Sprintf("%s with neither text nor data", describeResource(a)))
	}
	return texts
}

func describeResource(a Attachment) string {
	words := "an embedded resource"
	if a.URI != "" {
		words += " " + a.URI
	}
	if a.MIMEType != "" {
		words += " (" + a.MIMEType + ")"
	}
	return words
}

// attachUnusable keeps an item of content that is neither text nor anything that can
// be handed on, as it was sent.
func (r *Result) attachUnusable(item jsontext.Value, problem string) {
	r.Attachments = append(r.Attachments, Attachment{
		Kind: "unknown", MIMEType: stringOf(part(item, "mimeType")), Text: string(item), Problem: problem,
	})
}

// contentOf are the items of a content; a single one may come without its array.
func contentOf(v jsontext.Value) iter.Seq[jsontext.Value] {
	switch v.Kind() {
	case '{', '"':
		return slices.Values([]jsontext.Value{v})
	}
	return elements(v)
}

// members are those members of an object that have one of the names, none of
// anything else; of two with one name the last counts, as in JavaScript. The values
// are parts of v, which is JSON. An object may have millions of other members, so
// nothing of them is kept.
func members(v jsontext.Value, names ...string) map[string]jsontext.Value {
	if v.Kind() != '{' {
		return nil
	}
	fields := make(map[string]jsontext.Value, len(names))
	for name, value := range parts(v) {
		if i := slices.IndexFunc(names, func(n string) bool { return n == string(name) }); i >= 0 {
			fields[names[i]] = value
		}
	}
	return fields
}

// part is one member of an object, nil when it has none of that name.
func part(v jsontext.Value, name string) jsontext.Value { return members(v, name)[name] }

// count is how many elements a list has, without keeping any; none for anything else.
func count(v jsontext.Value) (n int) {
	for range elements(v) {
		n++
	}
	return n
}

// elements are those of a list, none of anything else.
func elements(v jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		if v.Kind() != '[' {
			return
		}
		for _, value := range parts(v) {
			if !yield(value) {
				return
			}
		}
	}
}

func stringOf(v jsontext.Value) string {
	var s string
	if v.Kind() != '"' || jsonv2.Unmarshal(v, &s, tolerant...) != nil {
		return ""
	}
	return s
}

// isTrue takes the string "true" too, as some servers send it.
func isTrue(v jsontext.Value) bool {
	return v.Kind() == 't' || strings.EqualFold(stringOf(v), "true")
}
