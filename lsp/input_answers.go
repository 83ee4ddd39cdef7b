package lsp

import "sync"

// inputAnswers are what a person has answered to ${input:…} in this session. They
// are kept nowhere else. The zero value is ready.
type inputAnswers struct {
	mu    sync.Mutex
	byKey map[inputKey]string
}

// inputKey names a question: ids are of one file.
type inputKey struct{ file, id string }

func (a *inputAnswers) get(file, id string) (value string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	value, ok = a.byKey[inputKey{file, id}]
	return value, ok
}

func (a *inputAnswers) set(file, id, value string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byKey == nil {
		a.byKey = map[inputKey]string{}
	}
	a.byKey[inputKey{file, id}] = value
}
