// Runs `return 1` N times, each in a worker thread of its own with a node:vm
// context, and prints the median time of a run as JSON.
import { Worker } from 'node:worker_threads';

const source = `
const { parentPort, workerData } = require('node:worker_threads');
const vm = require('node:vm');
const context = vm.createContext(Object.create(null));
vm.runInContext('(async function(){' + workerData + '\\n})()', context, { timeout: 10000 }).then((value) => parentPort.postMessage(value));
`;

const run = () => new Promise((resolve, reject) => {
  const worker = new Worker(source, { eval: true, workerData: 'return 1', env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  worker.once('message', (value) => worker.terminate().then(() => resolve(value)));
  worker.once('error', reject);
});

const times = [];
for (let i = 0; i < Number(process.argv[2] ?? 50); i++) {
  const began = process.hrtime.bigint();
  if (await run() !== 1) throw new Error('wrong value');
  times.push(Number(process.hrtime.bigint() - began) / 1e6);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ MedianMs: times[times.length >> 1], runs: times.length }));
