import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectSlug } from '../../src/sessions/files/project-slug.ts';
import { assistant, call, user } from '../sessions/support.ts';
import { CLI } from './cli.ts';
import type { Place } from './place.ts';

export const ID = '00000000-0000-4000-8000-0000000000aa';
export const MB = 1024 * 1024;

/** A session of so many megabytes: prompts with answers, and calls with long results. */
export function writeSession({ home, cwd }: Place, megabytes: number): string {
  const path = join(home, 'projects', projectSlug(cwd), `${ID}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  const line = (entry: object) => writeSync(file, `${JSON.stringify({ ...entry, sessionId: ID, cwd })}\n`);
  let parent: string | undefined;
  for (let turn = 0; turn < megabytes; turn++) {
    const at = parent === undefined ? {} : { parent };
    line(user(`u${turn}`, `prompt ${turn}`, at));
    line(assistant(`c${turn}`, [call(`call-${turn}`)], { parent: `u${turn}` }));
    const content = `result ${turn} ${'wéft '.repeat(MB / 6)}end ${turn}`;
    const result = [{ type: 'tool_result', tool_use_id: `call-${turn}`, content }];
    line(user(`r${turn}`, result, { parent: `c${turn}` }));
    line(assistant(`a${turn}`, `answer ${turn}`, { parent: `r${turn}` }));
    parent = `a${turn}`;
  }
  closeSync(file);
  return path;
}

/** Runs a command of `heddle sessions` with so many megabytes of memory for what it makes of the session. */
export function runSessions(
  { cwd, env }: Place,
  args: string[],
  { output, memory }: { output: string; memory: number },
) {
  const file = openSync(output, 'w');
  const words = [`--max-old-space-size=${memory}`, CLI, 'sessions', ...args];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd, env, stdio: ['ignore', file, 'pipe'] });
  closeSync(file);
  return { status, stderr: stderr.toString() };
}
