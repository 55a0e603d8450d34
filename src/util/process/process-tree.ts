import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as giveWay, setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../error-code.ts';
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

/** Milliseconds between checks whether SIGKILL has worked; a process that survives all of them cannot be killed. */
const KILL_PAUSES = [5, 10, 20, 50, 100, 200, 500];
/** How many entries of /proc are read before other work can run. */
const SLICE = 64;

/** Ends a tree: sends SIGTERM, waits `graceMs`, then sends SIGKILL; without a grace time SIGKILL at once. Resolves when all its processes are gone. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  if (graceMs > 0) {
    if (!(await signalTree(tree, 'SIGTERM'))) return;
    for (const pause of gracePauses(graceMs)) {
      await sleep(pause);
      if (!(await signalTree(tree, 0))) return;
    }
  }
  for (const pause of KILL_PAUSES) {
    if (!(await signalTree(tree, 'SIGKILL'))) return;
    await sleep(pause);
  }
}

/** Whether a process of the tree lives. */
export function treeLives(tree: ProcessTree): Promise<boolean> {
  return signalTree(tree, 0);
}

/** True while the group has a member, even a zombie. */
export function groupExists(group: number): boolean {
  return send(-group, 0);
}

/** Signals each process of the tree exactly once; false when there was none. */
async function signalTree(tree: ProcessTree, signal: NodeJS.Signals | 0): Promise<boolean> {
  const groups = tree.groups.filter((group) => send(-group, signal));
  const found = await findProcesses({ groups, mark: tree.mark });
  if (found === null) return groups.length > 0;
  // A process that leads its own group gets the signal with that group, which includes members that cleared their
  // environment.
  const led = found.filter(({ pid, group }) => pid === group && !groups.includes(group)).map(({ group }) => group);
  for (const group of led) send(-group, signal);
  for (const { pid, group } of found) {
    if (!groups.includes(group) && !led.includes(group)) send(pid, signal);
  }
  return found.length > 0;
}

interface ListedProcess {
  pid: number;
  group: number;
}

/** The living (not zombie) processes of a tree; null where there is no /proc. */
async function findProcesses(tree: ProcessTree): Promise<ListedProcess[] | null> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  if (pids.length === 0) return null;
  const found: ListedProcess[] = [];
  for (let start = 0; start < pids.length; start += SLICE) {
    if (start > 0) await giveWay();
    for (const pid of pids.slice(start, start + SLICE)) {
      const marked = isMarked(pid, tree.mark);
      if (!marked && tree.groups.length === 0) continue;
      const group = livingGroup(pid);
      if (group !== null && (marked || tree.groups.includes(group))) found.push({ pid, group });
    }
  }
  return found;
}

function isMarked(pid: number, mark: ProcessMark): boolean {
  // Limits first: a process that hides its environment even from its own user still shows its limits.
  return holds(pid, 'limits', mark.limits) || holds(pid, 'environ', mark.environment);
}

function holds(pid: number, name: string, text: string): boolean {
  return readProc(pid, name)?.includes(text) ?? false;
}

/** The process group, or null when the process is gone or a zombie. */
function livingGroup(pid: number): number | null {
  // `pid (name) state ppid pgrp …`; the name may itself hold spaces and parentheses.
  const stat = readProc(pid, 'stat')?.toString('latin1');
  const [state, , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined || group === undefined || 'ZX'.includes(state) ? null : Number(group);
}

/** Synchronously: the kernel answers from memory, and the thread pool costs several times more. */
function readProc(pid: number, name: string): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return null; // gone meanwhile, or another user's
  }
}

/** False when there is no process to signal. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** A few checks within the grace time, the first ones early: most processes end at once. */
function gracePauses(graceMs: number): number[] {
  return [0.02, 0.08, 0.2, 0.7].map((share) => Math.ceil(share * graceMs));
}
