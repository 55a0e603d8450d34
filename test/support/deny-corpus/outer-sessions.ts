import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeApi, toolUse } from '../../../src/testing/index.ts';
import { CLI } from '../cli.ts';
import type { DenyPlace } from './place.ts';

/** The settings of a session in which a rule forbids something. */
export interface DenySettings {
  permissions: { deny: readonly string[]; enforcement: 'parse' | 'kernel' };
  hooks?: unknown;
}

/** Has a model ask for each command in a session of the built command line. Returns all that was printed and told. */
export async function runCommandLine(
  commands: readonly string[],
  settings: DenySettings,
  { cwd, env }: DenyPlace,
): Promise<string> {
  const calls = commands.map((command) => toolUse('Bash', { command, timeout: 8000 }));
  const api = await startFakeApi([...calls, 'Done.']);
  const args = ['-p', 'go', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];
  const home = join(env.HOME ?? cwd, '.heddle');
  const child = spawn(process.execPath, [CLI, ...args, '--settings', JSON.stringify(settings)], {
    cwd,
    env: { ...env, HEDDLE_HOME: home, ANTHROPIC_API_KEY: 'key-of-the-test', ANTHROPIC_BASE_URL: api.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (shown += text));
  try {
    await once(child, 'close');
    const asked = api.requests.length;
    if (asked < commands.length) throw new Error(`The session ended after ${asked} requests: ${shown.slice(-2000)}`);
    return shown.replaceAll('\\n', ' ');
  } finally {
    child.kill('SIGKILL');
    await api.close();
  }
}

/** A hook that puts these commands in place of harmless ones, and allows them. */
export function changingHook(
  commands: readonly string[],
  { env, cwd }: DenyPlace,
): { calls: string[]; hooks: unknown } {
  const folder = join(env.HOME ?? cwd, 'answers');
  mkdirSync(folder, { recursive: true });
  for (const [at, command] of commands.entries()) {
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { command, timeout: 8000 },
    };
    writeFileSync(join(folder, `${at}.json`), JSON.stringify({ hookSpecificOutput }));
  }
  const command = `n=$(sed -n 's/.*true number \\([0-9]*\\).*/\\1/p'); cat "${folder}/$n.json"`;
  return {
    calls: commands.map((_, at) => `true number ${at}`),
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
  };
}
