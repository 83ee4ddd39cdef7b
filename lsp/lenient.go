package lsp

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// verbatim are the members whose values belong to somebody else: they pass as
// they were sent. Of these, null is a value of its own for a script's input.
var verbatim = []string{"arguments", "input", "initializationOptions", "settings", "data"}

// lenient are params as the decoders want them (LSP-5): without members that are
// null, which is the same as absent for all that is optional, and with whole
// numbers that a client wrote as 16.0 or 1e0 as integers. What needs no change is
// returned as it is, and is only looked through for the few bytes that can matter.
func lenient(params []byte) []byte {
	if !suspicious(params) {
		return params
	}
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	d := jsontext.NewDecoder(bytes.NewReader(params), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if rewrite(d, e) != nil {
		return params // the decoder says what is wrong
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// suspicious reports whether there is a null or a number with a fraction or an
// exponent outside of strings.
func suspicious(params []byte) bool {
	for i := 0; i < len(params); i++ {
		switch c := params[i]; c {
		case '"':
			for i++; i < len(params); i++ {
				next := bytes.IndexByte(params[i:], '"')
				if next < 0 {
					return false
				}
				i += next
				slashes := 0
				for params[i-1-slashes] == '\\' {
					slashes++
				}
				if slashes%2 == 0 {
					break
				}
			}
		case 'n', '.', 'E':
			return true
		case 'e':
			if i > 0 && '0' <= params[i-1] && params[i-1] <= '9' {
				return true
			}
		}
	}
	return false
}

// rewrite copies one value.
func rewrite(d *jsontext.Decoder, e *jsontext.Encoder) error {
	switch d.PeekKind() {
	case '{':
		if err := copyToken(d, e); err != nil {
			return err
		}
		for d.PeekKind() == '"' {
			quoted, err := d.ReadValue()
			if err != nil {
				return err
			}
			quoted = quoted.Clone()
			raw, err := jsontext.AppendUnquote(nil, quoted)
			if err != nil {
				return err
			}
			name := string(raw)
			if d.PeekKind() == 'n' && name != "input" {
				if err := d.SkipValue(); err != nil {
					return err
				}
				continue
			}
			if err := e.WriteValue(quoted); err != nil {
				return err
			}
			if !slices.Contains(verbatim, name) {
				if err := rewrite(d, e); err != nil {
					return err
				}
				continue
			}
			value, err := d.ReadValue()
			if err != nil {
				return err
			}
			if err := e.WriteValue(value); err != nil {
				return err
			}
		}
		return copyToken(d, e)
	case '[':
		if err := copyToken(d, e); err != nil {
			return err
		}
		for k := d.PeekKind(); k != ']' && k > 0; k = d.PeekKind() {
			if err := rewrite(d, e); err != nil {
				return err
			}
		}
		return copyToken(d, e)
	case '0':
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		return e.WriteValue(wholeNumber(value))
	}
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	return e.WriteValue(value)
}

func copyToken(d *jsontext.Decoder, e *jsontext.Encoder) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	return e.WriteToken(t)
}

// wholeNumber is a number as an integer when it is one that every client can
// write exactly, however it is written.
func wholeNumber(v jsontext.Value) jsontext.Value {
	if !bytes.ContainsAny(v, ".eE") {
		return v
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return v
	}
	return strconv.AppendInt(nil, int64(f), 10)
}
