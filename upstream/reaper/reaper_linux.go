package reaper

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

func init() {
	if len(os.Args) > 3 && os.Args[1] == Argument {
		os.Exit(live(os.Args[2], os.Args[3:]))
	}
}

const (
	setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	// killPeriod is how often what is left is looked for, after it was killed.
	killPeriod = 2 * time.Millisecond
	// killPatience is when a process that the kernel does not end is given up.
	killPatience = 10 * time.Second
)

// live is the reaper's whole life: start the server, wait for it, end what it left.
// It returns the exit code.
func live(path string, args []string) int {
	syscall.CloseOnExec(controlFD)
	syscall.CloseOnExec(reportFD)
	// A kernel without it is older than the other things that this program needs.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	// An init runs on the program's first thread, which lasts as long as the program:
	// the server is ended by the kernel when the reaper is killed.
	server, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		report(Failed + err.Error())
		return 1
	}
	report(Started + strconv.Itoa(server))
	leavePipes()
	go obey(server)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 1
		case pid == server:
			endRest(server)
			report(Ended + words(status))
			return 0
		}
	}
}

func report(line string) { _, _ = syscall.Write(reportFD, []byte(line+"\n")) }

// words are how a process ended, as os.ProcessState says it.
func words(status syscall.WaitStatus) string {
	if status.Signaled() {
		text := "signal: " + status.Signal().String()
		if status.CoreDump() {
			text += " (core dumped)"
		}
		return text
	}
	return "exit status " + strconv.Itoa(status.ExitStatus())
}

// leavePipes lets go of the server's pipes, so that their ends are the server's.
func leavePipes() {
	null, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	for fd := range 3 {
		if err != nil || syscall.Dup3(null, fd, 0) != nil {
			_ = syscall.Close(fd)
		}
	}
}

// obey does what the control pipe says. It ends with the process.
func obey(server int) {
	command := make([]byte, 1)
	for {
		n, err := syscall.Read(controlFD, command)
		switch {
		case err == syscall.EINTR:
		case n == 1 && command[0] == Terminate:
			_ = syscall.Kill(-server, syscall.SIGTERM)
		default:
			for { // until the server has ended and live goes on
				if !killDescendants() {
					_ = syscall.Kill(-server, syscall.SIGKILL)
				}
				time.Sleep(killPeriod)
			}
		}
	}
}

// endRest kills what the server has left until nothing of it is there.
func endRest(server int) {
	for deadline := time.Now().Add(killPatience); time.Now().Before(deadline); {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.ECHILD:
			return
		case err == nil && pid > 0, err == syscall.EINTR:
			continue
		}
		if !killDescendants() {
			// Its group exists while one of it is left, and one of it may be.
			_ = syscall.Kill(-server, syscall.SIGKILL)
		}
		time.Sleep(killPeriod)
	}
}

// killDescendants kills every process below this one, and reports whether it could
// look for them.
func killDescendants() bool {
	parents := processes()
	if parents == nil {
		return false
	}
	self := os.Getpid()
	for pid := range parents {
		above := parents[pid]
		for range parents { // no loop is longer, whatever changed while it was read
			if above == self {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			if above <= 1 || above == self {
				break
			}
			above = parents[above]
		}
	}
	return true
}

// processes are all processes with their parents, nil when they cannot be read.
func processes() map[int]int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	parents := map[int]int{}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if parent, ok := parentOf(name); ok {
				parents[pid] = parent
			}
		}
	}
	return parents
}

// parentOf reads the parent from a line like "7 (a name) S 1 …"; the name may have
// any character.
func parentOf(pid string) (int, bool) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, false
	}
	for i := len(stat) - 1; i >= 0; i-- {
		if stat[i] != ')' {
			continue
		}
		if i+4 >= len(stat) {
			return 0, false
		}
		rest := stat[i+4:] // behind ") S "
		end := 0
		for end < len(rest) && rest[end] != ' ' {
			end++
		}
		parent, err := strconv.Atoi(string(rest[:end]))
		return parent, err == nil
	}
	return 0, false
}
