import { join } from 'node:path';
import { protectedPaths } from '../permissions/paths.ts';
import { nodeRealPath } from '../permissions/real-path.ts';
import { instantOf } from '../sessions/entry-fields.ts';
import { type Checkpoint, readSnapshots, stateAt, toCheckpoint } from '../sessions/file-history.ts';
import { findMessage, readStoredSession, type StoredSession } from '../sessions/stored-session.ts';
import { stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import { Backups } from './checkpoint-backups.ts';
import { type FileMark, isLikeCopy, markOf } from './checkpoint-marks.ts';
import {
  applyRewind,
  countLines,
  type Problem,
  planRewind,
  type RewindBounds,
  type Step,
} from './checkpoint-rewind.ts';
import { lazyOwnProgram } from './own-program.ts';
import { findStored, type SessionsPlace, withSession } from './stored-sessions.ts';

export interface StoredRewind {
  /** The user message whose state it is. */
  message: string;
  /** Each file that changes, and what becomes of it. */
  files: { path: string; becomes: 'restored' | 'removed' }[];
  /** Lines that are put in and taken out. */
  insertions: number;
  deletions: number;
  /** What cannot be brought back, with the reason. */
  problems: Problem[];
  /** Files that changed after the last entry of the session: somebody else's work, which would be lost. */
  changedSince: string[];
  /** False for a dry run, and when nothing was done because of `changedSince`. */
  isDone: boolean;
}

export interface RewindStoredOptions extends SessionsPlace {
  session: string;
  /** A user message: its uuid, or a beginning of it that only one has. */
  message: string;
  dryRun: boolean;
  /** Also files that somebody else has changed since. */
  force: boolean;
  /** Further directories in which files may be changed; real paths. The working directory always is one. */
  roots: readonly string[];
}

/**
 * Brings files back to how they were when a message of a stored session was sent, on whatever branch. The session file
 * may come from elsewhere, so files are touched only inside of the directories that the caller stands in or names.
 * Rejects when the session is in use, or when there is no checkpoint for the message.
 */
export async function rewindStored(options: RewindStoredOptions): Promise<StoredRewind> {
  const found = await findStored(options.session, options);
  const work = async () => rewind(await readStoredSession(found), options);
  return options.dryRun ? work() : withSession(found.sessionId, options, work);
}

async function rewind(session: StoredSession, options: RewindStoredOptions): Promise<StoredRewind> {
  const { home, cwd, roots, dryRun, force } = options;
  const message = findMessage(session, options.message).id;
  const history = checkpointsOf(session, cwd);
  const state = stateAt(history, message);
  if (!state) throw noCheckpoint(message, history);
  const backups = new Backups(join(home, 'file-history', session.sessionId), () => '');
  const ownProgram = lazyOwnProgram();
  await ownProgram.load();
  const bounds: RewindBounds = {
    backups,
    roots: [cwd, ...roots],
    ownFiles: new Set(),
    isProtected: protectedPaths({ configHome: home, realPath: nodeRealPath, ownProgram }),
  };
  const { steps, problems } = await planRewind(state, bounds);
  const plan = { message, files: steps.map(fileOf), ...(await countLines(steps)), problems };
  const changedSince = await changedByOthers(steps, { since: lastMoment(session), history, backups });
  if (dryRun || (changedSince.length > 0 && !force)) return { ...plan, changedSince, isDone: false };
  const applied = await applyRewind(steps, bounds);
  const changed = new Set(applied.changed);
  const files = steps.filter(({ path }) => changed.has(path)).map(fileOf);
  return { ...plan, files, problems: [...problems, ...applied.problems], changedSince, isDone: true };
}

/** All checkpoints of the session; their paths are relative to where each message was sent. */
function checkpointsOf({ tree, loaded, cwd: startedIn }: StoredSession, cwd: string): Checkpoint[] {
  const entries = loaded.flatMap((item) => ('entry' in item ? [item.entry] : []));
  return readSnapshots(entries).map((snapshot) => {
    const sentIn = stringField(tree.nodes.get(snapshot.messageId)?.entry, 'cwd');
    return toCheckpoint(sentIn ?? startedIn ?? cwd, snapshot);
  });
}

function fileOf({ path, copy }: Step): StoredRewind['files'][number] {
  return { path, becomes: copy === null ? 'removed' : 'restored' };
}

/** When the session was last at work. */
function lastMoment({ loaded }: StoredSession): number {
  return loaded.reduce((latest, item) => ('entry' in item ? Math.max(latest, instantOf(item.entry)) : latest), 0);
}

/** Unless the session has kept a copy of what is there now: then it was a rewind that brought it back. */
async function changedByOthers(
  steps: readonly Step[],
  { since, history, backups }: { since: number; history: readonly Checkpoint[]; backups: Backups },
): Promise<string[]> {
  const changed: string[] = [];
  for (const { path } of steps) {
    const now = markOf(path);
    if (!now || now.mtimeMs <= since) continue;
    const copies = new Set(history.flatMap(({ files }) => files.get(path)?.backupFileName ?? []));
    if (
      !(await isAnyCopy(
        path,
        now,
        [...copies].flatMap((name) => backups.locate(name) ?? []),
      ))
    )
      changed.push(path);
  }
  return changed;
}

async function isAnyCopy(path: string, now: FileMark, copies: readonly string[]): Promise<boolean> {
  for (const copy of copies) if (await isLikeCopy(path, now, copy).catch(() => false)) return true;
  return false;
}

function noCheckpoint(message: string, history: readonly Checkpoint[]): HeddleError {
  const known = history.map(({ messageId }) => messageId);
  const advice =
    known.length === 0
      ? 'The session was run without checkpoints (docs/checkpoints.md says how to turn them on)'
      : `There are checkpoints for these user messages: ${known.join(', ')}`;
  return new HeddleError('session_not_found', `There is no file checkpoint for the message ${message}. ${advice}.`, {
    facts: { message, known },
  });
}
