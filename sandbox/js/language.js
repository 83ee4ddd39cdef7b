// What ECMAScript has and goja lacks.
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
      if (!O.prototype.hasOwnProperty.call(o, k)) defineProperty(o, k, d);
    }
  };
  const missing = (o, k) => !O.prototype.hasOwnProperty.call(o, k);

  // late is a method whose code is in another file, which is loaded when it is
  // first called: see iterator.js and locale.js.
  const late = (o, k, file, name, length) => {
    const f = {
      [k](...a) {
        if (host[file][name] === undefined) host.load(file);
        return R.apply(host[file][name], this, a);
      },
    }[k];
    if (length !== 0) defineProperty(f, 'length', { value: length, configurable: true });
    def(o, k, f);
  };

  // --- well-known symbols
  for (const n of ['asyncIterator', 'dispose', 'asyncDispose'])
    if (missing(Symbol, n))
      defineProperty(Symbol, n, {
        value: Symbol('Symbol.' + n),
        writable: false,
        enumerable: false,
        configurable: false,
      });

  // --- Promise
  methods(Promise, {
    withResolvers() {
      let resolve, reject;
      const promise = new this((a, b) => {
        resolve = a;
        reject = b;
      });
      return { promise, resolve, reject };
    },
    try(fn, ...args) {
      if (typeof this !== 'function') throw new TypeError('Promise.try called on non-object');
      return new this((res, rej) => {
        try {
          res(fn(...args));
        } catch (e) {
          rej(e);
        }
      });
    },
  });

  // --- Array / Object / Map / String
  methods(Array, {
    async fromAsync(items, mapfn, thisArg) {
      if (mapfn !== undefined && typeof mapfn !== 'function') throw new TypeError('mapfn is not callable');
      const C = typeof this === 'function' && this.prototype !== undefined ? this : Array;
      const am = items[Symbol.asyncIterator],
        sm = am == null ? items[Symbol.iterator] : undefined;
      let i = 0;
      if (am != null || sm != null) {
        const r = new C();
        const it = (am ?? sm).call(items),
          next = it.next;
        for (;;) {
          let s = next.call(it);
          if (am != null) s = await s;
          if (O(s) !== s) throw new TypeError('iterator result is not an object');
          if (s.done) {
            r.length = i;
            return r;
          }
          try {
            let v = s.value;
            if (am == null) v = await v;
            if (mapfn) v = await mapfn.call(thisArg, v, i);
            defineProperty(r, i, { value: v, writable: true, enumerable: true, configurable: true });
          } catch (e) {
            try {
              const ret = it.return;
              if (ret != null) await ret.call(it);
            } catch {}
            throw e;
          }
          i++;
        }
      }
      const len = Math.min(Math.max(Math.trunc(Number(items.length)) || 0, 0), 2 ** 53 - 1);
      const r = new C(len);
      for (; i < len; i++) {
        let v = await items[i];
        if (mapfn) v = await mapfn.call(thisArg, v, i);
        defineProperty(r, i, { value: v, writable: true, enumerable: true, configurable: true });
      }
      r.length = len;
      return r;
    },
  });
  const group = (items, cb, add) => {
    if (items == null) throw new TypeError('items is null or undefined');
    if (typeof cb !== 'function') throw new TypeError('callback is not a function');
    let i = 0;
    for (const v of items) add(cb(v, i++), v);
  };
  methods(Object, {
    groupBy(items, cb) {
      const r = O.create(null);
      group(items, cb, (k, v) => {
        k = typeof k === 'symbol' ? k : String(k);
        (r[k] ??= []).push(v);
      });
      return r;
    },
  });
  methods(Map, {
    groupBy(items, cb) {
      const r = new Map();
      group(items, cb, (k, v) => {
        const a = r.get(k);
        if (a) a.push(v);
        else r.set(k, [v]);
      });
      return r;
    },
  });
  for (const C of [Map, WeakMap]) {
    const { has, get, set } = C.prototype;
    methods(C.prototype, {
      getOrInsert(k, v) {
        if (R.apply(has, this, [k])) return R.apply(get, this, [k]);
        R.apply(set, this, [k, v]);
        return v;
      },
      getOrInsertComputed(k, f) {
        const present = R.apply(has, this, [k]);
        if (typeof f !== 'function') throw new TypeError('callback is not a function');
        if (present) return R.apply(get, this, [k]);
        if (C === WeakMap && O(k) !== k) throw new TypeError('Invalid value used as weak map key');
        if (k === 0) k = 0; // no negative zero
        const v = f(k);
        R.apply(set, this, [k, v]);
        return v;
      },
    });
  }
  // ToString: a symbol throws.
  const text = (v) => `${v}`;
  const chk = (t) => {
    if (t == null) throw new TypeError('String.prototype method called on null or undefined');
    return text(t);
  };
  const lone = (s, f) => {
    let out = '';
    for (let i = 0; i < s.length; i++) {
      const c = s.charCodeAt(i);
      if (c >= 0xd800 && c < 0xdc00) {
        const d = s.charCodeAt(i + 1);
        if (d >= 0xdc00 && d < 0xe000) {
          out += s[i] + s[++i];
          continue;
        }
        if (f) return true;
        out += '\uFFFD';
      } else if (c >= 0xdc00 && c < 0xe000) {
        if (f) return true;
        out += '\uFFFD';
      } else out += s[i];
    }
    return f ? false : out;
  };
  methods(String.prototype, {
    isWellFormed() {
      return !lone(chk(this), true);
    },
    toWellFormed() {
      return lone(chk(this), false);
    },
  });
  methods(O.prototype, {
    __defineGetter__(p, f) {
      if (this == null) throw new TypeError('Object.prototype method called on null or undefined');
      if (typeof f !== 'function') throw new TypeError('getter is not a function');
      defineProperty(O(this), p, { get: f, enumerable: true, configurable: true });
    },
    __defineSetter__(p, f) {
      if (this == null) throw new TypeError('Object.prototype method called on null or undefined');
      if (typeof f !== 'function') throw new TypeError('setter is not a function');
      defineProperty(O(this), p, { set: f, enumerable: true, configurable: true });
    },
    __lookupGetter__(p) {
      if (this == null) throw new TypeError('Object.prototype method called on null or undefined');
      let o = O(this);
      for (; o; o = getPrototypeOf(o)) {
        const d = O.getOwnPropertyDescriptor(o, p);
        if (d) return d.get;
      }
    },
    __lookupSetter__(p) {
      if (this == null) throw new TypeError('Object.prototype method called on null or undefined');
      let o = O(this);
      for (; o; o = getPrototypeOf(o)) {
        const d = O.getOwnPropertyDescriptor(o, p);
        if (d) return d.set;
      }
    },
  });
  // goja's own fails for objects without toString.
  def(
    O.prototype,
    'toLocaleString',
    {
      toLocaleString() {
        return this.toString();
      },
    }.toLocaleString,
  );
  methods(Math, {
    sumPrecise(it) {
      if (it == null) throw new TypeError('Math.sumPrecise called on null or undefined');
      const all = [];
      for (const x of it) {
        if (typeof x !== 'number') throw new TypeError('Math.sumPrecise takes numbers only');
        all[all.length] = x;
      }
      return host.sum(all);
    },
  });

  // --- Errors
  methods(Error, {
    captureStackTrace(o) {
      if (O(o) !== o) throw new TypeError('Invalid argument');
      def(
        o,
        'stack',
        new Error().stack.replace(/^Error\n/, (o.name ?? 'Error') + (o.message ? ': ' + o.message : '') + '\n'),
      );
    },
  });
  if (typeof SuppressedError === 'undefined') {
    const SuppressedError = function SuppressedError(error, suppressed, message) {
      const e = R.construct(Error, message === undefined ? [] : [message], new.target ?? SuppressedError);
      def(e, 'error', error);
      def(e, 'suppressed', suppressed);
      return e;
    };
    O.setPrototypeOf(SuppressedError, Error);
    defineProperty(SuppressedError, 'prototype', { value: O.create(Error.prototype), writable: false });
    def(SuppressedError.prototype, 'constructor', SuppressedError);
    def(SuppressedError.prototype, 'name', 'SuppressedError');
    def(SuppressedError.prototype, 'message', '');
    def(globalThis, 'SuppressedError', SuppressedError);
  }
  const tag = (o, v) =>
    defineProperty(o, Symbol.toStringTag, { value: v, writable: false, enumerable: false, configurable: true });
  // --- WeakRef (strong) / FinalizationRegistry (never fires)
  const heldWeakly = (v) => O(v) === v || (typeof v === 'symbol' && Symbol.keyFor(v) === undefined);
  if (typeof WeakRef === 'undefined') {
    def(
      globalThis,
      'WeakRef',
      class WeakRef {
        #t;
        constructor(t) {
          if (!heldWeakly(t)) throw new TypeError('WeakRef: invalid target');
          this.#t = t;
        }
        deref() {
          return this.#t;
        }
      },
    );
    tag(WeakRef.prototype, 'WeakRef');
    def(
      globalThis,
      'FinalizationRegistry',
      class FinalizationRegistry {
        constructor(f) {
          if (typeof f !== 'function') throw new TypeError('cleanup must be callable');
        }
        #cells = new Set();
        #tokens = new WeakMap();
        register(target, held, token = undefined) {
          this.#cells;
          if (!heldWeakly(target)) throw new TypeError('FinalizationRegistry: invalid target');
          if (target === held) throw new TypeError('FinalizationRegistry: target and holdings must not be same');
          if (!heldWeakly(token)) {
            if (token !== undefined) throw new TypeError('FinalizationRegistry: invalid unregister token');
          } else if (O(token) === token) this.#tokens.set(token, true);
          else this.#cells.add(token);
        }
        unregister(token) {
          this.#cells;
          if (!heldWeakly(token)) {
            throw new TypeError('FinalizationRegistry: invalid unregister token');
          }
          return O(token) === token ? this.#tokens.delete(token) : this.#cells.delete(token);
        }
      },
    );
    tag(FinalizationRegistry.prototype, 'FinalizationRegistry');
  }
  // --- Iterator helpers
  const IterProto = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  const AsyncIterProto = {};
  def(AsyncIterProto, Symbol.asyncIterator, function () {
    return this;
  });
  if (typeof Iterator === 'undefined') {
    const Iterator = function Iterator() {
      if (new.target === undefined || new.target === Iterator) throw new TypeError('Iterator is abstract');
    };
    defineProperty(Iterator, 'prototype', {
      value: IterProto,
      writable: false,
      enumerable: false,
      configurable: false,
    });
    def(globalThis, 'Iterator', Iterator);
    // Accessors, so that objects which inherit can have their own by assignment.
    const weird = (k, v) => {
      const d = {
        get() {
          return v;
        },
        set(x) {
          if (O(this) !== this) throw new TypeError('Iterator.prototype property set on a value that is no object');
          if (this === IterProto) throw new TypeError('Cannot assign to this property of Iterator.prototype');
          if (missing(this, k)) defineProperty(this, k, { value: x, writable: true, enumerable: true, configurable: true });
          else this[k] = x;
        },
      };
      defineProperty(IterProto, k, { get: d.get, set: d.set, enumerable: false, configurable: true });
    };
    weird('constructor', Iterator);
    weird(Symbol.toStringTag, 'Iterator');
    methods(IterProto, {
      [Symbol.dispose]() {
        const f = this.return;
        if (f != null) f.call(this);
      },
    });
    host.iteratorPrototype = IterProto;
    host.iterator = O.create(null);
    for (const k of ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'forEach', 'some', 'every', 'find'])
      late(IterProto, k, 'iterator', k, 1);
    late(IterProto, 'toArray', 'iterator', 'toArray', 0);
    late(Iterator, 'from', 'iterator', 'from', 1);
    late(Iterator, 'concat', 'iterator', 'concat', 0);
  }

  // --- RegExp: the host's own engine behind goja's objects
  const RE = RegExp,
    REProto = RE.prototype;
  const RegExpP = function RegExp(pattern, flags) {
    const object = O(pattern) === pattern;
    const match = object ? pattern[Symbol.match] : undefined;
    const native = host.isRegExp(pattern);
    const like = object && (match === undefined ? native : !!match);
    let target = new.target;
    if (target === undefined) {
      target = RegExpP;
      if (like && flags === undefined && pattern.constructor === target) return pattern;
    }
    let source = pattern;
    if (native) {
      source = host.originalSource(pattern);
      if (flags === undefined) flags = host.originalFlags(pattern);
    } else if (like) {
      source = pattern.source;
      if (flags === undefined) flags = pattern.flags;
    }
    return R.construct(RE, host.regexpParts(source, flags), target);
  };
  defineProperty(RegExpP, 'prototype', { value: REProto, writable: false, enumerable: false, configurable: false });
  for (const k of R.ownKeys(RE))
    if (k !== 'prototype' && k !== 'length' && k !== 'name')
      defineProperty(RegExpP, k, O.getOwnPropertyDescriptor(RE, k));
  defineProperty(RegExpP, 'length', { value: 2, configurable: true });
  def(REProto, 'constructor', RegExpP);
  def(globalThis, 'RegExp', RegExpP);
  for (const [k, n] of [
    ['exec', 1],
    ['test', 1],
    ['compile', 2],
  ]) {
    defineProperty(host[k], 'length', { value: n, configurable: true });
    def(REProto, k, host[k]);
  }
  const getter = (k, get) => defineProperty(REProto, k, { get, set: undefined, enumerable: false, configurable: true });
  for (const k of ['source', 'hasIndices', 'unicodeSets', 'unicode']) getter(k, host['get' + k]);
  getter(
    'flags',
    O.getOwnPropertyDescriptor(
      {
        get flags() {
          if (O(this) !== this) throw new TypeError('RegExp.prototype.flags getter called on a value that is no object');
          return (
            (this.hasIndices ? 'd' : '') +
            (this.global ? 'g' : '') +
            (this.ignoreCase ? 'i' : '') +
            (this.multiline ? 'm' : '') +
            (this.dotAll ? 's' : '') +
            (this.unicode ? 'u' : '') +
            (this.unicodeSets ? 'v' : '') +
            (this.sticky ? 'y' : '')
          );
        },
      },
      'flags',
    ).get,
  );
  // Those of goja make a RegExp of its own from a string.
  const searching = (name, symbol, flags) => {
    const f = {
      [name](pattern) {
        if (this == null) throw new TypeError('String.prototype.' + name + ' called on null or undefined');
        if (O(pattern) === pattern) {
          if (name === 'matchAll') {
            const m = pattern[Symbol.match];
            if ((m === undefined ? host.isRegExp(pattern) : m) && !text(needed(pattern.flags)).includes('g'))
              throw new TypeError('String.prototype.matchAll called with a non-global RegExp argument');
          }
          const by = pattern[symbol];
          if (by != null) return R.apply(by, pattern, [this]);
        }
        const s = text(this);
        return new RegExpP(pattern, flags)[symbol](s);
      },
    }[name];
    def(String.prototype, name, f);
  };
  const needed = (v) => {
    if (v == null) throw new TypeError('flags is null or undefined');
    return v;
  };
  searching('match', Symbol.match);
  searching('matchAll', Symbol.matchAll, 'g');
  searching('search', Symbol.search);
  const hex = (n, w) => n.toString(16).padStart(w, '0');
  methods(RegExpP, {
    escape(s) {
      if (typeof s !== 'string') throw new TypeError('RegExp.escape: argument must be a string');
      let o = '';
      for (const c of s) {
        const n = c.codePointAt(0);
        if (o === '' && /[0-9A-Za-z]/.test(c)) o += '\\x' + hex(n, 2);
        else if ('^$\\.*+?()[]{}|/'.includes(c)) o += '\\' + c;
        else if ('\t\n\v\f\r'.includes(c)) o += '\\' + 'tnvfr'[n - 9];
        else if (/[,\-=<>#&!%:;@~'`"\s]/.test(c) || (n >= 0xd800 && n < 0xe000))
          o += n < 256 ? '\\x' + hex(n, 2) : '\\u' + hex(n, 4);
        else o += c;
      }
      return o;
    },
  });

  host.localeCompare = String.prototype.localeCompare;

  // --- what browsers must have (Annex B)
  const html = (k, name, attribute) => {
    const wrap = (s, v) => {
      const open = attribute ? ' ' + attribute + '="' + text(v).replaceAll('"', '&quot;') + '"' : '';
      return '<' + name + open + '>' + s + '</' + name + '>';
    };
    const f = attribute
      ? {
          [k](v) {
            return wrap(chk(this), v);
          },
        }
      : {
          [k]() {
            return wrap(chk(this));
          },
        };
    methods(String.prototype, f);
  };
  for (const [k, name, attribute] of [
    ['anchor', 'a', 'name'],
    ['big', 'big'],
    ['blink', 'blink'],
    ['bold', 'b'],
    ['fixed', 'tt'],
    ['fontcolor', 'font', 'color'],
    ['fontsize', 'font', 'size'],
    ['italics', 'i'],
    ['link', 'a', 'href'],
    ['small', 'small'],
    ['strike', 'strike'],
    ['sub', 'sub'],
    ['sup', 'sup'],
  ])
    html(k, name, attribute);
  const { getTime, getFullYear, setFullYear, setTime } = Date.prototype;
  methods(Date.prototype, {
    getYear() {
      return R.apply(getFullYear, this, []) - 1900;
    },
    setYear(y) {
      const t = R.apply(getTime, this, []);
      y = +y;
      if (y !== y) return R.apply(setTime, this, [NaN]);
      const whole = Math.trunc(y);
      if (t !== t) R.apply(setTime, this, [0]);
      return R.apply(setFullYear, this, [whole >= 0 && whole <= 99 ? whole + 1900 : y]);
    },
  });
  if (missing(Date.prototype, 'toGMTString')) def(Date.prototype, 'toGMTString', Date.prototype.toUTCString);

  // --- loaded when first used: see web.js and locale.js
  const lazy = (o, names, file) => {
    for (const k of names)
      defineProperty(o, k, {
        configurable: true,
        enumerable: false,
        get() {
          host.load(file);
          return o[k];
        },
        set(v) {
          def(this, k, v);
        },
      });
  };
  lazy(globalThis, ['structuredClone', 'btoa', 'atob', 'TextEncoder', 'TextDecoder', 'URL', 'URLSearchParams'], 'web');
  lazy(globalThis, ['Intl'], 'locale');
  lazy(globalThis, ['DisposableStack', 'AsyncDisposableStack'], 'disposal');
  for (const file of ['locale', 'number', 'date', 'binary']) host[file] = O.create(null);
  late(Number.prototype, 'toLocaleString', 'number', 'toLocaleString', 0);
  late(BigInt.prototype, 'toLocaleString', 'number', 'bigint', 0);
  late(Date.prototype, 'toLocaleString', 'date', 'any', 0);
  late(Date.prototype, 'toLocaleDateString', 'date', 'day', 0);
  late(Date.prototype, 'toLocaleTimeString', 'date', 'time', 0);
  late(String.prototype, 'localeCompare', 'locale', 'compare', 1);
  late(Math, 'f16round', 'binary', 'f16round', 1);
  late(DataView.prototype, 'getFloat16', 'binary', 'getFloat16', 1);
  late(DataView.prototype, 'setFloat16', 'binary', 'setFloat16', 2);
  late(ArrayBuffer.prototype, 'transfer', 'binary', 'transfer', 0);
  late(ArrayBuffer.prototype, 'transferToFixedLength', 'binary', 'transfer', 0);
  methods(ArrayBuffer.prototype, {
    get detached() {
      return host.detached(this);
    },
  });
  def(
    globalThis,
    'queueMicrotask',
    {
      queueMicrotask(f) {
        if (typeof f !== 'function') throw new TypeError('callback is not a function');
        Promise.resolve().then(f);
      },
    }.queueMicrotask,
  );
});
