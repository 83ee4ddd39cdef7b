package guest

import (
	"bytes"
	"io"
	"strconv"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"
)

// decodeValue builds a value of the realm from JSON text: objects have a null
// prototype and keep the order of their keys, "__proto__" is left out, arrays
// are ordinary ones (ISO-4, ISO-5).
func decodeValue(vm *goja.Runtime, data []byte) (goja.Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := decodeNext(vm, d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return v, nil
}

func decodeNext(vm *goja.Runtime, d *jsontext.Decoder) (goja.Value, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case 'n':
		return goja.Null(), nil
	case 't', 'f':
		return vm.ToValue(t.Bool()), nil
	case '"':
		return vm.ToValue(t.String()), nil
	case '0':
		f, err := strconv.ParseFloat(t.String(), 64)
		if err != nil && f == 0 {
			return nil, err
		}
		return vm.ToValue(f), nil
	case '[':
		items := []any{}
		for d.PeekKind() != ']' {
			v, err := decodeNext(vm, d)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
		return vm.NewArray(items...), nil
	case '{':
		o := vm.CreateObject(nil)
		for d.PeekKind() != '}' {
			k, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			key := k.String()
			v, err := decodeNext(vm, d)
			if err != nil {
				return nil, err
			}
			if key == "__proto__" {
				continue
			}
			if err := o.Set(key, v); err != nil {
				return nil, err
			}
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
		return o, nil
	}
	return nil, io.ErrUnexpectedEOF
}
