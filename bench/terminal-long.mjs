// What the terminal costs behind much: 1,000 turns with 10,000 rows, then 90,000 rows more. Memory beside that of a print
// run of the same turns, and what a key costs then. `terminal-long.mjs COMMAND…`
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import { openPseudoTerminal, rssMiB } from './pseudo-terminal.mjs';

const TURNS = 1000;
const KEYS = 200;
const command = process.argv.slice(2);

const terminal = openPseudoTerminal([...command, '--autocompact', '150000']);
await terminal.sees('for keys');
await terminal.quiet();
const early = await keyCpuMs();
for (let turn = 0; turn < TURNS; turn++) {
  terminal.forget();
  terminal.type(`go on @scenario:rows10\r`);
  await terminal.sees('row9 of ten');
  await terminal.sees('\u001b[?2026l');
}
await terminal.quiet();
const longRssMiB = terminal.rssMiB();
terminal.type('and @scenario:rows90000\r');
await terminal.sees('row89999 of many');
await terminal.quiet();
const late = await keyCpuMs();
await terminal.leave();
const engine = await printed();
console.log(
  JSON.stringify({
    ...{ longRssMiB, beyondEngineMiB: longRssMiB - (engine.end - engine.start) },
    ...{ lateKeyCpuMs: late, lateKeyTimes: late / early },
  }),
);

async function keyCpuMs() {
  const spent = terminal.cpuMs();
  for (let at = 0; at < KEYS; at++) await terminal.typed('abcdefghij'[at % 10]);
  const each = (terminal.cpuMs() - spent) / KEYS;
  terminal.type('\u0015');
  await terminal.quiet();
  return each;
}

/** How much a process without a terminal grows by the same turns. */
async function printed() {
  const flags = ['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const [program, ...words] = [...command, ...flags, '--include-partial-messages', '--autocompact', '150000'];
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const say = () => {
    const message = { role: 'user', content: 'go on @scenario:rows10' };
    child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`);
  };
  let [turns, start, end] = [0, 0, 0];
  say();
  for await (const line of readline.createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"type":"result"')) continue;
    turns++;
    if (turns === 1) start = rssMiB(child.pid);
    if (turns < TURNS) say();
    else {
      end = rssMiB(child.pid);
      child.stdin.end();
    }
  }
  return { start, end };
}
