import { constants, copyFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../sessions/files/session-folders.ts';
import { isSubagentFile, subagentsFolder } from '../sessions/files/session-paths.ts';
import { readTranscript } from '../sessions/files/transcript-reader.ts';
import { sessionUnreadable, storageFailed } from '../sessions/storage-errors.ts';
import type { Loaded } from '../sessions/store.ts';
import { type Check, checkTranscript } from '../sessions/stored/check-transcript.ts';
import { planRepair, type Repair } from '../sessions/stored/repair-transcript.ts';
import { replaceFile } from '../util/files/replace-file.ts';

/** The findings of a check of one file. */
export interface FileCheck {
  path: string;
  /** How many entries could be read. */
  entries: number;
  checks: Check[];
}

export interface FileRepair {
  path: string;
  /** The backup of the original file; null when nothing had to be changed. */
  backup: string | null;
  repairs: Repair[];
  /** Why nothing was done, although something is wrong. */
  refusal: string | null;
}

/** The transcripts of a session: its own, and those of its subagents. */
export function transcriptsOf(path: string): string[] {
  const folder = subagentsFolder(path);
  const names = namesIn(folder).filter(isSubagentFile).sort();
  return [path, ...names.map((name) => join(folder, name))];
}

/** It only reads. Rejects with `session_unreadable`. */
export async function checkFile(path: string): Promise<FileCheck> {
  const loaded: Loaded[] = [];
  for await (const item of readTranscript(path)) loaded.push(item);
  return { path, entries: loaded.filter((item) => 'entry' in item).length, checks: checkTranscript(loaded) };
}

/**
 * Repairs a transcript. A backup is made next to it first; the repaired file replaces it in one step and keeps its mode
 * and its time, by which sessions are listed. The caller makes sure that no process writes to it meanwhile.
 */
export async function repairFile(path: string, { now }: { now: () => number }): Promise<FileRepair> {
  const before = statSync(path);
  const source = readSource(path);
  const { bytes, repairs, refusal } = planRepair(source);
  if (refusal !== null || repairs.length === 0) return { path, backup: null, repairs: [], refusal };
  const backup = `${path}.bak-${timeName(now())}`;
  try {
    copyFileSync(path, backup, constants.COPYFILE_EXCL);
    await replaceFile(path, async (temporary) => {
      writeFileSync(temporary, bytes, { mode: before.mode & 0o777, flag: 'wx' });
      utimesSync(temporary, before.atimeMs / 1000, before.mtimeMs / 1000); // a Date would cut it to milliseconds
      if (statSync(path).size !== source.length) throw new Error('it was written to during the repair');
    });
  } catch (error) {
    throw storageFailed(path, error);
  }
  return { path, backup, repairs, refusal: null };
}

function readSource(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw sessionUnreadable(path, error);
  }
}

/** In a form for file names: 20250131T101500123Z. */
function timeName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '');
}
