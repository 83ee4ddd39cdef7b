package exec

import (
	"cmp"
	"fmt"
	"slices"

	"codemode-ls/upstream"
)

// attach adds those attachments of a call whose content is in the text of its
// result, or those where it is not. x.mu is held.
func (x *run) attach(c *call, attachments []upstream.Attachment, inText bool) {
	for _, a := range attachments {
		if a.InText == inText {
			x.attachOutput(c, Output{Type: a.Kind, MIMEType: a.MIMEType, Data: a.Data, Text: a.Text, URI: a.URI, Problem: a.Problem})
		}
	}
}

// attachOutput adds one item that came with a call, and warns of one that the script
// or a model cannot use. x.mu is held.
func (x *run) attachOutput(c *call, out Output) {
	where := "it is in the output of the run"
	if x.output.attach(c.order, out) {
		x.emit(Event{Kind: "output", Output: &out})
	} else {
		where = "it was dropped, because there is no room for more attachments"
	}
	if out.Problem != "" {
		x.remark(c, "", "the result of call %d (%s) has %s; %s", c.record.Index+1, c.record.Tool, fold(out.Problem), where)
	}
}

// remark warns of something about a call. Results arrive in any order; warnings are
// listed in the order of the calls (RES-4). x.mu is held.
func (x *run) remark(c *call, path, format string, args ...any) {
	x.remarks = append(x.remarks, remark{c.order, Warning{Message: fmt.Sprintf(format, args...), Path: path, Range: c.record.Range}})
}

// allWarnings are those of the run and then those about its calls. x.mu is held.
func (x *run) allWarnings() []Warning {
	all := append([]Warning{}, x.warnings...)
	remarks := slices.Clone(x.remarks)
	slices.SortStableFunc(remarks, func(a, b remark) int { return cmp.Compare(a.order, b.order) })
	for _, n := range remarks {
		all = append(all, n.Warning)
	}
	return all
}
