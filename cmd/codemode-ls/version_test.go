package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// DIST-4: the version comes from the build, as JSON with what it is made of.
func TestVersionSaysWhatItIsMadeOf(t *testing.T) {
	var out strings.Builder
	if code := run([]string{"version", "--json"}, strings.NewReader(""), &out, io.Discard); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(out.String()), &answer); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"version", "platform", "go", "typescript", "goja", "esbuild"} {
		if text, _ := answer[key].(string); text == "" {
			t.Errorf("no %s in %s", key, out.String())
		}
	}
}

// DIST-4: a newer release is asked for only with --check, by a request that carries
// nothing of this machine.
func TestVersionCheckAsksOnlyWhenTold(t *testing.T) {
	answer, requests := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if len(r.Cookies()) > 0 || r.URL.RawQuery != "" || r.UserAgent() != "codemode-ls" {
			t.Errorf("the request says more than it should: %v %v", r.URL, r.Header)
		}
		if answer == "moved" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		io.WriteString(w, answer)
	}))
	defer server.Close()
	releases = server.URL + "/latest.json"
	defer func() { releases = "" }()

	try := func(args ...string) (int, string) {
		var out strings.Builder
		code := run(append([]string{"version"}, args...), strings.NewReader(""), &out, &out)
		return code, out.String()
	}
	if try(); requests != 0 {
		t.Errorf("%d requests without --check", requests)
	}
	for _, c := range []struct {
		answer, text string
		code         int
	}{
		{`{"version":"99.0.0"}`, "Release 99.0.0 is newer", exitOK},
		{`{"version":"` + release + `"}`, "the latest release", exitOK},
		{`{"version":"0.0.9"}`, "the latest release", exitOK},
		{`{"version":"\u001b[2J"}`, "no version such as", exitFailed},
		{`<html>`, "not JSON", exitFailed},
		{`moved`, "302", exitFailed},
	} {
		answer = c.answer
		if code, text := try("--check"); code != c.code || !strings.Contains(text, c.text) {
			t.Errorf("%s: exit code %d: %s", c.answer, code, text)
		}
	}
	releases = ""
	if code, text := try("--check"); code != exitFailed || !strings.Contains(text, "nothing was asked") {
		t.Errorf("exit code %d: %s", code, text)
	}
	for _, address := range []string{"http://example.com/latest.json", "file:///etc/passwd"} {
		if code, text := try("--check", "--releases", address); code != exitUsage {
			t.Errorf("%s: exit code %d: %s", address, code, text)
		}
	}
}
