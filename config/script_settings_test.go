package config

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// What scripts may reach is for the user to say: a workspace can neither give
// them files nor have a model shown what was seen of results. The names of globals are no matter
// of trust, and layered.
func TestSettingsOfScripts(t *testing.T) {
	const all = `{"exec": {"files": true, "globals": "extended"}, "catalog.seenResults": true}`
	c := Load(Sources{Editor: jsontext.Value(all)})
	if !c.Files || !c.ExtendedGlobals || !c.ShowResults {
		t.Errorf("user settings: files %v, extended %v, shown %v", c.Files, c.ExtendedGlobals, c.ShowResults)
	}
	c = Load(Sources{EditorWorkspace: jsontext.Value(all)})
	if c.Files || !c.ExtendedGlobals || c.ShowResults {
		t.Errorf("workspace settings: files %v, extended %v, shown %v", c.Files, c.ExtendedGlobals, c.ShowResults)
	}
	c = Load(Sources{Editor: jsontext.Value(all), EditorWorkspace: jsontext.Value(`{"exec.globals": "strict"}`)})
	if c.ExtendedGlobals {
		t.Error("the workspace's exec.globals does not come over the user's")
	}
	if c = Load(Sources{}); c.Files || c.ExtendedGlobals || c.ShowResults {
		t.Error("not everything is off by default")
	}
}

// NAV-1: which inlay hints of TypeScript are shown.
func TestInlayHintSettings(t *testing.T) {
	if c := Load(Sources{}); c.InlayHints != (InlayHintSettings{ParameterNames: "literals"}) {
		t.Errorf("defaults: %+v", c.InlayHints)
	}
	const all = `{"inlayHints": {"parameterNames": "all", "variableTypes": true, "parameterTypes": true, "returnTypes": true, "enumValues": true}}`
	if c := Load(Sources{Editor: []byte(all)}); c.InlayHints != (InlayHintSettings{"all", true, true, true, true}) {
		t.Errorf("all: %+v", c.InlayHints)
	}
}
