// Intl, in English (en-US) whatever locale is asked for.
(function (host) {
  'use strict';
  const O = Object,
    R = Reflect,
    { defineProperty } = Object;
  const def = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  // A literal would be one of goja's own, which knows no properties.
  const expression = (source) => new RegExp(source, 'gu');
  const lc = host.localeCompare;
  // Numbers with as many digits compare like text.
  const aligned = (...texts) => {
    const digits = /\d+/g;
    const width = Math.max(...texts.map((s) => Math.max(0, ...(s.match(digits) ?? []).map((n) => n.length))));
    return texts.map((s) => s.replace(digits, (n) => n.padStart(width, '0')));
  };
  const cmp = (a, b, o) => {
    a = String(a);
    b = String(b);
    if (o && o.ignorePunctuation) [a, b] = [a, b].map((s) => s.replace(expression('[\\p{P}\\s]'), ''));
    if (o && (o.sensitivity === 'base' || o.sensitivity === 'case')) [a, b] = [a, b].map((s) => s.normalize('NFD').replace(expression('\\p{M}'), ''));
    if (o && (o.sensitivity === 'base' || o.sensitivity === 'accent')) {
      a = a.toLowerCase();
      b = b.toLowerCase();
    }
    if (o && o.numeric) [a, b] = aligned(a, b);
    return upperFirst(a, b, R.apply(lc, a, [b]), o);
  };
  const upperFirst = (a, b, d, o) => (o && o.caseFirst === 'upper' && d !== 0 && a !== b && a.toLowerCase() === b.toLowerCase() ? -d : d);
  O.assign(host.locale, {
    compare(b, l, o) {
      if (this == null) throw new TypeError('String.prototype.localeCompare called on null or undefined');
      return cmp(this, b, o);
    },
  });

  const canonical = (l) => {
    const list = l === undefined ? [] : typeof l === 'string' ? [l] : [...l];
    return list.map((t) => {
      t = String(t);
      if (!/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(t)) throw new RangeError('Incorrect locale information provided');
      const [language, ...rest] = t.split('-');
      let single = false;
      return [language.toLowerCase(), ...rest.map((p) => {
        if (p.length === 1) single = true;
        return single ? p.toLowerCase() : p.length === 4 && /^[a-z]/i.test(p) ? p[0].toUpperCase() + p.slice(1).toLowerCase() : p.length === 2 ? p.toUpperCase() : p.toLowerCase();
      })].join('-');
    });
  };
  const option = (o, name, values, otherwise) => {
    const v = o[name];
    if (v === undefined) return otherwise;
    if (!values.includes(String(v))) throw new RangeError('Value ' + v + ' out of range for Intl options property ' + name);
    return String(v);
  };

  const Intl = {};
  def(Intl, 'getCanonicalLocales', (l) => [...new Set(canonical(l))]);
  // cls makes a constructor; mk gives the methods of an instance, each bound to it.
  const cls = (name, mk, callable) => {
    const C = {
      [name]: function (l, o) {
        if (new.target === undefined && !callable) throw new TypeError('Constructor Intl.' + name + " requires 'new'");
        canonical(l);
        const self = new.target === undefined ? O.create(C.prototype) : this;
        const m = mk(o, l);
        for (const k of O.keys(m)) def(self, k, m[k]);
        return self;
      },
    }[name];
    defineProperty(C, 'length', { value: 0, configurable: true });
    def(C, 'supportedLocalesOf', (l) => canonical(l).filter((t) => /^en\b/.test(t)));
    defineProperty(C.prototype, Symbol.toStringTag, { value: 'Intl.' + name, configurable: true });
    def(Intl, name, C);
  };

  cls(
    'NumberFormat',
    (o) => {
      host.load('number');
      const { resolve, format, parts } = host.number;
      const r = resolve(o);
      const dash = r.style === 'currency' ? ' \u2013 ' : '\u2013';
      const range = (a, b) => {
        const [x, y] = [format(a, r), format(b, r)];
        return x === y ? '~' + x : x + dash + y;
      };
      return { format: (n) => format(n, r), formatToParts: (n) => parts(n, r), formatRange: range, resolvedOptions: () => ({ ...r }) };
    },
    true,
  );
  cls(
    'DateTimeFormat',
    (o, l) => {
      host.load('date');
      const { resolve, format, parts, range } = host.date;
      const r = resolve(l, o, 'any', 'date');
      const time = (d) => {
        const t = d === undefined ? Date.now() : +new Date(d);
        if (t !== t) throw new RangeError('Invalid time value');
        return t;
      };
      return {
        format: (d) => format(time(d), r),
        formatToParts: (d) => parts(time(d), r),
        formatRange: (a, b) => range(time(a), time(b), r),
        resolvedOptions: () => ({ ...r }),
      };
    },
    true,
  );
  cls(
    'Collator',
    (options) => {
      const o = { ...options };
      const r = {
        locale: 'en-US',
        usage: option(o, 'usage', ['sort', 'search'], 'sort'),
        sensitivity: option(o, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant'),
        ignorePunctuation: !!o.ignorePunctuation,
        collation: 'default',
        numeric: !!o.numeric,
        caseFirst: option(o, 'caseFirst', ['upper', 'lower', 'false'], 'false'),
      };
      return { compare: (a, b) => cmp(a, b, r), resolvedOptions: () => ({ ...r }) };
    },
    true,
  );
  const ordinal = (n) => {
    const t = n % 10,
      h = n % 100;
    return t === 1 && h !== 11 ? 'one' : t === 2 && h !== 12 ? 'two' : t === 3 && h !== 13 ? 'few' : 'other';
  };
  cls('PluralRules', (options) => {
    host.load('number');
    const o = { ...options };
    const type = option(o, 'type', ['cardinal', 'ordinal'], 'cardinal');
    const n = host.number.resolve({ ...o, style: 'decimal' });
    const select = (x) => {
      x = Number(x);
      return type === 'ordinal' ? ordinal(Math.abs(x)) : host.number.format(Math.abs(x), n) === '1' ? 'one' : 'other';
    };
    const kept = ['minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits', 'maximumSignificantDigits'];
    const digits = O.fromEntries(kept.filter((k) => n[k] !== undefined).map((k) => [k, n[k]]));
    return {
      select,
      selectRange: (a, b) => {
        if (a === undefined || b === undefined) throw new TypeError('Invalid argument');
        return type === 'ordinal' ? select(b) : 'other';
      },
      resolvedOptions: () => ({
        locale: 'en-US',
        type,
        ...digits,
        pluralCategories: type === 'ordinal' ? ['few', 'one', 'two', 'other'] : ['one', 'other'],
        roundingIncrement: 1,
        roundingMode: n.roundingMode,
        roundingPriority: n.roundingPriority,
        trailingZeroDisplay: n.trailingZeroDisplay,
      }),
    };
  });
  const listParts = (list, type, style) => {
    const items = [];
    for (const x of list) {
      if (typeof x !== 'string') throw new TypeError('Iterable yielded ' + String(x) + ' which is not a string');
      items.push(x);
    }
    const comma = type === 'unit' && style === 'narrow' ? ' ' : ', ';
    const word = type === 'disjunction' ? 'or' : type === 'unit' ? '' : style === 'long' ? 'and' : style === 'short' ? '&' : '';
    const out = [];
    items.forEach((value, i) => {
      if (i > 0) {
        const last = i === items.length - 1;
        out.push({ type: 'literal', value: !last || !word ? comma : items.length === 2 ? ' ' + word + ' ' : ', ' + word + ' ' });
      }
      out.push({ type: 'element', value });
    });
    return out;
  };
  cls('ListFormat', (options) => {
    const o = { ...options };
    const type = option(o, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
    const style = option(o, 'style', ['long', 'short', 'narrow'], 'long');
    const parts = (l) => listParts(l ?? [], type, style);
    return {
      format: (l) => parts(l).map((p) => p.value).join(''),
      formatToParts: parts,
      resolvedOptions: () => ({ locale: 'en-US', type, style }),
    };
  });
  const short = { second: 'sec.', minute: 'min.', hour: 'hr.', day: 'day', week: 'wk.', month: 'mo.', quarter: 'qtr.', year: 'yr.' };
  const narrow = { second: 's', minute: 'm', hour: 'h', day: 'd', week: 'w', month: 'mo', quarter: 'q', year: 'y' };
  cls('RelativeTimeFormat', (options) => {
    host.load('number');
    const o = { ...options };
    const style = option(o, 'style', ['long', 'short', 'narrow'], 'long');
    const numeric = option(o, 'numeric', ['always', 'auto'], 'always');
    const n = host.number.resolve({});
    const parts = (value, unit) => {
      value = Number(value);
      if (!Number.isFinite(value)) throw new RangeError('Invalid value for format()');
      const u = String(unit).replace(/s$/, '');
      if (!O.hasOwn(short, u)) throw new RangeError('Invalid unit argument for format() \'' + unit + "'");
      if (numeric === 'auto') {
        const name = style === 'long' ? u : style === 'short' || u !== 'minute' ? short[u] : 'min.';
        const near = { '-1': 'last ' + name, 0: 'this ' + (u === 'minute' || u === 'hour' ? u : name), 1: 'next ' + name };
        const word = { day: { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }, second: { 0: 'now' } }[u] ?? (u === 'hour' || u === 'minute' ? { 0: near[0] } : near);
        if (O.hasOwn(word, value)) return [{ type: 'literal', value: word[value] }];
      }
      const past = value < 0 || O.is(value, -0);
      const a = Math.abs(value);
      const many = host.number.format(a, n) === '1' ? '' : 's';
      const name = style === 'long' ? ' ' + u + many : style === 'short' ? ' ' + (u === 'day' ? 'day' + many : u === 'quarter' ? 'qtr' + many + '.' : short[u]) : narrow[u];
      const out = host.number.parts(a, n).map((p) => ({ ...p, unit: u }));
      if (!past) out.unshift({ type: 'literal', value: 'in ' });
      out.push({ type: 'literal', value: name + (past ? ' ago' : '') });
      return out;
    };
    return {
      format: (v, u) => parts(v, u).map((p) => p.value).join(''),
      formatToParts: parts,
      resolvedOptions: () => ({ locale: 'en-US', style, numeric, numberingSystem: 'latn' }),
    };
  });

  // Text boundaries, near those of Unicode's rules (UAX 29) for most scripts.
  const boundaries = {
    grapheme: () => expression(String.raw`\r\n|\p{RI}\p{RI}|\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*)*|[\u1100-\u115f]*[\u1160-\u11a7]+[\u11a8-\u11ff]*\p{M}*|[^][\p{M}\u200d\p{Emoji_Modifier}]*`),
    word: () => expression(String.raw`\r\n|\p{Script=Han}|\p{Script=Hiragana}+|\p{Script=Katakana}+|[\p{L}\p{N}_](?:[\p{L}\p{N}_\p{M}\u00ad]|(?<=\p{L})['\u2019.:](?=\p{L})|(?<=\p{N})[.,'](?=\p{N}))*|\p{RI}\p{RI}|\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*)*| +|[^]\p{M}*`),
    sentence: () => expression(String.raw`(?:[^.!?\u3002\uff01\uff1f\r\n]|\.(?=[^\s.!?"')\]])|\.+(?=["')\]]*\s+\p{Ll}))*(?:[.!?\u3002\uff01\uff1f]+["'\u2019\u201d)\]]*[^\S\r\n]*(?:\r\n|[\r\n])?|\r\n|[\r\n]|$)`),
  };
  cls('Segmenter', (options) => {
    const granularity = option({ ...options }, 'granularity', ['grapheme', 'word', 'sentence'], 'grapheme');
    const all = function* (input) {
      for (const m of input.matchAll(boundaries[granularity]())) {
        if (m[0] === '') continue;
        const s = { segment: m[0], index: m.index, input };
        if (granularity === 'word') s.isWordLike = expression('[\\p{L}\\p{N}]').test(m[0]);
        yield s;
      }
    };
    return {
      segment: (s) => {
        const input = String(s);
        const segments = {};
        def(segments, Symbol.iterator, () => all(input));
        def(segments, 'containing', (i = 0) => {
          i = Math.trunc(Number(i)) || 0;
          for (const s of all(input)) if (i >= s.index && i < s.index + s.segment.length) return s;
        });
        return segments;
      },
      resolvedOptions: () => ({ locale: 'en-US', granularity }),
    };
  });

  const durationUnits = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds', 'microseconds', 'nanoseconds'];
  cls('DurationFormat', (options) => {
    host.load('number');
    const o = { ...options };
    const style = option(o, 'style', ['long', 'short', 'narrow', 'digital'], 'short');
    const clock = { hours: 'numeric', minutes: '2-digit', seconds: '2-digit' };
    const r = { locale: 'en-US', numberingSystem: 'latn', style };
    for (const u of durationUnits) {
      r[u] = option(o, u, ['long', 'short', 'narrow', 'numeric', '2-digit'], style === 'digital' ? (clock[u] ?? (durationUnits.indexOf(u) > 6 ? 'numeric' : 'short')) : style);
      r[u + 'Display'] = option(o, u + 'Display', ['auto', 'always'], style === 'digital' && clock[u] ? 'always' : 'auto');
    }
    if (o.fractionalDigits !== undefined) r.fractionalDigits = Number(o.fractionalDigits);
    const { resolve, format } = host.number;
    const write = (d) => {
      if (O(d) !== d) throw new TypeError('a duration is an object, such as { hours: 1 }');
      const v = {};
      let sign = 0, some = false;
      for (const u of durationUnits) {
        const n = d[u] === undefined ? 0 : Number(d[u]);
        some ||= d[u] !== undefined;
        if (!Number.isInteger(n) || (n !== 0 && sign !== 0 && Math.sign(n) !== sign)) throw new RangeError('Invalid duration: ' + u);
        if (n !== 0) sign = Math.sign(n);
        v[u] = Math.abs(n);
      }
      if (!some) throw new TypeError('Invalid duration');
      const list = [];
      let digits = '';
      for (const u of durationUnits) {
        const f = r[u];
        if ((f === 'numeric' || f === '2-digit') && durationUnits.indexOf(u) >= 4) {
          if (durationUnits.indexOf(u) > 6) continue; // a fraction of the seconds
          let n = v[u], part = {};
          if (u === 'seconds' && r.milliseconds === 'numeric') {
            n += v.milliseconds / 1e3 + v.microseconds / 1e6 + v.nanoseconds / 1e9;
            part = { minimumFractionDigits: r.fractionalDigits ?? 0, maximumFractionDigits: r.fractionalDigits ?? 9, roundingMode: 'trunc' };
          }
          if (n === 0 && digits === '' && r[u + 'Display'] === 'auto' && u !== 'seconds') continue;
          if (n === 0 && digits === '' && r[u + 'Display'] === 'auto' && list.length > 0) continue;
          digits += (digits === '' ? '' : ':') + format(n, resolve({ ...part, useGrouping: false, minimumIntegerDigits: f === '2-digit' || digits !== '' ? 2 : 1 }));
          continue;
        }
        if (v[u] === 0 && r[u + 'Display'] === 'auto') continue;
        list.push(format(v[u], resolve({ style: 'unit', unit: u.slice(0, -1), unitDisplay: f === 'numeric' || f === '2-digit' ? 'short' : f })));
      }
      if (digits !== '') list.push(digits);
      if (sign < 0 && list.length > 0) list[0] = '-' + list[0];
      return listParts(list, 'unit', style === 'digital' ? 'short' : style).map((p) => p.value).join('');
    };
    return { format: write, resolvedOptions: () => ({ ...r }) };
  });
  def(Intl, Symbol.toStringTag, 'Intl');
  def(globalThis, 'Intl', Intl);
});
