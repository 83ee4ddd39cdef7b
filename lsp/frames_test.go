package lsp

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TEST-4: whatever arrives, reading ends, allocates no more than what has come,
// and hands on only messages that JSON-RPC can take.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Content-Length: 36\r\n\r\n" + `{"jsonrpc":"2.0","method":"x","id":1}`))
	f.Add([]byte("Content-Length: 99999999999\r\n\r\n{}"))
	f.Add([]byte("content-length:2\n\n{}Content-Length: -1\r\n\r\n"))
	f.Add([]byte("\r\n\r\n\xff\xfeContent-Length: 3\r\n\r\n\"\\ud"))
	f.Add([]byte("Content-Length: 46\r\n\r\n" + `{"jsonrpc":"2.0","method":"\ud83dx\udc00\\ud83d"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bufio.NewReader(bytes.NewReader(data))
		for {
			body, problem, err := readFrame(in)
			if err != nil {
				return
			}
			if problem == nil {
				body, problem = wellFormed(body)
			} else if body != nil {
				if _, again := wellFormed(body); again != nil {
					problem = again
				}
			}
			if problem != nil {
				if problem.err == nil {
					t.Fatal("refused without a reason")
				}
				continue
			}
			if v := jsontext.Value(body); !v.IsValid(jsontext.AllowDuplicateNames(true)) || v.Kind() != '{' {
				t.Fatalf("handed on: %q", body)
			}
		}
	})
}

func TestMendText(t *testing.T) {
	for given, want := range map[string]string{
		`"plain"`:              `"plain"`,
		`"\ud83d\ude00"`:       `"\ud83d\ude00"`,
		`"\ud83d"`:             `"\uFFFD"`,
		`"\ude00\ud83d"`:       `"\uFFFD\uFFFD"`,
		`"\ud83d\ud83d\ude00"`: `"\uFFFD\ud83d\ude00"`,
		`"\\ud83d"`:            `"\\ud83d"`,
		`"\\\ud83d"`:           `"\\\uFFFD"`,
		`"\uD83D\uDE00"`:       `"\uD83D\uDE00"`,
		"\"\xff\"":             "\"\uFFFD\"",
		`"\ud8`:                `"\ud8`,
		`\`:                    `\`,
	} {
		if got := string(repairText([]byte(given))); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// A long message is read past, not taken in.
func TestOversizedFrame(t *testing.T) {
	in := bufio.NewReader(io.MultiReader(
		bytes.NewReader([]byte("Content-Length: 268435457\r\n\r\n")),
		io.LimitReader(zeros{}, maxFrame+1),
		bytes.NewReader([]byte("Content-Length: 2\r\n\r\n{}")),
	))
	if _, problem, err := readFrame(in); problem == nil || err != nil {
		t.Fatalf("updated: %v %v", problem, err)
	}
	if body, problem, err := readFrame(in); string(body) != "{}" || problem != nil || err != nil {
		t.Fatalf("the next one: %q %v %v", body, problem, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
