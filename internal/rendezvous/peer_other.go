//go:build !linux

package rendezvous

import "net"

// samePeer: the socket is in a directory that nobody else gets into.
func samePeer(net.Conn) bool { return true }
