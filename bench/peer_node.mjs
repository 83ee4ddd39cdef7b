// Runs a script N times, each in a worker thread of its own with a node:vm
// context, whose calls the main thread answers, and prints the median time of a
// run and what it returned as JSON.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const [file, runs] = process.argv.slice(2);
const script = readFileSync(file, 'utf8');
const source = `
const { parentPort, workerData } = require('node:worker_threads');
const vm = require('node:vm');
const pending = new Map();
let next = 0;
const echo = (args) => new Promise((resolve) => {
  pending.set(next, resolve);
  parentPort.postMessage({ index: next++, args: JSON.stringify(args) });
});
parentPort.on('message', ({ index, value }) => pending.get(index)(JSON.parse(value)));
const context = vm.createContext({ __proto__: null, tools: { echo } });
vm.runInContext('(async function(){' + workerData + '\\n})()', context, { timeout: 10000 }).then((value) => parentPort.postMessage({ value }));
`;

const run = () => new Promise((resolve, reject) => {
  const worker = new Worker(source, { eval: true, workerData: script, env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  worker.on('message', (m) => {
    if ('index' in m) worker.postMessage({ index: m.index, value: m.args });
    else worker.terminate().then(() => resolve(m.value));
  });
  worker.once('error', reject);
});

const times = [];
let value;
for (let i = 0; i < Number(runs); i++) {
  const began = process.hrtime.bigint();
  value = await run();
  times.push(Number(process.hrtime.bigint() - began) / 1e6);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ medianMs: times[times.length >> 1], value }));
