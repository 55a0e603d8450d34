// What it costs to join a session: how soon the end of one with 100 MB stands in a terminal, and what twenty hosts that
// watch cost a turn. Prints figures as JSON. `attach.mjs COMMAND…`
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makeLongSession } from './long-session.mjs';
import { openPseudoTerminal, pause } from './pseudo-terminal.mjs';

const LARGE = '5a1e0000-0000-4000-8000-0000000000aa';
const MIDDLE_OF = 5;
const WATCHERS = 20;
const TURNS = 4;

const command = process.argv.slice(2);
const [program, ...words] = command;
const place = fs.realpathSync(fs.mkdtempSync(path.join(process.cwd(), 'attach-')));
process.chdir(place);
const home = process.env.HEDDLE_HOME;
const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const pid of owners()) process.kill(pid, 'SIGKILL');
});

const joinMs = await joins();
console.log(JSON.stringify({ joinMs, ...(await watched()) }));
process.exit(0);

/** From the start of `heddle attach` to the last message; the median. */
async function joins() {
  makeLongSession({ home, cwd: place, sessionId: LARGE, bytes: 100_000_000, compacted: true });
  await background('--resume', LARGE);
  const driver = host('attach', '--stdio', LARGE);
  await driver.turn('go @scenario:hello');
  await driver.end();
  const times = [];
  for (let run = 0; run < MIDDLE_OF; run++) {
    const from = performance.now();
    const terminal = openPseudoTerminal([...command, 'attach', '--watch', LARGE]);
    await terminal.sees('Hello');
    times.push(performance.now() - from);
    await terminal.leave();
  }
  return times.sort((a, b) => a - b)[(MIDDLE_OF - 1) / 2];
}

/** The same turns in two sessions, one of them with watchers: how much more the session's own process takes. */
async function watched() {
  const [alone, together] = [await turnsWith(0), await turnsWith(WATCHERS)];
  return {
    turnMs: alone.ms,
    turnCpuMs: alone.cpuMs,
    watchedTimes: together.ms / alone.ms,
    watchedCpuTimes: together.cpuMs / alone.cpuMs,
  };
}

async function turnsWith(count) {
  const id = await background('--allowedTools', 'Bash');
  const driver = host('attach', '--stdio', id);
  const pid = owners(id)[0];
  await driver.turn('go @scenario:turns20');
  const watchers = Array.from({ length: count }, () => host('attach', '--stdio', '--watch', id));
  await Promise.all(watchers.map((each) => each.isIn));
  const figures = await measured(driver, pid);
  const seen = await Promise.all(watchers.map((each) => each.results(TURNS)));
  if (seen.some((results) => results < TURNS)) throw new Error('A host that watches has missed something');
  await Promise.all([...watchers, driver].map((each) => each.end()));
  return figures;
}

async function measured(driver, pid) {
  const [from, spent] = [performance.now(), cpuMs(pid)];
  for (let turn = 0; turn < TURNS; turn++) await driver.turn('go @scenario:turns20');
  return { ms: (performance.now() - from) / TURNS, cpuMs: (cpuMs(pid) - spent) / TURNS };
}

/** A session without a terminal; resolves with its id. */
async function background(...flags) {
  const child = spawn(program, [...words, '--bg', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const piece of child.stdout) text += piece;
  return text.trim();
}

/** Another host of a session, over lines. */
function host(...args) {
  const child = spawn(program, [...words, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  children.add(child);
  let count = 0;
  let wake = () => {};
  let enter = () => {};
  const isIn = new Promise((resolve) => (enter = resolve));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"control_response"')) enter();
    if (line.startsWith('{"type":"result"')) count++;
    wake();
  });
  const results = async (least) => {
    const patience = AbortSignal.timeout(60_000);
    while (count < least && !patience.aborted)
      await Promise.race([new Promise((resolve) => (wake = resolve)), pause(100)]);
    return count;
  };
  return {
    isIn,
    results,
    async turn(content) {
      await isIn;
      const before = count;
      child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
      await results(before + 1);
    },
    async end() {
      child.stdin.end();
      await new Promise((resolve) => child.on('close', resolve));
      children.delete(child);
    },
  };
}

/** The processes that have sessions here. */
function owners(id) {
  const folder = path.join(home, 'locks');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names
    .filter((name) => /^[0-9a-f-]{36}\.json$/.test(name) && (id === undefined || name.startsWith(id)))
    .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).pid);
}

/** CPU of all threads of a process so far. */
function cpuMs(pid) {
  const spent = fs
    .readdirSync(`/proc/${pid}/task`)
    .map((each) => Number(fs.readFileSync(`/proc/${pid}/task/${each}/schedstat`, 'utf8').split(' ')[0]));
  return spent.reduce((sum, each) => sum + each, 0) / 1e6;
}
