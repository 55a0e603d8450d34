import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { moveFile } from '../../util/files/move-file.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { archiveMarkOf, writeArchiveMark } from '../files/archive-mark.ts';
import type { LocatedSession } from '../files/session-files.ts';
import { fileAt } from '../files/session-folders.ts';
import { readTaskRecords, taskNow, taskRecordsDir } from '../files/task-records.ts';
import { isTorn } from '../files/torn-line.ts';
import { writeToFile, writeWhole } from '../files/transcript-file.ts';
import { isMissing, storageFailed } from '../storage-errors.ts';
import { activeLeaf, pathTo } from '../tree/build-tree.ts';
import { findMessage, readStoredSession } from './stored-session.ts';
import { moveIfThere, saveOrigin, trashFolder, trashName } from './trash.ts';
import { lastPromptOf } from './tree-pages.ts';

export { forkSession } from './fork-session.ts';

/** Appends a custom title; the last one of a file counts. */
export async function renameSession({ sessionId, path }: LocatedSession, title: string): Promise<void> {
  appendEntry(path, titleEntry(sessionId, title));
}

/** Throws `invalid_option` for an empty title. */
export function titleEntry(sessionId: string, title: string): Entry {
  const customTitle = title.trim();
  if (customTitle === '') throw new HeddleError('invalid_option', 'The title of a session must not be empty');
  return { type: 'custom-title', customTitle, sessionId };
}

/** Appends a tag; the last one of a file counts. Null removes it. */
export async function tagSession({ sessionId, path }: LocatedSession, tag: string | null): Promise<void> {
  appendEntry(path, tagEntry(sessionId, tag));
}

/** Throws `invalid_option` for an empty tag. */
export function tagEntry(sessionId: string, tag: string | null): Entry {
  if (tag?.trim() === '') throw new HeddleError('invalid_option', 'A tag must not be empty; null takes it away');
  return { type: 'tag', tag: tag?.trim() ?? '', sessionId };
}

/**
 * Marks a session as archived, or removes the mark, in a file next to the transcript, so that a run that writes to the
 * transcript is not disturbed. A later prompt also cancels the mark.
 */
export async function archiveSession(
  { path }: LocatedSession,
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
  /** False when the conversation already continued from there. */
  isChanged: boolean;
}

/**
 * Records the message from which the conversation continues. Throws `session_not_found` for a message that the session
 * does not contain.
 */
export async function switchLeaf(located: LocatedSession, message: string): Promise<Switched> {
  const session = await readStoredSession(located);
  const { id } = findMessage(session, message);
  if (activeLeaf(session.tree).leaf?.id === id) return { leaf: id, isChanged: false };
  const lastPrompt = lastPromptOf(pathTo(session.tree, id)).slice(0, MAX_PROMPT);
  appendEntry(located.path, { type: 'last-prompt', lastPrompt, leafUuid: id, sessionId: located.sessionId });
  return { leaf: id, isChanged: true };
}

/** Enough to recognise the prompt. */
const MAX_PROMPT = 200;

/**
 * Moves the transcript, the folder of its subagents, and the records and outputs of its background tasks to
 * `<home>/trash/sessions/<time>-<id>/`, and resolves with the new path. Its other files in the home (checkpoints, large
 * outputs, task lists) stay. Rejects with `session_busy` while one of its tasks runs.
 */
export async function deleteSession(
  { sessionId, path }: LocatedSession,
  { home, now }: { home: string; now: () => number },
): Promise<{ movedTo: string }> {
  if (fileAt(path) === null) throw gone(path);
  const records = taskRecordsDir(home, sessionId);
  refuseWhileAtWork(records);
  const movedTo = join(trashFolder(home), trashName(sessionId, now()));
  try {
    makeDirectory(movedTo, 0o700);
    saveOrigin(movedTo, path);
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

/** A running detached command could no longer be found by its id. */
function refuseWhileAtWork(records: string): void {
  const running = readTaskRecords(records).filter(({ record }) => taskNow(record, records).state === 'running');
  if (running.length === 0) return;
  const tasks = running.map(({ record }) => record.task_id);
  const message = `Tasks of the session still run: ${tasks.join(', ')}. Stop them first (heddle tasks stop)`;
  throw new HeddleError('session_busy', message, { facts: { tasks } });
}

/** Appends an entry without a uuid to an existing transcript, with one write(2). */
function appendEntry(path: string, entry: Entry): void {
  try {
    // No O_CREAT: a deleted session must not reappear as a file with only a title.
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
