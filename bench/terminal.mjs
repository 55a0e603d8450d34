// What the terminal costs: starts a program in a pseudo terminal (util-linux `script`), types, has an answer streamed,
// and looks at the CPU of the process in /proc. Prints figures as JSON. `terminal.mjs [--floor] COMMAND…`
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { measure } from './measure.mjs';

const KEYS = 200;
const IDLE_MS = 3000;
const PATIENCE_MS = 30_000;
const END_OF_FRAME = '\u001b[?2026l';

const isFloor = process.argv[2] === '--floor';
const command = process.argv.slice(isFloor ? 3 : 2);
const pidFile = `${process.cwd()}/terminal-${process.pid}.pid`;
const words = command.map((word) => `'${word}'`).join(' ');
const child = spawn('script', ['-qfec', `stty cols 120 rows 40; echo $$ > ${pidFile}; exec ${words}`, '/dev/null'], {
  env: { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const closed = new Promise((resolve) => child.on('close', resolve));
let seen = '';
let bytes = 0;
child.stdout.on('data', (data) => {
  bytes += data.length;
  seen = (seen + data.toString('latin1')).slice(-100_000);
});
process.on('exit', () => fs.rmSync(pidFile, { force: true }));

await until(() => seen.includes(latin1('❯')));
const pid = Number(fs.readFileSync(pidFile, 'utf8'));
const paintCpuMs = cpuMs(pid);
if (!isFloor) await until(() => seen.includes('for keys'));
await quiet();
const figures = { paintCpuMs, openCpuMs: cpuMs(pid), openRssMiB: rssMiB(pid), ...(await typed()) };
if (!isFloor) Object.assign(figures, await streamed(), { laterRssMiB: rssMiB(pid) });
const before = cpuMs(pid);
await pause(IDLE_MS);
figures.idleCpuMsPerS = ((cpuMs(pid) - before) * 1000) / IDLE_MS;
child.stdin.write('\u0003');
await quiet();
child.stdin.write('\u0004');
await quiet();
child.stdin.write('\u0004');
await closed;
console.log(JSON.stringify(figures));

/** Keys one at a time; each is waited for. */
async function typed() {
  const spent = cpuMs(pid);
  const sent = bytes;
  const times = [];
  for (let at = 0; at < KEYS; at++) {
    const wanted = bytes;
    seen = '';
    const from = performance.now();
    child.stdin.write('abcdefghij'[at % 10]);
    await until(() => bytes > wanted && (isFloor || seen.endsWith(END_OF_FRAME)));
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  return {
    keyCpuMs: (cpuMs(pid) - spent) / KEYS,
    keyBytes: (bytes - sent) / KEYS,
    keyP50Ms: times[KEYS / 2],
    keyP99Ms: times[Math.floor(KEYS * 0.99)],
  };
}

/** 2,000 tokens of an answer, as fast as they come. */
async function streamed() {
  const tokens = 2000;
  child.stdin.write('\u0015');
  await quiet();
  child.stdin.write('go @scenario:big');
  await quiet();
  const [spent, sent] = [cpuMs(pid), bytes];
  child.stdin.write('\r');
  await until(() => seen.includes('word1999'));
  await quiet();
  const perTokenMs = (cpuMs(pid) - spent - (await printedMs())) / tokens;
  return { tokenBytes: (bytes - sent) / tokens, tokenBeyondPrintMs: perTokenMs };
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

/** CPU of all threads of a process, in milliseconds; the kernel counts nanoseconds here. */
function cpuMs(of) {
  const threads = fs.readdirSync(`/proc/${of}/task`);
  const spent = threads.map((each) =>
    Number(fs.readFileSync(`/proc/${of}/task/${each}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, each) => sum + each, 0) / 1e6;
}

function rssMiB(of) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${of}/status`, 'utf8'))[1]) / 1024;
}

async function until(isSo) {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  while (!isSo()) {
    if (patience.aborted || child.exitCode !== null)
      throw new Error(`The terminal never showed it: ${JSON.stringify(seen.slice(-500))}`);
    await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), pause(50)]);
  }
}

/** Resolves when nothing has been written for a moment. */
async function quiet() {
  for (let last = -1; last !== bytes; ) {
    last = bytes;
    await pause(200);
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function latin1(text) {
  return Buffer.from(text).toString('latin1');
}
