(function () {
  'use strict';
  const { defineProperty, getPrototypeOf } = Object;
  const EvalErr = EvalError;
  const text = 'Code generation from strings is not available in Exec scripts';
  const define = (o, k, v, e) =>
    defineProperty(o, k, { value: v, writable: true, enumerable: false, configurable: true });
  const stub = (name, proto, ctorWritable) => {
    const f = {
      [name]: function () {
        throw new EvalErr(text);
      },
    }[name];
    defineProperty(f, 'length', { value: 1, writable: false, enumerable: false, configurable: true });
    defineProperty(f, 'prototype', { value: proto, writable: false, enumerable: false, configurable: false });
    defineProperty(proto, 'constructor', { value: f, writable: ctorWritable, enumerable: false, configurable: true });
    return f;
  };
  const AsyncProto = getPrototypeOf(async function () {});
  const GenProto = getPrototypeOf(function* () {});
  const F = stub('Function', Function.prototype, true);
  const A = stub('AsyncFunction', AsyncProto, false);
  const G = stub('GeneratorFunction', GenProto, false);
  Object.setPrototypeOf(A, F);
  Object.setPrototypeOf(G, F);
  define(globalThis, 'Function', F);
  define(
    globalThis,
    'eval',
    {
      eval() {
        throw new EvalErr(text);
      },
    }.eval,
  );
  delete globalThis.GoError;
});
