//go:build unix

package audit

import "syscall"

const noFollow = syscall.O_NOFOLLOW
