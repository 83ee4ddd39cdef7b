package guest

import (
	"codemode-ls/sandbox/ecma"

	"github.com/dop251/goja"
)

func (r *realm) isIntrinsic(o *goja.Object) bool { return r.intrinsics[o] }

func (r *realm) isArray(o *goja.Object) bool {
	v, err := r.isArrayFn(goja.Undefined(), o)
	return err == nil && v.ToBoolean()
}

// ownProperty is a property as it is stored: no getter runs.
type ownProperty struct {
	value          goja.Value // nil for an accessor, and when there is no such property
	getter, setter bool
	enumerable     bool
}

func (r *realm) own(o *goja.Object, key string) ownProperty {
	return r.ownValue(o, r.vm.ToValue(key))
}

func (r *realm) ownSymbol(o *goja.Object, key *goja.Symbol) ownProperty { return r.ownValue(o, key) }

func (r *realm) ownValue(o *goja.Object, key goja.Value) (p ownProperty) {
	v, err := r.Descriptor(o, key)
	if err != nil {
		return p
	}
	d, ok := v.(*goja.Object)
	if !ok {
		return p
	}
	p.enumerable = d.Get("enumerable").ToBoolean()
	if r.HasOwn(d, "value") {
		p.value = d.Get("value")
		return p
	}
	p.getter = r.HasOwn(d, "get") && !goja.IsUndefined(d.Get("get"))
	p.setter = r.HasOwn(d, "set") && !goja.IsUndefined(d.Get("set"))
	return p
}

// mapEntries are keys and values in turn.
func (r *realm) mapEntries(o *goja.Object) (entries []goja.Value) {
	r.mapEach(o, r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		entries = append(entries, c.Argument(1), c.Argument(0))
		return goja.Undefined()
	}))
	return entries
}

func (r *realm) setEntries(o *goja.Object) (entries []goja.Value) {
	r.setEach(o, r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		entries = append(entries, c.Argument(0))
		return goja.Undefined()
	}))
	return entries
}

func (r *realm) functionText(o *goja.Object) string {
	v, err := r.textFn(o)
	if err != nil {
		return ""
	}
	return v.String()
}

// unbox is the primitive in an object such as new Number(1).
func (r *realm) unbox(o *goja.Object, class string) (goja.Value, bool) {
	v, err := r.valueOf[class](o)
	return v, err == nil
}

func (r *realm) typeError(err error, stack string) *goja.Object {
	e := r.NewError("TypeError", err.Error())
	r.setStack(e, stack)
	return e
}

// isError reports whether a value is an Error object.
func isError(v goja.Value) (*goja.Object, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == ecma.TypeProxy || o.ClassName() != "Error" {
		return nil, false
	}
	return o, true
}
