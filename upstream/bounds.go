package upstream

// Bounds of what one server can cost, however hostile it is (TRUST-4). They hold
// while a transport reads, before anything is decoded, and are the same for every
// transport.
const (
	// MaxServerBytes is the most memory that one server can cost this process at a
	// time with the default limits: one answer of maxMessage being read, its text
	// decoded once, and the collector's slack for both. The other bounds are chosen
	// to stay below it, and tests measure it.
	MaxServerBytes = 1 << 30
	// maxAside bounds a message that is not the answer to a call or to tools/list:
	// notifications, the server's own requests, the answer to initialize.
	maxAside = 8 << 20
	// maxQueued bounds what waits to be written to a server that does not read.
	maxQueued = 160 << 20
	// maxQueuedReplies bounds what may wait there before its own requests are no
	// longer answered.
	maxQueuedReplies = 1 << 20
	// maxContent bounds how many parts the content of one result has: each costs
	// many times the two bytes that it can be on the wire.
	maxContent = 10_000
	// maxReplies is how many of a server's own requests are answered at a time.
	maxReplies = 64
)

// maxMessage bounds an answer: room for the frame around the largest value, and
// for its escapes.
func maxMessage(maxValue int) int { return 2*maxValue + 1<<20 }
