import { chown, lstat, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isInsideAny } from '../permissions/paths.ts';
import { nodeRealPath, placeOf } from '../permissions/real-path.ts';
import type { FileState } from '../sessions/file-history.ts';
import { affordableEdits } from '../util/diff-effort.ts';
import { errorCode } from '../util/error-code.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { messageOf } from '../util/message-of.ts';
import { replaceFile } from '../util/replace-file.ts';
import type { Backups } from './checkpoint-backups.ts';
import { copyWhole, isLikeCopy, markOf } from './checkpoint-marks.ts';

/** What a rewind may touch. Its orders come from a session file, which somebody else may have written. */
export interface RewindBounds {
  backups: Backups;
  roots: readonly string[];
  /** Files that this very run has tracked: it knows of itself that a tool was allowed to change them. */
  ownFiles: ReadonlySet<string>;
  /** Places where a file can make commands run later. */
  isProtected: (path: string) => boolean;
}

export interface Step {
  path: string;
  /** The copy to bring back; null: the file goes. */
  copy: string | null;
}

export interface Problem {
  path: string;
  reason: string;
}

/**
 * What has to be done so that files are in this state, and what cannot be done. Where something cannot be brought back,
 * nothing is removed either: a file that is new may be an old one that was moved.
 */
export async function planRewind(
  states: ReadonlyMap<string, FileState>,
  bounds: RewindBounds,
): Promise<{ steps: Step[]; problems: Problem[] }> {
  const isNew = (state: FileState) => 'backupFileName' in state && state.backupFileName === null;
  const entries = [...states];
  const removals = await planSteps(
    entries.filter(([, state]) => isNew(state)),
    bounds,
    new Set(),
  );
  const going = new Set(removals.steps.map(({ path }) => path));
  const restores = await planSteps(
    entries.filter(([, state]) => !isNew(state)),
    bounds,
    going,
  );
  if (restores.problems.length === 0) {
    const order = new Map(entries.map(([path], at) => [path, at]));
    const steps = [...removals.steps, ...restores.steps];
    steps.sort((a, b) => (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0));
    return { steps, problems: removals.problems };
  }
  const kept = removals.steps.map(({ path }) => ({ path, reason: NOT_REMOVED }));
  return { steps: restores.steps, problems: [...restores.problems, ...removals.problems, ...kept] };
}

const NOT_REMOVED = 'not removed, because another file cannot be brought back';

async function planSteps(
  states: readonly [string, FileState][],
  bounds: RewindBounds,
  going: ReadonlySet<string>,
): Promise<{ steps: Step[]; problems: Problem[] }> {
  const steps: Step[] = [];
  const problems: Problem[] = [];
  for (const [path, state] of states) {
    try {
      const step = await planStep(path, state, bounds, going);
      if (step) steps.push(step);
    } catch (error) {
      problems.push({ path, reason: messageOf(error) });
    }
  }
  return { steps, problems };
}

/**
 * Does the steps. A file that cannot be brought back does not keep the others from it. First goes what stands in the way
 * of a file (a link or a file where a folder has to be, a folder's content where a file has to be), last what is only
 * new, and that only when everything else is back.
 */
export async function applyRewind(
  steps: readonly Step[],
  bounds: RewindBounds,
): Promise<{ changed: string[]; problems: Problem[] }> {
  const changed: string[] = [];
  const problems: Problem[] = [];
  const attempt = async ({ path, copy }: Step) => {
    try {
      requireAllowed(path, bounds);
      if (copy === null) await rm(path, { force: true });
      else await restore(path, copy);
      changed.push(path);
    } catch (error) {
      problems.push({ path, reason: messageOf(error) });
    }
  };
  const restores = steps.filter(({ copy }) => copy !== null);
  const places = new Set(restores.map(({ path }) => path));
  const folders = new Set(restores.flatMap(({ path }) => foldersOf(path)));
  const isInTheWay = ({ path }: Step) => folders.has(path) || foldersOf(path).some((folder) => places.has(folder));
  const removals = steps.filter(({ copy }) => copy === null);
  for (const step of removals.filter(isInTheWay)) await attempt(step);
  for (const step of restores) await attempt(step);
  const others = removals.filter((step) => !isInTheWay(step));
  if (problems.length === 0) for (const step of others) await attempt(step);
  else problems.push(...others.map(({ path }) => ({ path, reason: NOT_REMOVED })));
  return { changed, problems };
}

/** Every folder above a path. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersOf(folder)];
}

/** More are only counted. */
const MAX_NAMED = 100;

