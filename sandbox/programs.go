package sandbox

import (
	"slices"
	"sync"

	"codemode-ls/script"
)

// Bounds of programs.
const (
	maxPrograms     = 32
	maxProgramBytes = 4 << 20 // of texts, code and source maps
)

// programs are scripts that were compiled lately: people and tests run the same
// one again and again.
type programs struct {
	mu    sync.Mutex
	bytes int
	list  []kept // the latest first
}

type kept struct {
	text     string
	language script.Language
	program  *script.Program // never changed
}

func (c kept) bytes() int {
	return len(c.text) + len(c.program.Code) + len(c.program.SourceMap)
}

// find is the program of a text, or nil.
func (s *programs) find(text string, l script.Language) *script.Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(c kept) bool { return c.language == l && c.text == text })
	if i < 0 {
		return nil
	}
	c := s.list[i]
	copy(s.list[1:i+1], s.list[:i])
	s.list[0] = c
	return c.program
}

// keep keeps a program, and lets go of those that were not used for the longest.
func (s *programs) keep(text string, l script.Language, p *script.Program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := kept{text, l, p}
	if c.bytes() > maxProgramBytes {
		return
	}
	s.list = slices.Insert(s.list, 0, c)
	s.bytes += c.bytes()
	for len(s.list) > maxPrograms || s.bytes > maxProgramBytes {
		last := len(s.list) - 1
		s.bytes -= s.list[last].bytes()
		s.list = slices.Delete(s.list, last, last+1)
	}
}
