//go:build !unix

package typescript

import (
	"errors"
	"os"
)

func pauseProcess(*os.Process) error { return errors.New("a process cannot be stopped here") }
