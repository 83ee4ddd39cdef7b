// Numbers as text, in English (en-US) whatever locale is asked for.
(function (host) {
  'use strict';
  const O = Object;
  const group = (s) => s.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  // Short forms of units; a unit that is not here is written out.
  const units = {
    byte: 'byte', kilobyte: 'kB', megabyte: 'MB', gigabyte: 'GB', terabyte: 'TB', petabyte: 'PB', bit: 'bit',
    millisecond: 'ms', second: 'sec', minute: 'min', hour: 'hr', day: 'day+', week: 'wk+', month: 'mth+', year: 'yr+',
    meter: 'm', kilometer: 'km', centimeter: 'cm', millimeter: 'mm', mile: 'mi', foot: 'ft', inch: 'in',
    gram: 'g', kilogram: 'kg', pound: 'lb', ounce: 'oz', liter: 'L', milliliter: 'mL', degree: 'deg',
    celsius: '\u00b0C', fahrenheit: '\u00b0F', percent: '%',
  };
  const plurals = { foot: 'feet', inch: 'inches', celsius: 'degrees Celsius', fahrenheit: 'degrees Fahrenheit', percent: 'percent' };
  const singulars = { celsius: 'degree Celsius', fahrenheit: 'degree Fahrenheit' };
  const narrowUnits = { second: 's', minute: 'm', hour: 'h', day: 'd', week: 'w', month: 'm', year: 'y', byte: 'B', celsius: '\u00b0C' };
  const symbols = {
    USD: '$', EUR: '\u20ac', GBP: '\u00a3', JPY: '\u00a5', CNY: 'CN\u00a5', INR: '\u20b9', KRW: '\u20a9', BRL: 'R$', CAD: 'CA$', AUD: 'A$',
    MXN: 'MX$', NZD: 'NZ$', HKD: 'HK$', TWD: 'NT$', ILS: '\u20aa', VND: '\u20ab', PHP: '\u20b1', XAF: 'FCFA', XOF: 'F\u202fCFA', XPF: 'CFPF', XCD: 'EC$',
  };
  const narrowSymbols = {
    CNY: '\u00a5', CAD: '$', AUD: '$', MXN: '$', NZD: '$', HKD: '$', TWD: '$', SGD: '$', ARS: '$', CLP: '$', COP: '$', XCD: '$',
    RUB: '\u20bd', TRY: '\u20ba', UAH: '\u20b4', PLN: 'z\u0142', CZK: 'K\u010d', HUF: 'Ft', SEK: 'kr', NOK: 'kr', DKK: 'kr', ISK: 'kr', NGN: '\u20a6',
  };
  const currencies = {
    USD: 'US dollar+', EUR: 'euro+', GBP: 'British pound+', JPY: 'Japanese yen', CNY: 'Chinese yuan', INR: 'Indian rupee+', KRW: 'South Korean won',
    BRL: 'Brazilian real+', CAD: 'Canadian dollar+', AUD: 'Australian dollar+', MXN: 'Mexican peso+', NZD: 'New Zealand dollar+',
    HKD: 'Hong Kong dollar+', SGD: 'Singapore dollar+', CHF: 'Swiss franc+', SEK: 'Swedish kron', NOK: 'Norwegian kron', DKK: 'Danish kron',
    PLN: 'Polish zlot', CZK: 'Czech korun', TRY: 'Turkish lira', RUB: 'Russian ruble+', ZAR: 'South African rand', ILS: 'Israeli new shekel+',
  };
  const currencyPlurals = { SEK: ['a', 'or'], NOK: ['e', 'er'], DKK: ['e', 'er'], PLN: ['y', 'ys'], CZK: ['a', 'as'] };
  const noDecimals = ['JPY', 'KRW', 'VND', 'CLP', 'ISK', 'UGX', 'XAF', 'XOF', 'XPF', 'PYG', 'RWF', 'KMF', 'GNF', 'DJF', 'BIF', 'VUV'];
  const threeDecimals = ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'];
  const plural = (form, many) => (form.endsWith('+') ? form.slice(0, -1) + (many ? 's' : '') : form);

  const choice = (o, name, values, otherwise) => {
    let v = o[name];
    if (v === undefined) return otherwise;
    v = String(v);
    if (!values.includes(v)) throw new RangeError('Value ' + v + ' out of range for Intl.NumberFormat options property ' + name);
    return v;
  };
  const count = (o, name, least, most, otherwise) => {
    if (o[name] === undefined) return otherwise;
    const n = Math.floor(Number(o[name]));
    if (!(n >= least && n <= most)) throw new RangeError(name + ' value is out of range.');
    return n;
  };
  // The order in which resolvedOptions lists them.
  const order = [
    'locale', 'numberingSystem', 'style', 'currency', 'currencyDisplay', 'currencySign', 'unit', 'unitDisplay', 'minimumIntegerDigits',
    'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits', 'maximumSignificantDigits', 'useGrouping', 'notation',
    'compactDisplay', 'signDisplay', 'roundingMode', 'roundingIncrement', 'trailingZeroDisplay', 'roundingPriority',
  ];
  // resolve reads options once, as the constructor does.
  const resolve = (options) => {
    const o = options === undefined ? {} : O(options);
    const r = { locale: 'en-US', numberingSystem: 'latn' };
    r.style = choice(o, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
    if (r.style === 'currency') {
      if (o.currency === undefined) throw new TypeError('Currency code is required with currency style.');
      r.currency = String(o.currency).toUpperCase();
      if (!/^[A-Z]{3}$/.test(r.currency)) throw new RangeError('Invalid currency code : ' + o.currency);
      r.currencyDisplay = choice(o, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
      r.currencySign = choice(o, 'currencySign', ['standard', 'accounting'], 'standard');
    }
    if (r.style === 'unit') {
      if (o.unit === undefined) throw new TypeError('Unit is required with unit style.');
      r.unit = String(o.unit);
      r.unitDisplay = choice(o, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
    }
    r.notation = choice(o, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
    r.minimumIntegerDigits = count(o, 'minimumIntegerDigits', 1, 21, 1);
    const compact = r.notation === 'compact';
    const usual = r.style === 'currency' && r.notation === 'standard' ? (noDecimals.includes(r.currency) ? 0 : threeDecimals.includes(r.currency) ? 3 : 2) : 0;
    const minS = count(o, 'minimumSignificantDigits', 1, 21), maxS = count(o, 'maximumSignificantDigits', minS ?? 1, 21);
    let minF = count(o, 'minimumFractionDigits', 0, 100), maxF = count(o, 'maximumFractionDigits', 0, 100);
    if (minF !== undefined && maxF !== undefined && maxF < minF) throw new RangeError('maximumFractionDigits value is out of range.');
    if (minS !== undefined || maxS !== undefined) {
      r.minimumSignificantDigits = minS ?? 1;
      r.maximumSignificantDigits = maxS ?? 21;
    } else if (compact && minF === undefined && maxF === undefined) {
      r.minimumFractionDigits = r.maximumFractionDigits = 0;
      r.minimumSignificantDigits = 1;
      r.maximumSignificantDigits = 2;
    } else {
      r.minimumFractionDigits = minF ?? Math.min(usual, maxF ?? usual);
      r.maximumFractionDigits = maxF ?? Math.max(r.style === 'currency' && r.notation === 'standard' ? usual : r.style === 'percent' ? 0 : compact ? 0 : 3, r.minimumFractionDigits);
    }
    let g = o.useGrouping;
    if (g === undefined || g === 'true' || g === 'false') g = compact ? 'min2' : 'auto';
    else if (g === true) g = 'always';
    else if (!g) g = false;
    else g = choice(o, 'useGrouping', ['min2', 'auto', 'always']);
    r.useGrouping = g;
    if (compact) r.compactDisplay = choice(o, 'compactDisplay', ['short', 'long'], 'short');
    r.signDisplay = choice(o, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto');
    r.roundingIncrement = 1;
    r.roundingMode = choice(o, 'roundingMode', ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'], 'halfExpand');
    r.roundingPriority = compact && r.maximumSignificantDigits === 2 && minS === undefined ? 'morePrecision' : 'auto';
    r.trailingZeroDisplay = choice(o, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto');
    const sorted = {};
    for (const k of order) if (r[k] !== undefined) sorted[k] = r[k];
    return sorted;
  };

  // A decimal is 0.digits times 10 ** point: no digits are lost.
  const decimal = (x) => {
    const text = typeof x === 'bigint' ? String(x < 0n ? -x : x) : String(Math.abs(x));
    let [m, e = '0'] = text.split('e');
    let [whole, fraction = ''] = m.split('.');
    const all = whole + fraction;
    const digits = all.replace(/^0+/, '');
    if (digits === '') return { digits: '', point: 0 };
    return { digits: digits.replace(/0+$/, ''), point: whole.length + +e - (all.length - digits.length) };
  };
  // rounded keeps a number of the digits.
  const rounded = (d, keep, mode, negative) => {
    if (keep >= d.digits.length) return d;
    if (keep < 0) keep = -1;
    const rest = keep < 0 ? '0' + d.digits : d.digits.slice(keep), kept = keep < 0 ? '' : d.digits.slice(0, keep);
    const half = rest[0] > '5' || (rest[0] === '5' && /[1-9]/.test(rest.slice(1))) ? 1 : rest[0] === '5' ? 0 : -1;
    const odd = kept !== '' && +kept[kept.length - 1] % 2 === 1;
    const any = /[1-9]/.test(rest);
    const up = {
      ceil: any && !negative, floor: any && negative, expand: any, trunc: false, halfExpand: half >= 0, halfTrunc: half > 0,
      halfCeil: half > 0 || (half === 0 && !negative), halfFloor: half > 0 || (half === 0 && negative), halfEven: half > 0 || (half === 0 && odd),
    }[mode];
    let point = d.point, digits = kept;
    if (up) {
      // One more at the last place that is kept.
      if (keep < 0) return { digits: '', point: 0 };
      let i = kept.length - 1;
      while (i >= 0 && kept[i] === '9') i--;
      if (i < 0) {
        digits = '1';
        point++;
      } else digits = kept.slice(0, i) + (+kept[i] + 1);
    }
    digits = digits.replace(/0+$/, '');
    return digits === '' ? { digits, point: 0 } : { digits, point };
  };
  const roundTo = (d, r, negative) => {
    const byFraction = () => {
      const keep = d.point + r.maximumFractionDigits;
      // Up from nothing: 0.6 to 1.
      if (keep < 0) return ['ceil', 'expand'].includes(r.roundingMode) && d.digits !== '' && !(negative && r.roundingMode === 'ceil') || (negative && r.roundingMode === 'floor') ? { digits: '1', point: 1 - r.maximumFractionDigits } : { digits: '', point: 0 };
      return rounded(d, keep, r.roundingMode, negative);
    };
    if (r.roundingPriority === 'morePrecision') return d.point >= 2 ? rounded(d, d.point, r.roundingMode, negative) : rounded(d, 2, r.roundingMode, negative);
    return r.maximumSignificantDigits !== undefined ? rounded(d, r.maximumSignificantDigits, r.roundingMode, negative) : byFraction();
  };

  // parts writes a number by resolved options.
  const parts = (x, r) => {
    const out = [];
    const add = (type, value) => value !== '' && out.push({ type, value });
    const nan = x !== x, infinite = x === Infinity || x === -Infinity;
    let negative = typeof x === 'bigint' ? x < 0n : x < 0 || O.is(x, -0);
    if (nan) negative = false;
    let body = [], zero = true, one = false, suffix = '';
    if (nan) body = [['nan', 'NaN']];
    else if (infinite) body = [['infinity', '\u221e']];
    else {
      let d = decimal(x);
      if (r.style === 'percent' && d.digits !== '') d = { digits: d.digits, point: d.point + 2 };
      let exponent = 0;
      if (r.notation === 'scientific' || r.notation === 'engineering') {
        const step = r.notation === 'scientific' ? 1 : 3;
        const scale = (d) => (d.digits === '' ? 0 : Math.floor((d.point - 1) / step) * step);
        exponent = scale(d);
        let s = roundTo({ digits: d.digits, point: d.point - exponent }, r, negative);
        if (s.point > step) {
          exponent += step;
          s = { digits: s.digits, point: s.point - step };
        }
        d = s;
      } else if (r.notation === 'compact') {
        let k = d.digits === '' ? 0 : Math.min(4, Math.max(0, Math.floor((d.point - 1) / 3)));
        let s = roundTo({ digits: d.digits, point: d.point - 3 * k }, r, negative);
        if (s.point > 3 && k < 4) {
          k++;
          s = roundTo({ digits: d.digits, point: d.point - 3 * k }, r, negative);
        }
        d = s;
        suffix = r.compactDisplay === 'long' ? ['', 'thousand', 'million', 'billion', 'trillion'][k] : ['', 'K', 'M', 'B', 'T'][k];
      } else d = roundTo(d, r, negative);
      zero = d.digits === '';
      let whole = d.point > 0 ? d.digits.slice(0, d.point).padEnd(d.point, '0') : '0';
      let fraction = d.point >= d.digits.length || zero ? '' : d.point < 0 ? '0'.repeat(-d.point) + d.digits : d.digits.slice(d.point);
      let least = r.roundingPriority === 'morePrecision' ? 0 : (r.minimumFractionDigits ?? 0);
      if (r.minimumSignificantDigits !== undefined && r.roundingPriority === 'auto')
        least = Math.max(0, r.minimumSignificantDigits - (zero ? 1 : d.point));
      fraction = fraction.padEnd(least, '0');
      if (r.trailingZeroDisplay === 'stripIfInteger' && /^0*$/.test(fraction)) fraction = '';
      whole = whole.padStart(r.minimumIntegerDigits, '0');
      one = whole === '1' && fraction === '';
      if (r.useGrouping && !(r.useGrouping === 'min2' && whole.length < 5)) whole = group(whole);
      for (const [i, g] of whole.split(',').entries()) {
        if (i > 0) body.push(['group', ',']);
        body.push(['integer', g]);
      }
      if (fraction !== '') body.push(['decimal', '.'], ['fraction', fraction]);
      if (r.notation === 'scientific' || r.notation === 'engineering') {
        body.push(['exponentSeparator', 'E']);
        if (exponent < 0) body.push(['exponentMinusSign', '-']);
        body.push(['exponentInteger', String(Math.abs(exponent))]);
      }
      if (suffix !== '') {
        if (r.compactDisplay === 'long') body.push(['literal', ' ']);
        body.push(['compact', suffix]);
        one = false;
      }
    }
    const sign = {
      auto: negative ? '-' : '', never: '', always: negative ? '-' : '+',
      exceptZero: zero && !infinite ? '' : negative ? '-' : '+', negative: negative && !(zero && !infinite && !nan) ? '-' : '',
    }[r.signDisplay];
    const brackets = sign === '-' && r.currencySign === 'accounting' && r.currencyDisplay !== 'name';
    if (brackets) add('literal', '(');
    else if (sign) add(sign === '-' ? 'minusSign' : 'plusSign', sign);
    if (r.style === 'currency' && r.currencyDisplay !== 'name') {
      const c = r.currency;
      const s = r.currencyDisplay === 'code' ? c : r.currencyDisplay === 'narrowSymbol' ? (narrowSymbols[c] ?? symbols[c] ?? c) : (symbols[c] ?? c);
      add('currency', s);
      if (/[A-Za-z]$/.test(s) && !nan && !infinite) add('literal', '\u00a0');
    }
    for (const [type, value] of body) add(type, value);
    if (r.style === 'percent') add('percentSign', '%');
    if (r.style === 'currency' && r.currencyDisplay === 'name') {
      const c = r.currency, ends = currencyPlurals[c];
      add('literal', ' ');
      add('currency', O.hasOwn(currencies, c) ? (ends ? currencies[c] + ends[one ? 0 : 1] : plural(currencies[c], !one)) : c);
    }
    if (r.style === 'unit') unit(add, r.unit, r.unitDisplay, one);
    if (brackets) add('literal', ')');
    return out;
  };
  const unit = (add, name, display, one) => {
    const [u, per] = name.split('-per-');
    const of = (u, one) => {
      if (display === 'long') return one ? (singulars[u] ?? u) : (plurals[u] ?? u + 's');
      if (display === 'narrow' && O.hasOwn(narrowUnits, u)) return narrowUnits[u];
      return O.hasOwn(units, u) ? plural(units[u], !one) : one ? u : u + 's';
    };
    let s = name === 'mile-per-hour' && display !== 'long' ? 'mph' : of(u, one);
    if (per !== undefined && s !== 'mph') s += display === 'long' ? ' per ' + of(per, true) : '/' + ({ hour: 'h', second: 's', minute: 'min', day: 'd' }[per] ?? of(per, true));
    if (display === 'long' || (/^\w/.test(s) && display !== 'narrow')) add('literal', ' ');
    add(s === '%' ? 'percentSign' : 'unit', s);
  };
  const value = (x) => {
    if (typeof x === 'bigint') return x;
    if (typeof x === 'string' && /^\s*[-+]?\d{16,}\s*$/.test(x)) return BigInt(x.trim().replace(/^\+/, ''));
    return Number(x);
  };
  const format = (x, r) => {
    let s = '';
    for (const p of parts(value(x), r)) s += p.value;
    return s;
  };
  const numberValue = Number.prototype.valueOf, bigintValue = BigInt.prototype.valueOf;
  O.assign(host.number, {
    toLocaleString(l, o) {
      return format(Reflect.apply(numberValue, this, []), resolve(o));
    },
    bigint(l, o) {
      return format(Reflect.apply(bigintValue, this, []), resolve(o));
    },
    resolve,
    format,
    parts: (x, r) => parts(value(x), r),
  });
});
