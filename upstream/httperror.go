package upstream

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"codemode-ls/internal/plaintext"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
)

// maxBrief is how much of what a server said goes into a message (OUT-3).
const maxBrief = 500

// brief is a text of a server within a message: on one line, cut.
func brief(text string) string {
	return plaintext.Line(text, maxBrief-1)
}

// An httpFailure is a request over HTTP that brought no answer of MCP.
type httpFailure struct {
	problem string // what happened, in place of the status
	status  int
	page    []byte // the beginning of what came with it
	header  http.Header

	method     string // of HTTP
	sse        bool   // the old transport
	session    bool   // the request named a session
	connecting bool   // it was one of those that open a session
	err        error  // behind it, or nil
	todo       string // what a person can do, when more is known than the status
}

func (f *httpFailure) Unwrap() error { return f.err }

// readPage is the beginning of an error page, which is then closed.
func readPage(resp *http.Response) []byte {
	defer resp.Body.Close()
	page, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return page
}

func newHTTPFailure(resp *http.Response, page []byte) *httpFailure {
	return &httpFailure{status: resp.StatusCode, page: page, header: resp.Header}
}

// Error says what happened, in the server's words, and what to do.
func (f *httpFailure) Error() string {
	message := f.problem
	if message == "" {
		message = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", f.status, http.StatusText(f.status)))
	}
	if words := f.words(); words != "" {
		message += ": " + words
	}
	message = clip(message, maxBrief-120)
	if advice := f.advice(); advice != "" {
		message = strings.TrimRight(message, ".") + "; " + advice
	}
	return message
}

// perhapsOld reports whether the server may be one of the old transport: it has refused
// what opens a session.
func (f *httpFailure) perhapsOld() bool {
	return f.connecting && f.status >= 400 && f.status < 500 && f.status != http.StatusUnauthorized && f.status != http.StatusTooManyRequests
}

// fault is the JSON-RPC error that came with the status, nil when there is none.
func (f *httpFailure) fault() jsontext.Value {
	m, err := open(f.page)
	if len(f.page) == 0 || err != nil || m.fault.Kind() != '{' || len(part(m.fault, "code")) == 0 {
		return nil
	}
	return m.fault
}

// nobodys reports whether the server answered that it could not read or place the
// request: with a JSON-RPC error that has no id.
func (f *httpFailure) nobodys() bool {
	m, err := open(f.page)
	return len(f.page) > 0 && err == nil && f.fault() != nil && !m.hasID()
}

var (
	// unseen are the parts of an HTML page that are not its text.
	unseen = regexp.MustCompile(`(?is)<(script|style|head|template)\b.*?(</(script|style|head|template)\s*>|$)|<!--.*?(-->|$)`)
	title  = regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title`)
	tag    = regexp.MustCompile(`(?s)<[^>]*(>|$)`)
	// described is what a WWW-Authenticate header says of the refusal.
	described = regexp.MustCompile(`(?i)\berror_description="([^"]*)"`)
	refused   = regexp.MustCompile(`(?i)\berror="([^"]*)"`)
)

// words are what the server said.
func (f *httpFailure) words() string {
	page := string(f.page)
	switch trimmed := strings.TrimSpace(page); {
	case strings.HasPrefix(trimmed, "{"):
		page = messageOf(jsontext.Value(trimmed))
	case strings.HasPrefix(trimmed, "<"):
		heading := ""
		if m := title.FindStringSubmatch(page); m != nil {
			heading = m[1] + " "
		}
		page = html.UnescapeString(heading + tag.ReplaceAllString(unseen.ReplaceAllString(page, " "), " "))
	}
	if strings.TrimSpace(page) == "" && f.header != nil {
		for _, challenge := range f.header.Values("WWW-Authenticate") {
			if m := described.FindStringSubmatch(challenge); m != nil {
				page = m[1]
			} else if m := refused.FindStringSubmatch(challenge); m != nil {
				page = m[1]
			}
		}
	}
	return clip(brief(page), 300)
}

// messageOf finds the sentence in a JSON object, where APIs put it.
func messageOf(v jsontext.Value) string {
	names := []string{"error", "message", "error_description", "detail", "title", "error_message", "reason"}
	fields := members(v, names...)
	for _, name := range names {
		switch value := fields[name]; value.Kind() {
		case '"':
			text := stringOf(value)
			if more := stringOf(fields["error_description"]); name == "error" && more != "" {
				text += ": " + more
			} else if more := stringOf(fields["message"]); name == "error" && more != "" {
				text += ": " + more
			}
			return text
		case '{':
			if text := messageOf(value); text != "" {
				return text
			}
		}
	}
	return string(v)
}

// advice is what a person can do.
func (f *httpFailure) advice() string {
	if f.todo != "" {
		return f.todo
	}
	switch f.status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		return `set a valid key or token in the server's "headers"`
	case http.StatusForbidden:
		return `check what the key or token in the server's "headers" may do`
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if after := retryAfter(f.header.Get("Retry-After"), time.Now()); after > 0 {
			return fmt.Sprintf("try again in %s", after)
		}
		return "try again later"
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return "try again later"
	}
	switch {
	case !f.connecting || f.status >= 500 || f.problem != "" && f.status == 0:
		return ""
	case f.sse:
		return `check the path of the server's "url", or leave out "type": "sse" if it is not an old server`
	}
	return `check the path of the server's "url", or set "type": "sse" if it is an old server`
}

// retryAfter reads the header of that name; 0 is none.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), 7*24*3600)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0).Round(time.Second)
	}
	return 0
}

// details is the JSON-RPC error that came with the status as the MCP library has it.
func (f *httpFailure) details() *mcp.JSONRPCErrorDetails {
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return nil // the status says more than the error
	}
	fields := members(f.fault(), "code", "message")
	if fields == nil {
		return nil
	}
	details := &mcp.JSONRPCErrorDetails{Message: stringOf(fields["message"])}
	_ = jsonv2.Unmarshal(fields["code"], &details.Code)
	return details
}
