import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as giveWay, setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './error-code.ts';
import type { ProcessMark } from './process-mark.ts';

/**
 * Processes that belong together: those of some process groups, and those that carry a mark. The mark finds what left
 * its group by setsid, a double fork or nohup. It is read from /proc; where there is none (macOS), only the groups are
 * found.
 */
export interface ProcessTree {
  groups: readonly number[];
  mark: ProcessMark;
}

/** Milliseconds between looks at whether SIGKILL has done its work; what is still there after them cannot be killed. */
const KILL_PAUSES = [5, 10, 20, 50, 100, 200, 500];
/** How much of /proc is read in one go before other work gets its turn. */
const SLICE = 64;

/** Ends a tree: asks it to end, gives it `graceMs`, then kills it. Resolves when nothing of it is left. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  if (!(await signalTree(tree, 'SIGTERM'))) return;
  for (const pause of gracePauses(graceMs)) {
    await sleep(pause);
    if (!(await signalTree(tree, 0))) return;
  }
  for (const pause of KILL_PAUSES) {
    if (!(await signalTree(tree, 'SIGKILL'))) return;
    await sleep(pause);
  }
}

/** Whether something of the tree lives. */
export function treeLives(tree: ProcessTree): Promise<boolean> {
  return signalTree(tree, 0);
}

/** True while the group has a member, be it a zombie. */
export function groupExists(group: number): boolean {
  return send(-group, 0);
}

/** Sends to each process of the tree exactly once; false when there was none. */
async function signalTree(tree: ProcessTree, signal: NodeJS.Signals | 0): Promise<boolean> {
  const groups = tree.groups.filter((group) => send(-group, signal));
  const found = await findProcesses({ groups, mark: tree.mark });
  if (found === null) return groups.length > 0;
  // What moved into a group of its own is met with that group, so that those who cleared their environment are, too.
  const led = found.filter(({ pid, group }) => pid === group && !groups.includes(group)).map(({ group }) => group);
  for (const group of led) send(-group, signal);
  for (const { pid, group } of found) {
    if (!groups.includes(group) && !led.includes(group)) send(pid, signal);
  }
  return found.length > 0;
}

interface FoundProcess {
  pid: number;
  group: number;
}

/** The living (not zombie) processes of a tree; null where there is no /proc to tell. */
async function findProcesses(tree: ProcessTree): Promise<FoundProcess[] | null> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  if (pids.length === 0) return null;
  const found: FoundProcess[] = [];
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
  // Limits first: an agent that hides its environment even from its own user shows them.
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

/** Synchronously: the kernel answers from memory, and a round through the thread pool costs several times more. */
function readProc(pid: number, name: string): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return null; // gone meanwhile, or another user's
  }
}

/** False when there is nobody to send to. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** A few looks within the grace, the first ones early: most processes end at once. */
function gracePauses(graceMs: number): number[] {
  return [0.02, 0.08, 0.2, 0.7].map((share) => Math.ceil(share * graceMs));
}
