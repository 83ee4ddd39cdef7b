package exec

import "fmt"

// emit reports an event. Where order matters x.mu is held.
func (x *run) emit(e Event) {
	if x.request.Events != nil {
		e.RunID = x.id
		x.request.Events(x.cleanEvent(e))
	}
}

func (x *run) warn(format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.warnings = append(x.warnings, Warning{Message: fmt.Sprintf(format, args...)})
}

// Log is sandbox.Host's.
func (x *run) Log(level, text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := Log{Level: level, Text: text}
	x.logs = append(x.logs, l)
	x.emit(Event{Kind: "log", Log: &l})
}
