// The methods of iterators, which the prelude's stubs call.
(function (host) {
  'use strict';
  const O = Object,
    R = Reflect,
    { defineProperty, getPrototypeOf } = Object;
  const def = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  const methods = (o, m) => {
    for (const k of R.ownKeys(m)) {
      const d = O.getOwnPropertyDescriptor(m, k);
      d.enumerable = false;
      defineProperty(o, k, d);
    }
  };
  const IterProto = host.iteratorPrototype;
  const rec = (o) => {
    if (O(o) !== o) throw new TypeError('not an object');
    return { it: o, next: o.next };
  };
  const step = (r) => {
    const s = r.next.call(r.it);
    if (O(s) !== s) throw new TypeError('iterator result is not an object');
    return s;
  };
  const close = (r) => {
    const f = r.it.return;
    if (f != null) f.call(r.it);
  };
  // What a callback throws closes the iterator, and goes on.
  const closing = (r, call) => {
    try {
      return call();
    } catch (e) {
      try {
        close(r);
      } catch {}
      throw e;
    }
  };
  const HelperProto = O.create(IterProto);
  const helper = (gen, r) => {
    const h = O.create(HelperProto);
    st.set(h, { g: gen, r, started: false, done: false });
    return h;
  };
  const st = new WeakMap();
  const wm = (h) => {
    const s = st.get(h);
    if (!s) throw new TypeError('incompatible receiver');
    return s;
  };
  // first is the first step whose value f answers as wanted, and closes the
  // iterator behind it; undefined when there is none.
  const first = (o, f, wanted) => {
    objchk(o);
    fnchk(o, f);
    const r = rec(o);
    let i = 0;
    for (;;) {
      const s = step(r);
      if (s.done) return undefined;
      const b = closing(r, () => f(s.value, i++));
      if (!!b === wanted) {
        close(r);
        return s;
      }
    }
  };
  methods(HelperProto, {
    next() {
      const s = wm(this);
      s.started = true;
      return s.g.next();
    },
    return() {
      const s = wm(this);
      if (!s.started && !s.done) {
        s.done = true;
        s.g.return();
        close(s.r);
        return { value: undefined, done: true };
      }
      return s.g.return();
    },
  });
  def(HelperProto, Symbol.toStringTag, 'Iterator Helper');
  const fnchk = (o, f) => {
    if (typeof f !== 'function') {
      try {
        close({ it: o });
      } catch {}
      throw new TypeError(String(f) + ' is not a function');
    }
  };
  const objchk = (o) => {
    if (O(o) !== o) throw new TypeError('Iterator helper called on non-object');
  };
  // yielding hands out one value; when the consumer stops there, iterators close.
  const yielding = function* (v, ...open) {
    let done = false;
    try {
      yield v;
      done = true;
    } finally {
      if (!done) for (const r of open) close(r);
    }
  };
  const loop = function* (r, body) {
    for (;;) {
      const s = step(r);
      if (s.done) return;
      const v = s.value;
      const y = closing(r, () => body(v));
      if (y) yield* yielding(y.v, r);
    }
  };
  const { isNaN } = Number;
  const num = (o, n) => {
    const failed = (e) => {
      try {
        close({ it: o });
      } catch {}
      throw e;
    };
    let v;
    try {
      v = +n;
    } catch (e) {
      failed(e);
    }
    if (isNaN(v)) failed(new RangeError(String(n) + ' must be a number'));
    v = Math.trunc(v);
    if (v < 0) failed(new RangeError(String(n) + ' must be non-negative'));
    return v;
  };
  O.assign(host.iterator, {
    map(f) {
      objchk(this);
      fnchk(this, f);
      let i = 0;
      const r = rec(this);
      return helper(
        loop(r, (v) => ({ v: f(v, i++) })),
        r,
      );
    },
    filter(f) {
      objchk(this);
      fnchk(this, f);
      let i = 0;
      const r = rec(this);
      return helper(
        loop(r, (v) => (f(v, i++) ? { v } : null)),
        r,
      );
    },
    take(n) {
      objchk(this);
      let k = num(this, n);
      const r = rec(this);
      return helper(
        (function* () {
          for (;;) {
            if (k === 0) {
              close(r);
              return;
            }
            k--;
            const s = step(r);
            if (s.done) return;
            yield* yielding(s.value, r);
          }
        })(),
        r,
      );
    },
    drop(n) {
      objchk(this);
      let k = num(this, n);
      const r = rec(this);
      return helper(
        loop(r, (v) => (k > 0 ? (k--, null) : { v })),
        r,
      );
    },
    flatMap(f) {
      objchk(this);
      fnchk(this, f);
      let i = 0;
      const r = rec(this);
      return helper(
        (function* () {
          for (;;) {
            const s = step(r);
            if (s.done) return;
            const v = s.value;
            const inner = closing(r, () => {
              const m = f(v, i++);
              if (O(m) !== m) throw new TypeError('flatMap mapper must return an iterable');
              const im = m[Symbol.iterator];
              const it = im == null ? m : im.call(m);
              return rec(it);
            });
            for (;;) {
              const t = closing(r, () => {
                const t = step(inner);
                return t.done ? null : { v: t.value };
              });
              if (t === null) break;
              yield* yielding(t.v, inner, r);
            }
          }
        })(),
        r,
      );
    },
    reduce(f, ...a) {
      objchk(this);
      fnchk(this, f);
      const r = rec(this);
      let acc,
        i = 0;
      if (a.length) acc = a[0];
      else {
        const s = step(r);
        if (s.done) throw new TypeError('Reduce of empty iterator with no initial value');
        acc = s.value;
        i = 1;
      }
      for (;;) {
        const s = step(r);
        if (s.done) return acc;
        acc = closing(r, () => f(acc, s.value, i++));
      }
    },
    toArray() {
      objchk(this);
      const r = rec(this),
        out = [];
      for (;;) {
        const s = step(r);
        if (s.done) return out;
        out[out.length] = s.value;
      }
    },
    forEach(f) {
      objchk(this);
      fnchk(this, f);
      const r = rec(this);
      let i = 0;
      for (;;) {
        const s = step(r);
        if (s.done) return;
        closing(r, () => f(s.value, i++));
      }
    },
    some(f) {
      return first(this, f, true) !== undefined;
    },
    every(f) {
      return first(this, f, false) === undefined;
    },
    find(f) {
      const s = first(this, f, true);
      return s === undefined ? undefined : s.value;
    },
  });
  O.assign(host.iterator, {
    concat(...items) {
      const open = items.map((o) => {
        if (O(o) !== o) throw new TypeError('not an object');
        const m = o[Symbol.iterator];
        if (typeof m !== 'function') throw new TypeError('not iterable');
        return { o, m };
      });
      const none = { it: {} };
      return helper(
        (function* () {
          for (const { o, m } of open) {
            const it = m.call(o);
            if (O(it) !== it) throw new TypeError('not an object');
            const r = rec(it);
            for (;;) {
              const s = step(r);
              if (s.done) break;
              yield* yielding(s.value, r);
            }
          }
        })(),
        none,
      );
    },
    from(o) {
      if (O(o) !== o && typeof o !== 'string') throw new TypeError('not an object');
      const m = o[Symbol.iterator];
      const it = m != null ? m.call(o) : o;
      if (O(it) !== it) throw new TypeError('not an object');
      if (IterProto.isPrototypeOf(it)) return it;
      const r = rec(it);
      const w = O.create(WrapProto);
      wst.set(w, r);
      return w;
    },
  });
  const wst = new WeakMap();
  const WrapProto = O.create(IterProto);
  methods(WrapProto, {
    next() {
      const r = wst.get(this);
      return r.next.call(r.it);
    },
    return() {
      const r = wst.get(this);
      const f = r.it.return;
      return f === undefined ? { value: undefined, done: true } : f.call(r.it);
    },
  });
});
