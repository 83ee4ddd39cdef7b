//go:build unix && !linux

package guest

import "golang.org/x/sys/unix"

func hardening() (applied, missing []string) {
	return []string{
			"a process and process group of its own without environment variables",
			"no core files, no written files, a cap on computing time",
		}, []string{
			"memory is capped by the sandbox's own watch, not by the operating system",
			"files and network are not denied by the operating system, only by the script engine, which has no way to reach them",
		}
}

// harden gives up what this system lets a process give up.
func harden(int) error {
	for resource, v := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CPU: cpuSeconds} {
		unix.Setrlimit(resource, &unix.Rlimit{Cur: v, Max: v})
	}
	return nil
}
