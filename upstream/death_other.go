//go:build !linux

package upstream

import "os/exec"

// endWithUs does nothing: there is no such thing here. A server whose program was
// killed notices the end of its standard input; one that ignores it stays.
func endWithUs(*exec.Cmd) {}

// lasting is what starts processes; any thread will do.
type lasting struct{}

func (*lasting) do(f func()) { f() }
func (*lasting) end()        {}
