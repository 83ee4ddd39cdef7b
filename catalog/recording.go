package catalog

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadRecording reads a recorded tools/list answer (CLI-7): an object with
// "server", "tools" and sometimes "instructions"; other members are left alone.
// server is "" when the recording does not say, as in a bare answer.
func ReadRecording(data []byte) (server string, tools []jsontext.Value, instructions string, err error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	var list jsontext.Value
	var r reader
	err = r.members(data, func(key string, value jsontext.Value) error {
		switch key {
		case "server":
			server, _ = text(value)
		case "instructions":
			instructions, _ = text(value)
		case "tools":
			list = value
		}
		return nil
	})
	if err != nil {
		return "", nil, "", fmt.Errorf("recorded tools: %w", err)
	}
	if list.Kind() != '[' {
		return "", nil, "", errors.New(`recorded tools: it has no array "tools"`)
	}
	if err := unmarshal(list, &tools); err != nil {
		return "", nil, "", fmt.Errorf("recorded tools: %w", err)
	}
	return server, tools, instructions, nil
}
