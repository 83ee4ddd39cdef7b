package configfile

// Commands that lenses and actions refer to; package lsp executes them.
const (
	showServersCommand   = "codemode.showServers"
	showServerLogCommand = "codemode.showServerLog"
	approveServerCommand = "codemode.approveServer"
	restartServerCommand = "codemode.restartServer"
)
