package upstream

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// remembered is what is kept on disk of one definition: its last known tools
// (LSP-1), and how it likes to be spoken to.
type remembered struct {
	Version      int    `json:"version"`
	Name         string `json:"name"`
	Protocol     string `json:"protocol,omitzero"` // "legacy": the probe for newer versions kills it
	Instructions string `json:"instructions,omitzero"`
	// Failure is why the last attempt to connect failed, and Failed when.
	Failure string    `json:"failure,omitzero"`
	Failed  time.Time `json:"failed,omitzero"`
	Slow    bool      `json:"slow,omitzero"`
	// Unlisted: there has only been a failure, so that Tools says nothing.
	Unlisted bool      `json:"unlisted,omitzero"`
	listed   time.Time // when Tools was confirmed
	// Tools are texts, because an encoder would rewrite raw JSON.
	Tools []string `json:"tools"`
}

// attempt is what is kept without the tools.
func (r *remembered) attempt() Attempt {
	if r == nil {
		return Attempt{}
	}
	return Attempt{Listed: r.listed, Failed: r.Failed, Failure: r.Failure, Slow: r.Slow}
}

// raw are the tools as the server sent them.
func (r *remembered) raw() []jsontext.Value {
	tools := make([]jsontext.Value, len(r.Tools))
	for i, text := range r.Tools {
		tools[i] = jsontext.Value(text)
	}
	return tools
}

const rememberedVersion = 1

// maxRemembered bounds the file of one server, in bytes.
const maxRemembered = 128 << 20

// cache keeps one file for each definition; the zero cache keeps nothing.
type cache struct{ dir string }

// path of a definition's file. The hash is hexadecimal.
func (c cache) path(hash string) string { return filepath.Join(c.dir, "servers", hash+".json") }

// load returns nil when nothing usable is kept.
func (c cache) load(hash string) *remembered {
	if c.dir == "" {
		return nil
	}
	info, err := os.Stat(c.path(hash))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRemembered {
		return nil
	}
	content, err := os.ReadFile(c.path(hash))
	if err != nil {
		return nil
	}
	r := new(remembered)
	if jsonv2.Unmarshal(content, r, tolerant...) != nil || r.Version != rememberedVersion {
		return nil
	}
	if !r.Unlisted {
		r.listed = info.ModTime()
	}
	return r
}

// fail keeps the reason of a failed attempt beside the last known tools, and
// leaves alone how old these are.
func (c cache) fail(hash string, def config.Server, a Attempt, onlyLegacy bool) error {
	r := c.load(hash)
	if r == nil {
		r = &remembered{Name: def.Name, Unlisted: true}
	}
	r.Failure, r.Failed, r.Slow = a.Failure, a.Failed, a.Slow
	if onlyLegacy {
		r.Protocol = legacy
	}
	if err := c.store(hash, r); err != nil || c.dir == "" || r.Unlisted {
		return err
	}
	return os.Chtimes(c.path(hash), time.Time{}, r.listed)
}

// store replaces the file atomically. Only the user may read it: tools can tell
// of private things.
func (c cache) store(hash string, r *remembered) (err error) {
	if c.dir == "" {
		return nil
	}
	r.Version = rememberedVersion
	content, err := jsonv2.Marshal(r, tolerant...)
	if err != nil {
		return err
	}
	path := c.path(hash)
	if old, err := os.ReadFile(path); err == nil && string(old) == string(content) {
		return os.Chtimes(path, time.Time{}, time.Now()) // it has been confirmed
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if removal := os.Remove(f.Name()); removal != nil && !errors.Is(removal, fs.ErrNotExist) {
			err = errors.Join(err, removal)
		}
	}
	return err
}

// LastTools is what a server with this definition offered the last time; nil when
// that is not known.
func LastTools(cacheDir string, def config.Server) *catalog.Server {
	r := cache{cacheDir}.load(def.Hash())
	if r == nil || r.Unlisted {
		return nil
	}
	return catalog.NewServer(def.Name, r.raw(), r.Instructions, true)
}
