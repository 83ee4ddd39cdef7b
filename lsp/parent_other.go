//go:build !unix && !windows

package lsp

// processExists cannot be told here.
func processExists(int) bool { return true }
