(function (host) {
  'use strict';
  const O = Object, R = Reflect, { defineProperty, getPrototypeOf, setPrototypeOf } = Object;
  const def = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  const methods = (o, m) => { for (const k of R.ownKeys(m)) { const d = O.getOwnPropertyDescriptor(m, k); d.enumerable = false; if (!O.prototype.hasOwnProperty.call(o, k)) defineProperty(o, k, d); } };
  const missing = (o, k) => !O.prototype.hasOwnProperty.call(o, k);

  // --- well-known symbols
  for (const n of ['asyncIterator', 'dispose', 'asyncDispose'])
    if (missing(Symbol, n)) defineProperty(Symbol, n, { value: Symbol('Symbol.' + n), writable: false, enumerable: false, configurable: false });

  // --- Promise
  methods(Promise, {
    withResolvers() { let resolve, reject; const promise = new this((a, b) => { resolve = a; reject = b; }); return { promise, resolve, reject }; },
    try(fn, ...args) { if (typeof this !== 'function') throw new TypeError('Promise.try called on non-object'); return new this((res, rej) => { try { res(fn(...args)); } catch (e) { rej(e); } }); },
  });

  // --- Array / Object / Map / String
  methods(Array, {
    async fromAsync(items, mapfn, thisArg) {
      if (mapfn !== undefined && typeof mapfn !== 'function') throw new TypeError('mapfn is not callable');
      const C = typeof this === 'function' && this.prototype !== undefined ? this : Array;
      const am = items[Symbol.asyncIterator], sm = am == null ? items[Symbol.iterator] : undefined;
      let i = 0;
      if (am != null || sm != null) {
        const r = new C();
        const it = (am ?? sm).call(items), next = it.next;
        for (;;) {
          let s = next.call(it); if (am != null) s = await s;
          if (O(s) !== s) throw new TypeError('iterator result is not an object');
          if (s.done) { r.length = i; return r; }
          try {
            let v = s.value; if (am == null) v = await v;
            if (mapfn) v = await mapfn.call(thisArg, v, i);
            defineProperty(r, i, { value: v, writable: true, enumerable: true, configurable: true });
          } catch (e) { try { const ret = it.return; if (ret != null) await ret.call(it); } catch {} throw e; }
          i++;
        }
      }
      const len = Math.min(Math.max(Math.trunc(Number(items.length)) || 0, 0), 2 ** 53 - 1);
      const r = new C(len);
      for (; i < len; i++) { let v = await items[i]; if (mapfn) v = await mapfn.call(thisArg, v, i); defineProperty(r, i, { value: v, writable: true, enumerable: true, configurable: true }); }
      r.length = len; return r;
    },
  });
  const group = (items, cb, add) => { if (items == null) throw new TypeError('items is null or undefined'); if (typeof cb !== 'function') throw new TypeError('callback is not a function'); let i = 0; for (const v of items) add(cb(v, i++), v); };
  methods(Object, { groupBy(items, cb) { const r = O.create(null); group(items, cb, (k, v) => { k = typeof k === 'symbol' ? k : String(k); (r[k] ??= []).push(v); }); return r; } });
  methods(Map, { groupBy(items, cb) { const r = new Map(); group(items, cb, (k, v) => { const a = r.get(k); if (a) a.push(v); else r.set(k, [v]); }); return r; } });
  methods(Map.prototype, {
    getOrInsert(k, v) { if (!this.has(k)) this.set(k, v); return this.get(k); },
    getOrInsertComputed(k, f) { if (!this.has(k)) this.set(k, f(k)); return this.get(k); },
  });
  const chk = (t) => { if (t == null) throw new TypeError('String.prototype method called on null or undefined'); return String(t); };
  const lone = (s, f) => { let out = ''; for (let i = 0; i < s.length; i++) { const c = s.charCodeAt(i); if (c >= 0xD800 && c < 0xDC00) { const d = s.charCodeAt(i + 1); if (d >= 0xDC00 && d < 0xE000) { out += s[i] + s[++i]; continue; } if (f) return true; out += '\uFFFD'; } else if (c >= 0xDC00 && c < 0xE000) { if (f) return true; out += '\uFFFD'; } else out += s[i]; } return f ? false : out; };
  methods(String.prototype, {
    isWellFormed() { return !lone(chk(this), true); },
    toWellFormed() { return lone(chk(this), false); },
  });
  methods(O.prototype, {
    __defineGetter__(p, f) { if (typeof f !== 'function') throw new TypeError('getter is not a function'); defineProperty(O(this), p, { get: f, enumerable: true, configurable: true }); },
    __defineSetter__(p, f) { if (typeof f !== 'function') throw new TypeError('setter is not a function'); defineProperty(O(this), p, { set: f, enumerable: true, configurable: true }); },
    __lookupGetter__(p) { let o = O(this); for (; o; o = getPrototypeOf(o)) { const d = O.getOwnPropertyDescriptor(o, p); if (d) return d.get; } },
    __lookupSetter__(p) { let o = O(this); for (; o; o = getPrototypeOf(o)) { const d = O.getOwnPropertyDescriptor(o, p); if (d) return d.set; } },
  });
  methods(Math, { sumPrecise(it) { let s = 0, c = 0, any = false; for (const x of it) { if (typeof x !== 'number') throw new TypeError('not a number'); any = true; const t = s + x; if (Math.abs(s) >= Math.abs(x)) c += (s - t) + x; else c += (x - t) + s; s = t; } return any ? s + c : -0; } });

  // --- Errors
  methods(Error, { captureStackTrace(o) { if (O(o) !== o) throw new TypeError('Invalid argument'); def(o, 'stack', new Error().stack.replace(/^Error\n/, (o.name ?? 'Error') + (o.message ? ': ' + o.message : '') + '\n')); } });
  if (typeof SuppressedError === 'undefined') {
    class SuppressedError extends Error { constructor(error, suppressed, message) { super(message); def(this, 'error', error); def(this, 'suppressed', suppressed); } }
    def(SuppressedError.prototype, 'name', 'SuppressedError'); def(globalThis, 'SuppressedError', SuppressedError);
  }
  // --- WeakRef (strong) / FinalizationRegistry (never fires)
  if (typeof WeakRef === 'undefined') {
    def(globalThis, 'WeakRef', class WeakRef { #t; constructor(t) { if (O(t) !== t && typeof t !== 'symbol') throw new TypeError('WeakRef: invalid target'); this.#t = t; } deref() { return this.#t; } get [Symbol.toStringTag]() { return 'WeakRef'; } });
    def(globalThis, 'FinalizationRegistry', class FinalizationRegistry { constructor(f) { if (typeof f !== 'function') throw new TypeError('cleanup must be callable'); } register() {} unregister() { return false; } get [Symbol.toStringTag]() { return 'FinalizationRegistry'; } });
  }
  // --- Iterator helpers
  const IterProto = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  const AsyncIterProto = {}; def(AsyncIterProto, Symbol.asyncIterator, function () { return this; });
  if (typeof Iterator === 'undefined') {
    const Iterator = function Iterator() { if (new.target === undefined || new.target === Iterator) throw new TypeError('Iterator is abstract'); };
    defineProperty(Iterator, 'prototype', { value: IterProto, writable: false, enumerable: false, configurable: false });
    def(IterProto, 'constructor', Iterator); def(globalThis, 'Iterator', Iterator);
    if (missing(IterProto, Symbol.toStringTag)) def(IterProto, Symbol.toStringTag, 'Iterator');
    const rec = (o) => { if (O(o) !== o) throw new TypeError('not an object'); return { it: o, next: o.next }; };
    const step = (r) => { const s = r.next.call(r.it); if (O(s) !== s) throw new TypeError('iterator result is not an object'); return s; };
    const close = (r) => { const f = r.it.return; if (f != null) f.call(r.it); };
    const HelperProto = O.create(IterProto);
    const helper = (gen, r) => { const h = O.create(HelperProto); st.set(h, { g: gen, r, started: false, done: false }); return h; };
    const st = new WeakMap();
    const wm = (h) => { const s = st.get(h); if (!s) throw new TypeError('incompatible receiver'); return s; };
    methods(HelperProto, {
      next() { const s = wm(this); s.started = true; return s.g.next(); },
      return() { const s = wm(this); if (!s.started && !s.done) { s.done = true; s.g.return(); close(s.r); return { value: undefined, done: true }; } return s.g.return(); },
    });
    def(HelperProto, Symbol.toStringTag, 'Iterator Helper');
    const fnchk = (o, f) => { if (typeof f !== 'function') { try { close({ it: o }); } catch {} throw new TypeError(String(f) + ' is not a function'); } };
    const objchk = (o) => { if (O(o) !== o) throw new TypeError('Iterator helper called on non-object'); };
    const loop = function* (r, body) { let ok = false; try { for (;;) { let s; try { s = step(r); } catch (e) { ok = true; throw e; } if (s.done) { ok = true; return; } const y = body(s.value); if (y === loop) { return; } if (y) yield y.v; } } finally { if (!ok) close(r); } };
    const num = (o, n) => { let v; try { v = Number(n); } catch (e) { try { close({ it: o }); } catch {} throw e; } if (v !== v) { try { close({ it: o }); } catch {} throw new RangeError('must be a number'); } v = Math.trunc(v); if (v < 0) { try { close({ it: o }); } catch {} throw new RangeError('must be non-negative'); } return v; };
    methods(IterProto, {
      map(f) { objchk(this); fnchk(this, f); let i = 0; const r = rec(this); return helper(loop(r, (v) => ({ v: f(v, i++) })), r); },
      filter(f) { objchk(this); fnchk(this, f); let i = 0; const r = rec(this); return helper(loop(r, (v) => f(v, i++) ? { v } : null), r); },
      take(n) { objchk(this); let k = num(this, n); const r = rec(this); return helper((function* () { let ok = false; try { for (;;) { if (k === 0) return; k--; let s; try { s = step(r); } catch (e) { ok = true; throw e; } if (s.done) { ok = true; return; } yield s.value; } } finally { if (!ok) close(r); } })(), r); },
      drop(n) { objchk(this); let k = num(this, n); const r = rec(this); return helper(loop(r, (v) => k > 0 ? (k--, null) : { v }), r); },
      flatMap(f) { objchk(this); fnchk(this, f); let i = 0; const r = rec(this); return helper((function* () { let ok = false; try { for (;;) { let s; try { s = step(r); } catch (e) { ok = true; throw e; } if (s.done) { ok = true; return; } const m = f(s.value, i++); if (O(m) !== m) throw new TypeError('flatMap mapper must return an iterable'); const im = m[Symbol.iterator]; yield* (im == null ? { [Symbol.iterator]: () => m } : { [Symbol.iterator]: () => im.call(m) }); } } finally { if (!ok) close(r); } })(), r); },
      reduce(f, ...a) { objchk(this); fnchk(this, f); const r = rec(this); let acc, i = 0; if (a.length) acc = a[0]; else { const s = step(r); if (s.done) throw new TypeError('Reduce of empty iterator with no initial value'); acc = s.value; i = 1; } for (;;) { const s = step(r); if (s.done) return acc; try { acc = f(acc, s.value, i++); } catch (e) { try { close(r); } catch {} throw e; } } },
      toArray() { objchk(this); const r = rec(this), out = []; for (;;) { const s = step(r); if (s.done) return out; out[out.length] = s.value; } },
      forEach(f) { objchk(this); fnchk(this, f); const r = rec(this); let i = 0; for (;;) { const s = step(r); if (s.done) return; try { f(s.value, i++); } catch (e) { try { close(r); } catch {} throw e; } } },
      some(f) { objchk(this); fnchk(this, f); const r = rec(this); let i = 0; for (;;) { const s = step(r); if (s.done) return false; let b; try { b = f(s.value, i++); } catch (e) { try { close(r); } catch {} throw e; } if (b) { close(r); return true; } } },
      every(f) { objchk(this); fnchk(this, f); const r = rec(this); let i = 0; for (;;) { const s = step(r); if (s.done) return true; let b; try { b = f(s.value, i++); } catch (e) { try { close(r); } catch {} throw e; } if (!b) { close(r); return false; } } },
      find(f) { objchk(this); fnchk(this, f); const r = rec(this); let i = 0; for (;;) { const s = step(r); if (s.done) return undefined; let b; try { b = f(s.value, i++); } catch (e) { try { close(r); } catch {} throw e; } if (b) { close(r); return s.value; } } },
    });
    methods(Iterator, { from(o) { if (O(o) !== o && typeof o !== 'string') throw new TypeError('not an object'); const m = o[Symbol.iterator]; const it = m != null ? m.call(o) : o; if (O(it) !== it) throw new TypeError('not an object'); if (IterProto.isPrototypeOf(it)) return it; const r = rec(it); const w = O.create(WrapProto); wst.set(w, r); return w; } });
    const wst = new WeakMap(); const WrapProto = O.create(IterProto);
    methods(WrapProto, { next() { const r = wst.get(this); return r.next.call(r.it); }, return() { const r = wst.get(this); const f = r.it.return; return f === undefined ? { value: undefined, done: true } : f.call(r.it); } });
  }

  // --- RegExp: \p{..} (u/v), d, (simple) v
  const RE = RegExp, reExec = RE.prototype.exec;
  const hasIdx = new WeakSet();
  const RegExpP = function RegExp(p, f) {
    const isRe = O(p) === p && p instanceof RE;
    if (new.target === undefined && isRe && f === undefined && p.constructor === RegExpP) return p;
    let src = isRe ? p.source : p === undefined ? '' : String(p), fl = f === undefined ? (isRe ? p.flags : '') : String(f);
    const d = fl.includes('d'), v = fl.includes('v');
    if (d || v) { if (fl.indexOf('d') !== fl.lastIndexOf('d') || fl.indexOf('v') !== fl.lastIndexOf('v') || (v && fl.includes('u'))) throw new SyntaxError("Invalid flags supplied to RegExp constructor '" + fl + "'"); fl = fl.replace('d', '').replace('v', 'u'); }
    if ((fl.includes('u')) && (v || /\\[pP]/.test(src))) src = host.expandProps(src, v);
    const r = R.construct(RE, [isRe && !d && !v && f === undefined ? p : src, fl], new.target ?? RegExpP);
    if (d) { hasIdx.add(r); def(r, 'hasIndices', true); }
    return r;
  };
  defineProperty(RegExpP, 'prototype', { value: RE.prototype, writable: false, enumerable: false, configurable: false });
  for (const k of R.ownKeys(RE)) if (k !== 'prototype' && k !== 'length' && k !== 'name') defineProperty(RegExpP, k, O.getOwnPropertyDescriptor(RE, k));
  defineProperty(RegExpP, 'length', { value: 2, configurable: true });
  def(RE.prototype, 'constructor', RegExpP); def(globalThis, 'RegExp', RegExpP);
  methods(RegExpP, { escape(s) { if (typeof s !== 'string') throw new TypeError('RegExp.escape: argument must be a string'); let o = ''; for (let i = 0; i < s.length; i++) { const c = s[i]; if (i === 0 && /[0-9A-Za-z]/.test(c)) o += '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0'); else if ('^$\\.*+?()[]{}|/'.includes(c)) o += '\\' + c; else if (/[,\-=<>#&!%:;@~'`"\s]/.test(c)) { const n = c.charCodeAt(0); o += n < 256 ? '\\x' + n.toString(16).padStart(2, '0') : '\\u' + n.toString(16).padStart(4, '0'); } else o += c; } return o; } });
  // the d flag: indices for the whole match are exact; for groups goja exposes none, so they are located by search inside the match
  const withIndices = (m) => { const s = m.index; const ind = [[s, s + m[0].length]]; let from = 0; for (let i = 1; i < m.length; i++) { if (m[i] === undefined) { ind.push(undefined); continue; } const at = m[0].indexOf(m[i], 0); ind.push(at < 0 ? undefined : [s + at, s + at + m[i].length]); } if (m.groups) { const g = O.create(null); for (const k of O.keys(m.groups)) { const i = m.indexOf(m.groups[k], 1); g[k] = i > 0 ? ind[i] : undefined; } ind.groups = g; } else ind.groups = undefined; m.indices = ind; return m; };
  def(RE.prototype, 'exec', { exec(s) { const m = R.apply(reExec, this, [s]); return m !== null && hasIdx.has(this) ? withIndices(m) : m; } }.exec);

  // --- pure-data host conveniences
  def(globalThis, 'queueMicrotask', { queueMicrotask(f) { if (typeof f !== 'function') throw new TypeError('callback is not a function'); Promise.resolve().then(f); } }.queueMicrotask);
  def(globalThis, 'structuredClone', { structuredClone(v) {
    const seen = new Map();
    const bad = (x) => { const e = new Error(x + ' could not be cloned.'); e.name = 'DataCloneError'; throw e; };
    const c = (x) => {
      if (typeof x === 'function') bad(String(x).slice(0, 40)); if (typeof x === 'symbol') bad(String(x));
      if (O(x) !== x) return x; if (seen.has(x)) return seen.get(x);
      let r; const t = O.prototype.toString.call(x);
      if (Array.isArray(x)) { r = new Array(x.length); seen.set(x, r); for (const k of O.keys(x)) r[k] = c(x[k]); return r; }
      if (x instanceof Date) r = new Date(x.getTime());
      else if (x instanceof RE) r = new RegExpP(x.source, x.flags);
      else if (x instanceof Map) { r = new Map(); seen.set(x, r); for (const [k, y] of x) r.set(c(k), c(y)); return r; }
      else if (x instanceof Set) { r = new Set(); seen.set(x, r); for (const y of x) r.add(c(y)); return r; }
      else if (x instanceof ArrayBuffer) r = x.slice(0);
      else if (ArrayBuffer.isView(x)) r = x instanceof DataView ? new DataView(c(x.buffer), x.byteOffset, x.byteLength) : new x.constructor(c(x.buffer), x.byteOffset, x.length);
      else if (x instanceof Error) { r = O.create(getPrototypeOf(x)); r = new Error(x.message); r.name = x.name; seen.set(x, r); if ('cause' in x) r.cause = c(x.cause); return r; }
      else if (x instanceof Promise || x instanceof WeakMap || x instanceof WeakSet) bad(t);
      else if (x instanceof Boolean || x instanceof Number || x instanceof String) r = O(x.valueOf());
      else { r = {}; seen.set(x, r); for (const k of O.keys(x)) def2(r, k, c(x[k])); return r; }
      seen.set(x, r); return r;
    };
    const def2 = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: true, configurable: true });
    return c(v);
  } }.structuredClone);
  def(globalThis, 'btoa', { btoa(s) { s = String(s); for (let i = 0; i < s.length; i++) if (s.charCodeAt(i) > 255) { const e = new Error('The string contains characters outside of the Latin1 range'); e.name = 'InvalidCharacterError'; throw e; } return host.btoa(s); } }.btoa);
  def(globalThis, 'atob', { atob(s) { const r = host.atob(String(s)); if (r === null) { const e = new Error('The string to be decoded is not correctly encoded.'); e.name = 'InvalidCharacterError'; throw e; } return r; } }.atob);
  def(globalThis, 'TextEncoder', class TextEncoder { get encoding() { return 'utf-8'; } encode(s = '') { return new Uint8Array(host.utf8(String(s))); } });
  def(globalThis, 'TextDecoder', class TextDecoder { constructor(l = 'utf-8') { if (!/^utf-?8$/i.test(l)) throw new RangeError('only utf-8 is supported'); } get encoding() { return 'utf-8'; } decode(b) { if (b === undefined) return ''; const u = b instanceof ArrayBuffer ? b : b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); return host.unutf8(u); } });

  // --- en-US locale formatting
  const grp = (s) => s.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const fmtNum = (n, o = {}) => {
    if (n !== n) return 'NaN'; if (n === Infinity) return '∞'; if (n === -Infinity) return '-∞';
    let suffix = '', prefix = ''; const cur = o.style === 'currency';
    if (o.style === 'percent') { n *= 100; suffix = '%'; }
    if (cur) prefix = ({ USD: '$', EUR: '€', GBP: '£', JPY: '¥', CNY: 'CN¥', INR: '₹', KRW: '₩' })[o.currency] ?? o.currency + '\u00a0';
    if (o.notation === 'compact') { const u = [['T', 1e12], ['B', 1e9], ['M', 1e6], ['K', 1e3]].find((x) => Math.abs(n) >= x[1]); if (u) { n /= u[1]; suffix = u[0]; } o = { maximumFractionDigits: Math.abs(n) < 100 ? 1 : 0, ...o }; if (Math.abs(n) >= 100) o.maximumFractionDigits = 0; }
    const minF = o.minimumFractionDigits ?? (cur ? (o.currency === 'JPY' || o.currency === 'KRW' ? 0 : 2) : 0);
    const maxF = o.maximumFractionDigits ?? Math.max(minF, cur ? minF : o.style === 'percent' ? 0 : 3);
    let s = Math.abs(n).toFixed(maxF); let [i, f = ''] = s.split('.'); while (f.length > minF && f.endsWith('0')) f = f.slice(0, -1);
    if (o.minimumIntegerDigits) i = i.padStart(o.minimumIntegerDigits, '0');
    if (o.useGrouping !== false) i = grp(i);
    const neg = n < 0 && /[1-9]/.test(i + f);
    return (neg ? '-' : '') + prefix + i + (f ? '.' + f : '') + suffix;
  };
  const MON = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'], DAY = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const fmtDate = (d, o, need) => {
    const t = +d; if (t !== t) return 'Invalid Date'; o = { ...o };
    const off = host.tz(t, o.timeZone === undefined ? '' : String(o.timeZone)); if (off === null) throw new RangeError('Invalid time zone specified: ' + o.timeZone);
    const u = new Date(t + off * 60000); const p2 = (n) => String(n).padStart(2, '0');
    if (o.dateStyle || o.timeStyle) { const ds = { full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' }, medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' } }[o.dateStyle], ts = o.timeStyle && { hour: 'numeric', minute: '2-digit', ...(o.timeStyle === 'short' ? {} : { second: '2-digit' }) }; o = { ...o, ...ds, ...ts }; }
    else if (!['weekday', 'year', 'month', 'day', 'hour', 'minute', 'second'].some((k) => o[k] !== undefined)) { if (need !== 'time') Object.assign(o, { year: 'numeric', month: 'numeric', day: 'numeric' }); if (need !== 'date') Object.assign(o, { hour: 'numeric', minute: '2-digit', second: '2-digit' }); }
    let ds = ''; const m = u.getUTCMonth(), dd = o.day && (o.day === '2-digit' ? p2(u.getUTCDate()) : String(u.getUTCDate())), yy = o.year && (o.year === '2-digit' ? p2(u.getUTCFullYear() % 100) : String(u.getUTCFullYear()));
    const wd = o.weekday && (o.weekday === 'long' ? DAY[u.getUTCDay()] : DAY[u.getUTCDay()].slice(0, 3));
    if (o.month === 'long' || o.month === 'short') { const mn = o.month === 'long' ? MON[m] : MON[m].slice(0, 3); ds = mn + (dd ? ' ' + dd : '') + (yy ? (dd ? ', ' : ' ') + yy : ''); }
    else ds = [o.month && (o.month === '2-digit' ? p2(m + 1) : String(m + 1)), dd, yy].filter(Boolean).join('/');
    if (wd) ds = ds ? wd + ', ' + ds : wd;
    let ts = '';
    if (o.hour || o.minute || o.second) { const H = u.getUTCHours(), h24 = o.hour12 === false || o.hourCycle === 'h23'; const hs = o.hour ? (h24 ? p2(H) : (o.hour === '2-digit' ? p2(H % 12 || 12) : String(H % 12 || 12))) : null; ts = [hs, o.minute && p2(u.getUTCMinutes()), o.second && p2(u.getUTCSeconds())].filter((x) => x != null && x !== undefined).join(':'); if (hs !== null && !h24) ts += ' ' + (H < 12 ? 'AM' : 'PM'); }
    if (ts && o.timeZoneName) ts += ' ' + (o.timeZone ?? 'UTC');
    return ds && ts ? ds + ', ' + ts : ds || ts;
  };
  def(Number.prototype, 'toLocaleString', { toLocaleString(l, o) { return fmtNum(Number(this), o); } }.toLocaleString);
  def(BigInt.prototype, 'toLocaleString', { toLocaleString() { return grp(String(this)); } }.toLocaleString);
  def(Date.prototype, 'toLocaleString', { toLocaleString(l, o) { return fmtDate(this, o, 'any'); } }.toLocaleString);
  def(Date.prototype, 'toLocaleDateString', { toLocaleDateString(l, o) { return fmtDate(this, o, 'date'); } }.toLocaleDateString);
  def(Date.prototype, 'toLocaleTimeString', { toLocaleTimeString(l, o) { return fmtDate(this, o, 'time'); } }.toLocaleTimeString);
  const lc = String.prototype.localeCompare;
  const cmp = (a, b, o) => { a = String(a); b = String(b); if (o && (o.sensitivity === 'base' || o.sensitivity === 'accent')) { a = a.toLowerCase(); b = b.toLowerCase(); } if (o && o.numeric) { const x = a.split(/(\d+)/), y = b.split(/(\d+)/); for (let i = 0; i < Math.min(x.length, y.length); i++) { if (i % 2) { const d = Number(x[i]) - Number(y[i]); if (d) return d < 0 ? -1 : 1; } else { const d = R.apply(lc, x[i], [y[i]]); if (d) return d; } } return Math.sign(x.length - y.length); } return R.apply(lc, a, [b]); };
  def(String.prototype, 'localeCompare', { localeCompare(b, l, o) { return cmp(this, b, o); } }.localeCompare);
  const Intl = {};
  const cls = (name, mk) => { const C = { [name]: class { constructor(l, o) { const m = mk(o ?? {}); for (const k of O.keys(m)) def(this, k, m[k]); } resolvedOptions() { return { locale: 'en-US' }; } static supportedLocalesOf() { return ['en-US']; } } }[name]; def(Intl, name, C); };
  cls('NumberFormat', (o) => ({ format: (n) => fmtNum(typeof n === 'bigint' ? Number(n) : +n, o) }));
  cls('DateTimeFormat', (o) => ({ format: (d) => fmtDate(d === undefined ? new Date() : new Date(d), o, 'date'), resolvedOptions: () => ({ locale: 'en-US', timeZone: o.timeZone ?? 'UTC', calendar: 'gregory', numberingSystem: 'latn' }) }));
  cls('Collator', (o) => ({ compare: (a, b) => cmp(a, b, o) }));
  cls('PluralRules', (o) => ({ select: (n) => { if (o.type === 'ordinal') { const t = n % 10, h = n % 100; return t === 1 && h !== 11 ? 'one' : t === 2 && h !== 12 ? 'two' : t === 3 && h !== 13 ? 'few' : 'other'; } return n === 1 ? 'one' : 'other'; } }));
  cls('ListFormat', (o) => ({ format: (l) => { const a = [...l], w = o.type === 'disjunction' ? 'or' : 'and'; return a.length < 2 ? a.join('') : a.length === 2 ? a.join(' ' + w + ' ') : a.slice(0, -1).join(', ') + ', ' + w + ' ' + a.at(-1); } }));
  cls('RelativeTimeFormat', () => ({ format: (n, u) => { u = String(u).replace(/s$/, ''); const a = Math.abs(n), s = fmtNum(a) + ' ' + u + (a === 1 ? '' : 's'); return n < 0 || O.is(n, -0) ? s + ' ago' : 'in ' + s; } }));
  cls('Segmenter', (o) => ({ segment: (s) => { s = String(s); const parts = o.granularity === 'word' ? s.split(/(\b)/).filter(Boolean) : [...s]; let i = 0; return parts.map((segment) => { const r = { segment, index: i, input: s }; i += segment.length; return r; }); } }));
  def(Intl, Symbol.toStringTag, 'Intl'); def(globalThis, 'Intl', Intl);

  // --- URL / URLSearchParams backed by the host parser
  class URLSearchParams {
    #l = []; #u;
    constructor(i = '', u) { this.#u = u; if (typeof i === 'string') { if (i[0] === '?') i = i.slice(1); this.#l = host.parseQuery(i); } else if (i != null) { if (i[Symbol.iterator]) for (const [k, v] of i) this.#l.push([String(k), String(v)]); else for (const k of O.keys(i)) this.#l.push([k, String(i[k])]); } }
    #c() { if (this.#u) this.#u.search = this.toString(); }
    get(k) { const e = this.#l.find((e) => e[0] === String(k)); return e ? e[1] : null; }
    getAll(k) { return this.#l.filter((e) => e[0] === String(k)).map((e) => e[1]); }
    has(k) { return this.#l.some((e) => e[0] === String(k)); }
    set(k, v) { k = String(k); const i = this.#l.findIndex((e) => e[0] === k); if (i < 0) this.#l.push([k, String(v)]); else { this.#l[i] = [k, String(v)]; this.#l = this.#l.filter((e, j) => j <= i || e[0] !== k); } this.#c(); }
    append(k, v) { this.#l.push([String(k), String(v)]); this.#c(); }
    delete(k) { this.#l = this.#l.filter((e) => e[0] !== String(k)); this.#c(); }
    sort() { this.#l.sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0); this.#c(); }
    forEach(f, t) { for (const [k, v] of this.#l) f.call(t, v, k, this); }
    *entries() { yield* this.#l.map((e) => [...e]); } *keys() { for (const e of this.#l) yield e[0]; } *values() { for (const e of this.#l) yield e[1]; }
    [Symbol.iterator]() { return this.entries(); }
    get size() { return this.#l.length; }
    toString() { const enc = (s) => encodeURIComponent(s).replace(/%20/g, '+').replace(/[!'()~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase()); return this.#l.map(([k, v]) => enc(k) + '=' + enc(v)).join('&'); }
  }
  class URL {
    #p; #s;
    constructor(u, b) { const p = host.parseURL(String(u), b === undefined ? '' : String(b)); if (p === null) { const e = new TypeError('Invalid URL'); e.code = 'ERR_INVALID_URL'; throw e; } this.#p = p; }
    get protocol() { return this.#p.protocol; } get hostname() { return this.#p.hostname; } get port() { return this.#p.port; } get username() { return this.#p.username; } get password() { return this.#p.password; }
    get pathname() { return this.#p.pathname; } set pathname(v) { v = String(v); this.#p.pathname = v[0] === '/' ? v : '/' + v; }
    get search() { return this.#p.search; } set search(v) { v = String(v); this.#p.search = v && v[0] !== '?' ? '?' + v : v === '?' ? '' : v; }
    get hash() { return this.#p.hash; } set hash(v) { v = String(v); this.#p.hash = v && v[0] !== '#' ? '#' + v : v; }
    get host() { return this.#p.hostname + (this.#p.port ? ':' + this.#p.port : ''); }
    get origin() { return /^(https?|ftp|wss?):$/.test(this.#p.protocol) ? this.#p.protocol + '//' + this.host : 'null'; }
    get searchParams() { return this.#s ??= new URLSearchParams(this.#p.search, this); }
    get href() { const a = this.#p.username ? this.#p.username + (this.#p.password ? ':' + this.#p.password : '') + '@' : ''; return this.#p.protocol + (this.#p.hostname || this.#p.protocol === 'file:' ? '//' : '') + a + this.host + this.#p.pathname + this.#p.search + this.#p.hash; }
    toString() { return this.href; } toJSON() { return this.href; }
    static canParse(u, b) { try { new URL(u, b); return true; } catch { return false; } }
    static parse(u, b) { try { return new URL(u, b); } catch { return null; } }
  }
  def(globalThis, 'URL', URL); def(globalThis, 'URLSearchParams', URLSearchParams);
})
