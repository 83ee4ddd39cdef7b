package upstream

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var ntResumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// supervisor keeps a server and all that it starts in a job object: they end with
// the server, and with this program however that ends.
type supervisor struct {
	mu  sync.Mutex
	job windows.Handle // 0 once closed
}

// supervise prepares a server that starts suspended, so that nothing is started
// outside of the job. A process group of its own keeps Ctrl-C of our console away.
func supervise(cmd *exec.Cmd) (*supervisor, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED,
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create a job object: %w", err)
	}
	s := &supervisor{job: job}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		s.close()
		return nil, fmt.Errorf("limit a job object: %w", err)
	}
	return s, nil
}

// launched learns whether the server was prepared and started.
func (s *supervisor) launched(err error) {
	if err != nil {
		s.close()
	}
}

// started puts the server into the job and lets it run.
func (s *supervisor) started(cmd *exec.Cmd) (int, error) {
	pid := cmd.Process.Pid
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, uint32(pid))
	if err == nil {
		defer windows.CloseHandle(h)
		if err = s.assign(h); err == nil {
			if status, _, _ := ntResumeProcess.Call(uintptr(h)); status != 0 {
				err = windows.NTStatus(status)
			}
		}
	}
	if err != nil {
		_ = cmd.Process.Kill()
		return pid, fmt.Errorf("put it into a job object: %w", err)
	}
	return pid, nil
}

func (s *supervisor) assign(h windows.Handle) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return windows.AssignProcessToJobObject(s.job, h)
}

// wait waits for the server, and ends what it has started.
func (s *supervisor) wait(cmd *exec.Cmd) string {
	err := cmd.Wait()
	s.close()
	if err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// terminate does nothing: there is no signal to ask a process to end. Its standard
// input is closed already.
func (*supervisor) terminate(*exec.Cmd) {}

func (s *supervisor) kill(*exec.Cmd) { s.close() }

// close ends all processes of the job.
func (s *supervisor) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.job != 0 {
		windows.CloseHandle(s.job)
		s.job = 0
	}
}
