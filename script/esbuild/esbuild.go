// Package esbuild turns scripts into JavaScript that goja can run.
//
// A hostile text can crash esbuild: only a process that may end calls it.
package esbuild

import (
	"maps"
	"regexp"

	"codemode-ls/script"

	"github.com/evanw/esbuild/pkg/api"
)

// supported switches off what goja cannot parse or run, so that esbuild lowers
// it.
var supported = map[string]bool{
	"async-generator": false,
	"for-await":       false,
	"dynamic-import":  false,
	"import-meta":     false,
	"decorators":      false,
	"using":           false,
	"hashbang":        false,
	// The sandbox has regular expressions of its own.
	"regexp-set-notation": true,
}

// lastCharacter is U+10FFFF, written either way. goja's parser panics at its escape,
// so that it must be written as two surrogates.
var lastCharacter = regexp.MustCompile(`\x{10FFFF}|(?i:\\u\{0*10ffff\})`)

// Transform is a script.Transformer.
func Transform(code string, l script.Language) script.Transformed {
	loader := api.LoaderTS
	if l == script.JavaScript {
		loader = api.LoaderJS
	}
	supported := supported
	if lastCharacter.MatchString(code) {
		supported = maps.Clone(supported)
		supported["unicode-escapes"] = false
	}
	res := api.Transform(code, api.TransformOptions{
		Loader: loader, Target: api.ES2022, Supported: supported,
		LogLevel: api.LogLevelSilent,
		// goja counts columns in bytes, source maps in UTF-16 units: with ASCII they
		// are the same.
		Charset:   api.CharsetASCII,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, Sourcefile: script.SourceName(l),
		Define:      script.Names(),
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true,"useDefineForClassFields":true}}`,
	})
	t := script.Transformed{Code: string(res.Code), SourceMap: res.Map}
	if len(res.Errors) > 0 {
		t.Error = &script.TransformError{Text: res.Errors[0].Text}
		if at := res.Errors[0].Location; at != nil {
			t.Error.Line, t.Error.Column = at.Line, at.Column
		}
	}
	return t
}
