package exec

import "slices"

// Secrets (OBS-4). A script and the servers it calls pass on to each other
// whatever they like; what leaves a run (its result, its events, the records of
// its calls, artifacts, the history) has no configured secret in it. The question
// to a person is the exception: what is approved is, byte for byte, what is sent
// (PERM-5).

// clean takes secrets out of a result.
func (x *run) clean(r *Result) {
	known := x.r.Redact
	if known == nil {
		return
	}
	for i := range r.Logs {
		r.Logs[i].Text = known.Known(r.Logs[i].Text)
	}
	cleanOutput(x, r.Output)
	for i := range r.Warnings {
		w := &r.Warnings[i] // a path may name a member of the script's value
		w.Message, w.Path = known.Known(w.Message), known.Known(w.Path)
	}
	for i := range r.Calls {
		r.Calls[i] = x.cleanRecord(r.Calls[i])
	}
	r.Diagnostics = slices.Clone(r.Diagnostics)
	for i := range r.Diagnostics { // a type may quote a text of the script
		r.Diagnostics[i].Message = known.Known(r.Diagnostics[i].Message)
	}
	if r.HasValue {
		r.Value = known.JSON(r.Value)
	}
	if r.Error != nil {
		e := *r.Error
		e.Name, e.Message, e.Stack, e.Code = known.Known(e.Name), known.Known(e.Message), known.Known(e.Stack), known.Known(e.Code)
		r.Error = &e
	}
}

// cleanRecord is the record of a call without secrets. Of the arguments only those
// of records are cleaned: the call has its own.
func (x *run) cleanRecord(c CallRecord) CallRecord {
	known := x.r.Redact
	if known == nil {
		return c
	}
	c.Arguments = known.JSON(c.Arguments)
	c.Context = slices.Clone(c.Context)
	for i := range c.Context {
		c.Context[i] = known.Known(c.Context[i])
	}
	return c
}

// cleanOutput takes secrets out of items of the run's output, in place.
func cleanOutput(x *run, items []Output) {
	for i := range items {
		item := &items[i]
		item.Text, item.URI, item.MIMEType = x.r.Redact.Known(item.Text), x.r.Redact.Known(item.URI), x.r.Redact.Known(item.MIMEType)
		item.Problem = x.r.Redact.Known(item.Problem)
	}
}

// cleanEvent is an event without secrets. What it points to stays as it is.
func (x *run) cleanEvent(e Event) Event {
	known := x.r.Redact
	if known == nil {
		return e
	}
	if e.Call != nil {
		c := x.cleanRecord(*e.Call)
		e.Call = &c
	}
	if e.Log != nil {
		e.Log = &Log{Level: e.Log.Level, Text: known.Known(e.Log.Text)}
	}
	if e.Output != nil {
		items := []Output{*e.Output}
		cleanOutput(x, items)
		e.Output = &items[0]
	}
	if e.Progress != nil {
		p := *e.Progress
		p.Message = known.Text(p.Message)
		e.Progress = &p
	}
	return e
}
