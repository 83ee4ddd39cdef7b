package main

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"codemode-ls/exec"
)

// What --format sarif prints: the members of SARIF 2.1.0 (OASIS) that a code
// scanner needs.
type (
	sarifLog struct {
		Version string     `json:"version"`
		Schema  string     `json:"$schema"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"` // error, warning or note
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	// sarifRegion is 1-based; the end column is that of the first character that
	// is not in it.
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// sarif is the findings as a SARIF log with one run.
func sarif(all []checked) sarifLog {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	driver := &run.Tool.Driver
	*driver = sarifDriver{Name: "codemode-ls", Version: release, Rules: []sarifRule{}}
	for _, f := range all {
		for _, d := range f.Diagnostics {
			rule := slices.Index(driver.Rules, sarifRule{d.Code})
			if rule < 0 {
				rule = len(driver.Rules)
				driver.Rules = append(driver.Rules, sarifRule{d.Code})
			}
			run.Results = append(run.Results, sarifResult{
				RuleID: d.Code, RuleIndex: rule, Level: sarifLevel(d), Message: sarifMessage{d.Message},
				Locations: []sarifLocation{{sarifPhysical{
					Artifact: sarifArtifact{sarifURI(f.File)},
					Region: sarifRegion{
						StartLine: d.Range.Start.Line + 1, StartColumn: d.Range.Start.Character + 1,
						EndLine: d.Range.End.Line + 1, EndColumn: d.Range.End.Character + 1,
					},
				}}},
			})
		}
	}
	return sarifLog{Version: "2.1.0", Schema: "https://json.schemastore.org/sarif-2.1.0.json", Runs: []sarifRun{run}}
}

func sarifLevel(d exec.Diagnostic) string {
	switch d.Severity {
	case severityError:
		return "error"
	case 2:
		return "warning"
	}
	return "note"
}

// sarifURI is a path as SARIF requires: relative where it is, so that a scanner
// finds the file in its checkout.
func sarifURI(path string) string {
	if path == "-" {
		return "stdin.exec.ts"
	}
	if filepath.IsAbs(path) {
		return fileURI(path)
	}
	return strings.TrimPrefix((&url.URL{Path: filepath.ToSlash(filepath.Clean(path))}).String(), "./")
}
