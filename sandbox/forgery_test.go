package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"codemode-ls/sandbox/frame"

	"github.com/go-json-experiment/json/jsontext"
)

// forgerCommand is the argument with which the test binary is a child that a
// script has taken over: it says what it likes.
const forgerCommand = "forger"

// raw is a frame with any length in its head.
func raw(length int, kind byte, body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(length))) + string(kind) + body
}

func framed(kind byte, body string) string { return raw(len(body)+1, kind, body) }

func callFrame(index, line, character int, name, args string) string {
	return framed(frame.KindCall, string(frame.Word(index))+string(frame.Word(line))+string(frame.Word(character))+string(frame.Word(len(name)))+name+args)
}

func doneFrame(meta, value string) string {
	return framed(frame.KindDone, string(frame.Word(len(meta)))+meta+value)
}

const completed = `{"status":"completed","hasValue":true}`

// forgeries are what forgers say after they were given a script, how that ends,
// and with which words.
var forgeries = map[string]struct {
	says   string
	again  bool // without end
	status Status
	words  string
}{
	"garbage":           {says: strings.Repeat("\xff\x00garbage", 100), status: Crashed, words: "too large"},
	"text":              {says: "HTTP/1.1 200 OK\r\n\r\n", status: Crashed, words: "too large"},
	"nothing":           {says: "", status: Crashed, words: "ended unexpectedly"},
	"half a frame":      {says: raw(100, frame.KindLog, "\x00x"), status: Crashed, words: "ended unexpectedly"},
	"a giant length":    {says: raw(0x7fffffff, frame.KindLog, "x"), status: Crashed, words: "too large"},
	"a negative length": {says: raw(-1, frame.KindLog, "x"), status: Crashed, words: "too large"},
	"no length":         {says: raw(0, frame.KindLog, ""), status: Crashed, words: "too large"},
	"an unknown kind":   {says: framed('?', ""), status: Crashed, words: "may not send"},
	"ready again":       {says: framed(frame.KindReady, ""), status: Crashed, words: "may not send"},
	"the host's frames": {says: framed(frame.KindValue, string(frame.Word(0))+"1"), status: Crashed, words: "may not send"},
	"an unknown level":  {says: framed(frame.KindLog, "\xc8x"), status: Crashed, words: "may not send"},
	"a log of nothing":  {says: framed(frame.KindLog, ""), status: Crashed, words: "may not send"},
	"a flood of logs":   {says: framed(frame.KindLog, "\x00flood"), again: true, status: TimedOut},
	"a flood of blanks": {says: framed(frame.KindLog, "\x00"), again: true, status: TimedOut},
	"an index ahead":    {says: callFrame(7, 0, 0, "echo", "{}"), status: Crashed, words: "may not send"},
	"a negative index":  {says: callFrame(-1, 0, 0, "echo", "{}"), status: Crashed, words: "may not send"},
	"an index twice":    {says: callFrame(0, 0, 0, "echo", "{}") + callFrame(0, 0, 0, "echo", "{}"), status: Crashed, words: "may not send"},
	"too many calls":    {says: callFrame(0, 0, 0, "hang", "{}") + callFrame(1, 0, 0, "hang", "{}") + callFrame(2, 0, 0, "hang", "{}") + callFrame(3, 0, 0, "hang", "{}"), status: Crashed, words: "may not send"},
	"arguments no JSON": {says: callFrame(0, 0, 0, "echo", "{"), status: Crashed, words: "may not send"},
	"arguments a list":  {says: callFrame(0, 0, 0, "echo", "[1]"), status: Crashed, words: "may not send"},
	"no arguments":      {says: callFrame(0, 0, 0, "echo", ""), status: Crashed, words: "may not send"},
	"a long name":       {says: callFrame(0, 0, 0, strings.Repeat("x", frame.MaxName+1), "{}"), status: Crashed, words: "may not send"},
	"a name past its end": {says: framed(frame.KindCall, string(frame.Word(0))+string(frame.Word(0))+string(frame.Word(0))+string(frame.Word(1<<30))+"x"),
		status: Crashed, words: "may not send"},
	"a short call":         {says: framed(frame.KindCall, "\x00\x00"), status: Crashed, words: "may not send"},
	"an end without value": {says: doneFrame(completed, ""), status: Crashed, words: "may not send"},
	"a value no JSON":      {says: doneFrame(completed, "{"), status: Crashed, words: "may not send"},
	"two values":           {says: doneFrame(completed, "1 2"), status: Crashed, words: "may not send"},
	"an unsaid value":      {says: doneFrame(`{"status":"completed"}`, "1"), status: Crashed, words: "may not send"},
	"an end no JSON":       {says: doneFrame(`{"status":`, ""), status: Crashed, words: "may not send"},
	"an end that lies":     {says: doneFrame(`{"status":"cancelled"}`, ""), status: Crashed, words: "may not send"},
	"an end as denied":     {says: doneFrame(`{"status":"denied"}`, ""), status: Crashed, words: "may not send"},
	"a stop unasked":       {says: doneFrame(`{"status":""}`, ""), status: Crashed, words: "may not send"},
	"a giant end":          {says: doneFrame(`{"status":"thrown","error":{"Message":"`+strings.Repeat("x", frame.MaxFinishBytes)+`"}}`, ""), status: Crashed, words: "may not send"},
	"many warnings":        {says: doneFrame(`{"status":"completed","warnings":[`+strings.Repeat(`{},`, 1000)+`{}]}`, ""), status: Crashed, words: "may not send"},
	"a call's error that is none": {says: doneFrame(`{"status":"thrown","error":{"Name":"E","Message":"m","Call":99}}`, ""),
		status: Thrown, words: "m"},
	"no error":            {says: doneFrame(`{"status":"thrown"}`, ""), status: Thrown, words: "the script failed"},
	"an error of nothing": {says: doneFrame(`{"status":"thrown","error":{}}`, ""), status: Thrown, words: "the script failed"},
	"much after the end":  {says: doneFrame(completed, "1") + callFrame(0, 0, 0, "echo", "{}") + framed(frame.KindLog, "\x00late"), status: Completed},
}

