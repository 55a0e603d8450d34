import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asOrdinaryUser } from './as-user.ts';
import { runCli } from './cli.ts';
import { SESSION } from './damage-corpus.ts';
import { damagedFile, hasTrace } from './damage-run.ts';
import type { Place } from './place.ts';

const MOST_MS = 5000;

/** What may stand where a session file is looked for, and cannot be resumed. Throws where this machine cannot make it. */
export const UNREADABLE: Record<string, (path: string) => void> = {
  'a file that is missing': () => {},
  'an empty file': (path) => writeFileSync(path, ''),
  'a directory': (path) => mkdirSync(path),
  'a FIFO': (path) => void execFileSync('mkfifo', [path]),
  'a device (only root can make one)': (path) => void execFileSync('mknod', [path, 'c', '1', '3']),
  'a link that leads nowhere': (path) => symlinkSync(join(dirname(path), 'gone'), path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a file that nobody may read': (path) => {
    writeFileSync(path, '{}\n');
    chmodSync(path, 0);
  },
};

/** Tries to resume such a session, and returns everything that is not as promised: an error, at once and aloud. */
export async function unreadableFaults(place: Place, put: (path: string) => void, flags: string[]): Promise<string[]> {
  put(damagedFile(place));
  const faults: string[] = [];
  await asOrdinaryUser(place.root, async () => {
    const started = Date.now();
    const run = await runCli([...flags, 'hi', '--resume', SESSION], { place });
    const ms = Date.now() - started;
    const said = run.stdout + run.stderr;
    if (run.code !== 1) faults.push(`it ended with ${run.code}: ${said}`);
    if (place.api.requests.length > 0) faults.push('a request was sent');
    if (!said.includes(SESSION)) faults.push(`it does not say which session: ${said}`);
    if (hasTrace(run)) faults.push(`a stack trace: ${said}`);
    if (ms > MOST_MS) faults.push(`it took ${ms} ms`);
  });
  return faults;
}
