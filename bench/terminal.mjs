// What the terminal costs: starts a program in a pseudo terminal, types, has an answer streamed, waits. Prints figures as
// JSON. `terminal.mjs [--floor] COMMAND…`
import fs from 'node:fs';
import { measure } from './measure.mjs';
import { openPseudoTerminal, pause, share } from './pseudo-terminal.mjs';

const KEYS = 200;
const TOKENS = 2000;
const IDLE_MS = 3000;

const isFloor = process.argv[2] === '--floor';
const command = process.argv.slice(isFloor ? 3 : 2);
const terminal = openPseudoTerminal(command);

await terminal.sees('❯');
const paintCpuMs = terminal.cpuMs();
if (!isFloor) await terminal.sees('for keys');
await terminal.quiet();
const figures = {
  ...{ paintCpuMs, openCpuMs: terminal.cpuMs(), openRssMiB: terminal.rssMiB() },
  ...(await typed()),
  ...(!isFloor && { codeKiB: codeKiB() }),
};
if (!isFloor) Object.assign(figures, await streamed(), { laterRssMiB: terminal.rssMiB() }, await busy());
figures.idleCpuMsPerS = await cpuPerSecond();
await terminal.leave();
console.log(JSON.stringify(figures));

/** Keys one at a time; each is waited for. */
async function typed() {
  const [spent, sent] = [terminal.cpuMs(), terminal.bytes];
  const times = [];
  for (let at = 0; at < KEYS; at++) {
    times.push(await terminal.typed('abcdefghij'[at % 10], { wholeFrame: !isFloor }));
  }
  return {
    keyCpuMs: (terminal.cpuMs() - spent) / KEYS,
    keyBytes: (terminal.bytes - sent) / KEYS,
    keyP50Ms: share(times, 0.5),
    keyP99Ms: share(times, 0.99),
  };
}

/** Tokens of an answer, as fast as they come. */
async function streamed() {
  terminal.type('\u0015');
  await terminal.quiet();
  terminal.type('go @scenario:big');
  await terminal.quiet();
  const [spent, sent] = [terminal.cpuMs(), terminal.bytes];
  terminal.type('\r');
  await terminal.sees('word1999');
  await terminal.quiet();
  const perTokenMs = (terminal.cpuMs() - spent - (await printedMs())) / TOKENS;
  return { tokenBytes: (terminal.bytes - sent) / TOKENS, tokenBeyondPrintMs: perTokenMs };
}

/** What print mode spends on the same answer, without its start. */
async function printedMs() {
  const flags = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
  const run = async (scenario) => {
    const place = { cwd: process.cwd(), env: process.env };
    const { cpuMs: spent, code } = await measure([...command, '-p', `go @scenario:${scenario}`, ...flags], place);
    if (code !== 0) throw new Error(`print mode ended with ${code}`);
    return spent;
  };
  return (await run('big')) - (await run('hello'));
}

/** A model that says nothing for a while: only the spinner turns. */
async function busy() {
  terminal.type('go @scenario:silent\r');
  await terminal.sees('waiting for the model');
  await pause(500);
  const busyCpuMsPerS = await cpuPerSecond();
  await terminal.sees('At last');
  await terminal.quiet();
  return { busyCpuMsPerS };
}

async function cpuPerSecond() {
  const before = terminal.cpuMs();
  await pause(IDLE_MS);
  return ((terminal.cpuMs() - before) * 1000) / IDLE_MS;
}

/** The two scripts that are read before the first frame; test/arch holds that there are no others. */
function codeKiB() {
  const dist = command[1].replace(/[^/]+$/, '');
  const size = (name) => fs.statSync(dist + name).size;
  return (size('heddle.cjs') + size('bundles/tui.cjs')) / 1024;
}