// forge is the life of a forger.
func forge(name string) int {
	in := frame.NewReader(os.Stdin, 1<<30)
	out := frame.NewWriter(os.Stdout)
	if _, _, err := in.Read(); err != nil {
		return frame.ExitFailed
	}
	out.Write(frame.KindReady)
	if _, _, err := in.Read(); err != nil {
		return frame.ExitFailed
	}
	f := forgeries[name]
	os.Stdout.WriteString(f.says)
	for f.again {
		if _, err := os.Stdout.WriteString(strings.Repeat(f.says, 100)); err != nil {
			return frame.ExitFailed
		}
	}
	return frame.ExitOK
}

// BUD-12, TEST-5: whatever a child says, the run has one result, and nothing of the
// host's grows with what it says.
func TestForgeries(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range forgeries {
		t.Run(name, func(t *testing.T) {
			p := NewPool(Options{Command: []string{self, forgerCommand, name}, MaxRuns: 1, MemoryMB: 256})
			defer p.Close()
			r, h := testRequest("return 1"), &testHost{}
			r.Limits.Wall, r.Limits.MaxConcurrent = 10*time.Second, 3
			if f.again {
				r.Limits.Wall = 500 * time.Millisecond
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			o := p.Run(t.Context(), r, h)
			runtime.GC()
			runtime.ReadMemStats(&after)
			if o.Status != f.status || o.Status != Completed && (o.Error == nil || !strings.Contains(o.Error.Message, f.words) || o.Error.Call != -1) {
				t.Errorf("%s %s %+v", o.Status, o.Value, o.Error)
			}
			if o.Wall > r.Limits.Wall+3*time.Second {
				t.Errorf("it took %v", o.Wall)
			}
			if len(h.logs) > r.Limits.LogEntries || len(h.calls) > r.Limits.MaxConcurrent {
				t.Errorf("%d logs, %d calls", len(h.logs), len(h.calls))
			}
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
				t.Errorf("%d bytes more on the heap", grown)
			}
		})
	}
}

// TEST-4: what a child may say as bytes: no panic, and bounds that hold.
func FuzzChild(f *testing.F) {
	for _, x := range forgeries {
		if len(x.says) < 4096 {
			f.Add([]byte(x.says))
		}
	}
	f.Add([]byte(callFrame(0, 1, 2, "echo", `{"a":1}`) + framed(frame.KindLog, "\x01text") + doneFrame(completed, `[1]`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		h := &testHost{answer: func(_ context.Context, c Call) (jsontext.Value, error) { return c.Arguments, nil }}
		c := &child{reader: frame.NewReader(bytes.NewReader(data), 1<<16), writer: frame.NewWriter(io.Discard)}
		r := newRun(c, testRequest(""), h, newActivity(), nil)
		r.req.Limits.LogChars, r.req.Limits.LogEntries = 100, 10
		for {
			kind, body, err := r.child.reader.Read()
			if err != nil {
				break
			}
			if kind == frame.KindDone {
				end, value, err := r.finished(body)
				if err == nil {
					var o Outcome
					r.conclude(end, value, Cancelled, &o)
					if o.Status == "" || o.Status != Completed && o.Error == nil || o.HasValue && !o.Value.IsValid() {
						t.Errorf("%+v", o)
					}
				}
				break
			}
			if r.frame(t.Context(), kind, body) != nil {
				break
			}
		}
		close(r.work)
		r.wg.Wait()
		for i, c := range h.calls {
			if !c.Arguments.IsValid() || c.Index >= len(h.calls) || len(c.Name) > frame.MaxName {
				t.Errorf("%d: %+v", i, c)
			}
		}
		if len(h.logs) > 10 {
			t.Errorf("%d logs", len(h.logs))
		}
	})
}
