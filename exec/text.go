package exec

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// text renders a result for a model (RES-1…4). Beyond the line with the wall
// time it depends on nothing but what the script did.
type text struct {
	result              *Result
	wall                time.Duration
	logsCut             int
	dry                 bool
	maxValue, maxTokens int
	// artifact keeps a text that is cut and gives its path, "" when it cannot.
	artifact func(whole string) string

	valueCut bool // set by render
}

var statusLines = map[Status]string{
	Completed:      "Script completed",
	CodeError:      "Script failed",
	Timeout:        "Script timed out",
	BudgetExceeded: "Script exceeded its budget",
	Cancelled:      "Script cancelled",
	Denied:         "Script denied",
}

// charsPerToken is the estimate of RES-2.
const charsPerToken = 4

func (t *text) render() string {
	head := fmt.Sprintf("%s\nWall time %.1f seconds\n", statusLines[t.result.Status], t.wall.Seconds())
	value := ""
	if t.result.HasValue {
		value = plain(t.result.Value)
	}
	whole := t.body(value)
	short := whole
	if n := utf8.RuneCountInString(value); t.maxValue > 0 && n > t.maxValue {
		t.valueCut = true
		short = t.body(headAndTail(value, t.maxValue, func(out int) string {
			return fmt.Sprintf("\n[… %d of %d characters of the value left out …]\n", out, n)
		}))
	}
	if max := t.maxTokens * charsPerToken; max > 0 && utf8.RuneCountInString(short) > max {
		short = headAndTail(short, max, func(out int) string {
			return fmt.Sprintf("\n[… %s left out …]\n", plural((out+charsPerToken-1)/charsPerToken, "token"))
		})
	}
	if short == whole {
		return head + whole
	}
	cut := &Truncated{TotalChars: utf8.RuneCountInString(whole), Artifact: t.artifact(whole)}
	t.result.Truncated = cut
	if cut.Artifact != "" {
		short += "\n[the whole text is in " + cut.Artifact + "]"
	} else {
		short += "\n[the whole text could not be kept]"
	}
	return head + short
}

// body is everything behind the wall time, with the value as given.
func (t *text) body(value string) string {
	r := t.result
	var b strings.Builder
	produced := t.produced(value)
	if r.Status == Completed {
		b.WriteString("Output:\n")
		if produced == "" {
			produced = "(the script returned nothing and printed nothing)"
			if r.HasValue {
				produced = "(the script returned an empty string and printed nothing)"
			}
		}
		b.WriteString(produced)
	} else {
		if produced != "" {
			b.WriteString("Output:\n" + produced + "\n")
		}
		b.WriteString("Script error:\n" + reason(r.Error))
		t.diagnostics(&b)
		t.calls(&b, "Calls already made (not undone):")
	}
	if t.dry {
		t.calls(&b, "Calls that would have been made:")
	}
	t.context(&b)
	t.warnings(&b)
	return b.String()
}

// produced is what the script printed, put out and returned, in this order.
func (t *text) produced(value string) string {
	var parts []string
	for _, l := range t.result.Logs {
		parts = append(parts, l.Text)
	}
	if t.logsCut > 0 {
		parts = append(parts, fmt.Sprintf("[… %s of console output left out …]", plural(t.logsCut, "character")))
	}
	attached := 0
	for _, o := range t.result.Output {
		switch o.Type {
		case "text":
			parts = append(parts, o.Text)
		case "unknown": // a model cannot be given it; a warning names it
		default:
			attached++
		}
	}
	if t.result.HasValue && value != "" {
		parts = append(parts, value)
	}
	if attached > 0 {
		parts = append(parts, fmt.Sprintf("(%s with this text)", plural(attached, "attachment")))
	}
	if d := t.result.Dropped; d != nil {
		parts = append(parts, fmt.Sprintf("(%s dropped, %d bytes)", plural(d.Images, "attachment"), d.Bytes))
	}
	return strings.Join(parts, "\n")
}

// reason is an error as its author reads it: name, message, stack.
func reason(e *Error) string {
	line := e.Message
	if e.Name != "" {
		line = strings.TrimSuffix(e.Name+": "+e.Message, ": ")
	}
	if e.Stack == "" {
		if e.Range != nil {
			line += fmt.Sprintf("\n    at line %d, column %d", e.Range.Start.Line+1, e.Range.Start.Character+1)
		}
		return line
	}
	if strings.HasPrefix(e.Stack, line) {
		return e.Stack
	}
	return line + "\n" + e.Stack
}

