// Floating-point numbers of 16 bits, and ArrayBuffers that move.
(function (host) {
  'use strict';
  const { getUint16, setUint16, setFloat64, getUint32 } = DataView.prototype;
  const { apply } = Reflect;
  const scratch = new DataView(new ArrayBuffer(8));
  const round = (x) => {
    if (x === 0 || x !== x || x === Infinity || x === -Infinity) return x;
    const a = Math.abs(x);
    if (a >= 65520) return x < 0 ? -Infinity : Infinity;
    apply(setFloat64, scratch, [0, a]);
    const exponent = (apply(getUint32, scratch, [0]) >>> 20) - 1023;
    const quantum = 2 ** (Math.max(exponent, -14) - 10);
    const n = a / quantum + 2 ** 52 - 2 ** 52; // to the nearest, ties to even
    return x < 0 ? -n * quantum : n * quantum;
  };
  const toBits = (x) => {
    x = round(x);
    if (x !== x) return 0x7e00;
    const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
    const a = Math.abs(x);
    if (a === Infinity) return sign | 0x7c00;
    if (a < 2 ** -14) return sign | (a / 2 ** -24);
    let e = -14;
    while (a >= 2 ** (e + 1)) e++;
    return sign | ((e + 15) << 10) | (a / 2 ** (e - 10) - 1024);
  };
  const fromBits = (b) => {
    const e = (b >> 10) & 31,
      m = b & 1023;
    const a = e === 31 ? (m ? NaN : Infinity) : e === 0 ? m * 2 ** -24 : (m + 1024) * 2 ** (e - 25);
    return b & 0x8000 ? -a : a;
  };
  Object.assign(host.binary, {
    f16round: (x) => round(+x),
    getFloat16(at, little) {
      return fromBits(apply(getUint16, this, [at, little]));
    },
    setFloat16(at, x, little) {
      apply(setUint16, this, [at, toBits(+x), little]);
    },
    transfer(length) {
      return host.transfer(this, length);
    },
    // goja's own takes a detached one for an empty one.
    slice(start, end) {
      if (host.detached(this)) throw new TypeError('ArrayBuffer.prototype.slice called on a detached ArrayBuffer');
      return apply(host.slice, this, [start, end]);
    },
  });
});
