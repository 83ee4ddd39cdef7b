package cassette

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A Player answers calls from a cassette, from any goroutine: by tool and
// arguments, equal calls in the order of the file, each once (REC-1).
type Player struct {
	cassette *Cassette

	mu   sync.Mutex // guards what follows
	used []bool
	left map[string][]int // unused calls by identity, in order
}

// NewPlayer begins a replay. The cassette must not be changed any more.
func NewPlayer(c *Cassette) *Player {
	p := &Player{cassette: c, used: make([]bool, len(c.Calls)), left: map[string][]int{}}
	for i, call := range c.Calls {
		key := identity(call.Tool, call.Arguments)
		p.left[key] = append(p.left[key], i)
	}
	return p
}

// identity is what calls have in common that are the same to a replay: the order
// of members and how a number is written make no difference (RFC 8785).
func identity(tool string, arguments jsontext.Value) string {
	canonical := arguments.Clone()
	if err := canonical.Canonicalize(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		canonical = arguments
	}
	return tool + "\x00" + string(canonical)
}

// Take is the recorded call that answers one of the script, which it uses up,
// and its index. An error says what is nearest.
func (p *Player) Take(tool string, arguments jsontext.Value) (int, *Call, error) {
	key := identity(tool, arguments)
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.left[key]; len(list) > 0 {
		p.left[key] = list[1:]
		p.used[list[0]] = true
		return list[0], &p.cassette.Calls[list[0]], nil
	}
	return -1, nil, p.mismatch(tool, key, arguments)
}

// Cassette is what is replayed.
func (p *Player) Cassette() *Cassette { return p.cassette }

// Knows reports whether the cassette has a call of a tool, and of which server it
// is.
func (p *Player) Knows(tool string) (server string, ok bool) {
	i := slices.IndexFunc(p.cassette.Calls, func(c Call) bool { return c.Tool == tool })
	if i < 0 {
		return "", false
	}
	return p.cassette.Calls[i].Server, true
}

// Tools are the full names of the MCP tools that the cassette has calls of, in
// byte order.
func (p *Player) Tools() []string {
	var names []string
	for _, c := range p.cassette.Calls {
		if !strings.HasPrefix(c.Tool, "$") {
			names = append(names, c.Tool)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Unused are the recorded calls that the script has not made.
func (p *Player) Unused() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []Call
	for i, c := range p.cassette.Calls {
		if !p.used[i] {
			list = append(list, c)
		}
	}
	return list
}

// Played is the cassette without the calls that the script has not made; it has
// no result.
func (p *Player) Played() *Cassette {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &Cassette{Version: Version, Script: p.cassette.Script, Input: p.cassette.Input, Calls: []Call{}}
	index := make(map[int]int, len(p.cassette.Calls))
	for i, call := range p.cassette.Calls {
		if p.used[i] {
			index[i] = len(c.Calls)
			c.Calls = append(c.Calls, call)
		}
	}
	for _, i := range p.cassette.Answered {
		if n, ok := index[i]; ok {
			c.Answered = append(c.Answered, n)
		}
	}
	if slices.IsSorted(c.Answered) {
		c.Answered = nil
	}
	return c
}

// mismatch says why no recorded call answers one of the script. p.mu is held.
func (p *Player) mismatch(tool, key string, arguments jsontext.Value) error {
	equal, calls := 0, 0
	for i := range p.cassette.Calls {
		c := &p.cassette.Calls[i]
		if c.Tool != tool {
			continue
		}
		calls++
		if identity(c.Tool, c.Arguments) == key {
			equal++
		}
	}
	switch {
	case calls == 0:
		message := "the recording has no call of " + clip(tool)
		if names := p.Tools(); len(names) > 0 {
			more := ""
			if len(names) > maxNames {
				more = fmt.Sprintf(" and %d more", len(names)-maxNames)
				names = names[:maxNames]
			}
			message += "; it has calls of " + strings.Join(names, ", ") + more
		}
		return &Mismatch{message}
	case equal == 1:
		return &Mismatch{fmt.Sprintf("the recording has one call of %s with these arguments, and it has been answered already", tool)}
	case equal > 1:
		return &Mismatch{fmt.Sprintf("the recording has %d calls of %s with these arguments, and all have been answered already", equal, tool)}
	}
	return &Mismatch{fmt.Sprintf("the recording has no call of %s with these arguments; %s", tool, p.nearest(tool, arguments))}
}

const maxNames = 5

// Mismatch is a call that no recording answers.
type Mismatch struct{ message string }

func (e *Mismatch) Error() string { return e.message }
