// How much memory a session takes that goes on and on: the size of the process at the end of 10,000 turns, as a multiple
// of what it was after a tenth of them. The conversation is compacted every few dozen turns.
//   node growth.mjs COMMAND…
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';

const TURNS = 10_000;
const COMPACT_AT = 8000;
const FLAGS = ['-p', '--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

const [command, ...words] = process.argv.slice(2);
const child = spawn(command, [...words, ...FLAGS, '--autocompact', String(COMPACT_AT)], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const sizes = [];
let faults = 0;
say();
for await (const line of readline.createInterface({ input: child.stdout })) {
  if (!line.includes('"type":"result"')) continue;
  const { type, is_error } = JSON.parse(line);
  if (type !== 'result') continue;
  if (is_error) faults++;
  sizes.push(residentMiB());
  if (sizes.length < TURNS) say();
  else child.stdin.end();
}
if (faults > 0 || sizes.length < TURNS) throw new Error(`${sizes.length} turns, ${faults} of them failed`);
const start = around(TURNS / 10);
const end = around(TURNS - TURNS / 50);
console.log(JSON.stringify({ growth: end / start, startMiB: start, endMiB: end }));

function say() {
  const message = { role: 'user', content: 'go on @scenario:talk' };
  child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`);
}

function residentMiB() {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
}

/** The median of a fiftieth of the turns: collections come and go. */
function around(turn) {
  const few = sizes.slice(turn, turn + TURNS / 50).sort((a, b) => a - b);
  return few[few.length >> 1];
}
