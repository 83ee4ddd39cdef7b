// Methods that the language has and goja lacks, which the prelude's stubs call.
// A script may have changed the built-ins when this is loaded: nothing is
// iterated on the way.
(function (host) {
  'use strict';
  const O = Object,
    R = Reflect,
    { defineProperty, getPrototypeOf } = Object;
  // ToString: a symbol throws.
  const text = (v) => `${v}`;
  const textOf = (t) => {
    if (t == null) throw new TypeError('String.prototype method called on null or undefined');
    return text(t);
  };
  const objectOf = (v) => {
    if (v == null) throw new TypeError('Object.prototype method called on null or undefined');
    return O(v);
  };
  const callable = (f, what) => {
    if (typeof f !== 'function') throw new TypeError(what + ' is not a function');
  };
  const own = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: true, configurable: true });

  const group = (items, cb, add) => {
    if (items == null) throw new TypeError('items is null or undefined');
    callable(cb, 'callback');
    let i = 0;
    for (const v of items) add(cb(v, i++), v);
  };

  // The methods of maps that read before they write.
  const inserting = ({ has, get, set }, weak) => ({
    getOrInsert(k, v) {
      if (R.apply(has, this, [k])) return R.apply(get, this, [k]);
      R.apply(set, this, [k, v]);
      return v;
    },
    getOrInsertComputed(k, f) {
      const present = R.apply(has, this, [k]);
      callable(f, 'callback');
      if (present) return R.apply(get, this, [k]);
      if (weak && O(k) !== k) throw new TypeError('Invalid value used as weak map key');
      if (k === 0) k = 0; // no negative zero
      const v = f(k);
      R.apply(set, this, [k, v]);
      return v;
    },
  });
  const map = inserting(host.kept.map, false),
    weakMap = inserting(host.kept.weakMap, true);

  // wellFormed replaces lone surrogates, or (test) tells whether there are none.
  const wellFormed = (s, test) => {
    let out = '';
    for (let i = 0; i < s.length; i++) {
      const c = s.charCodeAt(i);
      if (c >= 0xd800 && c < 0xdc00) {
        const d = s.charCodeAt(i + 1);
        if (d >= 0xdc00 && d < 0xe000) {
          out += s[i] + s[++i];
          continue;
        }
      } else if (c < 0xd800 || c >= 0xe000) {
        out += s[i];
        continue;
      }
      if (test) return false;
      out += '\uFFFD';
    }
    return test ? true : out;
  };
  const lookUp = (o, p, k) => {
    for (; o; o = getPrototypeOf(o)) {
      const d = O.getOwnPropertyDescriptor(o, p);
      if (d) return d[k];
    }
  };
  const hex = (n, w) => n.toString(16).padStart(w, '0');
  const { getTime, getFullYear, setFullYear, setTime } = host.kept.date;

  // capability is a promise of a class, and what settles it (NewPromiseCapability).
  const capability = (C) => {
    let resolve, reject;
    const promise = new C((a, b) => {
      if (resolve !== undefined || reject !== undefined) throw new TypeError('the executor of a promise was called twice');
      resolve = a;
      reject = b;
    });
    callable(resolve, 'resolve');
    callable(reject, 'reject');
    return { promise, resolve, reject };
  };
  const Aggregate = AggregateError;

  const m = host.methods;
  const add = (owner, all) => {
    for (const k in all) m[owner + k] = all[k];
  };
  add('Promise.', {
    withResolvers() {
      let resolve, reject;
      const promise = new this((a, b) => {
        resolve = a;
        reject = b;
      });
      return { promise, resolve, reject };
    },
    any(promises) {
      if (O(this) !== this) throw new TypeError('Promise.any called on non-object');
      const { promise, resolve, reject } = capability(this);
      const errors = [];
      let left = 1;
      const settled = () => {
        if (--left !== 0) return;
        const e = new Aggregate(errors, 'All promises were rejected');
        // No script is running then: the frames would be ours.
        defineProperty(e, 'stack', { value: 'AggregateError: ' + e.message, writable: true, enumerable: false, configurable: true });
        reject(e);
      };
      try {
        const make = this.resolve;
        callable(make, 'Promise.resolve');
        let count = 0;
        for (const p of promises) {
          const i = count++;
          let called = false;
          own(errors, i, undefined);
          const next = R.apply(make, this, [p]);
          left++;
          next.then(resolve, (e) => {
            if (called) return;
            called = true;
            own(errors, i, e);
            settled();
          });
        }
        settled();
      } catch (e) {
        reject(e);
      }
      return promise;
    },
    try(fn, ...args) {
      if (typeof this !== 'function') throw new TypeError('Promise.try called on non-object');
      return new this((res, rej) => {
        try {
          res(R.apply(fn, undefined, args));
        } catch (e) {
          rej(e);
        }
      });
    },
  });
  add('Array.', {
    async fromAsync(items, mapfn, thisArg) {
      if (mapfn !== undefined) callable(mapfn, 'mapfn');
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
            own(r, i, v);
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
        own(r, i, v);
      }
      r.length = len;
      return r;
    },
  });
  add('Object.', {
    groupBy(items, cb) {
      const r = O.create(null);
      group(items, cb, (k, v) => {
        k = typeof k === 'symbol' ? k : String(k);
        (r[k] ??= []).push(v);
      });
      return r;
    },
  });
  add('Map.', {
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
  add('Map#', map);
  add('WeakMap#', weakMap);
  add('String#', {
    isWellFormed() {
      return wellFormed(textOf(this), true);
    },
    toWellFormed() {
      return wellFormed(textOf(this), false);
    },
  });
  add('Object#', {
    __defineGetter__(p, f) {
      const o = objectOf(this);
      callable(f, 'getter');
      defineProperty(o, p, { get: f, enumerable: true, configurable: true });
    },
    __defineSetter__(p, f) {
      const o = objectOf(this);
      callable(f, 'setter');
      defineProperty(o, p, { set: f, enumerable: true, configurable: true });
    },
    __lookupGetter__(p) {
      return lookUp(objectOf(this), p, 'get');
    },
    __lookupSetter__(p) {
      return lookUp(objectOf(this), p, 'set');
    },
  });
  add('Math.', {
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
  add('Error.', {
    captureStackTrace(o) {
      if (O(o) !== o) throw new TypeError('Invalid argument');
      const head = (o.name ?? 'Error') + (o.message ? ': ' + o.message : '') + '\n';
      const stack = new Error().stack.replace(/^Error\n/, head);
      defineProperty(o, 'stack', { value: stack, writable: true, enumerable: false, configurable: true });
    },
  });
  add('RegExp.', {
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
  // What browsers must have (Annex B).
  for (const k in host.html) {
    const name = host.html[k][0],
      attribute = host.html[k][1];
    m['String#' + k] = function (v) {
      const s = textOf(this);
      const open = attribute ? ' ' + attribute + '="' + text(v).replaceAll('"', '&quot;') + '"' : '';
      return '<' + name + open + '>' + s + '</' + name + '>';
    };
  }
  add('Date#', {
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
});
