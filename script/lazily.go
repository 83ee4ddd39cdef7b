package script

import (
	"regexp"
	"sync"
)

// lazily compiles an expression when it is first used. Every sandbox's child has
// this package, and most need none of them.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
