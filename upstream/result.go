package upstream

import (
	"cmp"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parseResult reads a tools/call result. It takes whatever is there: an unknown
// content type, a missing content, a field of another type cost only
// themselves.
func parseResult(raw jsontext.Value) *Result {
	r := &Result{Raw: raw}
	fields := members(raw)
	if s := fields["structuredContent"]; len(s) > 0 && s.Kind() != 'n' {
		r.Structured = s
	}
	r.IsError = isTrue(fields["isError"])
	var texts []string
	for _, item := range elements(fields["content"]) {
		part := members(item)
		switch kind := stringOf(part["type"]); kind {
		case "text":
			texts = append(texts, stringOf(part["text"]))
		case "image", "audio":
			r.Attachments = append(r.Attachments, Attachment{
				Kind: kind, MIMEType: stringOf(part["mimeType"]), Data: stringOf(part["data"]),
			})
		case "resource":
			resource := members(part["resource"])
			r.Attachments = append(r.Attachments, Attachment{
				Kind: kind, MIMEType: stringOf(resource["mimeType"]), URI: stringOf(resource["uri"]),
				Text: stringOf(resource["text"]), Data: stringOf(resource["blob"]),
			})
		case "resource_link":
			words := "a link to " + stringOf(part["uri"])
			if name := cmp.Or(stringOf(part["title"]), stringOf(part["name"])); name != "" {
				words += ": " + name
			}
			r.Others = append(r.Others, words)
		case "":
		default:
			r.Others = append(r.Others, "content of the kind "+kind+", which cannot be shown")
		}
	}
	r.Text, r.HasText = strings.Join(texts, "\n"), len(texts) > 0
	return r
}

// members are those of an object, none of anything else; of two with one name
// the last counts, as in JavaScript. The values are parts of v, which is JSON.
func members(v jsontext.Value) map[string]jsontext.Value {
	if v.Kind() != '{' {
		return nil
	}
	fields := map[string]jsontext.Value{}
	for name, value := range parts(v) {
		fields[name] = value
	}
	return fields
}

// part is one member of an object, nil when it has none of that name.
func part(v jsontext.Value, name string) (found jsontext.Value) {
	if v.Kind() != '{' {
		return nil
	}
	for n, value := range parts(v) {
		if n == name {
			found = value
		}
	}
	return found
}

func elements(v jsontext.Value) []jsontext.Value {
	if v.Kind() != '[' {
		return nil
	}
	var list []jsontext.Value
	for _, value := range parts(v) {
		list = append(list, value)
	}
	return list
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
