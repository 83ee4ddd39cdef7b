package lsp

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"codemode-ls/analysis"
	"codemode-ls/catalog"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A breakage keeps which open scripts a change of the pool has broken, until the
// person was told (DIAG-2).
type breakage struct {
	mu      sync.Mutex
	checked map[string]checkedScript // by URI
	broken  map[string][]string      // the new errors by URI, not yet told
	told    map[string]string        // what was told of a script, so that it is told once
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
		b.checked, b.broken, b.told = map[string]checkedScript{}, map[string][]string{}, map[string]string{}
	}
	before, was := b.checked[doc.URI]
	b.checked[doc.URI] = now
	if !was || before.text != now.text {
		delete(b.broken, doc.URI)
		delete(b.told, doc.URI)
		return
	}
	if before.catalog == now.catalog || !before.settled {
		return
	}
	fresh := slices.DeleteFunc(slices.Clone(now.errors), func(e string) bool { return slices.Contains(before.errors, e) })
	if len(fresh) > 0 {
		b.broken[doc.URI] = fresh
	} else if len(now.errors) == 0 {
		delete(b.broken, doc.URI) // mended before anybody was told
	}
}

func (b *breakage) forget(u string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.checked, u)
	delete(b.broken, u)
	delete(b.told, u)
}

// take is what is to be told now, by URI.
func (b *breakage) take() map[string][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := map[string][]string{}
	for u, errors := range b.broken {
		if words := strings.Join(errors, "\n"); b.told[u] != words {
			news[u] = errors
			b.told[u] = words
		}
	}
	clear(b.broken)
	return news
}

// tellBroken says which open scripts no longer fit the pool: once for each, in
// one message, since most clients show it in the middle of the person's work.
func (s *Server) tellBroken(ctx context.Context) {
	news := s.breakage.take()
	if len(news) == 0 {
		return
	}
	var parts []string
	for _, u := range slices.Sorted(maps.Keys(news)) {
		errors := news[u]
		part := analysis.Plain(path.Base(uri.URI(u).Path()), 80) + ": " + analysis.Plain(errors[0], 200)
		if n := len(errors) - 1; n > 0 {
			part += fmt.Sprintf(" (and %d more)", n)
		}
		parts = append(parts, part)
	}
	const most = 3
	if n := len(parts); n > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more scripts", n-most))
	}
	s.showMessage(ctx, protocol.MessageTypeWarning, "The MCP tools have changed, and open scripts no longer fit them. "+strings.Join(parts, " · "))
}
