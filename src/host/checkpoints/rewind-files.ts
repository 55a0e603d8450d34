import { chown, lstat, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { locationOf, nodeRealPath } from '../../permissions/real-path.ts';
import type { FileState } from '../../sessions/tree/checkpoint-entries.ts';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { isInsideAny } from '../../util/files/path-inside.ts';
import { replaceFile } from '../../util/files/replace-file.ts';
import { messageOf } from '../../util/message-of.ts';
import { affordableEdits } from '../../util/text/diff-effort.ts';
import type { Backups } from './backups.ts';
import { copyWhole, isLikeCopy, markOf } from './file-marks.ts';

/** What a rewind may change. Its steps come from a session file, which someone else may have written. */
export interface RewindBounds {
  backups: Backups;
  roots: readonly string[];
  /** Files that this run has tracked: it knows that a tool was allowed to change them. */
  ownFiles: ReadonlySet<string>;
  /** Paths where a file can make commands run later. */
  isProtected: (path: string) => boolean;
}

export interface Step {
  path: string;
  /** The copy to restore; null: the file is removed. */
  copy: string | null;
}

export interface Problem {
  path: string;
  reason: string;
}

/**
 * Plans the steps that lead to a state of the files, and lists what cannot be restored. If a file cannot be restored,
 * no file is removed: a new file may be an old one that was moved.
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
 * Carries out the steps. A file that cannot be restored does not stop the others. Obstacles go first (a link or a file
 * where a folder has to be, the content of a folder where a file has to be). New files go last, and only when
 * everything else is restored.
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

/** Further problems are only counted. */
const MAX_NAMED = 100;

/** The error field of the answer to a rewind: the files that were not restored. */
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
  // A path through a link that replaced a folder leads to another file.
  const isItself = locationOf(path, nodeRealPath) === path;
  if (now && copy !== null && isItself && (await isLikeCopy(path, now, copy).catch(() => false))) return null;

  // A link that will be removed does not count: the path is checked again afterwards.
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

/** Throws unless a rewind may write to the path. A link on the way counts as its target. */
function requireAllowed(path: string, { roots, ownFiles, isProtected }: RewindBounds): void {
  const place = locationOf(path, nodeRealPath);
  if (place === null) throw new Error('where it leads cannot be told');
  const isOwn = ownFiles.has(path);
  if (isOwn && place === path) return;
  if (!isInsideAny(roots, place)) throw new Error('it lies outside of the working directories');
  if (!isOwn && isProtected(place)) throw new Error('it is protected, and was not changed by this run');
}

/** Removes a folder that a command made where the file was; new files in it are gone by now. */
async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch(() => {
    throw new Error('a directory is in its place, and not empty');
  });
}

/** Restores content and mode. Replaces a link at the path, and does not follow it. */
async function restore(path: string, copy: string): Promise<void> {
  makeDirectory(dirname(path));
  const before = await lstat(path).catch(() => null);
  if (before?.isDirectory()) await removeEmpty(path);
  await replaceFile(path, async (temporary) => {
    await copyWhole(copy, temporary);
    if (before?.isFile()) await chown(temporary, before.uid, before.gid).catch(() => {}); // only root may change the owner
  });
}

/** Larger files are not compared line by line: they count as changed, with no lines. */
const MAX_COUNTED_BYTES = 2 * 1024 * 1024;
/** With more different lines than this, all lines count as different. */
const MAX_EDIT_LENGTH = 2000;

/** The number of lines that the steps would insert and delete. */
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
    // In portions, so that nothing else has to wait.
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

/** Null for a file without lines: too large, binary, or not a file. An absent file has an empty text. */
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
