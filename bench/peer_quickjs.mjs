// Runs a script N times, each in a QuickJS runtime of its own (WebAssembly, in
// this process), whose calls JavaScript outside of it answers, and prints the
// median time of a run and what it returned as JSON. The third argument is the
// module quickjs-emscripten.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [file, runs, module] = process.argv.slice(2);
const { getQuickJS } = await import(pathToFileURL(module));
const QuickJS = await getQuickJS();
const script = readFileSync(file, 'utf8');

async function run() {
  const runtime = QuickJS.newRuntime();
  runtime.setMemoryLimit(256 << 20);
  const deadline = Date.now() + 10_000;
  runtime.setInterruptHandler(() => Date.now() > deadline);
  const vm = runtime.newContext();
  const echo = vm.newFunction('echo', (args) => {
    const json = JSON.stringify(vm.dump(args));
    const promise = vm.newPromise();
    queueMicrotask(() => {
      const parsed = vm.unwrapResult(vm.evalCode(`(${json})`));
      promise.resolve(parsed);
      parsed.dispose();
      runtime.executePendingJobs();
    });
    return promise.handle;
  });
  const tools = vm.newObject();
  vm.setProp(tools, 'echo', echo);
  vm.setProp(vm.global, 'tools', tools);
  const promise = vm.unwrapResult(vm.evalCode(`(async function(){${script}\n})()`));
  const settled = vm.resolvePromise(promise);
  runtime.executePendingJobs();
  const result = vm.unwrapResult(await settled);
  const value = vm.dump(result);
  for (const handle of [result, promise, tools, echo]) handle.dispose();
  vm.dispose();
  runtime.dispose();
  return value;
}

const times = [];
let value;
for (let i = 0; i < Number(runs); i++) {
  const began = process.hrtime.bigint();
  value = await run();
  times.push(Number(process.hrtime.bigint() - began) / 1e6);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ medianMs: times[times.length >> 1], value }));
