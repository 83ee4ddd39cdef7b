package exec

import (
	"cmp"
	"encoding/base64"
	"slices"
	"unicode/utf8"
)

// output collects what a run gives beside its value: items of text() and
// image(), and what calls bring back (BUD-10). It is guarded by the run's mu.
type output struct {
	items               []item
	images, bytes       int // attached
	chars               int // of text items
	dropped             Dropped
	maxImages, maxBytes int
	maxChars            int
}

// An item remembers the call that it came with: results come in any order, and
// the same run has to give the same output (RES-4).
type item struct {
	order int
	Output
}

// text adds a text item; false when there is no room for it.
func (o *output) text(order int, s string) bool {
	n := utf8.RuneCountInString(s)
	if o.chars+n > o.maxChars {
		return false
	}
	o.chars += n
	o.items = append(o.items, item{order, Output{Type: "text", Text: s}})
	return true
}

// attach adds an item that is no text, or counts it as dropped.
func (o *output) attach(order int, out Output) bool {
	size := base64.StdEncoding.DecodedLen(len(out.Data)) + len(out.Text)
	if o.images >= o.maxImages || o.bytes+size > o.maxBytes {
		o.dropped.Images++
		o.dropped.Bytes += size
		return false
	}
	o.images++
	o.bytes += size
	o.items = append(o.items, item{order, out})
	return true
}

// sorted are the items in the order of the calls that they came with.
func (o *output) sorted() []Output {
	items := slices.Clone(o.items)
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.order, b.order) })
	out := make([]Output, len(items))
	for i, it := range items {
		out[i] = it.Output
	}
	return out
}

// of are the items of the call with that order.
func (o *output) of(order int) []Output {
	out := []Output{}
	for _, it := range o.items {
		if it.order == order {
			out = append(out, it.Output)
		}
	}
	return out
}

// A remark is a warning about a call, with the call's place in the order of the script.
type remark struct {
	order int
	Warning
}
