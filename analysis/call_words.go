package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"codemode-ls/exec"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// callStates are the states of the calls by the place of the call, in words.
func (s *Script) callStates() map[script.Position]string {
	groups := map[script.Position][]exec.CallRecord{}
	for _, call := range s.Calls {
		if call.Range != nil {
			groups[call.Range.Start] = append(groups[call.Range.Start], call)
		}
	}
	words := map[script.Position]string{}
	for at, calls := range groups {
		words[at] = StateWords(calls)
	}
	return words
}

// StateWords say how the calls of one place are doing.
func StateWords(calls []exec.CallRecord) string {
	var first, last int64 = -1, 0
	wrong, open := 0, exec.CallStatus("")
	message := ""
	for _, c := range calls {
		if t := c.Timing; t != nil {
			if first < 0 || t.StartMs < first {
				first = t.StartMs
			}
			last = max(last, t.EndMs)
		}
		switch c.Status {
		case exec.CallCompleted:
		case exec.CallQueued, exec.CallWaiting, exec.CallRunning:
			open = c.Status
		default:
			wrong++
			if message == "" {
				message = CallWords[c.Status]
				if c.Error != "" && c.Status == exec.CallFailed {
					message += ": " + Plain(c.Error, 80)
				}
			}
		}
	}
	many := ""
	if len(calls) > 1 {
		many = fmt.Sprintf("%d calls, ", len(calls))
	}
	switch {
	case open != "":
		return "… " + many + CallWords[open]
	case wrong > 0 && len(calls) > 1:
		return fmt.Sprintf("✗ %d of %d calls: %s%s", wrong, len(calls), message, duration(first, last))
	case wrong > 0:
		return "✗ " + message + duration(first, last)
	case calls[0].Verdict != "":
		return "dry run: would be allowed" // as far as this version's rules go
	}
	return "✓ " + many + strings.TrimPrefix(duration(first, last), ", ")
}

// duration is a time in words, with a comma before it; "" when it is not known.
func duration(first, last int64) string {
	switch d := time.Duration(last-first) * time.Millisecond; {
	case first < 0:
		return ""
	case d >= 10*time.Second:
		return fmt.Sprintf(", %.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf(", %.1f s", d.Seconds())
	default:
		return fmt.Sprintf(", %d ms", d.Milliseconds())
	}
}

// stateHints are the states at the ends of the lines of a range.
func (s *Script) stateHints(in protocol.Range) []protocol.InlayHint {
	lines := map[int][]string{}
	doc, states := s.Doc, s.callStates()
	places := slices.SortedFunc(maps.Keys(states), func(a, b script.Position) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
	})
	var order []int
	for _, p := range places {
		if len(lines[p.Line]) == 0 {
			order = append(order, p.Line)
		}
		lines[p.Line] = append(lines[p.Line], states[p])
	}
	var hints []protocol.InlayHint
	for _, line := range order {
		at := doc.FromUTF16(doc.PositionUTF16(doc.OffsetUTF16(script.Position{Line: line, Character: 1 << 30})))
		if ComparePositions(at, in.Start) < 0 || ComparePositions(in.End, at) < 0 {
			continue
		}
		left := true
		hints = append(hints, protocol.InlayHint{
			Position: at, Label: protocol.String(strings.Join(lines[line], " · ")), PaddingLeft: &left,
			Tooltip: protocol.String("How the calls of this line went in the last run."),
		})
	}
	return hints
}

// CallWords are the states of calls as a person reads them.
var CallWords = map[exec.CallStatus]string{
	exec.CallQueued:    "queued",
	exec.CallWaiting:   "waiting for permission",
	exec.CallRunning:   "running",
	exec.CallCompleted: "completed",
	exec.CallFailed:    "failed",
	exec.CallDenied:    "denied",
	exec.CallRefused:   "refused",
	exec.CallCancelled: "cancelled",
	exec.CallTimedOut:  "timed out",
}
