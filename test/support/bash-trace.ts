import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What bash itself makes of each script: the words of every command that it tried to start and that is no builtin.
 * Nothing is found on the path, so nothing really runs; a handler notes what was looked for. A script that never ends
 * is given up together with those that follow in its batch.
 */
export async function traceInBash(scripts: readonly string[]): Promise<string[][][]> {
  const traces: string[][][] = [];
  for (let at = 0; at < scripts.length; at += BATCH) traces.push(...(await traceBatch(scripts.slice(at, at + BATCH))));
  return traces;
}

const BATCH = 100;
const MAX_MS = 5000;

async function traceBatch(scripts: readonly string[]): Promise<string[][][]> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-trace-'));
  try {
    writeFileSync(join(folder, 'all.sh'), program(scripts));
    await runGroup(folder);
    const logs = readdirSync(folder).filter((name) => name.startsWith('log.'));
    return scripts.map((_, at) =>
      logs.filter((name) => name.startsWith(`log.${at}.`)).flatMap((name) => wordsIn(join(folder, name))),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** In a group of its own, all of which is ended: scripts leave things in the background, and some never end. */
async function runGroup(cwd: string): Promise<void> {
  const env = { LC_ALL: 'C.UTF-8', HOME: '/home/u' };
  const child = spawn('/bin/bash', ['--norc', '--noprofile', 'all.sh'], { cwd, env, stdio: 'ignore', detached: true });
  const timer = new AbortController();
  await Promise.race([once(child, 'exit'), sleep(MAX_MS, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  await sleep(100);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

const END = '\u0001end';

/** A file for each script and process: what runs side by side must not write into each other's lines. */
function program(scripts: readonly string[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const runs = scripts.map((script, at) => `N=${at}\n( eval ${quoted(script)} ) > /dev/null 2>&1 < /dev/null\n`);
  return `command_not_found_handle() {
  printf '%s\\0' "$@" $'\\1end' >> "log.$N.$BASHPID"
  return $((RANDOM % 2))
}
ulimit -t 5
FUNCNEST=10
PATH=/nonexistent
x='v w'
set -- p1 p2
${runs.join('')}`;
}

function wordsIn(file: string): string[][] {
  const commands: string[][] = [[]];
  for (const word of readFileSync(file, 'utf8').split('\0').slice(0, -1)) {
    if (word === END) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.slice(0, -1);
}
