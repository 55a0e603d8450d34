import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Parts } from '../parts.ts';

/**
 * The file in which an agent's work can be followed: a link to its transcript, under the name that hosts look for. Where
 * the transcript is no file, one that gets the agent's last words.
 */
export async function agentOutputFile({ transcript }: Parts): Promise<string> {
  const { key, store, spillDir } = transcript;
  const dir = join(spillDir, 'tasks');
  const path = join(dir, `${key.agentId}.output`);
  const target = store.locate?.(key);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await rm(path, { force: true });
    if (target === undefined) await writeFile(path, '', { mode: 0o600 });
    else await symlink(target, path);
    return path;
  } catch {
    return target ?? path; // the work itself does not depend on it
  }
}

/** Puts the last words where nothing else can be read. */
export async function keepLastWords({ transcript }: Parts, path: string, text: string): Promise<void> {
  if (transcript.store.locate?.(transcript.key) !== undefined) return;
  await writeFile(path, text, { mode: 0o600 }).catch(() => {});
}
