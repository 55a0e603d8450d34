import { constants, copyFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, checkTranscript } from '../sessions/fsck.ts';
import { planRepair, type Repair } from '../sessions/fsck-repair.ts';
import { isSubagentFile, subagentsFolder } from '../sessions/layout.ts';
import { namesIn } from '../sessions/session-places.ts';
import { sessionUnreadable, storageFailed } from '../sessions/storage-errors.ts';
import type { Loaded } from '../sessions/store.ts';
import { readTranscript } from '../sessions/transcript-reader.ts';
import { replaceFile } from '../util/replace-file.ts';

/** What a check of one file found. */
export interface FileCheck {
  path: string;
  /** How many entries could be read. */
  entries: number;
  checks: Check[];
}

export interface FileRepair {
  path: string;
  /** The file as it was; null when nothing had to be changed. */
  backup: string | null;
  repairs: Repair[];
  /** Why nothing was done, although something should be. */
  refusal: string | null;
}

/** The transcripts of a session: its own, and those of its subagents. */
export function transcriptsOf(path: string): string[] {
  const folder = subagentsFolder(path);
  const names = namesIn(folder).filter(isSubagentFile).sort();
  return [path, ...names.map((name) => join(folder, name))];
}

/** Reads only. Rejects with `session_unreadable`. */
export async function checkFile(path: string): Promise<FileCheck> {
  const loaded: Loaded[] = [];
  for await (const item of readTranscript(path)) loaded.push(item);
  return { path, entries: loaded.filter((item) => 'entry' in item).length, checks: checkTranscript(loaded) };
}

/**
 * Repairs a transcript. Before that a copy of it is made beside it; the repaired one takes its place in one step, and
 * keeps its mode and its time, by which sessions are listed. Nobody may write to it meanwhile.
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

/** As it may stand in a file name: 20250131T101500123Z. */
function timeName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '');
}
