// Locale-dependent formatting, in English (en-US) whatever locale is asked for.
(function (host) {
  'use strict';
  const O = Object,
    R = Reflect,
    { defineProperty, getPrototypeOf } = Object;
  const def = (o, k, v) => defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  const grp = (s) => s.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  // Short forms of units; a unit that is not here is written out.
  const units = {
    byte: 'byte', kilobyte: 'kB', megabyte: 'MB', gigabyte: 'GB', terabyte: 'TB', petabyte: 'PB', bit: 'bit',
    millisecond: 'ms', second: 'sec', minute: 'min', hour: 'hr', day: 'day+', week: 'wk+', month: 'mth+', year: 'yr+',
    meter: 'm', kilometer: 'km', centimeter: 'cm', millimeter: 'mm', mile: 'mi', foot: 'ft', inch: 'in',
    gram: 'g', kilogram: 'kg', pound: 'lb', ounce: 'oz', liter: 'L', milliliter: 'mL', degree: 'deg',
    celsius: '\u00b0C', fahrenheit: '\u00b0F', percent: '%',
  };
  const unitOf = (n, o) => {
    const u = String(o.unit);
    const short = O.hasOwn(units, u) && o.unitDisplay !== 'long' ? units[u] : undefined;
    const many = Math.abs(n) === 1 ? '' : 's';
    if (short === undefined) {
      const long = { foot: 'feet', inch: 'inches', celsius: 'degrees Celsius', fahrenheit: 'degrees Fahrenheit', percent: 'percent' };
      return ' ' + (many && O.hasOwn(long, u) ? long[u] : u + (u === 'percent' ? '' : many));
    }
    if (!/^\w/.test(short)) return short;
    return ' ' + (short.endsWith('+') ? short.slice(0, -1) + many : short);
  };
  const fmtNum = (n, o = {}) => {
    if (n !== n) return 'NaN';
    if (n === Infinity) return '∞';
    if (n === -Infinity) return '-∞';
    let suffix = '',
      prefix = '';
    const cur = o.style === 'currency';
    if (o.style === 'percent') {
      n *= 100;
      suffix = '%';
    }
    if (cur)
      prefix =
        { USD: '$', EUR: '€', GBP: '£', JPY: '¥', CNY: 'CN¥', INR: '₹', KRW: '₩' }[o.currency] ?? o.currency + '\u00a0';
    if (o.style === 'unit') suffix = unitOf(n, o);
    if (o.notation === 'compact') {
      // Two digits that count, unless there are more before the point.
      const fixed = o.maximumFractionDigits ?? o.minimumFractionDigits;
      const round = (x) => {
        const digits = fixed ?? (x >= 10 || x === 0 ? 0 : 1 - Math.floor(Math.log10(x)));
        const scaled = x * 10 ** digits;
        return scaled < 1e15 ? Math.round(+scaled.toPrecision(15)) / 10 ** digits : x;
      };
      const abs = Math.abs(n);
      const large = ['', 'K', 'M', 'B', 'T'];
      let k = 0;
      while (k < 4 && round(abs / 1e3 ** k) >= 1e3) k++;
      const x = round(abs / 1e3 ** k);
      n = n < 0 ? -x : x;
      suffix = large[k] + suffix;
      o = { useGrouping: x >= 1e4, ...o, minimumFractionDigits: o.minimumFractionDigits ?? 0, maximumFractionDigits: fixed ?? 6 };
    }
    const minF = o.minimumFractionDigits ?? (cur ? (o.currency === 'JPY' || o.currency === 'KRW' ? 0 : 2) : 0);
    const maxF = o.maximumFractionDigits ?? Math.max(minF, cur ? minF : o.style === 'percent' ? 0 : 3);
    let s = Math.abs(n).toFixed(maxF);
    let [i, f = ''] = s.split('.');
    while (f.length > minF && f.endsWith('0')) f = f.slice(0, -1);
    if (o.minimumIntegerDigits) i = i.padStart(o.minimumIntegerDigits, '0');
    if (o.useGrouping !== false) i = grp(i);
    const neg = n < 0 && /[1-9]/.test(i + f);
    return (neg ? '-' : '') + prefix + i + (f ? '.' + f : '') + suffix;
  };
  const MON = [
      'January',
      'February',
      'March',
      'April',
      'May',
      'June',
      'July',
      'August',
      'September',
      'October',
      'November',
      'December',
    ],
    DAY = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const fmtDate = (d, o, need) => {
    const t = +d;
    if (t !== t) return 'Invalid Date';
    o = { ...o };
    const off = host.tz(t, o.timeZone === undefined ? '' : String(o.timeZone));
    if (off === null) throw new RangeError('Invalid time zone specified: ' + o.timeZone);
    const u = new Date(t + off * 60000);
    const p2 = (n) => String(n).padStart(2, '0');
    if (o.dateStyle || o.timeStyle) {
      const ds = {
          full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
          long: { year: 'numeric', month: 'long', day: 'numeric' },
          medium: { year: 'numeric', month: 'short', day: 'numeric' },
          short: { year: '2-digit', month: 'numeric', day: 'numeric' },
        }[o.dateStyle],
        ts = o.timeStyle && {
          hour: 'numeric',
          minute: '2-digit',
          ...(o.timeStyle === 'short' ? {} : { second: '2-digit' }),
        };
      o = { ...o, ...ds, ...ts };
    } else if (!['weekday', 'year', 'month', 'day', 'hour', 'minute', 'second'].some((k) => o[k] !== undefined)) {
      if (need !== 'time') Object.assign(o, { year: 'numeric', month: 'numeric', day: 'numeric' });
      if (need !== 'date') Object.assign(o, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
    }
    let ds = '';
    const m = u.getUTCMonth(),
      dd = o.day && (o.day === '2-digit' ? p2(u.getUTCDate()) : String(u.getUTCDate())),
      yy = o.year && (o.year === '2-digit' ? p2(u.getUTCFullYear() % 100) : String(u.getUTCFullYear()));
    const wd = o.weekday && (o.weekday === 'long' ? DAY[u.getUTCDay()] : DAY[u.getUTCDay()].slice(0, 3));
    if (o.month === 'long' || o.month === 'short') {
      const mn = o.month === 'long' ? MON[m] : MON[m].slice(0, 3);
      ds = mn + (dd ? ' ' + dd : '') + (yy ? (dd ? ', ' : ' ') + yy : '');
    } else ds = [o.month && (o.month === '2-digit' ? p2(m + 1) : String(m + 1)), dd, yy].filter(Boolean).join('/');
    if (wd) ds = ds ? wd + ', ' + ds : wd;
    let ts = '';
    if (o.hour || o.minute || o.second) {
      const H = u.getUTCHours(),
        h24 = o.hour12 === false || o.hourCycle === 'h23';
      const hs = o.hour ? (h24 ? p2(H) : o.hour === '2-digit' ? p2(H % 12 || 12) : String(H % 12 || 12)) : null;
      ts = [hs, o.minute && p2(u.getUTCMinutes()), o.second && p2(u.getUTCSeconds())]
        .filter((x) => x != null && x !== undefined)
        .join(':');
      if (hs !== null && !h24) ts += ' ' + (H < 12 ? 'AM' : 'PM');
    }
    if (ts && o.timeZoneName) ts += ' ' + (o.timeZone ?? 'UTC');
    return ds && ts ? ds + ', ' + ts : ds || ts;
  };
  O.assign(host.locale, {
    number(l, o) {
      return fmtNum(Number(this), o);
    },
  });
  O.assign(host.locale, {
    bigint() {
      return grp(String(this));
    },
  });
  O.assign(host.locale, {
    date(l, o) {
      return fmtDate(this, o, 'any');
    },
  });
  O.assign(host.locale, {
    day(l, o) {
      return fmtDate(this, o, 'date');
    },
  });
  O.assign(host.locale, {
    time(l, o) {
      return fmtDate(this, o, 'time');
    },
  });
  const lc = host.localeCompare;
  const cmp = (a, b, o) => {
    a = String(a);
    b = String(b);
    if (o && (o.sensitivity === 'base' || o.sensitivity === 'accent')) {
      a = a.toLowerCase();
      b = b.toLowerCase();
    }
    if (o && o.numeric) {
      const x = a.split(/(\d+)/),
        y = b.split(/(\d+)/);
      for (let i = 0; i < Math.min(x.length, y.length); i++) {
        if (i % 2) {
          const d = Number(x[i]) - Number(y[i]);
          if (d) return d < 0 ? -1 : 1;
        } else {
          const d = R.apply(lc, x[i], [y[i]]);
          if (d) return d;
        }
      }
      return Math.sign(x.length - y.length);
    }
    return R.apply(lc, a, [b]);
  };
  O.assign(host.locale, {
    compare(b, l, o) {
      if (this == null) throw new TypeError('String.prototype.localeCompare called on null or undefined');
      return cmp(this, b, o);
    },
  });
  const Intl = {};
  const cls = (name, mk, callable) => {
    const C = {
      [name]: function (l, o) {
        if (new.target === undefined && !callable) throw new TypeError('Constructor Intl.' + name + " requires 'new'");
        const self = new.target === undefined ? O.create(C.prototype) : this;
        const m = mk(o ?? {});
        for (const k of O.keys(m)) def(self, k, m[k]);
        return self;
      },
    }[name];
    defineProperty(C, 'length', { value: 0, configurable: true });
    def(C.prototype, 'resolvedOptions', () => ({ locale: 'en-US' }));
    def(C, 'supportedLocalesOf', (l) => (l === undefined ? [] : ['en-US']));
    defineProperty(C.prototype, Symbol.toStringTag, { value: 'Intl.' + name, configurable: true });
    def(Intl, name, C);
  };
  // partsOf splits what a formatter wrote; kinds gives a part's type from its text.
  const partsOf = (s, expression, kind) => {
    const out = [];
    let last = 0;
    for (const m of s.matchAll(expression)) {
      if (m.index > last) out.push({ type: 'literal', value: s.slice(last, m.index) });
      out.push({ type: kind(m[0], out, m.index), value: m[0] });
      last = m.index + m[0].length;
    }
    if (last < s.length) out.push({ type: 'literal', value: s.slice(last) });
    return out;
  };
  cls(
    'NumberFormat',
    (o) => {
      const format = (n) => fmtNum(typeof n === 'bigint' ? Number(n) : +n, o);
      return {
        format,
        formatToParts: (n) => {
          let fraction = false;
          return partsOf(format(n), /\d+|\.|,|-|%|[^\d.,%\s-]+/g, (t) => {
            if (/^\d/.test(t)) return fraction ? 'fraction' : 'integer';
            if (t === '.') return (fraction = true) && 'decimal';
            return { ',': 'group', '-': 'minusSign', '%': 'percentSign' }[t] ?? (o.style === 'unit' ? 'unit' : 'currency');
          });
        },
        resolvedOptions: () => ({ locale: 'en-US', numberingSystem: 'latn', style: 'decimal', ...o }),
      };
    },
    true,
  );
  cls(
    'DateTimeFormat',
    (o) => {
      const date = (d) => (d === undefined ? new Date() : new Date(d));
      const format = (d) => fmtDate(date(d), o, 'date');
      return {
        format,
        formatToParts: (d) => {
          d = date(d);
          const fields = ['weekday', 'month', 'day', 'year', 'hour', 'minute', 'second'];
          const shown = fields.filter((k) => o[k] !== undefined);
          const order = shown.length > 0 ? shown : ['month', 'day', 'year'];
          let i = 0;
          return partsOf(fmtDate(d, o, 'date'), /[\p{L}\d/_+-]*\p{L}[\p{L}\d_/+-]*|\d+/gu, (t) =>
            /^[AP]M$/.test(t) ? 'dayPeriod' : i < order.length ? order[i++] : 'timeZoneName',
          );
        },
        formatRange: (a, b) => (format(a) === format(b) ? format(a) : format(a) + ' – ' + format(b)),
        resolvedOptions: () => ({
          locale: 'en-US',
          calendar: 'gregory',
          numberingSystem: 'latn',
          timeZone: o.timeZone ?? 'UTC',
        }),
      };
    },
    true,
  );
  cls('Collator', (o) => ({ compare: (a, b) => cmp(a, b, o) }), true);
  cls('PluralRules', (o) => ({
    select: (n) => {
      if (o.type === 'ordinal') {
        const t = n % 10,
          h = n % 100;
        return t === 1 && h !== 11 ? 'one' : t === 2 && h !== 12 ? 'two' : t === 3 && h !== 13 ? 'few' : 'other';
      }
      return n === 1 ? 'one' : 'other';
    },
  }));
  cls('ListFormat', (o) => ({
    format: (l) => {
      const a = [...l],
        w = o.type === 'disjunction' ? 'or' : 'and';
      return a.length < 2
        ? a.join('')
        : a.length === 2
          ? a.join(' ' + w + ' ')
          : a.slice(0, -1).join(', ') + ', ' + w + ' ' + a.at(-1);
    },
  }));
  cls('RelativeTimeFormat', (o) => ({
    format: (n, u) => {
      u = String(u).replace(/s$/, '');
      if (o.numeric === 'auto') {
        const near = { '-1': 'last ' + u, 0: 'this ' + u, 1: 'next ' + u };
        const word = { day: { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }, second: { 0: 'now' } }[u] ?? near;
        if (word[n] !== undefined && !(u === 'second' && n !== 0) && !((u === 'hour' || u === 'minute') && n !== 0)) return word[n];
      }
      const a = Math.abs(n),
        s = fmtNum(a) + ' ' + u + (a === 1 ? '' : 's');
      return n < 0 || O.is(n, -0) ? s + ' ago' : 'in ' + s;
    },
  }));
  cls('Segmenter', (o) => ({
    segment: (s) => {
      s = String(s);
      const parts = o.granularity === 'word' ? s.split(/(\b)/).filter(Boolean) : [...s];
      let i = 0;
      return parts.map((segment) => {
        const r = { segment, index: i, input: s };
        i += segment.length;
        return r;
      });
    },
  }));
  def(Intl, Symbol.toStringTag, 'Intl');
  def(globalThis, 'Intl', Intl);
});
