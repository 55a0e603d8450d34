import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stringField, tryParseJson } from '../util/json.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { moveFile } from '../util/move-file.ts';
import { HeddleError } from '../wire/errors.ts';
import { archiveMarkOf } from './archive-mark.ts';
import { projectFolders, sessionOfFile } from './layout.ts';
import { fileAt } from './session-places.ts';
import { isMissing, storageFailed } from './storage-errors.ts';
import { taskRecordsDir } from './task-records.ts';
import { type SessionSummary, sessionSummary } from './transcript-summary.ts';

/** A session that was deleted. */
export interface TrashedSession {
  sessionId: string;
  /** Where it lies now. */
  folder: string;
  /** Milliseconds since the epoch. */
  deletedAt: number;
  /** Null when its transcript cannot be read. */
  summary: SessionSummary | null;
}

/** Where deleted sessions lie (ruling G9). */
export function trashFolder(home: string): string {
  return join(home, 'trash', 'sessions');
}

/** The name of a session's folder in the trash. */
export function trashName(sessionId: string, now: number): string {
  return `${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}-${sessionId}`;
}

/** Kept beside a deleted transcript, so that it can be put back into its place. */
const ORIGIN = 'origin.json';

export function keepOrigin(folder: string, path: string): void {
  writeFileSync(join(folder, ORIGIN), `${JSON.stringify({ path })}\n`, { mode: 0o600 });
}

/** The deleted sessions of a home, the one deleted last first. */
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
 * Puts a deleted session back: its transcript, its subagents, and what is kept of its background tasks. Rejects with
 * `session_exists` when a session is in its place. Resolves with the path of the transcript.
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

/** Moves a file or folder, with the folders above it; nothing where there is none. */
export function moveIfThere(from: string, to: string): void {
  try {
    if (fileAt(from) === null) return;
    makeDirectory(dirname(to), 0o700);
    moveFile(from, to);
  } catch (error) {
    if (!isMissing(error)) throw storageFailed(from, error);
  }
}

/** Of an emptied folder nothing is left; one in which something else lies stays. */
function tidy(folder: string): void {
  try {
    rmSync(join(folder, ORIGIN), { force: true });
    rmdirSync(folder);
  } catch {
    // Whatever it is, it is not ours to remove.
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
