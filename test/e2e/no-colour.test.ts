import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CLI } from '../support/cli.ts';
import type { Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { branched } from '../support/session-commands.ts';

const ESCAPE = '\u001b[';

/** Every command that shows something to people, and whether it paints. */
const COMMANDS: readonly [command: string, isPainted: boolean][] = [
  ['sessions list', true],
  ['sessions tree SESSION', true],
  ['sessions show SESSION', true],
  ['sessions search Rome', true],
  ['sessions fsck SESSION', false],
  ['tasks list', true],
  ['tasks show b1f3a2', true],
  ['mcp list', false],
  ['doctor', true],
  ['config list', false],
  ['hooks list', false],
  ['trust', false],
];

describe.each(COMMANDS)('heddle %s', (command, isPainted) => {
  test('is plain when piped or against NO_COLOR, and painted only on a terminal or by FORCE_COLOR', async () => {
    const { place, sessionId } = await prepared();
    const line = command.replace('SESSION', sessionId);
    const shown = async (how: 'piped' | 'terminal', env = {}) => output(line, { place, how, env });
    const [piped, terminal, noColour, forced, both] = await Promise.all([
      shown('piped'),
      shown('terminal'),
      shown('terminal', { NO_COLOR: '1' }),
      shown('piped', { FORCE_COLOR: '1' }),
      shown('piped', { FORCE_COLOR: '1', NO_COLOR: '1' }),
    ]);
    const texts = { piped, terminal, noColour, forced, both };
    const isColoured = Object.entries(texts).map(([how, text]) => [how, text.includes(ESCAPE)]);
    expect(Object.fromEntries(isColoured)).toEqual({
      ...{ piped: false, terminal: isPainted, noColour: false, forced: isPainted, both: false },
    });
    expect(Object.values(texts).map((text) => text.trim())).not.toContain('');
  }, 30_000);
});

async function prepared(): Promise<{ place: Place; sessionId: string }> {
  const { place, sessionId } = await branched();
  put(join(place.home, 'background', sessionId, 'b1f3a2.json'), taskRecord(place, sessionId));
  put(join(place.home, '.claude.json'), { mcpServers: { gone: { command: '/nonexistent' } } });
  put(join(place.home, 'settings.json'), { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } });
  return { place, sessionId };
}

function taskRecord({ cwd }: Place, sessionId: string) {
  return {
    ...{ task_id: 'b1f3a2', run_id: 'r', task_type: 'local_bash', description: 'a task', command: 'true' },
    ...{ tool_use_id: 't', status: 'completed', exit_code: 0, result: null, stopped_by: null },
    ...{ started_at: 1, ended_at: 2, session_id: sessionId, cwd, output_file: join(cwd, 'none'), detached: false },
    ...{ owner: { pid: 1, host: hostname() }, process: null, usage: null, told: true, told_with: null },
  };
}

/** What the command line writes to stdout, which is a pipe or a terminal. An exit code of 1 is as good. */
async function output(
  line: string,
  { place, how, env }: { place: Place; how: 'piped' | 'terminal'; env: Record<string, string> },
): Promise<string> {
  const command = `'${process.execPath}' '${CLI}' ${line} 2>/dev/null || true`;
  const [file, args] = how === 'piped' ? ['sh', ['-c', command]] : ['script', ['-qec', command, '/dev/null']];
  const options = { cwd: place.cwd, env: { ...place.env, TERM: 'xterm', SHELL: '/bin/sh', ...env } };
  return (await promisify(execFile)(file, args as string[], options)).stdout;
}
