import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { runCli, STREAM_OUT } from './cli.ts';
import { type DamageCase, SESSION } from './damage-corpus.ts';
import { damagedFile } from './damage-run.ts';
import type { Place } from './place.ts';
import { bodyOf } from './requests.ts';
import { wordFaults } from './restored.ts';
import { sessionFiles } from './session-files.ts';

/** Forks a session whose file is damaged, goes on in the fork, and returns everything that is not as it was promised. */
export async function forkFaults(place: Place, { make, kept, left }: DamageCase): Promise<string[]> {
  const source = damagedFile(place);
  writeFileSync(source, make(), { mode: 0o600 });
  const before = hashOf(source);
  const faults: string[] = [];
  const ask = async (prompt: string, ...flags: string[]) => {
    const run = await runCli([...STREAM_OUT, prompt, ...flags], { place });
    if (run.code !== 0) faults.push(`it ended with ${run.code}: ${run.stdout.slice(-600)} ${run.stderr}`);
    if (hashOf(source) !== before) faults.push(`the source has changed after ${prompt}`);
    return String(run.lines.at(-1)?.session_id);
  };
  const fork = await ask('prompt-1', '--resume', SESSION, '--fork-session');
  if (fork === SESSION) faults.push('the fork is the session itself');
  await ask('prompt-2', '--resume', fork);
  if (sessionFiles(place).length !== 2) faults.push(`there are ${sessionFiles(place).length} files`);
  const words = { kept: [...kept, 'prompt-1', 'reply-1', 'prompt-2'], left: left ?? [] };
  return [...faults, ...wordFaults(bodyOf(place.api.requests[1]), words)];
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
