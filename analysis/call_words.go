package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"codemode-ls/exec"
	"codemode-ls/script"
)

// callStates are the states of the calls by the place of the call, as text.
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
	wrong, open := 0, exec.CallStatus("")
	message := ""
	for _, c := range calls {
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
	case calls[0].Verdict != "":
		return "dry run: " + many + verdictWords(calls[0])
	case wrong > 0 && len(calls) > 1:
		return fmt.Sprintf("✗ %d of %d calls: %s%s", wrong, len(calls), message, ownTime(calls))
	case wrong > 0:
		return "✗ " + message + ownTime(calls)
	}
	return "✓ " + many + strings.TrimPrefix(ownTime(calls), ", ")
}

// verdictWords say what a call of a dry run would meet.
func verdictWords(c exec.CallRecord) string {
	words := map[string]string{"allow": "would be allowed", "ask": "would ask", "deny": "would be denied"}[c.Verdict]
	if c.VerdictBy != "" {
		words += " by " + Plain(c.VerdictBy, 80)
	}
	return words
}

// ownTime is how long at least one of the calls was at its server, with a comma
// before it: neither the time that a person took counts nor that in a queue.
func ownTime(calls []exec.CallRecord) string {
	var spans [][2]int64
	for _, c := range calls {
		if t := c.Timing; t != nil {
			spans = append(spans, [2]int64{t.EndMs - t.RunMs, t.EndMs})
		}
	}
	if len(spans) == 0 {
		return ""
	}
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	total, end := int64(0), spans[0][0]
	for _, s := range spans {
		total += max(0, s[1]-max(s[0], end))
		end = max(end, s[1])
	}
	return ", " + milliseconds(total)
}

// milliseconds is a time as text.
func milliseconds(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return fmt.Sprintf("%d ms", ms)
	}
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
