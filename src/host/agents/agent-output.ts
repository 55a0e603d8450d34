import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackgroundTask } from '../../tools/background-tasks.ts';
import { replaceFile } from '../../util/replace-file.ts';
import type { Parts } from '../parts.ts';

/**
 * The file in which an agent's work can be followed: a link to its transcript, under the name that hosts look for. Where
 * the transcript is no file, one that gets the agent's last words. Whatever lies there is replaced, never written through.
 */
export async function agentOutputFile({
  transcript,
}: Parts): Promise<Pick<BackgroundTask, 'outputFile' | 'outputSource'>> {
  const { key, store, spillDir } = transcript;
  const dir = join(spillDir, 'tasks');
  const outputFile = join(dir, `${key.agentId}.output`);
  const target = store.locate?.(key);
  const source = target === undefined ? {} : { outputSource: target };
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await replaceFile(outputFile, (path) => (target === undefined ? newFile(path, '') : symlink(target, path)));
    return { outputFile, ...source };
  } catch {
    return { outputFile: target ?? outputFile, ...source }; // the work itself does not depend on it
  }
}

/** Puts the last words where nothing else can be read. */
export async function keepLastWords({ transcript }: Parts, path: string, text: string): Promise<void> {
  if (transcript.store.locate?.(transcript.key) !== undefined) return;
  await replaceFile(path, (temporary) => newFile(temporary, text)).catch(() => {});
}

function newFile(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600, flag: 'wx' });
}
