package input

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const schema = `{"type":"object","properties":{"repo":{"type":"string"},"limit":{"type":"number","default":10,"description":"How many."},
"labels":{"type":"array","items":{"type":"string"}},"ids":{"anyOf":[{"type":"array","items":{"type":"number"}},{"type":"null"}]},
"page":{"type":"object","properties":{"size":{"type":"number"},"next":{"$ref":"#/$defs/Next"}}},
"state":{"enum":["open",1,true]},"who":{"type":["string","number"]},"any":{},
"more":{"type":"object","additionalProperties":{"type":"boolean"}}},"required":["repo"],"$defs":{"Next":{"type":"string"}}}`

// EXEC-18: the type says what the text of a flag means.
func TestSet(t *testing.T) {
	for _, tt := range []struct {
		base   string
		fields []string
		want   string
	}{
		{"", []string{"repo=5"}, `{"repo":"5"}`},
		{"", []string{"limit=5"}, `{"limit":5}`},
		{"", []string{"limit=five"}, `{"limit":"five"}`},
		{"", []string{"repo=a=b"}, `{"repo":"a=b"}`},
		{"", []string{"labels=a", "labels=b"}, `{"labels":["a","b"]}`},
		{"", []string{`labels=["a","b"]`}, `{"labels":["a","b"]}`},
		{"", []string{"ids=1", "ids=2"}, `{"ids":[1,2]}`},
		{"", []string{"ids=null"}, `{"ids":null}`},
		{"", []string{"page.size=3", "page.next=4"}, `{"page":{"next":"4","size":3}}`},
		{"", []string{"state=open"}, `{"state":"open"}`},
		{"", []string{"state=1"}, `{"state":1}`},
		{"", []string{"state"}, `{"state":true}`},
		{"", []string{"who=1"}, `{"who":"1"}`},
		{"", []string{"any=1"}, `{"any":1}`},
		{"", []string{"any=one"}, `{"any":"one"}`},
		{"", []string{"more.a", "more.b=false"}, `{"more":{"a":true,"b":false}}`},
		{"", []string{"unknown=x"}, `{"unknown":"x"}`},
		{`{"z":1,"repo":"a"}`, []string{"limit=1"}, `{"z":1,"repo":"a","limit":1}`},
		{`{"big":12345678901234567890}`, []string{"limit=1"}, `{"big":12345678901234567890,"limit":1}`},
		{`{"repo":"a"}`, []string{"repo=b"}, "--input.repo: given twice"},
		{`{"repo":"a"}`, []string{"repo.b=c"}, "--input.repo.b: repo is no object"},
		{`[1]`, []string{"repo=b"}, "--input is an array, so that it has no fields to set"},
		{"", []string{"=b"}, "--input.: a name is missing"},
	} {
		var base jsontext.Value
		if tt.base != "" {
			base = jsontext.Value(tt.base)
		}
		got, err := Set(jsontext.Value(schema), base, tt.fields)
		text := string(got)
		if err != nil {
			text = err.Error()
		}
		if text != tt.want {
			t.Errorf("%s %q: %s, not %s", tt.base, tt.fields, text, tt.want)
		}
	}
}

// EXEC-18: the table of an input.
func TestFields(t *testing.T) {
	var got string
	for _, f := range Fields(jsontext.Value(schema)) {
		got += f.Path
		if !f.Required {
			got += "?"
		}
		got += ": " + f.Type
		if f.Default != "" {
			got += " = " + f.Default
		}
		if f.Description != "" {
			got += " // " + f.Description
		}
		got += "\n"
	}
	const want = `repo: string
limit?: number = 10 // How many.
labels?: string[]
ids?: number[] | null
page?: object
page.size?: number
page.next?: Next
state?: "open" | 1 | true
who?: string | number
any?: unknown
more?: Record<string, boolean>
`
	if got != want {
		t.Errorf("%s", got)
	}
}

// EXEC-18: an input is bounded in what it may be, whatever the type.
func TestParse(t *testing.T) {
	for _, bad := range []string{"", "{", "1 2", `{"a":1,"a":2}`, "\"\xff\"", "undefined", "'a'", "[1,]"} {
		if v, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q: %s", bad, v)
		}
	}
	if v, err := Parse([]byte(` { "a" : [ 1 ] } `)); err != nil || string(v) != `{"a":[1]}` {
		t.Errorf("%s %v", v, err)
	}
}
