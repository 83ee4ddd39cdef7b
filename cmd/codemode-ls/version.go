package main

import (
	"context"
	"encoding/json"
	"fmt"
	goversion "go/version"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"time"

	"codemode-ls/typescript/engine"
)

// release is the version of this source; builds from a checkout add their
// commit.
const release = "0.1.0"

// Set by the build of a release: its commit, and the address that says which
// release is the latest one.
var commit, releases string

// version is the release, and the commit when a build from a checkout knows it.
func version() string {
	if commit != "" {
		return release
	}
	if revision := buildSetting("vcs.revision"); len(revision) >= 12 {
		return release + "+" + revision[:12]
	}
	return release
}

func buildSetting(key string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}

// moduleVersion is the version of a module that this program is linked with.
func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == path {
				return dep.Version
			}
		}
	}
	return ""
}

type versionCommand struct {
	JSON     bool   `name:"json" help:"Print an object: version, commit, platform and what the program is made of."`
	Check    bool   `help:"Ask whether there is a newer release: one request, see docs/upgrading.md. Nothing else ever asks."`
	Releases string `help:"Address to ask for the latest release. Default: the one that the release was built with." placeholder:"URL"`
}

func (versionCommand) Help() string {
	return `Examples:
  codemode-ls version
  codemode-ls version --json
  codemode-ls version --check`
}

// versionAnswer is what version --json prints.
type versionAnswer struct {
	Version    string `json:"version"`
	Commit     string `json:"commit,omitempty"`
	Platform   string `json:"platform"`
	Go         string `json:"go"`
	TypeScript string `json:"typescript"`
	Goja       string `json:"goja"`
	ESBuild    string `json:"esbuild"`
	Latest     string `json:"latest,omitempty"` // with --check
	Newer      *bool  `json:"newer,omitempty"`  // whether latest is newer, with --check
}

func (c versionCommand) Run(a *app) error {
	if c.Releases != "" && !c.Check {
		return &exitError{exitUsage, fmt.Errorf("--releases goes with --check")}
	}
	answer := versionAnswer{
		Version: version(), Commit: commit, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Go: runtime.Version(), TypeScript: engine.Version(),
		Goja: moduleVersion("github.com/dop251/goja"), ESBuild: moduleVersion("github.com/evanw/esbuild"),
	}
	if answer.Commit == "" {
		answer.Commit = buildSetting("vcs.revision")
	}
	if c.Check {
		address := c.Releases
		if address == "" {
			address = releases
		}
		latest, err := latestRelease(a.ctx, address)
		if err != nil {
			return err
		}
		newer := goversion.Compare("go"+latest, "go"+release) > 0
		answer.Latest, answer.Newer = latest, &newer
	}
	if c.JSON {
		encoder := json.NewEncoder(a.stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(answer)
	}
	if _, err := fmt.Fprintf(a.stdout, "codemode-ls %s (TypeScript %s, %s, %s)\n", answer.Version, answer.TypeScript, answer.Go, answer.Platform); err != nil {
		return err
	}
	if answer.Newer == nil {
		return nil
	}
	text := "This is the latest release."
	if *answer.Newer {
		text = fmt.Sprintf("Release %s is newer. What changes: docs/upgrading.md, CHANGELOG.md.", answer.Latest)
	}
	_, err := fmt.Fprintln(a.stdout, text)
	return err
}

// latestRelease asks an address for {"version": "1.2.3"}. The request carries
// nothing of this machine, not even the version that asks.
func latestRelease(ctx context.Context, address string) (string, error) {
	if address == "" {
		return "", fmt.Errorf("this build does not know where releases are published, so nothing was asked: give the address by --releases")
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", &exitError{exitUsage, fmt.Errorf("--releases: %w", err)}
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && net.ParseIP(u.Hostname()).IsLoopback()) {
		return "", &exitError{exitUsage, fmt.Errorf("%s is not an https address", address)}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("User-Agent", "codemode-ls")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("asking for the latest release: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("asking %s for the latest release: %s", address, response.Status)
	}
	var latest struct {
		Version string `json:"version"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&latest); err != nil {
		return "", fmt.Errorf("the answer of %s is not JSON with a version: %w", address, err)
	}
	if !goversion.IsValid("go" + latest.Version) {
		return "", fmt.Errorf("the answer of %s has no version such as 1.2.3", address)
	}
	return latest.Version, nil
}
