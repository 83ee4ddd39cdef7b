package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"codemode-ls/sandbox/frame"

	"golang.org/x/sys/windows"
)

// jobHandle is the Job Object that a child lives in.
type jobHandle struct{ h windows.Handle }

func (j jobHandle) close() {
	if j.h != 0 {
		windows.CloseHandle(j.h)
	}
}

func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP}
}

// confine puts the child into a Job Object: a memory cap, no further process,
// ended together with us. The child reads no script before the message that starts it.
func confine(cmd *exec.Cmd, memoryMB int) jobHandle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return jobHandle{}
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
				windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
			ActiveProcessLimit: 1,
		},
		ProcessMemoryLimit: uintptr(memoryMB+frame.MemorySlackMB) << 20,
	}
	if memoryMB <= 0 {
		info.BasicLimitInformation.LimitFlags &^= windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
	}
	windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		windows.AssignProcessToJobObject(job, h)
		windows.CloseHandle(h)
	}
	return jobHandle{job}
}

func killProcess(cmd *exec.Cmd) { cmd.Process.Kill() }

// hungUp cannot be known here: a process that has ended is known by its end alone.
func hungUp(*os.File) bool { return false }
