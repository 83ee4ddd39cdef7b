package guest

import (
	"fmt"

	"codemode-ls/sandbox/frame"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

func hardening() (applied, missing []string) {
	applied = []string{
		"a process and process group of its own without environment variables",
		"no new privileges, not readable by a debugger, no core files",
		"caps on memory, open and written files and computing time",
	}
	if seccomp.Supported() {
		applied = append(applied, "system calls: only those for memory, threads, time and its own channel (no files, network, processes)")
	} else {
		missing = append(missing, "this kernel has no seccomp filters: system calls are not restricted")
	}
	if v := landlockVersion(); v > 0 {
		applied = append(applied, fmt.Sprintf("landlock %d: no files, no TCP", v))
	} else {
		missing = append(missing, "this kernel has no landlock")
	}
	return applied, missing
}

func landlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// allowed is what a Go program calls that computes, and reads and writes what is
// open already.
var allowed = []string{
	"read", "write", "close", "readv", "writev", "mmap", "munmap", "mprotect", "madvise", "mremap", "brk", "mincore",
	"futex", "nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday", "sched_yield", "sched_getaffinity",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill", "getpid", "gettid", "exit", "exit_group",
	"epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd2", "fcntl", "rseq", "set_robust_list",
	"getrandom", "restart_syscall", "membarrier", "timer_create", "timer_settime", "timer_delete", "setitimer",
}

// harden gives up what the kernel lets a process give up. It runs before any
// script text is read. What is missing in an older kernel is left out; see Hardening.
func harden(memoryMB int) error {
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := landlock.V5.BestEffort().Restrict(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: 16, unix.RLIMIT_CPU: cpuSeconds}
	if memoryMB > 0 && !raceDetector {
		// DATA counts private writable memory alone; AS would count what Go reserves.
		limits[unix.RLIMIT_DATA] = uint64(memoryMB+frame.MemorySlackMB) << 20
	}
	for resource, v := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: v, Max: v}); err != nil {
			return fmt.Errorf("set resource limit %d: %w", resource, err)
		}
	}
	if !seccomp.Supported() {
		return nil
	}
	err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: allowed},
			// The arguments of clone3 cannot be looked at. "No such call" makes the C
			// library fall back to clone; "not permitted" would make it give up.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
			{Action: seccomp.ActionAllow, NamesWithCondtions: []seccomp.NameWithConditions{{
				Name:       "clone",
				Conditions: []seccomp.Condition{{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}},
			}}},
		},
	}})
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}
