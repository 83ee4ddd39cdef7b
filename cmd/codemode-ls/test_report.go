package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"codemode-ls/exec/cassette"
	"codemode-ls/internal/linediff"

	"github.com/go-json-experiment/json/jsontext"
)

// differences says how a result differs from the expected one: in a line, and in
// full; "" when it does not.
func differences(want, got *cassette.Result) (problem, details string) {
	var b strings.Builder
	var what []string
	differ := func(name, want, got string) {
		if want == got {
			return
		}
		what = append(what, name)
		if !strings.Contains(want+got, "\n") && len(want)+len(got) < 100 {
			fmt.Fprintf(&b, "%s: recorded %s, now %s\n", name, want, got)
			return
		}
		fmt.Fprintf(&b, "%s:\n%s", name, linediff.Unified("recorded", "now", want, got))
	}
	differ("status", want.Status, got.Status)
	differ("error", errorText(want.Error), errorText(got.Error))
	differ("value", pretty(want.Value), pretty(got.Value))
	differ("output", outputText(want.Output), outputText(got.Output))
	if len(what) == 0 {
		return "", ""
	}
	return strings.Join(what, ", ") + " differ" + map[bool]string{true: "s", false: ""}[len(what) == 1] + " from the recorded run", b.String()
}

// pretty is a value as lines that can be compared: members in a fixed order.
func pretty(v jsontext.Value) string {
	if v == nil {
		return "(nothing was returned)"
	}
	v = v.Clone()
	faithful := []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}
	if err := v.Format(append(faithful, jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false), jsontext.WithIndent("  "))...); err != nil {
		return string(v)
	}
	return string(cassette.Escape(v))
}

func errorText(e *cassette.Error) string {
	if e == nil {
		return "(no error)"
	}
	text := e.Name + ": " + e.Message
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

func outputText(items []cassette.Attachment) string {
	var b strings.Builder
	for _, o := range items {
		if o.Type == "text" {
			b.WriteString(o.Text + "\n")
			continue
		}
		fmt.Fprintf(&b, "(%s %s %s %s%s)\n", o.Type, o.MIMEType, o.URI, o.Text, o.Data)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// shortened is a text in one line of at most so many characters.
func shortened(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

func printTested(w io.Writer, t tested) {
	state := "ok     "
	switch {
	case t.problem != "":
		state = "FAILED "
	case t.updated:
		state = "updated"
	}
	fmt.Fprintf(w, "%s %s (%s)\n", state, single(t.script), milliseconds(t.took.Milliseconds()))
	if t.problem != "" {
		fmt.Fprintf(w, "    %s\n", printable(t.problem))
	}
	for line := range strings.Lines(t.details) {
		fmt.Fprintf(w, "    %s\n", printable(strings.TrimSuffix(line, "\n")))
	}
}

func printTotal(w io.Writer, all []tested) {
	failed, updated := 0, 0
	for _, t := range all {
		if t.problem != "" {
			failed++
		} else if t.updated {
			updated++
		}
	}
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "%d passed, %d failed", len(all)-failed-updated, failed)
	if updated > 0 {
		fmt.Fprintf(w, ", %d updated", updated)
	}
	fmt.Fprintln(w)
}

// printGitHub prints workflow commands of GitHub: an annotation on the script of
// each test that failed.
func printGitHub(w io.Writer, all []tested) {
	for _, t := range all {
		if t.problem == "" {
			continue
		}
		place := ""
		if t.result != nil && t.result.Error != nil && t.result.Error.Range != nil {
			place = fmt.Sprintf(",line=%d,col=%d", t.result.Error.Range.Start.Line+1, t.result.Error.Range.Start.Character+1)
		}
		fmt.Fprintf(w, "::error file=%s%s,title=codemode-ls test::%s\n", workflowProperty(printable(t.script)), place,
			workflowData(printable(strings.TrimSpace(t.problem+"\n"+t.details))))
	}
	printTotal(w, all)
}

// What --format junit prints: the XML that most CI systems read.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Time     string      `xml:"time,attr"` // seconds
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"` // the test could not be run
		Output  string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func printJUnit(w io.Writer, all []tested) error {
	suite := junitSuite{Name: "codemode-ls test", Tests: len(all)}
	var total time.Duration
	for _, t := range all {
		total += t.took
		c := junitCase{Name: printable(t.script), Class: "codemode-ls", File: printable(t.script), Time: seconds(t.took)}
		if t.problem != "" {
			problem := &junitProblem{Message: printable(t.problem), Text: printable(t.details)}
			if t.broken {
				c.Error = problem
				suite.Errors++
			} else {
				c.Failure = problem
				suite.Failures++
			}
		}
		if t.result != nil {
			var logs strings.Builder
			for _, l := range t.result.Logs {
				logs.WriteString(printable(l.Text) + "\n")
			}
			c.Output = logs.String()
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(total)
	data, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the results: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
