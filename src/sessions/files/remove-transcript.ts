import { rmdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSubagentFile } from './layout.ts';
import { namesIn } from './session-places.ts';
import { isMissing, storageFailed } from './storage-errors.ts';

/** Removes a transcript from the disk; where `subagents` names their folder, theirs first. One that is not there is fine. */
export function removeTranscript(path: string, { subagents }: { subagents: string | null }): void {
  if (subagents !== null) removeSubagents(subagents);
  removeFile(path);
}

/** Only what is a subagent's transcript; folders go when nothing else is in them (ruling G9). */
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
