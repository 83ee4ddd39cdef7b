package upstream

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"codemode-ls/upstream/reaper"
)

// supervisor is the reaper between us and a server.
type supervisor struct {
	control *os.File
	report  *bufio.Reader
	files   []*os.File // all of ours
	theirs  []*os.File
}

// supervise makes the command one of a reaper that starts it.
func supervise(cmd *exec.Cmd) (*supervisor, error) {
	theirControl, control, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	report, theirReport, err := os.Pipe()
	if err != nil {
		theirControl.Close()
		control.Close()
		return nil, err
	}
	cmd.Args = append([]string{programName, reaper.Argument, cmd.Path}, cmd.Args...)
	// This program as it runs, even when its file has been replaced meanwhile.
	cmd.Path = "/proc/self/exe"
	cmd.ExtraFiles = []*os.File{theirControl, theirReport}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &supervisor{
		control: control, report: bufio.NewReader(report),
		files: []*os.File{control, report}, theirs: cmd.ExtraFiles,
	}, nil
}

// launched is called when the reaper runs, or could not be started.
func (s *supervisor) launched(err error) {
	for _, f := range s.theirs {
		f.Close()
	}
	if err != nil {
		s.close()
	}
}

func (s *supervisor) close() {
	for _, f := range s.files {
		f.Close()
	}
}

// started waits for the server's start and is its process id.
func (s *supervisor) started(*exec.Cmd) (int, error) {
	line, err := s.report.ReadString('\n')
	line = strings.TrimSuffix(line, "\n")
	if pid, ok := strings.CutPrefix(line, reaper.Started); ok {
		return strconv.Atoi(pid)
	}
	if reason, ok := strings.CutPrefix(line, reaper.Failed); ok {
		return 0, errors.New(reason)
	}
	return 0, errors.Join(errors.New("its supervising process ended at its start"), err)
}

// wait waits for the server's end and is how it ended; all that it started has
// ended then too.
func (s *supervisor) wait(cmd *exec.Cmd) string {
	line, _ := s.report.ReadString('\n')
	err := cmd.Wait()
	s.close()
	if how, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), reaper.Ended); ok {
		return how
	}
	if err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// terminate asks the server to end.
func (s *supervisor) terminate(*exec.Cmd) { _, _ = s.control.Write([]byte{reaper.Terminate}) }

// kill ends the server and all that it started by force.
func (s *supervisor) kill(*exec.Cmd) { _, _ = s.control.Write([]byte{reaper.Kill}) }
