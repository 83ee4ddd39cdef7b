package lsp

import (
	"slices"
	"strings"
	"sync"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
)

// A breakage keeps which open scripts a change of the pool has broken, until the
// person has been notified (DIAG-2).
type breakage struct {
	mu       sync.Mutex
	checked  map[string]checkedScript // by URI
	broken   map[string][]string      // the new errors by URI, not yet reported
	reported map[string]string        // what was reported of a script, so that it is reported once
}

// A checkedScript is what was wrong with a text against one pool.
type checkedScript struct {
	text    string
	catalog *catalog.Catalog
	settled bool // nothing that it uses was still to come
	errors  []string
}

// note takes a diagnosis of a script. It finds out whether the pool alone has
// made something wrong: the text must be that of the diagnosis before.
func (b *breakage) note(doc *analysis.Document, d *analysis.Diagnosis) {
	if !d.Opened || !d.Checked {
		return
	}
	now := checkedScript{text: doc.Text, catalog: d.Pool.Catalog, settled: !d.Pending, errors: d.Errors()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.checked == nil {
		b.checked, b.broken, b.reported = map[string]checkedScript{}, map[string][]string{}, map[string]string{}
	}
	before, was := b.checked[doc.URI]
	b.checked[doc.URI] = now
	if !was || before.text != now.text {
		delete(b.broken, doc.URI)
		delete(b.reported, doc.URI)
		return
	}
	if before.catalog == now.catalog || !before.settled {
		return
	}
	fresh := slices.DeleteFunc(slices.Clone(now.errors), func(e string) bool { return slices.Contains(before.errors, e) })
	if len(fresh) > 0 {
		b.broken[doc.URI] = fresh
	} else if len(now.errors) == 0 {
		delete(b.broken, doc.URI) // fixed before anybody saw it
	}
}

func (b *breakage) forget(u string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.checked, u)
	delete(b.broken, u)
	delete(b.reported, u)
}

// unreported are the errors to report now, by URI.
func (b *breakage) unreported() map[string][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := map[string][]string{}
	for u, errors := range b.broken {
		if words := strings.Join(errors, "\n"); b.reported[u] != words {
			news[u] = errors
			b.reported[u] = words
		}
	}
	clear(b.broken)
	return news
}
