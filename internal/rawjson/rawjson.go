// Package rawjson puts JSON that others have written into larger JSON byte for
// byte. A marshaler changes its white space, its escapes and the spelling of its
// numbers, and no option of it keeps all three.
package rawjson

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal is json.Marshal, but for each jsontext.Value in v, which goes in as it is.
func Marshal(v any, options ...json.Options) (jsontext.Value, error) {
	const placeholder = "null"
	var values []jsontext.Value
	var ends []int64 // of the placeholders
	reserve := json.MarshalToFunc(func(e *jsontext.Encoder, value jsontext.Value) error {
		if !value.IsValid(options...) {
			return errors.New("a raw value is not JSON")
		}
		if err := e.WriteToken(jsontext.Null); err != nil {
			return err
		}
		values, ends = append(values, value), append(ends, e.OutputOffset())
		return nil
	})
	shell, err := json.Marshal(v, append(options, json.WithMarshalers(reserve))...)
	if err != nil {
		return nil, err
	}
	var out jsontext.Value
	from := int64(0)
	for i, value := range values {
		out = append(append(out, shell[from:ends[i]-int64(len(placeholder))]...), value...)
		from = ends[i]
	}
	return append(out, shell[from:]...), nil
}
