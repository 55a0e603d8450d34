import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackgroundTask } from '../../tools/background/background-tasks.ts';
import { replaceFile } from '../../util/files/replace-file.ts';
import type { ConversationTranscript } from '../conversation/conversation-options.ts';

type AgentTranscript = Pick<ConversationTranscript, 'key' | 'store' | 'spillDir'>;

/**
 * Makes the file that shows an agent's work: a link to its transcript, under the name that hosts look for. If the
 * transcript is not a file, it is a file for the agent's last text. An existing file is replaced, never written through.
 */
export async function agentOutputFile({
  key,
  store,
  spillDir,
}: AgentTranscript): Promise<Pick<BackgroundTask, 'outputFile' | 'outputSource'>> {
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

/** Writes the last text of an agent whose transcript is not a file. */
export async function saveFinalText({ key, store }: AgentTranscript, path: string, text: string): Promise<void> {
  if (store.locate?.(key) !== undefined) return;
  await replaceFile(path, (temporary) => newFile(temporary, text)).catch(() => {});
}

function newFile(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600, flag: 'wx' });
}
