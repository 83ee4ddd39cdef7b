package regexp

// node is a part of a pattern.
type node interface{}

type (
	empty    struct{}
	sequence struct{ items []node }
	choice   struct{ items []node }
	// char is one code unit, or one code point with u or v.
	char struct {
		r    rune
		fold bool
	}
	// set is one character of a class.
	set struct {
		class *class
		fold  bool
	}
	// anyChar is the dot.
	anyChar struct{ lineEnds bool }
	// group captures when its index is not 0.
	group struct {
		index int
		body  node
	}
	// look is an assertion about what is ahead or behind.
	look struct {
		behind, negative bool
		body             node
	}
	// edge is ^ or $.
	edge struct{ end, multiline bool }
	// boundary is \b or \B.
	boundary struct{ negative, fold bool }
	// reference is a back reference; with duplicate names it has several groups.
	reference struct {
		groups []int
		name   string // until the groups are known
		fold   bool
	}
	repeat struct {
		body       node
		min, max   int // max < 0: without end
		lazy       bool
		from, upTo int // the groups inside: from < i <= upTo
	}
)
