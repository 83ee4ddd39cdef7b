// The pure functions of the web that scripts may use (ISO-1).
(function (host) {
  'use strict';
  const O = Object,
    R = Reflect,
    { defineProperty } = Object;
  const def = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  def(
    globalThis,
    'structuredClone',
    {
      structuredClone(v) {
        const seen = new Map();
        const errors = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, __proto__: null };
        const bad = (x) => {
          const e = new Error(x + ' could not be cloned.');
          e.name = 'DataCloneError';
          throw e;
        };
        const c = (x) => {
          if (typeof x === 'function') bad(String(x).slice(0, 40));
          if (typeof x === 'symbol') bad(String(x));
          if (O(x) !== x) return x;
          if (seen.has(x)) return seen.get(x);
          let r;
          const t = O.prototype.toString.call(x);
          if (Array.isArray(x)) {
            r = new Array(x.length);
            seen.set(x, r);
            for (const k of O.keys(x)) r[k] = c(x[k]);
            return r;
          }
          if (x instanceof Date) r = new Date(x.getTime());
          else if (x instanceof RegExp) r = new RegExp(x.source, x.flags);
          else if (x instanceof Map) {
            r = new Map();
            seen.set(x, r);
            for (const [k, y] of x) r.set(c(k), c(y));
            return r;
          } else if (x instanceof Set) {
            r = new Set();
            seen.set(x, r);
            for (const y of x) r.add(c(y));
            return r;
          } else if (x instanceof ArrayBuffer) r = x.slice(0);
          else if (ArrayBuffer.isView(x))
            r =
              x instanceof DataView
                ? new DataView(c(x.buffer), x.byteOffset, x.byteLength)
                : new x.constructor(c(x.buffer), x.byteOffset, x.length);
          else if (x instanceof Error) {
            const n = String(x.name);
            r = new (errors[n] || Error)(x.message);
            if ('stack' in x) def(r, 'stack', String(x.stack));
            seen.set(x, r);
            if ('cause' in x) def(r, 'cause', c(x.cause));
            return r;
          } else if (x instanceof Promise || x instanceof WeakMap || x instanceof WeakSet) bad(t);
          else if (x instanceof Boolean || x instanceof Number || x instanceof String) r = O(x.valueOf());
          else {
            r = {};
            seen.set(x, r);
            for (const k of O.keys(x)) def2(r, k, c(x[k]));
            return r;
          }
          seen.set(x, r);
          return r;
        };
        const def2 = (o, k, v) =>
          defineProperty(o, k, { value: v, writable: true, enumerable: true, configurable: true });
        return c(v);
      },
    }.structuredClone,
  );
  def(
    globalThis,
    'btoa',
    {
      btoa(s) {
        s = String(s);
        for (let i = 0; i < s.length; i++)
          if (s.charCodeAt(i) > 255) {
            const e = new Error('The string contains characters outside of the Latin1 range');
            e.name = 'InvalidCharacterError';
            throw e;
          }
        return host.btoa(s);
      },
    }.btoa,
  );
  def(
    globalThis,
    'atob',
    {
      atob(s) {
        const r = host.atob(String(s));
        if (r === null) {
          const e = new Error('The string to be decoded is not correctly encoded.');
          e.name = 'InvalidCharacterError';
          throw e;
        }
        return r;
      },
    }.atob,
  );
  def(
    globalThis,
    'TextEncoder',
    class TextEncoder {
      get encoding() {
        return 'utf-8';
      }
      encode(s = '') {
        return new Uint8Array(host.utf8(String(s)));
      }
      encodeInto(s, into) {
        let read = 0,
          written = 0;
        for (const c of String(s)) {
          const b = this.encode(c);
          if (written + b.length > into.length) break;
          into.set(b, written);
          written += b.length;
          read += c.length;
        }
        return { read, written };
      }
    },
  );
  def(
    globalThis,
    'TextDecoder',
    class TextDecoder {
      #fatal;
      #ignoreBOM;
      constructor(label = 'utf-8', o = {}) {
        if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label))
          throw new RangeError('TextDecoder: only utf-8 is available in Exec scripts');
        this.#fatal = Boolean(o.fatal);
        this.#ignoreBOM = Boolean(o.ignoreBOM);
      }
      get encoding() {
        return 'utf-8';
      }
      get fatal() {
        return this.#fatal;
      }
      get ignoreBOM() {
        return this.#ignoreBOM;
      }
      decode(b) {
        if (b === undefined) return '';
        const bytes = b instanceof ArrayBuffer ? b : b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
        const s = host.unutf8(bytes, this.#fatal, this.#ignoreBOM);
        if (s === null) throw new TypeError('The encoded data was not valid for encoding utf-8');
        return s;
      }
    },
  );

  // --- URL / URLSearchParams backed by the host parser
  // What only a URL and console may do with a URLSearchParams.
  let bind, fill, pairs;
  class URLSearchParams {
    #l = [];
    #changed;
    static {
      bind = (s, f) => (s.#changed = f);
      fill = (s, query) => (s.#l = host.parseQuery(query.replace(/^\?/, '')));
      pairs = (s) => {
        const out = [];
        for (const [k, v] of s.#l) {
          out[out.length] = k;
          out[out.length] = v;
        }
        return out;
      };
    }
    constructor(i = '') {
      if (O(i) !== i) this.#l = host.parseQuery(`${i ?? ''}`.replace(/^\?/, ''));
      else {
        if (i[Symbol.iterator] != null)
          for (const pair of i) {
            const [k, v, ...more] = pair;
            if (v === undefined || more.length > 0) throw new TypeError('Each query pair must be an iterable [name, value] tuple');
            this.#l.push([String(k), String(v)]);
          }
        else for (const k of O.keys(i)) this.#l.push([k, String(i[k])]);
      }
    }
    #c() {
      if (this.#changed) this.#changed(this.toString());
    }
    get(k) {
      const e = this.#l.find((e) => e[0] === String(k));
      return e ? e[1] : null;
    }
    getAll(k) {
      return this.#l.filter((e) => e[0] === String(k)).map((e) => e[1]);
    }
    has(k, v) {
      return this.#l.some((e) => e[0] === String(k) && (v === undefined || e[1] === String(v)));
    }
    set(k, v) {
      k = String(k);
      const i = this.#l.findIndex((e) => e[0] === k);
      if (i < 0) this.#l.push([k, String(v)]);
      else {
        this.#l[i] = [k, String(v)];
        this.#l = this.#l.filter((e, j) => j <= i || e[0] !== k);
      }
      this.#c();
    }
    append(k, v) {
      this.#l.push([String(k), String(v)]);
      this.#c();
    }
    delete(k, v) {
      this.#l = this.#l.filter((e) => e[0] !== String(k) || (v !== undefined && e[1] !== String(v)));
      this.#c();
    }
    sort() {
      this.#l.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#c();
    }
    forEach(f, t) {
      for (const [k, v] of this.#l) f.call(t, v, k, this);
    }
    *entries() {
      yield* this.#l.map((e) => [...e]);
    }
    *keys() {
      for (const e of this.#l) yield e[0];
    }
    *values() {
      for (const e of this.#l) yield e[1];
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    get size() {
      return this.#l.length;
    }
    toString() {
      const enc = (s) =>
        encodeURIComponent(s)
          .replace(/%20/g, '+')
          .replace(/[!'()~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
      return this.#l.map(([k, v]) => enc(k) + '=' + enc(v)).join('&');
    }
  }
  const hrefOf = (p) => {
    const a = p.username || p.password ? p.username + (p.password ? ':' + p.password : '') + '@' : '';
    const host = p.hostname + (p.port ? ':' + p.port : '');
    return p.protocol + (p.hostname || p.protocol === 'file:' ? '//' : '') + a + host + p.pathname + p.search + p.hash;
  };
  const special = /^(https?|ftp|wss?):$/;
  class URL {
    #p;
    #s;
    constructor(u, b) {
      const p = host.parseURL(String(u), b === undefined ? '' : String(b));
      if (p === null) {
        const e = new TypeError('Invalid URL');
        e.code = 'ERR_INVALID_URL';
        throw e;
      }
      this.#p = p;
    }
    // What is not valid changes nothing.
    #change(part, list) {
      const p = host.parseURL(hrefOf({ ...this.#p, ...part }), '');
      if (p === null) return;
      this.#p = p;
      if (this.#s !== undefined && !list) fill(this.#s, p.search);
    }
    get href() {
      return hrefOf(this.#p);
    }
    set href(v) {
      const p = host.parseURL(String(v), '');
      if (p === null) throw new TypeError('Invalid URL');
      this.#p = p;
      if (this.#s !== undefined) fill(this.#s, p.search);
    }
    get origin() {
      return special.test(this.#p.protocol) ? this.#p.protocol + '//' + this.host : 'null';
    }
    get protocol() {
      return this.#p.protocol;
    }
    set protocol(v) {
      v = String(v).replace(/:.*$/s, '').toLowerCase() + ':';
      if (/^[a-z][a-z0-9+.-]*:$/.test(v) && special.test(v) === special.test(this.#p.protocol)) this.#change({ protocol: v });
    }
    get username() {
      return this.#p.username;
    }
    set username(v) {
      if (this.#p.hostname) this.#change({ username: encodeURIComponent(String(v)) });
    }
    get password() {
      return this.#p.password;
    }
    set password(v) {
      if (this.#p.hostname) this.#change({ password: encodeURIComponent(String(v)) });
    }
    get host() {
      return this.#p.hostname + (this.#p.port ? ':' + this.#p.port : '');
    }
    set host(v) {
      const m = /^(\[[^\]]*\]|[^:/?#\\]*)(?::(\d+))?/.exec(String(v));
      if (m[1] !== '') this.#change(m[2] === undefined ? { hostname: m[1] } : { hostname: m[1], port: m[2] });
    }
    get hostname() {
      return this.#p.hostname;
    }
    set hostname(v) {
      v = String(v);
      if (v !== '' && !/[/?#\\@]/.test(v) && (v[0] === '[' || !v.includes(':'))) this.#change({ hostname: v });
    }
    get port() {
      return this.#p.port;
    }
    set port(v) {
      const m = /^\d*/.exec(String(v))[0];
      if (m !== '' || String(v) === '') this.#change({ port: m });
    }
    get pathname() {
      return this.#p.pathname;
    }
    set pathname(v) {
      v = String(v).replace(/[?#]/g, encodeURIComponent);
      this.#change({ pathname: v[0] === '/' ? v : '/' + v });
    }
    get search() {
      return this.#p.search;
    }
    set search(v) {
      this.#setSearch(String(v), false);
    }
    #setSearch(v, list) {
      v = v.replace(/^\?/, '').replace(/#/g, '%23');
      this.#change({ search: v === '' ? '' : '?' + v }, list);
    }
    get searchParams() {
      if (this.#s === undefined) {
        this.#s = new URLSearchParams(this.#p.search);
        bind(this.#s, (text) => this.#setSearch(text, true));
      }
      return this.#s;
    }
    get hash() {
      return this.#p.hash;
    }
    set hash(v) {
      v = String(v).replace(/^#/, '');
      this.#change({ hash: v === '' ? '' : '#' + v });
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
    static canParse(u, b) {
      try {
        new URL(u, b);
        return true;
      } catch {
        return false;
      }
    }
    static parse(u, b) {
      try {
        return new URL(u, b);
      } catch {
        return null;
      }
    }
  }
  // What console shows of them.
  const shown = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash'];
  const getters = shown.map((k) => O.getOwnPropertyDescriptor(URL.prototype, k).get);
  host.showURL = (u) => {
    const out = [];
    for (let i = 0; i < shown.length; i++) out[i] = R.apply(getters[i], u, []);
    return out;
  };
  host.showQuery = pairs;
  for (const c of [URL, URLSearchParams])
    defineProperty(c.prototype, Symbol.toStringTag, { value: c.name, writable: false, enumerable: false, configurable: true });
  def(globalThis, 'URL', URL);
  def(globalThis, 'URLSearchParams', URLSearchParams);
});