// Long lists end somewhere; data has them whole.
const (
	maxDiagnostics = 10
	maxWarnings    = 20
	maxCallLines   = 100
)

// diagnostics lists what is wrong; hints are in the data alone.
func (t *text) diagnostics(b *strings.Builder) {
	wrong := slices.DeleteFunc(slices.Clone(t.result.Diagnostics), func(d Diagnostic) bool { return d.Severity > 2 })
	for i, d := range wrong {
		switch i {
		case 0:
			b.WriteString("\nThe type check says:")
		case maxDiagnostics:
			fmt.Fprintf(b, "\n… and %d more", len(wrong)-i)
			return
		}
		fmt.Fprintf(b, "\n%d:%d %s", d.Range.Start.Line+1, d.Range.Start.Character+1, strings.ReplaceAll(d.Message, "\n", "\n  "))
	}
}

// calls lists what was called; equal neighbours share a line.
func (t *text) calls(b *strings.Builder, title string) {
	calls := t.result.Calls
	if !t.dry {
		calls = slices.DeleteFunc(slices.Clone(calls), func(c CallRecord) bool { return c.NotSent })
	}
	if len(calls) == 0 || t.dry && !strings.Contains(title, "would") {
		return
	}
	b.WriteString("\n" + title)
	line := func(c CallRecord) string {
		if t.dry {
			return fmt.Sprintf("\n- %s %s (%s)", c.Tool, c.Arguments, VerdictWords(c))
		}
		words := statusWords[c.Status]
		if (c.Status == CallCancelled || c.Status == CallTimedOut) && !strings.HasPrefix(c.Tool, reserved) {
			words += "; it may have taken effect"
		}
		return fmt.Sprintf("\n- %s: %s", c.Tool, words)
	}
	lines := 0
	for i := 0; i < len(calls); {
		same := i + 1
		for same < len(calls) && line(calls[same]) == line(calls[i]) {
			same++
		}
		if lines++; lines > maxCallLines {
			fmt.Fprintf(b, "\n… and %d more", len(calls)-i)
			return
		}
		b.WriteString(line(calls[i]))
		if same > i+1 {
			fmt.Fprintf(b, " (%d times)", same-i)
		}
		i = same
	}
}

var statusWords = map[CallStatus]string{
	CallCompleted: "completed",
	CallFailed:    "failed",
	CallDenied:    "denied",
	CallRefused:   "refused",
	CallCancelled: "cancelled",
	CallTimedOut:  "timed out",
}

// context is what hooks have said about calls (HOOK-4).
func (t *text) context(b *strings.Builder) {
	first := true
	for _, c := range t.result.Calls {
		if len(c.Context) > 0 && first {
			b.WriteString("\nFrom hooks:")
			first = false
		}
		for _, said := range c.Context {
			fmt.Fprintf(b, "\n- %s: %s", c.Tool, strings.ReplaceAll(said, "\n", "\n  "))
		}
	}
}

func (t *text) warnings(b *strings.Builder) {
	for i, w := range t.result.Warnings {
		switch i {
		case 0:
			b.WriteString("\nWarnings:")
		case maxWarnings:
			fmt.Fprintf(b, "\n… and %d more", len(t.result.Warnings)-i)
			return
		}
		place := ""
		switch {
		case w.Path != "":
			place = " (" + w.Path + ")"
		case w.Range != nil:
			place = fmt.Sprintf(" (line %d)", w.Range.Start.Line+1)
		}
		b.WriteString("\n- " + w.Message + place)
	}
}

// headAndTail keeps the first and the last part of a text, max characters in
// all, with a mark between that is made of the number of those left out.
func headAndTail(s string, max int, mark func(out int) string) string {
	n := utf8.RuneCountInString(s)
	head := (max + 1) / 2
	tail := max - head
	from, to := byteOffset(s, head), byteOffset(s, n-tail)
	return s[:from] + mark(n-max) + s[to:]
}

// byteOffset is where the character with a number begins.
func byteOffset(s string, chars int) int {
	for i := range s {
		if chars == 0 {
			return i
		}
		chars--
	}
	return len(s)
}
