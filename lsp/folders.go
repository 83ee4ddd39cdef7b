package lsp

import (
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// foldersOf are the absolute paths of the workspace's folders, in the client's
// order. Folders that are not on this machine's disk are left out.
func foldersOf(p *protocol.InitializeParams) []string {
	var paths []string
	if list, ok := p.WorkspaceFolders.Get(); ok {
		for _, f := range list {
			paths = appendFolder(paths, f.URI)
		}
		return paths
	}
	//lint:ignore SA1019 older clients say their folder so
	if root := p.RootURI; root != nil {
		return appendFolder(nil, *root)
	}
	//lint:ignore SA1019 the oldest clients say their folder so
	if path, ok := p.RootPath.Get(); ok && path != "" {
		return []string{filepath.Clean(path)}
	}
	return nil
}

// folderPath is one path for a folder, with or without a slash at its end or ".."
// in it: approvals are kept by it (LSP-5).
func folderPath(u uri.URI) string { return filepath.Clean(u.FsPath()) }

func appendFolder(paths []string, u uri.URI) []string {
	if !u.IsFile() {
		return paths
	}
	if path := folderPath(u); !slices.Contains(paths, path) {
		paths = append(paths, path)
	}
	return paths
}

// changeFolders is a new list with the client's change made.
func changeFolders(paths []string, e protocol.WorkspaceFoldersChangeEvent) []string {
	paths = slices.Clone(paths)
	for _, f := range e.Removed {
		if f.URI.IsFile() {
			gone := folderPath(f.URI)
			paths = slices.DeleteFunc(paths, func(p string) bool { return p == gone })
		}
	}
	for _, f := range e.Added {
		paths = appendFolder(paths, f.URI)
	}
	return paths
}
