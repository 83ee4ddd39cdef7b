package guest

// cpuSeconds is the kernel's own cap on a child's computing, far above every
// budget: nothing outlives a host that was killed.
const cpuSeconds = 3600

// Hardening explains what this operating system's children give up, and
// what is missing (ISO-9).
func Hardening() (applied, missing []string) { return hardening() }
