import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import { moveFile } from '../util/move-file.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import { archiveMarkOf, writeArchiveMark } from './archive-mark.ts';
import type { FoundSession } from './session-files.ts';
import { fileAt } from './session-places.ts';
import { isMissing, storageFailed } from './storage-errors.ts';
import { findMessage, readStoredSession } from './stored-session.ts';
import { readTaskRecords, taskNow, taskRecordsDir } from './task-records.ts';
import { isTorn } from './torn-line.ts';
import { writeToFile, writeWhole } from './transcript-file.ts';
import { keepOrigin, moveIfThere, trashFolder, trashName } from './trash.ts';
import { activeLeaf, pathTo } from './tree.ts';
import { lastPromptOf } from './tree-report.ts';

export { forkSession } from './fork-session.ts';

/** Appends a custom title; the last one of a file counts. */
export async function renameSession({ sessionId, path }: FoundSession, title: string): Promise<void> {
  appendEntry(path, titleEntry(sessionId, title));
}

/** Throws `invalid_option` for a title that says nothing. */
export function titleEntry(sessionId: string, title: string): Entry {
  const customTitle = title.trim();
  if (customTitle === '') throw new HeddleError('invalid_option', 'The title of a session must not be empty');
  return { type: 'custom-title', customTitle, sessionId };
}

/** Appends a tag; the last one of a file counts. Null takes it away. */
export async function tagSession({ sessionId, path }: FoundSession, tag: string | null): Promise<void> {
  appendEntry(path, tagEntry(sessionId, tag));
}

/** Throws `invalid_option` for a tag that says nothing. */
export function tagEntry(sessionId: string, tag: string | null): Entry {
  if (tag?.trim() === '') throw new HeddleError('invalid_option', 'A tag must not be empty; null takes it away');
  return { type: 'tag', tag: tag?.trim() ?? '', sessionId };
}

/**
 * Marks a session as archived, or takes the mark away, beside the transcript: that stays as it is, and so does a run that
 * writes to it. A prompt that is sent later takes the mark away as well.
 */
export async function archiveSession(
  { path }: FoundSession,
  mark: { archived: boolean; now: () => number },
): Promise<void> {
  if (fileAt(path) === null) throw gone(path);
  try {
    await writeArchiveMark(path, { archived: mark.archived, at: mark.now() });
  } catch (error) {
    throw storageFailed(archiveMarkOf(path), error);
  }
}

export interface Switched {
  leaf: string;
  /** False when the conversation went on from there already. */
  isChanged: boolean;
}

/** Records which message the conversation goes on from. Throws `session_not_found` for one that it does not hold. */
export async function switchLeaf(found: FoundSession, message: string): Promise<Switched> {
  const session = await readStoredSession(found);
  const { id } = findMessage(session, message);
  if (activeLeaf(session.tree).leaf?.id === id) return { leaf: id, isChanged: false };
  const lastPrompt = lastPromptOf(pathTo(session.tree, id)).slice(0, MAX_PROMPT);
  appendEntry(found.path, { type: 'last-prompt', lastPrompt, leafUuid: id, sessionId: found.sessionId });
  return { leaf: id, isChanged: true };
}

/** Enough to recognise it by. */
const MAX_PROMPT = 200;

/**
 * Moves the transcript, the folder of its subagents, and what is kept of its background tasks with their outputs to
 * `<home>/trash/sessions/<time>-<id>/` (ruling G9). What else was made beside it in the home (checkpoints, large outputs,
 * task lists) stays. Resolves with the new place. Rejects with `session_busy` while one of its tasks runs.
 */
export async function deleteSession(
  { sessionId, path }: FoundSession,
  { home, now }: { home: string; now: () => number },
): Promise<{ movedTo: string }> {
  if (fileAt(path) === null) throw gone(path);
  const records = taskRecordsDir(home, sessionId);
  refuseWhileAtWork(records);
  const movedTo = join(trashFolder(home), trashName(sessionId, now()));
  try {
    makeDirectory(movedTo, 0o700);
    keepOrigin(movedTo, path);
    moveFile(path, join(movedTo, basename(path)));
  } catch (error) {
    throw storageFailed(path, error);
  }
  moveIfThere(archiveMarkOf(path), join(movedTo, basename(archiveMarkOf(path))));
  const folder = path.replace(/\.jsonl$/, '');
  if (folder !== path) moveIfThere(folder, join(movedTo, basename(folder)));
  moveIfThere(records, join(movedTo, 'background'));
  moveIfThere(join(home, 'tool-results', sessionId, 'tasks'), join(movedTo, 'task-outputs'));
  return { movedTo };
}

/** A detached command that runs could not be found by its id any more. */
function refuseWhileAtWork(records: string): void {
  const running = readTaskRecords(records).filter(({ record }) => taskNow(record, records).state === 'running');
  if (running.length === 0) return;
  const tasks = running.map(({ record }) => record.task_id);
  const message = `Tasks of the session still run: ${tasks.join(', ')}. Stop them first (heddle tasks stop)`;
  throw new HeddleError('session_busy', message, { facts: { tasks } });
}

/** Adds an entry without a uuid to an existing transcript, with one write(2). */
function appendEntry(path: string, entry: Entry): void {
  try {
    // No O_CREAT: a session that is gone must not come back as a file with nothing but a title.
    const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(fd);
      const line = `${JSON.stringify(entry)}\n`;
      writeWhole(fd, Buffer.from(isTorn(fd, size) ? `\n${line}` : line), size, writeToFile);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw isMissing(error) ? gone(path) : storageFailed(path, error);
  }
}

function gone(path: string): HeddleError {
  return new HeddleError('session_not_found', `The session file ${path} is not there any more`, { facts: { path } });
}
