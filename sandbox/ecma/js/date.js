// Dates as text, in English (en-US), and the numeric dates of a few other locales.
(function (host) {
  'use strict';
  const O = Object;
  const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const two = (n) => String(n).padStart(2, '0');
  const values = {
    weekday: ['narrow', 'short', 'long'], era: ['narrow', 'short', 'long'], year: ['2-digit', 'numeric'],
    month: ['2-digit', 'numeric', 'narrow', 'short', 'long'], day: ['2-digit', 'numeric'], dayPeriod: ['narrow', 'short', 'long'],
    hour: ['2-digit', 'numeric'], minute: ['2-digit', 'numeric'], second: ['2-digit', 'numeric'],
    timeZoneName: ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'],
    hourCycle: ['h11', 'h12', 'h23', 'h24'], dateStyle: ['full', 'long', 'medium', 'short'], timeStyle: ['full', 'long', 'medium', 'short'],
  };
  const fields = ['weekday', 'era', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits', 'timeZoneName'];
  // Locales whose all-numeric dates are not written as in the United States.
  const numeric = { 'en-GB': ['d/m/y', ', ', 23], 'en-CA': ['y-m-d', ', ', 12], sv: ['y-m-d', ' ', 23] };
  const numericOf = (locales) => {
    const l = String(Array.isArray(locales) ? (locales[0] ?? '') : (locales ?? ''));
    return numeric[l] ?? (/^sv\b/.test(l) ? numeric.sv : undefined);
  };
  const dateFields = ['weekday', 'year', 'month', 'day'],
    timeFields = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
  // resolve reads options as the constructor does. When nothing of what is required
  // is asked for ("date", "time", "any"), it is the defaults ("date", "time", "all").
  const resolve = (locales, options, required, defaults) => {
    const o = options == null ? {} : O(options);
    const r = { locale: 'en-US', calendar: 'gregory', numberingSystem: 'latn' };
    r.timeZone = o.timeZone === undefined ? 'UTC' : String(o.timeZone);
    if (r.timeZone === '' || host.tz(0, r.timeZone) === null) throw new RangeError('Invalid time zone specified: ' + r.timeZone);
    if (/^utc$/i.test(r.timeZone)) r.timeZone = 'UTC';
    const given = {};
    for (const k of [...fields, 'hourCycle', 'dateStyle', 'timeStyle']) {
      let v = o[k];
      if (v === undefined) continue;
      if (k === 'fractionalSecondDigits') {
        v = Math.floor(Number(v));
        if (!(v >= 1 && v <= 3)) throw new RangeError('fractionalSecondDigits value is out of range.');
      } else {
        v = String(v);
        if (!values[k].includes(v)) throw new RangeError('Value ' + v + ' out of range for Intl.DateTimeFormat options property ' + k);
      }
      given[k] = v;
    }
    const styled = given.dateStyle !== undefined || given.timeStyle !== undefined;
    if (styled && fields.some((k) => given[k] !== undefined))
      throw new TypeError("Can't set option " + fields.find((k) => given[k] !== undefined) + ' when ' + (given.dateStyle !== undefined ? 'dateStyle' : 'timeStyle') + ' is used');
    const asked = [...(required === 'time' ? [] : dateFields), ...(required === 'date' ? [] : timeFields)];
    if (!styled && !asked.some((k) => given[k] !== undefined)) {
      if (defaults !== 'time') O.assign(given, { year: 'numeric', month: 'numeric', day: 'numeric' });
      if (defaults !== 'date') O.assign(given, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
    }
    const other = numericOf(locales);
    if (given.hour !== undefined || given.timeStyle !== undefined) {
      r.hourCycle = o.hour12 === undefined ? (given.hourCycle ?? (other ? 'h' + other[2] : 'h12')) : o.hour12 ? 'h12' : 'h23';
      r.hour12 = r.hourCycle === 'h12' || r.hourCycle === 'h11';
    }
    for (const k of [...fields, 'dateStyle', 'timeStyle']) if (given[k] !== undefined) r[k] = given[k];
    if (other) others.set(r, other);
    return r;
  };
  const others = new WeakMap(); // by resolved options

  const styles = {
    full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    long: { year: 'numeric', month: 'long', day: 'numeric' },
    medium: { year: 'numeric', month: 'short', day: 'numeric' },
    short: { year: '2-digit', month: 'numeric', day: 'numeric' },
  };
  const timeStyles = {
    full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' },
    long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
    short: { hour: 'numeric', minute: '2-digit' },
  };
  const american = { EST: 'Eastern Standard', EDT: 'Eastern Daylight', CST: 'Central Standard', CDT: 'Central Daylight', MST: 'Mountain Standard', MDT: 'Mountain Daylight', PST: 'Pacific Standard', PDT: 'Pacific Daylight', AKST: 'Alaska Standard', AKDT: 'Alaska Daylight', HST: 'Hawaii-Aleutian Standard', AST: 'Atlantic Standard', ADT: 'Atlantic Daylight' };
  const abroad = {
    GMT: 'Greenwich Mean Time', BST: 'British Summer Time', WET: 'Western European Standard Time', WEST: 'Western European Summer Time',
    CET: 'Central European Standard Time', CEST: 'Central European Summer Time', EET: 'Eastern European Standard Time', EEST: 'Eastern European Summer Time',
    MSK: 'Moscow Standard Time', JST: 'Japan Standard Time', KST: 'Korean Standard Time', IST: 'India Standard Time', SAST: 'South Africa Standard Time',
    AEST: 'Australian Eastern Standard Time', AEDT: 'Australian Eastern Daylight Time', ACST: 'Australian Central Standard Time', ACDT: 'Australian Central Daylight Time',
    AWST: 'Australian Western Standard Time', NZST: 'New Zealand Standard Time', NZDT: 'New Zealand Daylight Time',
  };
  const zoneName = (t, zone, form, offset) => {
    const short = host.tzName(t, zone);
    const utc = zone === 'UTC' || /^(Etc\/)?(UTC|GMT|UCT|Zulu)$/.test(zone);
    const inAmerica = /^(America|US|Canada)\/|Honolulu$/.test(zone) && O.hasOwn(american, short);
    if (form === 'short' || form === 'shortGeneric') {
      if (utc) return 'UTC';
      if (inAmerica) return short;
    }
    if (form === 'long' || form === 'longGeneric') {
      if (utc) return 'Coordinated Universal Time';
      if (inAmerica) return american[short] + ' Time';
      if (O.hasOwn(abroad, short) && /^(Europe|Asia\/(Tokyo|Seoul|Kolkata|Calcutta)|Australia|Pacific|Africa\/Johannesburg|Atlantic)/.test(zone))
        return short === 'IST' && zone === 'Europe/Dublin' ? 'Irish Standard Time' : abroad[short];
    }
    const m = Math.abs(offset), h = Math.floor(m / 60), rest = m % 60, sign = offset < 0 ? '-' : '+';
    if (form === 'longOffset' || form === 'long' || form === 'longGeneric') return 'GMT' + sign + two(h) + ':' + two(rest);
    return m === 0 ? (form === 'shortOffset' ? 'GMT+0' : 'GMT') : 'GMT' + sign + h + (rest ? ':' + two(rest) : '');
  };
  // parts writes a time, in milliseconds, by resolved options.
  const parts = (t, r) => {
    if (!(Math.abs(t) <= 8.64e15)) throw new RangeError('Invalid time value');
    const o = r.dateStyle || r.timeStyle ? { ...(r.dateStyle && styles[r.dateStyle]), ...(r.timeStyle && timeStyles[r.timeStyle]) } : r;
    const offset = host.tz(t, r.timeZone);
    const u = new Date(Math.trunc(t) + offset * 60000);
    const out = [];
    const add = (type, value) => out.push({ type, value });
    const literal = (value) => add('literal', value);
    const year = u.getUTCFullYear();
    const day = () => add('day', o.day === '2-digit' ? two(u.getUTCDate()) : String(u.getUTCDate()));
    const years = () => {
      const y = o.era !== undefined && year <= 0 ? 1 - year : year;
      add('year', o.year === '2-digit' ? two(((y % 100) + 100) % 100) : String(y));
    };
    const name = (names, form) => (form === 'long' ? names : form === 'short' ? names.slice(0, 3) : names[0]);
    const named = o.month === 'long' || o.month === 'short' || o.month === 'narrow';
    const weekday = () => add('weekday', name(days[u.getUTCDay()], o.weekday));
    const other = others.get(r);
    const onlyDay = o.weekday && o.day && !o.month && !o.year;
    if (o.weekday && !onlyDay && (o.month || o.year || o.day)) {
      if (!named && o.month === undefined) {
        if (o.year) years(), literal(' ');
        weekday();
      } else {
        weekday();
        literal(', ');
      }
    } else if (o.weekday && !onlyDay) weekday();
    if (onlyDay) {
      day();
      literal(' ');
      weekday();
    } else if (named) {
      add('month', name(months[u.getUTCMonth()], o.month));
      if (o.day) literal(' '), day();
      if (o.year) literal(o.day ? ', ' : ' '), years();
    } else if (o.month !== undefined || o.day !== undefined || (o.year !== undefined && !o.weekday)) {
      const month = () => add('month', o.month === '2-digit' || (other && o.day && o.year) ? two(u.getUTCMonth() + 1) : String(u.getUTCMonth() + 1));
      const order = other && o.month && o.day && o.year ? other[0] : 'm/d/y';
      let first = true;
      for (const k of order.replace(/\W/g, '')) {
        if (!o[{ m: 'month', d: 'day', y: 'year' }[k]]) continue;
        if (!first) literal(order[1]);
        first = false;
        if (k === 'm') month();
        else if (k === 'y') years();
        else if (other && o.month && o.year) add('day', two(u.getUTCDate()));
        else day();
      }
    }
    if (o.era !== undefined) {
      if (out.length > 0) literal(' ');
      add('era', o.era === 'long' ? (year > 0 ? 'Anno Domini' : 'Before Christ') : o.era === 'narrow' ? (year > 0 ? 'A' : 'B') : year > 0 ? 'AD' : 'BC');
    }
    if (o.hour || o.minute || o.second || o.fractionalSecondDigits) {
      if (out.length > 0)
        literal((r.dateStyle ? r.dateStyle === 'full' || r.dateStyle === 'long' : o.month === 'long') ? ' at ' : o.weekday && !o.month && !o.day && !o.year ? ' ' : other ? other[1] : ', ');
      const H = u.getUTCHours();
      const cycle = r.hourCycle ?? 'h12';
      const h = { h23: H, h24: H || 24, h12: H % 12 || 12, h11: H % 12 }[cycle];
      if (o.hour) add('hour', o.hour === '2-digit' || cycle === 'h23' || cycle === 'h24' ? two(h) : String(h));
      if (o.minute) {
        if (o.hour) literal(':');
        add('minute', o.hour || o.second ? two(u.getUTCMinutes()) : String(u.getUTCMinutes()));
      }
      if (o.second) {
        if (o.hour || o.minute) literal(':');
        add('second', o.hour || o.minute ? two(u.getUTCSeconds()) : String(u.getUTCSeconds()));
      }
      if (o.fractionalSecondDigits) {
        if (o.second) literal('.');
        add('fractionalSecond', String(u.getUTCMilliseconds()).padStart(3, '0').slice(0, o.fractionalSecondDigits));
      }
      if (o.hour && (cycle === 'h12' || cycle === 'h11')) {
        literal(' ');
        add('dayPeriod', other ? (H < 12 ? 'a.m.' : 'p.m.') : H < 12 ? 'AM' : 'PM');
      }
    }
    if (o.timeZoneName) {
      if (out.length > 0) literal(o.hour || o.minute || o.second ? ' ' : ', ');
      add('timeZoneName', zoneName(t, r.timeZone, o.timeZoneName, offset));
    }
    return out;
  };
  const text = (list) => {
    let s = '';
    for (const p of list) s += p.value;
    return s;
  };
  const format = (t, r) => text(parts(t, r));
  // A range says once what both ends have in common, where English does.
  const range = (a, b, r) => {
    const dash = '\u2009\u2013\u2009';
    const x = parts(a, r), y = parts(b, r);
    const value = (l, k) => l.find((p) => p.type === k)?.value;
    const local = (t) => new Date(t + host.tz(t, r.timeZone) * 60000).toISOString();
    const hasTime = x.some((p) => p.type === 'hour');
    const sameDay = local(a).slice(0, 10) === local(b).slice(0, 10);
    if (text(x) === text(y) && (sameDay || x.some((p) => p.type === 'day' || p.type === 'month' || p.type === 'year'))) return text(x);
    const spelled = /^[A-Z]/.test(value(x, 'month') ?? '');
    if (hasTime && sameDay) {
      const from = y.findIndex((p) => p.type === 'hour');
      const end = x.findIndex((p) => p.type === 'dayPeriod');
      const head = value(x, 'dayPeriod') === value(y, 'dayPeriod') && end > 0 && end === x.length - 1 ? x.slice(0, end - 1) : x;
      return text(head) + dash + text(y.slice(from));
    }
    if (hasTime && !x.some((p) => p.type === 'day')) {
      const whole = { ...r, dateStyle: undefined, timeStyle: undefined, ...(r.timeStyle ? timeStyles[r.timeStyle] : {}), year: 'numeric', month: 'numeric', day: 'numeric' };
      return format(a, whole) + dash + format(b, whole);
    }
    if (!hasTime && spelled && value(x, 'day') && value(x, 'year') === value(y, 'year') && value(x, 'year')) {
      const cut = x.findIndex((p) => p.type === 'year') - 1;
      if (value(x, 'month') === value(y, 'month') && !value(x, 'weekday')) return text(x.slice(0, cut)) + dash + text(y.slice(y.findIndex((p) => p.type === 'day')));
      return text(x.slice(0, cut)) + dash + text(y);
    }
    return text(x) + dash + text(y);
  };
  const { getTime } = Date.prototype;
  const method = (required, defaults) =>
    function (l, o) {
      const t = Reflect.apply(getTime, this, []);
      for (const [kind, style] of [['date', 'timeStyle'], ['time', 'dateStyle']])
        if (required === kind && o != null && o[style] !== undefined) throw new TypeError('Invalid option : ' + style);
      const r = resolve(l, o, required, defaults);
      return t !== t ? 'Invalid Date' : format(t, r);
    };
  O.assign(host.date, { any: method('any', 'all'), day: method('date', 'date'), time: method('time', 'time'), resolve, format, parts, range });
});
