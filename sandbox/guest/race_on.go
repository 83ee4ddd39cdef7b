//go:build race

package guest

// raceDetector says that this is a build for tests, whose memory is not the
// script's alone.
const raceDetector = true
