import { join } from 'node:path';
import { Backups } from '../host/checkpoints/backups.ts';
import { type FileMark, isLikeCopy, markOf } from '../host/checkpoints/file-marks.ts';
import {
  applyRewind,
  countLines,
  type Problem,
  planRewind,
  type RewindBounds,
  type Step,
} from '../host/checkpoints/rewind-files.ts';
import type { Env } from '../host/engine/environment.ts';
import { lazyOwnProgram } from '../host/engine/own-program.ts';
import { protectedPaths } from '../permissions/paths.ts';
import { nodeRealPath } from '../permissions/real-path.ts';
import { instantOf } from '../sessions/entry-fields.ts';
import { findMessage, readStoredSession, type StoredSession } from '../sessions/stored/stored-session.ts';
import { type Checkpoint, readSnapshots, stateAt, toCheckpoint } from '../sessions/tree/checkpoint-entries.ts';
import { stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import { findStored, type SessionsLocation, withSession } from './sessions.ts';

export interface StoredRewind {
  /** The user message whose state is restored. */
  message: string;
  /** Each file that changes, and how. */
  files: { path: string; becomes: 'restored' | 'removed' }[];
  /** Lines that are added and removed. */
  insertions: number;
  deletions: number;
  /** Files that cannot be restored, with the reason. */
  problems: Problem[];
  /** Files that changed after the last entry of the session: changes by others, which would be lost. */
  changedSince: string[];
  /** False for a dry run, and when nothing was done because of `changedSince`. */
  isDone: boolean;
}

export interface RewindStoredOptions extends SessionsLocation {
  env: Env;
  session: string;
  /** A user message: its uuid, or a unique prefix of it. */
  message: string;
  dryRun: boolean;
  /** Also restores files that others have changed since. */
  force: boolean;
  /** Further directories in which files may be changed; real paths. The working directory is always one. */
  roots: readonly string[];
}

/**
 * Restores files to their state when a message of a stored session was sent, on any branch. The session file may come
 * from elsewhere, so only files inside the directories that the caller names are touched. Rejects when the session is
 * in use, or when there is no checkpoint for the message.
 */
export async function rewindStored(options: RewindStoredOptions): Promise<StoredRewind> {
  const found = await findStored(options.session, options);
  const work = async () => rewind(await readStoredSession(found), options);
  return options.dryRun ? work() : withSession(found.sessionId, options, work);
}

async function rewind(session: StoredSession, options: RewindStoredOptions): Promise<StoredRewind> {
  const { home, cwd, env, roots, dryRun, force } = options;
  const message = findMessage(session, options.message).id;
  const history = checkpointsOf(session, cwd);
  const state = stateAt(history, message);
  if (!state) throw noCheckpoint(message, history);
  const backups = new Backups(join(home, 'file-history', session.sessionId), () => '');
  const ownProgram = lazyOwnProgram(env);
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

/** All checkpoints of the session; their paths are relative to the directory in which each message was sent. */
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

/** The time of the session's last entry. */
function lastMoment({ loaded }: StoredSession): number {
  return loaded.reduce((latest, item) => ('entry' in item ? Math.max(latest, instantOf(item.entry)) : latest), 0);
}

/** Leaves out files whose current content the session has as a backup: a rewind restored them. */
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
