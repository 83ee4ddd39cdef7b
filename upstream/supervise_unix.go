//go:build unix && !linux

package upstream

import "os/exec"

// supervisor knows the server's process group alone: there is no subreaper here. A
// server whose program was killed notices the end of its standard input; one that
// ignores it, or a child that leaves the group, remains.
type supervisor struct{}

func supervise(cmd *exec.Cmd) (*supervisor, error) {
	group(cmd)
	return &supervisor{}, nil
}

func (*supervisor) launched(error) {}

func (*supervisor) started(cmd *exec.Cmd) (int, error) { return cmd.Process.Pid, nil }

func (*supervisor) wait(cmd *exec.Cmd) string {
	err := cmd.Wait()
	killGroup(cmd.Process)
	if err != nil {
		return err.Error()
	}
	return "exit status 0"
}

func (*supervisor) terminate(cmd *exec.Cmd) { terminateGroup(cmd.Process) }
func (*supervisor) kill(cmd *exec.Cmd)      { killGroup(cmd.Process) }
