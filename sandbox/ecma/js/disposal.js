// DisposableStack and AsyncDisposableStack.
(function () {
  'use strict';
  const O = Object,
    { defineProperty } = Object;
  const def = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  const state = new WeakMap();
  const kinds = {};

  const of = (v, kind) => {
    const s = O(v) === v ? state.get(v) : undefined;
    if (!s || s.kind !== kind) throw new TypeError('this is not a ' + kind);
    return s;
  };
  const pending = (v, kind) => {
    const s = of(v, kind);
    if (s.disposed) throw new ReferenceError('a disposed ' + kind + ' cannot be used');
    return s;
  };
  const callable = (f) => {
    if (typeof f !== 'function') throw new TypeError('the disposer is not a function');
  };
  // What disposing throws suppresses what was thrown before.
  const suppress = (failure, e) => ({ e: failure ? new SuppressedError(e, failure.e, '') : e });

  // method finds how a value is disposed of; undefined for null.
  const method = (v, async) => {
    if (v == null) return undefined;
    if (O(v) !== v) throw new TypeError('the value is not an object');
    let f = async ? v[Symbol.asyncDispose] : v[Symbol.dispose];
    if (f == null && async) {
      const sync = v[Symbol.dispose];
      if (sync != null) {
        callable(sync);
        f = function () {
          sync.call(this); // its promise is not awaited
        };
      }
    }
    if (f == null) throw new TypeError('the value cannot be disposed of');
    callable(f);
    return f;
  };

  const shared = (kind, async) => ({
    use(v) {
      const s = pending(this, kind);
      const f = method(v, async);
      if (f) s.stack.push(() => f.call(v));
      else if (async) s.stack.push(() => undefined);
      return v;
    },
    adopt(v, f) {
      const s = pending(this, kind);
      callable(f);
      s.stack.push(() => f(v));
      return v;
    },
    defer(f) {
      const s = pending(this, kind);
      callable(f);
      s.stack.push(() => f());
    },
    move() {
      const s = pending(this, kind);
      const moved = new kinds[kind]();
      state.get(moved).stack = s.stack;
      s.stack = [];
      s.disposed = true;
      return moved;
    },
    get disposed() {
      return of(this, kind).disposed;
    },
  });

  const build = (kind, async, disposeName, dispose, symbol) => {
    const C = {
      [kind]: function () {
        if (new.target === undefined) throw new TypeError('Constructor ' + kind + " requires 'new'");
        const o = Reflect.construct(Object, [], new.target === C ? C : new.target);
        state.set(o, { kind, stack: [], disposed: false });
        return o;
      },
    }[kind];
    const proto = C.prototype;
    defineProperty(C, 'prototype', { writable: false });
    defineProperty(proto, 'constructor', { value: C, writable: true, enumerable: false, configurable: true });
    const m = shared(kind, async);
    for (const k of Reflect.ownKeys(m)) {
      const d = O.getOwnPropertyDescriptor(m, k);
      d.enumerable = false;
      defineProperty(proto, k, d);
    }
    def(proto, disposeName, dispose);
    def(proto, symbol, dispose);
    defineProperty(proto, Symbol.toStringTag, { value: kind, configurable: true });
    kinds[kind] = C;
    def(globalThis, kind, C);
  };
  build(
    'DisposableStack',
    false,
    'dispose',
    {
      dispose() {
        const s = of(this, 'DisposableStack');
        if (s.disposed) return;
        s.disposed = true;
        let failure;
        while (s.stack.length) {
          try {
            s.stack.pop()();
          } catch (e) {
            failure = suppress(failure, e);
          }
        }
        if (failure) throw failure.e;
      },
    }.dispose,
    Symbol.dispose,
  );
  build(
    'AsyncDisposableStack',
    true,
    'disposeAsync',
    {
      async disposeAsync() {
        const s = of(this, 'AsyncDisposableStack');
        if (s.disposed) return;
        s.disposed = true;
        let failure;
        while (s.stack.length) {
          try {
            await s.stack.pop()();
          } catch (e) {
            failure = suppress(failure, e);
          }
        }
        if (failure) throw failure.e;
      },
    }.disposeAsync,
    Symbol.asyncDispose,
  );
});
