// What ECMAScript has and goja lacks.
(function (host) {
  'use strict';
  const O = Object,
    R = Reflect,
    { defineProperty, getPrototypeOf } = Object;
  const def = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  const missing = (o, k) => !O.prototype.hasOwnProperty.call(o, k);

  // late is a method whose code is in another file, which is loaded when it is
  // first called: see methods.js, iterator.js and locale.js.
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

  // --- methods, with their numbers of parameters: see methods.js
  host.methods = O.create(null);
  host.kept = {
    map: { has: Map.prototype.has, get: Map.prototype.get, set: Map.prototype.set },
    weakMap: { has: WeakMap.prototype.has, get: WeakMap.prototype.get, set: WeakMap.prototype.set },
    date: {
      getTime: Date.prototype.getTime,
      getFullYear: Date.prototype.getFullYear,
      setFullYear: Date.prototype.setFullYear,
      setTime: Date.prototype.setTime,
    },
  };
  host.html = {
    anchor: ['a', 'name'],
    big: ['big'],
    blink: ['blink'],
    bold: ['b'],
    fixed: ['tt'],
    fontcolor: ['font', 'color'],
    fontsize: ['font', 'size'],
    italics: ['i'],
    link: ['a', 'href'],
    small: ['small'],
    strike: ['strike'],
    sub: ['sub'],
    sup: ['sup'],
  };
  const lacking = (o, owner, all) => {
    for (const k in all) if (missing(o, k)) late(o, k, 'methods', owner + k, all[k]);
  };
  const inserting = { getOrInsert: 2, getOrInsertComputed: 2 };
  lacking(Promise, 'Promise.', { withResolvers: 0, try: 1 });
  late(Promise, 'any', 'methods', 'Promise.any', 1); // the error of goja's own has no message
  lacking(Array, 'Array.', { fromAsync: 1 });
  lacking(O, 'Object.', { groupBy: 2 });
  lacking(Map, 'Map.', { groupBy: 2 });
  lacking(Map.prototype, 'Map#', inserting);
  lacking(WeakMap.prototype, 'WeakMap#', inserting);
  lacking(String.prototype, 'String#', { isWellFormed: 0, toWellFormed: 0 });
  lacking(O.prototype, 'Object#', { __defineGetter__: 2, __defineSetter__: 2, __lookupGetter__: 1, __lookupSetter__: 1 });
  lacking(Math, 'Math.', { sumPrecise: 1 });
  lacking(Error, 'Error.', { captureStackTrace: 1 });
  lacking(Date.prototype, 'Date#', { getYear: 0, setYear: 1 });
  for (const k in host.html)
    if (missing(String.prototype, k)) late(String.prototype, k, 'methods', 'String#' + k, host.html[k].length - 1);

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
    const disposing = {
      [Symbol.dispose]() {
        const f = this.return;
        if (f != null) f.call(this);
      },
    };
    def(IterProto, Symbol.dispose, disposing[Symbol.dispose]);
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
  const text = (v) => `${v}`; // ToString: a symbol throws
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
  if (missing(RegExpP, 'escape')) late(RegExpP, 'escape', 'methods', 'RegExp.escape', 1);

  host.localeCompare = String.prototype.localeCompare;

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
  host.slice = ArrayBuffer.prototype.slice;
  late(ArrayBuffer.prototype, 'slice', 'binary', 'slice', 2);
  const detaching = {
    get detached() {
      return host.detached(this);
    },
  };
  defineProperty(ArrayBuffer.prototype, 'detached', {
    get: O.getOwnPropertyDescriptor(detaching, 'detached').get,
    enumerable: false,
    configurable: true,
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
