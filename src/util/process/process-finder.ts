import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { ProcessMark } from './process-mark.ts';

/**
 * Processes that belong together: those of some process groups, and those that carry a mark. The mark finds processes
 * that left their group by setsid, a double fork or nohup. It is read from /proc; without one (macOS), only the groups
 * are found.
 */
export interface ProcessTree {
  groups: readonly number[];
  mark: ProcessMark;
}

export interface ListedProcess {
  pid: number;
  group: number;
}

export interface ProcessFinder {
  /** The living (not zombie) processes of a tree; null where there is no /proc. It looks after it was called. */
  find(tree: ProcessTree): Promise<ListedProcess[] | null>;
}

/** How many entries of /proc are read before other work can run. */
const SLICE = 64;

type Found = ReadonlyMap<ProcessTree, ListedProcess[]> | null;

/**
 * Looks through /proc once for all trees that are asked for until it begins, because reading it takes tens of
 * milliseconds on a busy machine, and a turn that is cancelled ends several commands at once. `ownTrees`: all trees are
 * of this process, so that no older process can belong to them.
 */
export function createProcessFinder({ ownTrees = false }: { ownTrees?: boolean } = {}): ProcessFinder {
  const oldest = ownTrees ? (statOf(process.pid)?.started ?? 0) : 0;
  let waiting: { trees: ProcessTree[]; found: Promise<Found> } | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function look(trees: readonly ProcessTree[], before: Promise<unknown>): Promise<Found> {
    await before;
    await giveWay();
    waiting = null;
    return findAll(trees, oldest);
  }

  return {
    async find(tree) {
      if (!waiting) {
        const trees: ProcessTree[] = [];
        waiting = { trees, found: look(trees, last) };
        last = waiting.found.catch(() => {});
      }
      waiting.trees.push(tree);
      const found = await waiting.found;
      return found?.get(tree) ?? (found && []);
    },
  };
}

async function findAll(trees: readonly ProcessTree[], oldest: number): Promise<Found> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  if (pids.length === 0) return null;
  const found = new Map<ProcessTree, ListedProcess[]>(trees.map((tree) => [tree, []]));
  for (let start = 0; start < pids.length; start += SLICE) {
    if (start > 0) await giveWay();
    for (const pid of pids.slice(start, start + SLICE)) {
      const stat = statOf(pid);
      if (!stat || stat.isZombie || stat.started < oldest) continue;
      const { group } = stat;
      const isMarked = marksOf(pid);
      for (const tree of trees) {
        if (tree.groups.includes(group) || isMarked(tree.mark)) found.get(tree)?.push({ pid, group });
      }
    }
  }
  return found;
}

/** Tells which marks a process carries. Its files are read once, and only if they are needed. */
function marksOf(pid: number): (mark: ProcessMark) => boolean {
  let [limits, environment]: (Buffer | null | undefined)[] = [];
  return (mark) => {
    // Limits first: a process that hides its environment even from its own user still shows its limits.
    limits = limits === undefined ? readProc(pid, 'limits') : limits;
    if (limits?.includes(mark.limits)) return true;
    environment = environment === undefined ? readProc(pid, 'environ') : environment;
    return environment?.includes(mark.environment) ?? false;
  };
}

interface Stat {
  isZombie: boolean;
  group: number;
  /** In ticks since the machine was started. */
  started: number;
}

/** Null when the process is gone. */
function statOf(pid: number): Stat | null {
  // `pid (name) state ppid pgrp …`, the start is field 22; the name may itself hold spaces and parentheses.
  const stat = readProc(pid, 'stat')?.toString('latin1');
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, , group] = fields;
  if (state === undefined || group === undefined) return null;
  return { isZombie: 'ZX'.includes(state), group: Number(group), started: Number(fields[19]) };
}

/** Synchronously: the kernel answers from memory, and the thread pool costs several times more. */
function readProc(pid: number, name: string): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return null; // gone meanwhile, or another user's
  }
}
