import { rmdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMissing, storageFailed } from '../storage-errors.ts';
import { namesIn } from './session-folders.ts';
import { isSubagentFile } from './session-paths.ts';

/** Deletes a transcript; where `subagents` names a folder, the transcripts in it first. A missing file is fine. */
export function removeTranscript(path: string, { subagents }: { subagents: string | null }): void {
  if (subagents !== null) removeSubagents(subagents);
  removeFile(path);
}

/** Deletes only transcripts of subagents; a folder is removed only when it is empty. */
function removeSubagents(folder: string): void {
  const names = namesIn(folder);
  for (const name of names) if (isSubagentFile(name)) removeFile(join(folder, name));
  for (const emptied of names.length > 0 ? [folder, dirname(folder)] : []) {
    try {
      rmdirSync(emptied);
    } catch {
      return;
    }
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw storageFailed(path, error);
  }
}