/** For the answer to a rewind: what could not be brought back. */
export function errorOf(problems: readonly Problem[]): { error?: string } {
  if (problems.length === 0) return {};
  const named = problems.slice(0, MAX_NAMED).map(({ path, reason }) => `${path} (${reason})`);
  const more = problems.length - named.length;
  return { error: `Not brought back: ${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}` };
}

async function planStep(
  path: string,
  state: FileState,
  bounds: RewindBounds,
  going: ReadonlySet<string>,
): Promise<Step | null> {
  if (!('backupFileName' in state)) throw new Error(state.reason);
  const now = markOf(path);
  const name = state.backupFileName;
  if (name === null && now === null) return null;
  const copy = name === null ? null : bounds.backups.locate(name);
  // Reached through a link that was put in its way, it is another file.
  const isItself = placeOf(path, nodeRealPath) === path;
  if (now && copy !== null && isItself && (await isLikeCopy(path, now, copy).catch(() => false))) return null;

  // A link that goes does not count: it is judged again when it is gone.
  const isUnblocked = foldersOf(path).some((folder) => going.has(folder)) && isInsideAny(bounds.roots, path);
  if (!isUnblocked) requireAllowed(path, bounds);
  if (now === undefined) throw new Error('it cannot be looked at');
  if (name !== null) await requireCopy(copy);
  return { path, copy };
}

async function requireCopy(copy: string | null): Promise<void> {
  const stats = copy === null ? null : await lstat(copy).catch(() => null);
  if (!stats?.isFile()) throw new Error('its copy is missing');
}

/** Throws unless a rewind may write there. Links in the way count as what they lead to. */
function requireAllowed(path: string, { roots, ownFiles, isProtected }: RewindBounds): void {
  const place = placeOf(path, nodeRealPath);
  if (place === null) throw new Error('where it leads cannot be told');
  const isOwn = ownFiles.has(path);
  if (isOwn && place === path) return;
  if (!isInsideAny(roots, place)) throw new Error('it lies outside of the working directories');
  if (!isOwn && isProtected(place)) throw new Error('it is protected, and was not changed by this run');
}

/** A folder that a command has made in its place; what was new in it is gone by now. */
async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch(() => {
    throw new Error('a directory is in its place, and not empty');
  });
}

/** With the mode of the copy. A link in its place is replaced, not followed. */
async function restore(path: string, copy: string): Promise<void> {
  makeDirectory(dirname(path));
  const before = await lstat(path).catch(() => null);
  if (before?.isDirectory()) await removeEmpty(path);
  await replaceFile(path, async (temporary) => {
    await copyWhole(copy, temporary);
    if (before?.isFile()) await chown(temporary, before.uid, before.gid).catch(() => {}); // only root may give files away
  });
}

/** Larger files are not compared line by line; they count as changed, with no lines. */
const MAX_COUNTED_BYTES = 2 * 1024 * 1024;
/** Beyond that many different lines, all of them count as different. */
const MAX_EDIT_LENGTH = 2000;

/** How many lines the steps would put in and take out. */
export async function countLines(steps: readonly Step[]): Promise<{ insertions: number; deletions: number }> {
  const sum = { insertions: 0, deletions: 0 };
  for (const { path, copy } of steps) {
    const [now, then] = await Promise.all([textOf(path), copy === null ? '' : textOf(copy)]);
    if (now === null || then === null) continue;
    const { insertions, deletions } = await differingLines(now, then);
    sum.insertions += insertions;
    sum.deletions += deletions;
  }
  return sum;
}

async function differingLines(now: string, then: string): Promise<{ insertions: number; deletions: number }> {
  const { diffLines } = await import('diff'); // not on the start path
  const changes =
    diffLines(now, then, { maxEditLength: affordableEdits(now, then) }) ??
    // Step by step, so that nothing else waits for it.
    (await new Promise<ReturnType<typeof diffLines> | undefined>((callback) => {
      diffLines(now, then, { maxEditLength: MAX_EDIT_LENGTH, callback });
    }));
  if (!changes) return { insertions: linesIn(then), deletions: linesIn(now) };
  const sum = { insertions: 0, deletions: 0 };
  for (const { added, removed, count = 0 } of changes) {
    if (added) sum.insertions += count;
    if (removed) sum.deletions += count;
  }
  return sum;
}

/** Null for what has no lines: too large, binary, no file. An absent file has no text. */
async function textOf(path: string): Promise<string | null> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > MAX_COUNTED_BYTES) return null;
    const bytes = await readFile(path);
    return bytes.includes(0) ? null : bytes.toString('utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? '' : null;
  }
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
