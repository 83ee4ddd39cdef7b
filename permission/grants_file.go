package permission

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// grantsFile is where it is kept for which servers stored rules were given, beside
// the rules that people read and edit and outside of every workspace.
const grantsFile = "grants.json"

const grantsVersion = 1

type storedGrants struct {
	Version int           `json:"version"`
	Rules   []storedGrant `json:"rules"`
}

// storedGrant is one rule and the servers it was given for: Own, or hashes of
// definitions.
type storedGrant struct {
	File    string   `json:"file"`
	Rule    string   `json:"rule"`
	Servers []string `json:"servers"`
}

// readGrants reads the file. Of one that is broken nothing counts, which is an
// error: the rules that were given for servers of a workspace ask again.
func readGrants(path string) (grants, error) {
	text, err := readText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return grants{}, nil
	}
	if err != nil {
		return nil, err
	}
	var stored storedGrants
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("not understood: %w", err)
	}
	if stored.Version != grantsVersion {
		return nil, fmt.Errorf("version %d is not known to this program", stored.Version)
	}
	g := grants{}
	for _, r := range stored.Rules {
		g[grantKey{r.File, r.Rule}] = r.Servers
	}
	return g, nil
}

// writeGrants replaces the file; its lock is held.
func writeGrants(path string, g grants) error {
	stored := storedGrants{Version: grantsVersion, Rules: []storedGrant{}}
	for key, servers := range g {
		stored.Rules = append(stored.Rules, storedGrant{key.File, key.Match, servers})
	}
	slices.SortFunc(stored.Rules, func(a, b storedGrant) int {
		return strings.Compare(a.File+"\x00"+a.Rule, b.File+"\x00"+b.Rule)
	})
	text, err := json.Marshal(stored, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if len(text) > maxFile {
		return fmt.Errorf("%s would be larger than %d bytes: remove rules that are not needed any more", path, maxFile)
	}
	return writeFile(path, append(bytes.TrimRight(text, "\n"), '\n'))
}

// A grantsSource is the file as it was last read.
type grantsSource struct {
	path   string
	state  fileState
	grants grants
	err    error
}

// reload reads the file again if it may have changed, and reports whether it has.
func (f *grantsSource) reload(force bool) bool {
	if f == nil {
		return false
	}
	state := stat(f.path)
	if !force && f.state.settled && state.same(f.state) {
		return false
	}
	g, err := readGrants(f.path)
	changed := (err == nil) != (f.err == nil) || !maps.EqualFunc(g, f.grants, slices.Equal)
	f.state, f.grants, f.err = state, g, err
	return changed
}

// edit changes the grants under the file's lock, unless change says that there is
// nothing to write.
func (f *grantsSource) edit(change func(grants) (changed bool)) error {
	if f == nil {
		return nil
	}
	return locked(f.path, func() error {
		g, err := readGrants(f.path)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if !change(g) {
			return nil
		}
		return writeGrants(f.path, g)
	})
}
