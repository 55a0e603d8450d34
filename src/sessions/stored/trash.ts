import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { moveFile } from '../../util/files/move-file.ts';
import { stringField, tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import { archiveMarkOf } from '../files/archive-mark.ts';
import { fileAt } from '../files/session-folders.ts';
import { projectFolders, sessionOfFile } from '../files/session-paths.ts';
import { taskRecordsDir } from '../files/task-records.ts';
import { type SessionSummary, sessionSummary } from '../files/transcript-summary.ts';
import { isMissing, storageFailed } from '../storage-errors.ts';

/** A deleted session. */
export interface TrashedSession {
  sessionId: string;
  /** Its folder in the trash. */
  folder: string;
  /** Milliseconds since the epoch. */
  deletedAt: number;
  /** Null when its transcript cannot be read. */
  summary: SessionSummary | null;
}

/** The folder of deleted sessions. */
export function trashFolder(home: string): string {
  return join(home, 'trash', 'sessions');
}

/** The name of a session's folder in the trash. */
export function trashName(sessionId: string, now: number): string {
  return `${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}-${sessionId}`;
}

/** Stored next to a deleted transcript, so that it can be restored to its path. */
const ORIGIN = 'origin.json';

export function saveOrigin(folder: string, path: string): void {
  writeFileSync(join(folder, ORIGIN), `${JSON.stringify({ path })}\n`, { mode: 0o600 });
}

/** The deleted sessions of a home, the last deleted one first. */
export function listTrash(home: string): TrashedSession[] {
  const names = namesIn(trashFolder(home)).sort().reverse();
  return names.flatMap((name) => {
    const folder = join(trashFolder(home), name);
    const transcript = transcriptIn(folder);
    const sessionId = transcript === null ? null : sessionOfFile(basename(transcript));
    if (transcript === null || sessionId === null) return [];
    return [{ sessionId, folder, deletedAt: timeOf(name), summary: readable(transcript) }];
  });
}

/**
 * Restores a deleted session: its transcript, its subagents, and the records of its background tasks. Rejects with
 * `session_exists` when a session is at its path. Resolves with the path of the transcript.
 */
export function restoreTrashed({ sessionId, folder, summary }: TrashedSession, home: string): string {
  const trashed = transcriptIn(folder);
  if (trashed === null) throw new HeddleError('session_not_found', `There is no transcript in ${folder}`);
  const path = originOf(folder) ?? join(projectFolders(home, summary?.cwd ?? '/')[0], basename(trashed));
  if (fileAt(path) !== null) {
    const message = `A session is in its place already: ${path}. Delete or move that one first`;
    throw new HeddleError('session_exists', message, { facts: { path } });
  }
  try {
    makeDirectory(dirname(path), 0o700);
    moveFile(trashed, path);
  } catch (error) {
    throw storageFailed(path, error);
  }
  const name = basename(trashed);
  moveIfThere(join(folder, basename(archiveMarkOf(trashed))), archiveMarkOf(path));
  moveIfThere(join(folder, name.replace(/\.jsonl$/, '')), path.replace(/\.jsonl$/, ''));
  moveIfThere(join(folder, 'background'), taskRecordsDir(home, sessionId));
  moveIfThere(join(folder, 'task-outputs'), join(home, 'tool-results', sessionId, 'tasks'));
  tidy(folder);
  return path;
}

/** Moves a file or folder, and creates the folders above the target; does nothing when it does not exist. */
export function moveIfThere(from: string, to: string): void {
  try {
    if (fileAt(from) === null) return;
    makeDirectory(dirname(to), 0o700);
    moveFile(from, to);
  } catch (error) {
    if (!isMissing(error)) throw storageFailed(from, error);
  }
}

/** Removes an empty folder; one with other files in it stays. */
function tidy(folder: string): void {
  try {
    rmSync(join(folder, ORIGIN), { force: true });
    rmdirSync(folder);
  } catch {
    // An unknown file is not Heddle's to remove.
  }
}

function transcriptIn(folder: string): string | null {
  const name = namesIn(folder).find((each) => sessionOfFile(each) !== null);
  return name === undefined ? null : join(folder, name);
}

function originOf(folder: string): string | null {
  try {
    return stringField(tryParseJson(readFileSync(join(folder, ORIGIN), 'utf8')), 'path') ?? null;
  } catch {
    return null; // deleted by an earlier version
  }
}

function readable(transcript: string): SessionSummary | null {
  try {
    return sessionSummary(transcript);
  } catch {
    return null;
  }
}

/** `2026-01-02T03-04-05-678Z-<id>`. */
function timeOf(name: string): number {
  const [, day = '', hour, minute, second, ms] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`) || 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
