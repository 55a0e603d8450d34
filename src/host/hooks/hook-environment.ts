import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandHook } from '../../hooks/hook.ts';
import { messageOf } from '../../util/message-of.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import type { Processes } from '../../util/process/process.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Env } from '../engine/environment.ts';

/** Variables that hooks set for later commands, through the files that `CLAUDE_ENV_FILE` names. */
export interface HookEnv {
  /** `CLAUDE_ENV_FILE` for a hook that may set variables; empty for all others. */
  variablesFor(hook: CommandHook): Readonly<Record<string, string>>;
  /** Reads what hooks have written meanwhile. Never rejects. */
  refresh(): Promise<void>;
  /** The variables that hooks add to, or change in, the environment of commands; undefined for a removed variable. */
  changes(): Env;
  /** Removes the files, because they may hold secrets. */
  close(): void;
}

export interface HookEnvOptions {
  processes: Processes;
  cwd: string;
  /** The environment of the shell that reads the files. */
  env(): Env;
  log: Logger;
}

/** Events whose hooks may set variables for later commands. */
export const ENV_EVENTS: ReadonlySet<string> = new Set(['SessionStart', 'Setup', 'CwdChanged', 'FileChanged']);

export function createHookEnv({ processes, cwd, env, log }: HookEnvOptions): HookEnv {
  /** In the order in which hooks got them. Each hook has its own file, so that none overwrites another's. */
  const files = new Map<CommandHook, string>();
  const inTurn = oneAtATime();
  let folder: string | null = null;
  let changes: Env = {};
  let stamp = '';

  async function read(): Promise<void> {
    const written = [...files.values()].map((path) => ({ path, stamp: stampOf(path) }));
    const now = written.map((file) => file.stamp).join(' ');
    if (now === stamp) return;
    stamp = now;
    const paths = written.filter((file) => file.stamp !== '').map(({ path }) => path);
    try {
      changes = paths.length === 0 ? {} : await changesBy(paths, { processes, cwd, env });
    } catch (error) {
      log('warn', `What hooks have written to CLAUDE_ENV_FILE could not be read: ${messageOf(error)}`);
    }
  }

  return {
    variablesFor(hook): Record<string, string> {
      if (ENV_EVENTS.has(hook.event)) folder ??= privateFolder(log);
      if (!ENV_EVENTS.has(hook.event) || folder === null) return {};
      const path = files.get(hook) ?? join(folder, `${files.size}.sh`);
      files.set(hook, path);
      return { CLAUDE_ENV_FILE: path };
    },
    refresh: () => inTurn(read),
    changes: () => changes,
    close() {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Null when the folder cannot be made: hooks work without it. */
function privateFolder(log: Logger): string | null {
  try {
    return mkdtempSync(join(tmpdir(), 'heddle-env-')); // only the user can read it
  } catch (error) {
    log('warn', `Hooks have no CLAUDE_ENV_FILE: ${messageOf(error)}`);
    return null;
  }
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs}/${stats.size}` : '';
}

/** A file may run other programs; this bounds their time. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;

/**
 * A shell reads the files, because they are shell code, and prints its environment before and after. The output of the
 * files is dropped, and a file that fails does not keep the shell from reading the others.
 */
const SCRIPT = `tell=$(command -v env)
"$tell" -0
printf '\\0'
set -a
for file in "$@"; do . "$file" >/dev/null 2>&1 </dev/null; done
"$tell" -0`;

/** The shell's own variables, which differ every time. */
const OWN: ReadonlySet<string> = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'BASHOPTS', 'SHELLOPTS', 'tell', 'file']);

async function changesBy(paths: readonly string[], place: Omit<HookEnvOptions, 'log'>): Promise<Env> {
  const chunks: Buffer[] = [];
  let room = MAX_BYTES;
  const onOutput = (stream: 'stdout' | 'stderr', data: Buffer) => {
    if (stream !== 'stdout') return;
    room -= data.length;
    if (room >= 0) chunks.push(data);
  };
  const { processes, cwd, env } = place;
  const args = ['-c', SCRIPT, 'bash', ...paths];
  const spec = { command: '/bin/bash', args, cwd, env: env(), timeoutMs: TIMEOUT_MS, onOutput };
  const { timedOut } = await processes.run(spec, new AbortController().signal);
  if (timedOut) throw new Error(`it took longer than ${TIMEOUT_MS / 1000} s`);
  if (room < 0) throw new Error('it is too much');
  const [before, after] = Buffer.concat(chunks).toString().split('\0\0').map(variablesIn);
  if (!before || !after || after.size === 0) throw new Error('the shell ended before its time');
  const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !OWN.has(name));
  const changed = names.filter((name) => before.get(name) !== after.get(name));
  return Object.fromEntries(changed.map((name) => [name, after.get(name)]));
}

function variablesIn(text: string): Map<string, string> {
  const lines = text.split('\0').filter((line) => line.includes('='));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
