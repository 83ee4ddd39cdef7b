//go:build !linux

package upstream

func startAndWait(string, string) {}
