//go:build !race

package guest

const raceDetector = false
