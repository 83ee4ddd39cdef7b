//go:build !unix && !windows

package lsp

// processExists cannot be answered here.
func processExists(int) bool { return true }
