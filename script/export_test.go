package script

// For the tests that need a Transformer, which imports this package.
var (
	Original   = original
	PositionAt = positionAt
)
